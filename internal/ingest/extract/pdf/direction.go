package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"parley/internal/text/words"
)

// A page shows its glyphs from left to right, whatever runs to the left among them. What is here puts them into the
// order in which they are read: the way of the Unicode bidirectional algorithm (UAX 9), back from what it shows.

// visualItem is what is in one place of a line: a letter with its marks, a ligature, a sign, or a gap.
type visualItem struct {
	text  string
	class bidi.Class
}

// visualItemsOf returns what a line shows, from left to right.
func visualItemsOf(glyphs []glyph) (line []visualItem) {
	glyphs = attachMarks(glyphs)
	slices.SortStableFunc(glyphs, func(a, b glyph) int { return cmp.Compare(a.x, b.x) })
	for i, g := range glyphs {
		if i > 0 && isOverprint(glyphs[i-1], g) || g.text == " " && i+1 < len(glyphs) && glyphs[i+1].x < (g.x+g.end)/2 {
			continue // the latter is what is left of a mark that tells the direction
		}
		if i > 0 && hasWordGap(glyphs[i-1], g) {
			line = append(line, visualItem{" ", bidi.WS})
		}
		if text := words.ToStandardForm(strings.ReplaceAll(g.text, "\ufffd", "")); text != "" {
			p, _ := bidi.LookupString(text)
			line = append(line, visualItem{text, p.Class()})
		}
	}
	return line
}

// attachMarks returns the glyphs, in the order of the content still, with each mark behind the letter that it stands
// above or below. Which one that is cannot be seen from where the mark is, for it may begin left of its letter;
// but the two are written one after the other.
func attachMarks(glyphs []glyph) []glyph {
	out := make([]glyph, 0, len(glyphs))
	var before []string // marks of the letter to come
	for i, g := range glyphs {
		switch {
		case !isMark(g.text):
			slices.Reverse(before) // they are written from left to right too
			g.text += strings.Join(before, "")
			out, before = append(out, g), nil
		case len(out) == 0 || belongsToNext(out[len(out)-1], g, letterAfter(glyphs, i)):
			before = append(before, words.ToStandardForm(g.text))
		default:
			out[len(out)-1].text += words.ToStandardForm(g.text)
		}
	}
	if len(out) > 0 {
		out[len(out)-1].text += strings.Join(before, "")
	}
	return out
}

// letterAfter returns the glyph behind the marks at i; an empty one if none is.
func letterAfter(glyphs []glyph, i int) glyph {
	for _, g := range glyphs[i:min(len(glyphs), i+8)] {
		if !isMark(g.text) {
			return g
		}
	}
	return glyph{}
}

// belongsToNext reports whether a mark belongs to the letter that is written after it, as in a run to the left that is
// written from left to right, rather than to the one before.
func belongsToNext(before, mark, after glyph) bool {
	if !isRTL(after.text) || after.x < before.x {
		return false
	}
	far := max(after.x-mark.end, mark.x-after.end)
	return far < 0.6*after.size
}

// isMark reports whether a sign is above or below a letter.
func isMark(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if r < 0x300 {
		return false
	}
	if usual := words.ToStandardForm(string(r)); usual != string(r) { // vowel signs have drawn forms too
		r, _ = utf8.DecodeRuneInString(usual)
	}
	return unicode.Is(unicode.Mn, r)
}

// isRTLLine reports whether a line is one of a text which runs to the left. The sign that ends a sentence tells it;
// otherwise the letters do, where few of them suffice on a page that runs to the left.
func isRTLLine(line []visualItem, page bool) bool {
	left, right := 0, 0 // letters that run to the left and to the right
	for _, s := range line {
		switch {
		case isRTLClass(s.class):
			left++
		case s.class == bidi.L:
			right++
		}
	}
	if left == 0 {
		return false
	}
	first, last := isSentenceEndSign(line[0].text), isSentenceEndSign(line[len(line)-1].text)
	switch {
	case first != last:
		return first
	case page:
		return left*5 >= right
	}
	return left > right
}

// isSentenceEndSign reports whether a sign ends a sentence.
func isSentenceEndSign(text string) bool { return strings.Contains(".,;:!?،؛؟", text) }

// logicalText returns the text of a line.
func logicalText(line []visualItem, left bool) string {
	var b strings.Builder
	if left {
		writeRTL(&b, line)
		return b.String()
	}
	for i := 0; i < len(line); {
		end := i + 1
		if isRTLClass(line[i].class) {
			for j := end; j < len(line) && line[j].class != bidi.L; j++ {
				if isRTLClass(line[j].class) {
					end = j + 1
				}
			}
			writeRTL(&b, line[i:end])
		} else {
			b.WriteString(line[i].text)
		}
		i = end
	}
	return b.String()
}

func isRTLClass(c bidi.Class) bool { return c == bidi.R || c == bidi.AL }

