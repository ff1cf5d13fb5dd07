package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/words"
)

// typeset makes text of glyphs: lines by what stands on one base line, words by the gaps, paragraphs by the space between the
// lines, headings by their size.
type typeset struct {
	fonts map[string]*pdfFont
	pages [][]textLine
	bytes int
}

type textLine struct {
	text    string
	x, end  float64
	y, size float64
	bold    bool
	left    bool // it runs to the left
}

func (t *typeset) page(p pdfPage) error {
	if t.bytes > mostText {
		return errTooMuchText
	}
	w := pen{fonts: t.fonts, resources: p.resources, state: textState{stretch: 1, ctm: identity}, text: identity, line: identity}
	err := w.follow(p.v.Key("Contents"))
	w.annotations(p.v)
	lines := linesOf(w.glyphs)
	for _, l := range lines {
		t.bytes += len(l.text)
	}
	t.pages = append(t.pages, lines)
	return err
}

// linesOf groups glyphs, in the order of the page's content, into lines.
func linesOf(glyphs []glyph) (lines []textLine) {
	left := pageRunsLeft(glyphs)
	for _, p := range stretches(glyphs) {
		if l := lineOf(p.glyphs, left); l.text != "" {
			lines = append(lines, l)
		}
	}
	return joinLines(lines, left)
}

// stretch is glyphs that stand beside one another on one base line.
type stretch struct {
	glyphs    []glyph
	x, end, y float64
	size      float64
	left      bool // something in it runs to the left
	marks     bool // nothing but marks is in it
}

// stretches parts glyphs where the next one does not go on beside the one before. Where something runs to the left,
// the pieces of a line may come in any order.
func stretches(glyphs []glyph) (all []stretch) {
	for i := 0; i < len(glyphs); {
		end := i + 1
		for end < len(glyphs) && follows(glyphs[end-1], glyphs[end]) {
			end++
		}
		next := stretchOf(glyphs[i:end])
		if n := len(all); n > 0 && all[n-1].goesOn(next) {
			all[n-1].add(next)
		} else {
			all = append(all, next)
		}
		i = end
	}
	return all
}

func stretchOf(glyphs []glyph) stretch {
	s := stretch{glyphs: slices.Clip(glyphs), x: glyphs[0].x, end: glyphs[0].end, y: glyphs[0].y, marks: true}
	for _, g := range glyphs {
		s.x, s.end, s.size = min(s.x, g.x), max(s.end, g.end), max(s.size, g.size)
		s.left, s.marks = s.left || rightToLeft(g.text), s.marks && isMark(g.text)
	}
	return s
}

func (s *stretch) goesOn(next stretch) bool {
	size := max(s.size, next.size)
	if dy := next.y - s.y; dy > 0.45*size || dy < -0.45*size || !s.left && !next.left {
		return false
	}
	gap := max(next.x-s.end, s.x-next.end)
	return gap < 4*size && (gap > -0.6*size || next.marks || s.marks)
}

func (s *stretch) add(next stretch) {
	s.glyphs = append(s.glyphs, next.glyphs...)
	s.x, s.end, s.size = min(s.x, next.x), max(s.end, next.end), max(s.size, next.size)
	s.left, s.marks = s.left || next.left, s.marks && next.marks
}

// follows reports that g goes on on the line of a, to the right or, in scripts that run so, to the left.
func follows(a, g glyph) bool {
	size := max(a.size, g.size)
	if dy := g.y - a.y; dy > 0.45*size || dy < -0.45*size {
		return false
	}
	if gap := g.x - a.end; gap > -0.6*size && gap < 4*size {
		return true
	}
	gap := a.x - g.end
	return (rightToLeft(a.text) || rightToLeft(g.text)) && gap > -0.6*size && gap < 4*size
}

func rightToLeft(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x590 && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac)
}

// pageRunsLeft reports that most letters do.
func pageRunsLeft(glyphs []glyph) bool {
	left, right := 0, 0
	for _, g := range glyphs {
		switch r, _ := utf8.DecodeRuneInString(g.text); {
		case rightToLeft(g.text):
			left++
		case unicode.IsLetter(r):
			right++
		}
	}
	return left > right
}

// lineOf joins the glyphs of a line, with a space at each gap; page tells whether that one runs to the left.
func lineOf(glyphs []glyph, page bool) (l textLine) {
	if len(glyphs) == 0 {
		return l
	}
	anyLeft, bold := false, 0
	l.x, l.end, l.y = glyphs[0].x, glyphs[0].end, glyphs[0].y
	for _, g := range glyphs {
		l.x, l.end, l.size = min(l.x, g.x), max(l.end, g.end), max(l.size, g.size)
		anyLeft = anyLeft || rightToLeft(g.text)
		if g.bold {
			bold++
		}
	}
	l.bold = bold*10 >= len(glyphs)*9
	var text string
	if anyLeft {
		line := shownIn(glyphs)
		l.left = runsLeft(line, page)
		text = read(line, l.left)
	} else {
		text = spaced(glyphs)
	}
	l.text = strings.TrimSpace(flat(strings.Map(printable, words.Usual(text))))
	return l
}

// spaced joins glyphs that run to the right.
func spaced(glyphs []glyph) string {
	var b strings.Builder
	for i, g := range glyphs {
		if i > 0 {
			a := glyphs[i-1]
			if parts(a, g) {
				b.WriteByte(' ')
			}
			if printedTwice(a, g) {
				continue
			}
		}
		b.WriteString(strings.ReplaceAll(g.text, "\ufffd", ""))
	}
	return b.String()
}

// parts reports a gap between two glyphs that is as wide as a space.
func parts(a, g glyph) bool {
	gap, size := max(g.x-a.end, a.x-g.end), min(a.size, g.size)
	return gap > 0.17*size && !dense(a.text) && !dense(g.text) || gap > 0.6*size
}

// printedTwice reports a glyph that stands on another of its kind, to look bold.
func printedTwice(a, g glyph) bool {
	apart := a.x - g.x
	return apart < 0.05*g.size && apart > -0.05*g.size && a.text == g.text && g.end-g.x > 0.1*g.size
}

// dense reports scripts that are written without spaces.
func dense(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// joinLines puts together pieces that stand side by side on one base line, as cells of a row do; left tells the way
// of the page.
func joinLines(lines []textLine, left bool) []textLine {
	var out []textLine
	for _, l := range lines {
		if n := len(out); n > 0 {
			last := &out[n-1]
			dy := last.y - l.y
			level := dy < 0.3*l.size && dy > -0.3*l.size
			behind, before := l.x >= last.end, l.end <= last.x
			if left {
				behind, before = before, behind
			} else {
				behind, before = behind && !l.left, false
			}
			if level && (behind || before) {
				if behind {
					last.text += "  " + l.text
				} else {
					last.text = l.text + "  " + last.text
				}
				last.x, last.end, last.size, last.bold = min(last.x, l.x), max(last.end, l.end), max(last.size, l.size), last.bold && l.bold
				continue
			}
		}
		out = append(out, l)
	}
	return out
}
