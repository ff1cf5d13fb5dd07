package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/words"
)

// layout turns glyphs into text: lines by what is on one base line, words by the gaps, paragraphs by the space
// between the lines, headings by their size.
type layout struct {
	fonts     map[string]*font
	pages     [][]textLine
	textBytes int
}

type textLine struct {
	text    string
	x, end  float64
	y, size float64
	bold    bool
	isRTL   bool // it runs to the left
	cells   []lineCell
	column  int // of the text in columns that it is taken from
	segment int // counts the pages and columns that lines are in, as they are written
}

func (t *layout) addPage(p page) error {
	if t.textBytes > draft.MaxTextBytes {
		return draft.ErrTooMuchText
	}
	w := contentReader{fonts: t.fonts, resources: p.resources, state: textState{horizontalScale: 1,
		ctm: identityTransform}, textMatrix: identityTransform, lineMatrix: identityTransform}
	err := w.readContent(p.value.Key("Contents"))
	w.drawAnnotations(p.value)
	lines := groupLines(w.glyphs)
	for _, l := range lines {
		t.textBytes += len(l.text)
	}
	t.pages = append(t.pages, lines)
	return err
}

// groupLines groups glyphs, in the order of the page's content, into lines.
func groupLines(glyphs []glyph) (lines []textLine) {
	left := isRTLPage(glyphs)
	for _, p := range splitRuns(glyphs) {
		if l := newTextLine(p.glyphs, left); l.text != "" {
			lines = append(lines, l)
		}
	}
	return joinLines(lines, left)
}

// glyphRun is glyphs that are side by side on one base line.
type glyphRun struct {
	glyphs       []glyph
	x, end, y    float64
	size         float64
	hasRTL       bool // something in it runs to the left
	hasOnlyMarks bool // nothing but marks is in it
}

// splitRuns parts glyphs where the next one does not go on beside the one before. Where something runs to the left,
// the pieces of a line may come in any order.
func splitRuns(glyphs []glyph) (all []glyphRun) {
	for i := 0; i < len(glyphs); {
		end := i + 1
		for end < len(glyphs) && isNextOnLine(glyphs[end-1], glyphs[end]) {
			end++
		}
		next := newGlyphRun(glyphs[i:end])
		if n := len(all); n > 0 && all[n-1].continuesWith(next) {
			all[n-1].merge(next)
		} else {
			all = append(all, next)
		}
		i = end
	}
	return all
}

func newGlyphRun(glyphs []glyph) glyphRun {
	s := glyphRun{glyphs: slices.Clip(glyphs), x: glyphs[0].x, end: glyphs[0].end, y: glyphs[0].y, hasOnlyMarks: true}
	for _, g := range glyphs {
		s.x, s.end, s.size = min(s.x, g.x), max(s.end, g.end), max(s.size, g.size)
		s.hasRTL, s.hasOnlyMarks = s.hasRTL || isRTL(g.text), s.hasOnlyMarks && isMark(g.text)
	}
	return s
}

func (g *glyphRun) continuesWith(next glyphRun) bool {
	size := max(g.size, next.size)
	if dy := next.y - g.y; dy > 0.45*size || dy < -0.45*size || !g.hasRTL && !next.hasRTL {
		return false
	}
	gap := max(next.x-g.end, g.x-next.end)
	return gap < 4*size && (gap > -0.6*size || next.hasOnlyMarks || g.hasOnlyMarks)
}

func (g *glyphRun) merge(next glyphRun) {
	g.glyphs = append(g.glyphs, next.glyphs...)
	g.x, g.end, g.size = min(g.x, next.x), max(g.end, next.end), max(g.size, next.size)
	g.hasRTL, g.hasOnlyMarks = g.hasRTL || next.hasRTL, g.hasOnlyMarks && next.hasOnlyMarks
}

// isNextOnLine reports whether g goes on on the line of a, to the right or, in scripts that run so, to the left.
func isNextOnLine(a, g glyph) bool {
	size := max(a.size, g.size)
	isNear := func(gap float64) bool { return gap > -0.6*size && gap < 4*size }
	if dy := g.y - a.y; dy > 0.45*size || dy < -0.45*size {
		return false
	}
	return isNear(g.x-a.end) || (isRTL(a.text) || isRTL(g.text)) && isNear(a.x-g.end)
}

func isRTL(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isRTLRune(r)
}

func isRTLRune(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac)
}

// isRTLPage reports whether most letters run to the left.
func isRTLPage(glyphs []glyph) bool {
	left, right := 0, 0
	for _, g := range glyphs {
		switch r, _ := utf8.DecodeRuneInString(g.text); {
		case isRTL(g.text):
			left++
		case unicode.IsLetter(r):
			right++
		}
	}
	return left > right
}

