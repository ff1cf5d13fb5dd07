package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"parley/internal/words"
)

// A page shows its glyphs from left to right, whatever runs to the left among them. What is here puts them into the
// order in which they are read: the way of the Unicode bidirectional algorithm (UAX 9), back from what it shows.

// shown is what stands in one place of a line: a letter with its marks, a ligature, a sign, or a gap.
type shown struct {
	text  string
	class bidi.Class
}

// shownIn gives what a line shows, from left to right.
func shownIn(glyphs []glyph) (line []shown) {
	glyphs = withMarks(glyphs)
	slices.SortStableFunc(glyphs, func(a, b glyph) int { return cmp.Compare(a.x, b.x) })
	for i, g := range glyphs {
		if i > 0 && printedTwice(glyphs[i-1], g) || g.text == " " && i+1 < len(glyphs) && glyphs[i+1].x < (g.x+g.end)/2 {
			continue // the latter is what is left of a mark that tells the direction
		}
		if i > 0 && parts(glyphs[i-1], g) {
			line = append(line, shown{" ", bidi.WS})
		}
		if text := words.Usual(strings.ReplaceAll(g.text, "\ufffd", "")); text != "" {
			p, _ := bidi.LookupString(text)
			line = append(line, shown{text, p.Class()})
		}
	}
	return line
}

// withMarks gives the glyphs, in the order of the content still, with each mark behind the letter that it stands
// above or below. Which one that is cannot be seen from where the mark stands, for it may begin left of its letter;
// but the two are written one after the other.
func withMarks(glyphs []glyph) []glyph {
	out := make([]glyph, 0, len(glyphs))
	var before []string // marks of the letter to come
	for i, g := range glyphs {
		switch {
		case !isMark(g.text):
			slices.Reverse(before) // they are written from left to right too
			g.text += strings.Join(before, "")
			out, before = append(out, g), nil
		case len(out) == 0 || precedes(out[len(out)-1], g, letterAfter(glyphs, i)):
			before = append(before, words.Usual(g.text))
		default:
			out[len(out)-1].text += words.Usual(g.text)
		}
	}
	if len(out) > 0 {
		out[len(out)-1].text += strings.Join(before, "")
	}
	return out
}

// letterAfter gives the glyph behind the marks at i; an empty one where none is.
func letterAfter(glyphs []glyph, i int) glyph {
	for _, g := range glyphs[i:min(len(glyphs), i+8)] {
		if !isMark(g.text) {
			return g
		}
	}
	return glyph{}
}

// precedes reports that a mark belongs to the letter that is written after it, as in a run to the left that is
// written from left to right, rather than to the one before.
func precedes(before, mark, after glyph) bool {
	if !rightToLeft(after.text) || after.x < before.x {
		return false
	}
	far := max(after.x-mark.end, mark.x-after.end)
	return far < 0.6*after.size
}

// isMark reports a sign that stands above or below a letter.
func isMark(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if r < 0x300 {
		return false
	}
	if usual := words.Usual(string(r)); usual != string(r) { // vowel signs have drawn forms too
		r, _ = utf8.DecodeRuneInString(usual)
	}
	return unicode.Is(unicode.Mn, r)
}

// letters counts the letters that run to the left and to the right.
func letters(line []shown) (left, right int) {
	for _, s := range line {
		switch s.class {
		case bidi.R, bidi.AL:
			left++
		case bidi.L:
			right++
		default: // a number, a sign or a space
		}
	}
	return left, right
}

// runsLeft reports that a line is one of a text which runs to the left. The sign that ends a sentence tells it;
// otherwise the letters do, where few of them suffice on a page that runs to the left.
func runsLeft(line []shown, page bool) bool {
	left, right := letters(line)
	if left == 0 {
		return false
	}
	first, last := ends(line[0].text), ends(line[len(line)-1].text)
	switch {
	case first != last:
		return first
	case page:
		return left*5 >= right
	}
	return left > right
}

// ends reports a sign that ends a sentence.
func ends(text string) bool { return strings.Contains(".,;:!?،؛؟", text) }

// read gives the text of a line.
func read(line []shown, left bool) string {
	var b strings.Builder
	if left {
		readLeft(&b, line)
		return b.String()
	}
	for i := 0; i < len(line); {
		end := i + 1
		if isLeft(line[i].class) {
			for j := end; j < len(line) && line[j].class != bidi.L; j++ {
				if isLeft(line[j].class) {
					end = j + 1
				}
			}
			readLeft(&b, line[i:end])
		} else {
			b.WriteString(line[i].text)
		}
		i = end
	}
	return b.String()
}

