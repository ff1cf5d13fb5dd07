package pdf

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
)

// lineCell is a part of a line that wide gaps keep apart from the others.
type lineCell struct {
	text   string
	x, end float64
	bold   bool
}

// cellGap is the gap between cells, in sizes of the text; spaces of justified lines are narrower.
const cellGap = 1.3

// maxGridColumns bounds the columns that lines are compared with.
const maxGridColumns = 24

// grid is lines of one page that stand in columns.
type grid struct {
	lines   []textLine
	columns []span     // from left to right
	cells   [][]string // by line and column; empty where a line has nothing in a column
}

type span struct{ x, end float64 }

// findGrid returns the lines from the first one on that stand in the same columns, one below the other. It has no
// columns if they do not.
func findGrid(lines []textLine) (g grid) {
	for n, l := range lines {
		if l.isRTL || n > 0 && !isBelow(lines[n-1], l, len(l.cells)) {
			break
		}
		columns, ok := addCells(g.columns, l.cells)
		if !ok || n == 0 && len(l.cells) < 2 {
			break
		}
		g.columns, g.lines = columns, lines[:n+1]
	}
	g.fillCells()
	return g
}

// dropTail leaves out the last lines that have one cell: below a table they are text.
func (g *grid) dropTail() {
	for len(g.lines) > 0 && len(g.lines[len(g.lines)-1].cells) == 1 {
		g.lines = g.lines[:len(g.lines)-1]
	}
	g.cells = g.cells[:len(g.lines)]
}

// isBelow reports whether a line of so many cells is right below another.
func isBelow(last, l textLine, cells int) bool {
	down, size := last.y-l.y, max(last.size, l.size)
	if min(last.size, l.size) < 0.8*size || down < 0.3*size {
		return false
	}
	return down < 1.75*size || cells > 1 && down < 3*size
}

// addCells widens columns to hold the cells of a line; not ok if a cell is across two of them, or two are in one.
func addCells(columns []span, cells []lineCell) (wider []span, ok bool) {
	if len(cells) > maxGridColumns {
		return nil, false
	}
	wider = slices.Clone(columns)
	used := map[int]bool{}
	for _, c := range cells {
		at := slices.IndexFunc(wider, c.isIn)
		if at < 0 {
			wider = append(wider, span{c.x, c.end})
			at = len(wider) - 1
		}
		if used[at] {
			return nil, false
		}
		used[at] = true
		wider[at] = span{min(c.x, wider[at].x), max(c.end, wider[at].end)}
	}
	slices.SortFunc(wider, func(a, b span) int { return cmp.Compare(a.x, b.x) })
	for i := 1; i < len(wider); i++ {
		if wider[i].x < wider[i-1].end {
			return nil, false
		}
	}
	return wider, len(wider) <= maxGridColumns
}

func (c lineCell) isIn(s span) bool { return c.x < s.end && s.x < c.end }

func (g *grid) fillCells() {
	g.cells = make([][]string, len(g.lines))
	for i, l := range g.lines {
		g.cells[i] = make([]string, len(g.columns))
		for _, c := range l.cells {
			k := slices.IndexFunc(g.columns, c.isIn)
			g.cells[i][k] = strings.TrimSpace(g.cells[i][k] + " " + c.text)
		}
	}
}

const (
	minColumnLines   = 3
	maxTextColumns   = 4
	minColumnLetters = 15  // letters of a full line of a column
	minLineShare     = 0.6 // of the width of its column that most lines of a text take
	minFlowShare     = 0.3 // of the lines of a text that go on with the sentence before
)

// isText reports whether each column is a text of its own: its lines fill it, and sentences go on in the next line.
func (g *grid) isText() bool {
	if len(g.columns) < 2 || len(g.columns) > maxTextColumns {
		return false
	}
	for k := range g.columns {
		if !g.isTextColumn(k) {
			return false
		}
	}
	return true
}

func (g *grid) isTextColumn(k int) bool {
	lines, full, flowing, last := 0, 0, 0, ""
	for i, l := range g.lines {
		text := g.cells[i][k]
		if text == "" {
			continue
		}
		lines++
		width := 0.0
		for _, c := range l.cells {
			if c.isIn(g.columns[k]) {
				width += c.end - c.x
			}
		}
		if width > minLineShare*(g.columns[k].end-g.columns[k].x) && utf8.RuneCountInString(text) >= minColumnLetters {
			full++
		}
		if last != "" && goesOnWith(last, text) {
			flowing++
		}
		last = text
	}
	return lines >= minColumnLines && full*5 >= lines*3 && float64(flowing) >= minFlowShare*float64(lines-1)
}