// newTextLine joins the glyphs of a line, with a space at each gap; page is whether that one runs to the left.
func newTextLine(glyphs []glyph, page bool) (l textLine) {
	if len(glyphs) == 0 {
		return l
	}
	anyLeft, bold := false, 0
	l.x, l.end, l.y = glyphs[0].x, glyphs[0].end, glyphs[0].y
	for _, g := range glyphs {
		l.x, l.end, l.size = min(l.x, g.x), max(l.end, g.end), max(l.size, g.size)
		anyLeft = anyLeft || isRTL(g.text)
		if g.bold {
			bold++
		}
	}
	l.bold = bold*10 >= len(glyphs)*9
	var text string
	if anyLeft {
		line := visualItemsOf(glyphs)
		l.isRTL = isRTLLine(line, page)
		text = logicalText(line, l.isRTL)
	} else {
		text = joinGlyphs(glyphs)
	}
	l.text = cleanLine(text)
	if l.cells = []lineCell{{l.text, l.x, l.end, l.bold}}; !anyLeft {
		l.cells = splitCells(glyphs, l.cells)
	}
	return l
}

func cleanLine(text string) string {
	return strings.TrimSpace(draft.CollapseSpaces(strings.Map(draft.PrintableRuneOrMark, words.ToStandardForm(text))))
}

// splitCells parts a line where its gaps are wide; whole is the line as one cell.
func splitCells(glyphs []glyph, whole []lineCell) (cells []lineCell) {
	from := 0
	for i := 1; i < len(glyphs); i++ {
		if a, g := glyphs[i-1], glyphs[i]; g.x-a.end > cellGap*min(a.size, g.size) {
			cells = append(cells, newLineCell(glyphs[from:i]))
			from = i
		}
	}
	if from == 0 {
		return whole
	}
	cells = append(cells, newLineCell(glyphs[from:]))
	return slices.DeleteFunc(cells, func(c lineCell) bool { return c.text == "" })
}

func newLineCell(glyphs []glyph) lineCell {
	c := lineCell{text: cleanLine(joinGlyphs(glyphs)), x: glyphs[0].x, bold: true}
	for _, g := range glyphs {
		c.x, c.end, c.bold = min(c.x, g.x), max(c.end, g.end), c.bold && g.bold
	}
	return c
}

// joinGlyphs joins glyphs that run to the right. Raised digits are marked as such.
func joinGlyphs(glyphs []glyph) string {
	var b strings.Builder
	base := largestGlyph(glyphs)
	raised := "" // of the open run
	for i, g := range glyphs {
		isRaised := isRaisedDigit(base, g)
		if !isRaised {
			b.WriteString(draft.Raised(raised))
			raised = ""
		}
		if i > 0 {
			a := glyphs[i-1]
			if raised == "" && hasWordGap(a, g) {
				b.WriteByte(' ')
			}
			if isOverprint(a, g) {
				continue
			}
		}
		if isRaised {
			raised += g.text
			continue
		}
		b.WriteString(strings.ReplaceAll(g.text, "\ufffd", ""))
	}
	b.WriteString(draft.Raised(raised))
	return b.String()
}

// largestGlyph returns the first glyph of the largest size of a line.
func largestGlyph(glyphs []glyph) (base glyph) {
	for _, g := range glyphs {
		if g.size > base.size {
			base = g
		}
	}
	return base
}

// isRaisedDigit reports whether a glyph is a digit, or a sign before one, that is smaller than its line and above its
// base line.
func isRaisedDigit(base, g glyph) bool {
	return g.size < 0.8*base.size && g.y-base.y > 0.15*base.size && g.text != "" &&
		strings.Trim(g.text, "0123456789-−–+") == ""
}

// hasWordGap reports whether the gap between two glyphs is as wide as a space.
func hasWordGap(a, g glyph) bool {
	gap, size := max(g.x-a.end, a.x-g.end), min(a.size, g.size)
	return gap > 0.17*size && !isUnspacedScript(a.text) && !isUnspacedScript(g.text) || gap > 0.6*size
}

// isOverprint reports whether a glyph is printed on an equal one, to look bold.
func isOverprint(a, g glyph) bool {
	distance := a.x - g.x
	return distance < 0.05*g.size && distance > -0.05*g.size && a.text == g.text && g.end-g.x > 0.1*g.size
}

// isUnspacedScript reports whether a text is of a script that is written without spaces.
func isUnspacedScript(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// joinLines puts together pieces that are side by side on one base line, as cells of a row do; left is the way
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
				behind, before = behind && !l.isRTL, false
			}
			if level && (behind || before) {
				last.cells = append(last.cells, l.cells...)
				if behind {
					last.text += "  " + l.text
				} else {
					last.text = l.text + "  " + last.text
				}
				last.x, last.end, last.size, last.bold = min(last.x, l.x), max(last.end, l.end), max(last.size, l.size),
					last.bold && l.bold
				continue
			}
		}
		out = append(out, l)
	}
	return out
}
