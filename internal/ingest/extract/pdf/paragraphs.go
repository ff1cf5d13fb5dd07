package pdf

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
)

// text writes all pages, without the lines that are at the top or the foot of most of them.
func (t *layout) text() string {
	t.pages = removePageNumbers(t.pages)
	body := t.bodySize()
	levels := t.headingSizes(body)
	repeated := t.repeatedEdgeLines()
	w := lineWriter{body: body, levels: levels}
	for _, lines := range t.pages {
		remaining := slices.DeleteFunc(slices.Clone(lines), func(l textLine) bool {
			return repeated[maskDigits(l.text)] > 0 && atEdge(lines, l) && !headsTable(lines, l)
		})
		w.writePage(remaining)
	}
	w.endParagraph()
	return w.out.Text()
}

// headsTable reports whether a line is the header of a table, which may be printed on each page.
func headsTable(lines []textLine, l textLine) bool {
	if len(l.cells) < 2 {
		return false
	}
	at := slices.IndexFunc(lines, func(o textLine) bool { return o.x == l.x && o.y == l.y })
	g := findGrid(lines[at:])
	g.dropTail()
	return g.isTable()
}

// bodySize returns the size that most of the text has.
func (t *layout) bodySize() float64 {
	bytes := map[float64]int{}
	best, bestCount := 0.0, 0
	for _, lines := range t.pages {
		for _, l := range lines {
			size := roundToHalf(l.size)
			bytes[size] += len(l.text)
			if bytes[size] > bestCount || bytes[size] == bestCount && size < best {
				best, bestCount = size, bytes[size]
			}
		}
	}
	return best
}

func roundToHalf(size float64) float64 { return math.Round(size*2) / 2 }

// headingSizes ranks the sizes larger than the body's: the largest is level 1.
func (t *layout) headingSizes(body float64) map[float64]int {
	var sizes []float64
	for _, lines := range t.pages {
		for _, l := range lines {
			if size := roundToHalf(l.size); size >= 1.15*body && canBeTitle(l.text) && !slices.Contains(sizes, size) &&
				len(sizes) < 100 {
				sizes = append(sizes, size)
			}
		}
	}
	slices.SortFunc(sizes, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	levels := map[float64]int{}
	for i, size := range sizes {
		levels[size] = min(i+1, 4)
	}
	return levels
}

// canBeTitle reports whether a text may head a section.
func canBeTitle(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3 && len(text) < 160
}

// repeatedEdgeLines counts lines that are at the edge of most pages, whatever number is in them.
func (t *layout) repeatedEdgeLines() map[string]int {
	times := map[string]int{}
	for _, lines := range t.pages {
		seen := map[string]bool{}
		for _, l := range lines {
			if key := maskDigits(l.text); atEdge(lines, l) && !seen[key] {
				seen[key] = true
				times[key]++
			}
		}
	}
	maps.DeleteFunc(times, func(_ string, n int) bool { return n < 3 || n*2 <= len(t.pages) })
	return times
}

func maskDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, text)
}

// atEdge reports whether no line is above a line, or none below.
func atEdge(lines []textLine, l textLine) bool {
	above, below := 0, 0
	for _, o := range lines {
		if o.y > l.y+0.5*l.size {
			above++
		}
		if o.y < l.y-0.5*l.size {
			below++
		}
		if above > 1 && below > 1 {
			return false
		}
	}
	return true
}

// lineWriter writes lines as headings, paragraphs and tables.
type lineWriter struct {
	out     draft.Builder
	body    float64
	levels  map[float64]int // of headings, by their size
	open    []textLine      // of a paragraph
	segment int             // of the lines that are written now
	above   *tableAbove     // nil for none
}

// writePage writes the lines of one page. What stands in columns is read column by column, or is a table.
func (w *lineWriter) writePage(lines []textLine) {
	w.segment++
	next := 0 // line that may begin a grid
	for i := 0; i < len(lines); {
		if len(lines[i].cells) > 1 && i >= next {
			if n := w.continueTable(lines[i:]); n > 0 {
				i += n
				continue
			}
			g := findGrid(lines[i:])
			if n := w.writeGrid(&g); n > 0 {
				i += n
				continue
			}
			next = i + 1 + len(g.lines)/4 // so that the work is linear
		}
		n := w.writeLine(lines, i)
		if i += n; w.above != nil {
			w.above.linesBack += n
		}
	}
}

// writeGrid writes lines that are columns or a table, and returns how many; none if they are neither.
func (w *lineWriter) writeGrid(g *grid) int {
	if g.isText() {
		lines := g.byColumn()
		for i := 0; i < len(lines); {
			if i > 0 && lines[i].column != lines[i-1].column {
				w.segment++
			}
			i += w.writeLine(lines, i)
		}
		w.segment++
		w.above = nil
		return len(g.lines)
	}
	if g.dropTail(); !g.isTable() {
		return 0
	}
	w.endParagraph()
	g.writeTable(&w.out)
	w.keepTable(g)
	w.segment++
	return len(g.lines)
}