// goesOnWith reports whether a line goes on with the sentence of the one before.
func goesOnWith(last, text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	end, _ := utf8.DecodeLastRuneInString(last)
	return unicode.IsLower(first) && !strings.ContainsRune(".!?:;", end)
}

// byColumn returns the lines of a text column by column.
func (g *grid) byColumn() (lines []textLine) {
	for k, column := range g.columns {
		for _, l := range g.lines {
			for _, c := range l.cells {
				if c.isIn(column) {
					l.text, l.x, l.end, l.bold, l.cells = c.text, c.x, c.end, c.bold, []lineCell{c}
					l.column = k
					lines = append(lines, l)
				}
			}
		}
	}
	return lines
}

// isTable reports whether the first line names the columns: it holds words, in bold above plain lines or above
// numbers, or it counts years or amounts.
func (g *grid) isTable() bool {
	if len(g.columns) < 2 || len(g.lines) < 3 || slices.Contains(g.cells[0][1:], "") || !g.namesColumns() ||
		!g.isFilled() {
		return false
	}
	isBoldBelow := slices.ContainsFunc(g.lines[1:], func(l textLine) bool { return l.bold })
	return g.lines[0].bold && !isBoldBelow || len(g.columns) > 2 && g.hasNumberColumn()
}

// isFilled reports whether most rows have no empty cell, or most cells below the header are filled.
func (g *grid) isFilled() bool {
	fullRows, filled := 0, 0
	for _, row := range g.cells[1:] {
		empty := 0
		for _, text := range row[1:] {
			if text == "" {
				empty++
			}
		}
		if empty == 0 {
			fullRows++
		}
		if row[0] != "" {
			filled += len(row) - 1 - empty
		}
	}
	rows := len(g.cells) - 1
	return fullRows*3 >= rows*2 || filled*5 >= rows*(len(g.columns)-1)*3
}

// namesColumns reports whether the first line has names: words, or, behind one, years or growing amounts that the
// lines below do not go on with.
func (g *grid) namesColumns() bool {
	header := g.cells[0]
	if !slices.ContainsFunc(header, startsWithNumber) {
		return true
	}
	if startsWithNumber(header[0]) || len(header) < 3 {
		return false
	}
	return areAll(header[1:], yearName.MatchString) && !g.hasBelow(yearName.MatchString) ||
		areAll(header[1:], amountName.MatchString) && !g.hasBelow(amountName.MatchString)
}

var (
	yearName   = regexp.MustCompile(`^(?:19|20)\d\d(?:\s?[/–-]\s?\d{2,4})?$`)
	amountName = regexp.MustCompile(`^(?:up to |over |bis |ab |until |from |>|<|≤|≥)?\d+(?:[.,]\d+)?\s?\pL{1,12}\.?$`)
)

func areAll(texts []string, matches func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !matches(text) })
}

// hasBelow reports whether a cell below the header, in a column that it names, matches.
func (g *grid) hasBelow(matches func(string) bool) bool {
	return slices.ContainsFunc(g.cells[1:], func(row []string) bool { return slices.ContainsFunc(row[1:], matches) })
}

func startsWithNumber(text string) bool {
	text = strings.TrimLeft(text, "-+(€$£ ")
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

// hasNumberColumn reports whether a column holds numbers below its name.
func (g *grid) hasNumberColumn() bool {
	for k := range g.columns {
		if g.hasNumbers(k) {
			return true
		}
	}
	return false
}

// hasNumbers reports whether most cells of a column hold numbers.
func (g *grid) hasNumbers(k int) bool {
	numbers := 0
	for _, row := range g.cells[1:] {
		if startsWithNumber(row[k]) {
			numbers++
		}
	}
	return numbers*3 >= (len(g.cells)-1)*2
}

// rows returns the rows of a table; a line without a first cell goes on with the row above.
func (g *grid) rows() (rows [][]string) {
	for i, cells := range g.cells {
		if n := len(rows); i > 1 && cells[0] == "" {
			for k, text := range cells {
				rows[n-1][k] = strings.TrimSpace(rows[n-1][k] + " " + text)
			}
			continue
		}
		rows = append(rows, cells)
	}
	return rows
}

func (g *grid) writeTable(d *draft.Builder) {
	t := d.NewTable()
	for _, row := range g.rows() {
		t.AddRow(row)
	}
	_ = t.Finish() // that it is too long shows in the text
}