func isLeft(c bidi.Class) bool { return c == bidi.R || c == bidi.AL }

func isNumeral(c bidi.Class) bool { return c == bidi.EN || c == bidi.AN }

// leftward is a line, or a part of one, that is read from the right.
type leftward struct {
	line   []shown
	behind []bool // by place: what is left of it, up to a letter that runs to the left, has one that runs to the right
	arabic bool   // the letter read last is Arabic, which changes how signs go with numbers
}

// readLeft reads from the right; numbers, and words that run to the right, keep their order.
func readLeft(b *strings.Builder, line []shown) {
	l := leftward{line: line, behind: make([]bool, len(line))}
	for i, s := range line {
		l.arabic = l.arabic || s.class == bidi.AL
		if i > 0 {
			l.behind[i] = line[i-1].class == bidi.L || l.behind[i-1] && !isLeft(line[i-1].class)
		}
	}
	for i := len(line) - 1; i >= 0; {
		class := line[i].class
		if isLeft(class) {
			l.arabic = class == bidi.AL
		}
		from, found := l.island(i)
		if !found {
			b.WriteString(mirrored.Replace(line[i].text))
		} else {
			for _, s := range line[from : i+1] {
				b.WriteString(s.text)
				l.arabic = l.arabic && s.class != bidi.L
			}
		}
		i = from - 1
	}
}

// mirrored turns the brackets: what opens to the right closes to the left.
var mirrored = strings.NewReplacer("(", ")", ")", "(", "[", "]", "]", "[", "{", "}", "}", "{",
	"<", ">", ">", "<", "«", "»", "»", "«", "‹", "›", "›", "‹")

// island gives where the words and numbers that run to the right, and end with i, begin; i where none do.
func (l *leftward) island(i int) (from int, found bool) {
	from = i
	switch class := l.line[i].class; {
	case class == bidi.L, isNumeral(class):
	case class == bidi.ET && !l.arabic && i > 0 && l.line[i-1].class == bidi.EN: // 50%
		from = i - 1
	default:
		if from = l.call(i); from == i {
			return i, false
		}
	}
	for {
		k := from - 1
		for k >= 0 && l.line[k].class != bidi.L && !isNumeral(l.line[k].class) && !isLeft(l.line[k].class) {
			k--
		}
		if k < 0 || isLeft(l.line[k].class) || !l.together(k, from) {
			break
		}
		from = k
	}
	if from > 0 && isNumeral(l.line[from].class) && (l.line[from-1].text == "+" || !l.arabic && l.line[from-1].class == bidi.ET) { // +49, $50
		from--
	}
	return from, true
}

// call gives, for a bracket that closes what stands behind a word running to the right, as in "f(n)", where that is
// opened; i for anything else.
func (l *leftward) call(i int) int {
	const longest = 100
	if !l.behind[i] || l.line[i].text != ")" && l.line[i].text != "]" {
		return i
	}
	open := 0
	for k := i; k > max(0, i-longest) && !isLeft(l.line[k].class); k-- {
		switch l.line[k].text {
		case ")", "]":
			open++
		case "(", "[":
			if open--; open > 0 {
				continue
			}
			if l.behind[k] {
				return k
			}
			return i
		}
	}
	return i
}

// together reports that what is at k and at i, with only signs and spaces between them, is of one run to the right.
func (l *leftward) together(k, i int) bool {
	a, b, between := l.line[k].class, l.line[i].class, l.line[k+1:i]
	switch {
	case len(between) == 0:
		return true
	case a == bidi.AN || b == bidi.AN:
		return a == b && len(between) == 1 && between[0].class == bidi.CS
	case a == bidi.L || b == bidi.L || l.behind[k]: // a number behind such a word belongs to it
		return true
	case len(between) > 1:
		return false
	}
	switch sign := between[0]; sign.class {
	case bidi.CS:
		return true
	case bidi.ES:
		return !l.arabic || dialled(l.line, k)
	case bidi.WS:
		return dialled(l.line, k)
	default:
		return false
	}
}

// dialled reports that the digits at k are of a telephone number, which begins with a plus on their left.
func dialled(line []shown, k int) bool {
	const longest = 24 // digits and what parts them
	for least := k - longest; k >= 0 && k > least; k-- {
		if s := line[k]; s.class != bidi.EN && s.text != " " && s.text != "-" {
			return s.text == "+"
		}
	}
	return false
}