// writeLine writes a heading, or adds a line to a paragraph, and returns how many lines that took.
func (w *lineWriter) writeLine(lines []textLine, i int) (n int) {
	l := lines[i]
	level := w.levels[roundToHalf(l.size)]
	if level == 0 && l.bold && isStandaloneLine(lines, i) {
		level = min(len(w.levels)+1, 5)
	}
	if level > 0 && canBeTitle(l.text) {
		w.endParagraph()
		first := i
		for i+1 < len(lines) && roundToHalf(lines[i+1].size) == roundToHalf(l.size) && lines[i+1].bold == l.bold &&
			lines[i+1].y < lines[i].y && lines[i].y-lines[i+1].y < 1.6*l.size &&
			len(l.text)+len(lines[i+1].text) < 160 && w.levels[roundToHalf(l.size)] > 0 {
			i++
			l.text += " " + lines[i].text
		}
		w.out.AddHeading(level, l.text)
		return i - first + 1
	}
	if n := len(w.open); n > 0 && w.startsParagraph(w.open[n-1], l) {
		w.endParagraph()
	}
	l.segment = w.segment
	w.open = append(w.open, l)
	return 1
}

func (w *lineWriter) endParagraph() {
	writeParagraph(&w.out, w.open)
	w.open = nil
}

// isStandaloneLine reports whether a line is short and bold, with more than the usual space above it and text below.
func isStandaloneLine(lines []textLine, i int) bool {
	l := lines[i]
	if !canBeTitle(l.text) || len(l.text) > 90 || strings.HasSuffix(l.text, ".") || strings.HasSuffix(l.text, ",") ||
		strings.Contains(l.text, "  ") {
		return false
	}
	if i > 0 && lines[i-1].y > l.y && lines[i-1].y-l.y < 1.3*l.size {
		return false
	}
	return i+1 < len(lines) && !lines[i+1].bold
}

// startsParagraph reports whether a new paragraph begins with l. In a new column, or on a new page, it goes on with the
// word or the sentence before.
func (w *lineWriter) startsParagraph(last, l textLine) bool {
	down := last.y - l.y
	size := max(l.size, last.size, w.body)
	if last.segment != w.segment || down < -0.3*size {
		w.segment++
		isSimilar := min(l.size, last.size) > 0.9*max(l.size, last.size)
		return !isSimilar || !isHyphenated(last.text, l.text) && !goesOnWith(last.text, l.text)
	}
	return down > 1.75*size
}

// writeParagraph joins lines that are only wrapped; a line that ends early, or begins like an item, keeps its break.
func writeParagraph(d *draft.Builder, lines []textLine) {
	var text []byte
	var edges span // of the lines in the same column
	for i, l := range lines {
		if i == 0 || l.segment != lines[i-1].segment {
			edges = edgesOf(lines[i:])
		}
		if i > 0 {
			last := lines[i-1]
			switch {
			case isHyphenated(last.text, l.text):
				text = text[:len(text)-1]
			case last.segment == l.segment && endsEarly(last, edges.x, edges.end), isItem(l.text),
				strings.Contains(l.text, "  "):
				text = append(text, '\n')
			case joinsWithoutSpace(last.text, l.text):
			default:
				text = append(text, ' ')
			}
		}
		text = append(text, l.text...)
	}
	d.AddParagraph(string(text))
}

// edgesOf returns the edges of the first lines, which are in one column.
func edgesOf(lines []textLine) span {
	edges := span{math.Inf(1), 0}
	for _, l := range lines {
		if l.segment != lines[0].segment {
			break
		}
		edges.x, edges.end = min(edges.x, l.x), max(edges.end, l.end)
	}
	return edges
}

// endsEarly reports whether a line ends well before the edge of its paragraph.
func endsEarly(l textLine, left, right float64) bool {
	if l.isRTL {
		return l.x > left+0.18*(l.end-left)
	}
	return l.end < right-0.18*(right-l.x)
}

func isItem(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune("•‣▪◦●○■□–*-", r):
		return strings.HasPrefix(text[n:], " ")
	case unicode.IsDigit(r):
		rest := strings.TrimLeft(text, "0123456789")
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return false
}

// isHyphenated reports whether a word was cut at the end of the line.
func isHyphenated(before, after string) bool {
	before, ok := strings.CutSuffix(before, "-")
	if !ok {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return unicode.IsLower(last) && unicode.IsLower(first)
}

func joinsWithoutSpace(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return isUnspacedScript(string(last)) && isUnspacedScript(after)
}
