package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	var open []glyph
	flush := func() {
		if l := lineOf(open); l.text != "" {
			lines = append(lines, l)
		}
		open = open[:0]
	}
	for _, g := range glyphs {
		if n := len(open); n > 0 && !follows(open[n-1], g) {
			flush()
		}
		open = append(open, g)
	}
	flush()
	return joinLines(lines)
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
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac)
}

// lineOf joins the glyphs of a line, with a space at each gap.
func lineOf(glyphs []glyph) (l textLine) {
	if len(glyphs) == 0 {
		return l
	}
	rtl, bold := 0, 0
	l.x, l.end, l.y = glyphs[0].x, glyphs[0].end, glyphs[0].y
	for _, g := range glyphs {
		l.x, l.end, l.size = min(l.x, g.x), max(l.end, g.end), max(l.size, g.size)
		if rightToLeft(g.text) {
			rtl++
		}
		if g.bold {
			bold++
		}
	}
	l.bold = bold*10 >= len(glyphs)*9
	if rtl*2 > len(glyphs) {
		glyphs = logical(glyphs)
	}
	var b strings.Builder
	for i, g := range glyphs {
		if i > 0 {
			a := glyphs[i-1]
			gap := max(g.x-a.end, a.x-g.end)
			if gap > 0.17*min(a.size, g.size) && !dense(a.text) && !dense(g.text) || gap > 0.6*min(a.size, g.size) {
				b.WriteByte(' ')
			}
			if same := a.x - g.x; same < 0.05*g.size && same > -0.05*g.size && a.text == g.text && g.end-g.x > 0.1*g.size { // printed twice to look bold
				continue
			}
		}
		b.WriteString(ligatures.Replace(g.text))
	}
	l.text = strings.TrimSpace(flat(strings.Map(printable, b.String())))
	return l
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\ufffd", "")

// dense reports scripts that are written without spaces.
func dense(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// logical puts the glyphs of a line that runs to the left into the order in which they are read; Latin words and numbers in it
// keep theirs.
func logical(glyphs []glyph) []glyph {
	out := slices.Clone(glyphs)
	slices.SortStableFunc(out, func(a, b glyph) int {
		switch {
		case a.x > b.x:
			return -1
		case a.x < b.x:
			return 1
		}
		return 0
	})
	for i := 0; i < len(out); {
		j := i
		for j < len(out) && leftToRight(out[j].text) {
			j++
		}
		slices.Reverse(out[i:j])
		i = max(j, i+1)
	}
	return out
}

func leftToRight(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// joinLines puts together pieces that stand side by side on one base line, as cells of a row do.
func joinLines(lines []textLine) []textLine {
	var out []textLine
	for _, l := range lines {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if dy := last.y - l.y; dy < 0.3*l.size && dy > -0.3*l.size && l.x >= last.end && !rightToLeft(l.text) {
				last.text += "  " + l.text
				last.end, last.size, last.bold = l.end, max(last.size, l.size), last.bold && l.bold
				continue
			}
		}
		out = append(out, l)
	}
	return out
}