func isNumeral(c bidi.Class) bool { return c == bidi.EN || c == bidi.AN }

// rtlRun is a line, or a part of one, that is read from the right.
type rtlRun struct {
	items []visualItem
	// by place: what is left of it, up to a letter that runs to the left, has one that runs to the right
	hasLTRBefore  []bool
	isAfterArabic bool // the letter read last is Arabic, which changes how signs go with numbers
}

// writeRTL reads from the right; numbers, and words that run to the right, keep their order.
func writeRTL(b *strings.Builder, line []visualItem) {
	l := rtlRun{items: line, hasLTRBefore: make([]bool, len(line))}
	for i, s := range line {
		l.isAfterArabic = l.isAfterArabic || s.class == bidi.AL
		if i > 0 {
			l.hasLTRBefore[i] = line[i-1].class == bidi.L || l.hasLTRBefore[i-1] && !isRTLClass(line[i-1].class)
		}
	}
	for i := len(line) - 1; i >= 0; {
		class := line[i].class
		if isRTLClass(class) {
			l.isAfterArabic = class == bidi.AL
		}
		from, found := l.ltrRunStart(i)
		if !found {
			b.WriteString(bracketMirror.Replace(line[i].text))
		} else {
			for _, s := range line[from : i+1] {
				b.WriteString(s.text)
				l.isAfterArabic = l.isAfterArabic && s.class != bidi.L
			}
		}
		i = from - 1
	}
}

// bracketMirror turns the brackets: what opens to the right closes to the left.
var bracketMirror = strings.NewReplacer("(", ")", ")", "(", "[", "]", "]", "[", "{", "}", "}", "{",
	"<", ">", ">", "<", "«", "»", "»", "«", "‹", "›", "›", "‹")

// ltrRunStart returns where the words and numbers that run to the right, and end with i, begin; i if none do.
func (r *rtlRun) ltrRunStart(i int) (from int, found bool) {
	from = i
	switch class := r.items[i].class; {
	case class == bidi.L, isNumeral(class):
	case class == bidi.ET && !r.isAfterArabic && i > 0 && r.items[i-1].class == bidi.EN: // 50%
		from = i - 1
	default:
		if from = r.bracketCallStart(i); from == i {
			return i, false
		}
	}
	for {
		k := from - 1
		for k >= 0 && r.items[k].class != bidi.L && !isNumeral(r.items[k].class) && !isRTLClass(r.items[k].class) {
			k--
		}
		if k < 0 || isRTLClass(r.items[k].class) || !r.isSameLTRRun(k, from) {
			break
		}
		from = k
	}
	// +49, $50
	if from > 0 && isNumeral(r.items[from].class) &&
		(r.items[from-1].text == "+" || !r.isAfterArabic && r.items[from-1].class == bidi.ET) {
		from--
	}
	return from, true
}

// bracketCallStart returns, for a bracket that closes what is behind a word running to the right, as in "f(n)",
// where that is opened; i for anything else.
func (r *rtlRun) bracketCallStart(i int) int {
	const longest = 100
	if !r.hasLTRBefore[i] || r.items[i].text != ")" && r.items[i].text != "]" {
		return i
	}
	open := 0
	for k := i; k > max(0, i-longest) && !isRTLClass(r.items[k].class); k-- {
		switch r.items[k].text {
		case ")", "]":
			open++
		case "(", "[":
			if open--; open > 0 {
				continue
			}
			if r.hasLTRBefore[k] {
				return k
			}
			return i
		}
	}
	return i
}

// isSameLTRRun reports whether what is at k and at i, with only signs and spaces between them, is of one run to the
// right.
func (r *rtlRun) isSameLTRRun(k, i int) bool {
	a, b, between := r.items[k].class, r.items[i].class, r.items[k+1:i]
	switch {
	case len(between) == 0:
		return true
	case a == bidi.AN || b == bidi.AN:
		return a == b && len(between) == 1 && between[0].class == bidi.CS
	case a == bidi.L || b == bidi.L || r.hasLTRBefore[k]: // a number behind such a word belongs to it
		return true
	case len(between) > 1:
		return false
	}
	switch sign := between[0]; sign.class {
	case bidi.CS:
		return true
	case bidi.ES:
		return !r.isAfterArabic || isPhoneNumber(r.items, k)
	case bidi.WS:
		return isPhoneNumber(r.items, k)
	default:
		return false
	}
}

// isPhoneNumber reports whether the digits at k are of a telephone number, which begins with a plus on their left.
func isPhoneNumber(line []visualItem, k int) bool {
	const longest = 24 // digits and what parts them
	for lowest := k - longest; k >= 0 && k > lowest; k-- {
		if s := line[k]; s.class != bidi.EN && s.text != " " && s.text != "-" {
			return s.text == "+"
		}
	}
	return false
}
