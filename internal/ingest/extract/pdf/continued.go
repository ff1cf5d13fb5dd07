package pdf

import "slices"

// tableAbove is the last table: its rows may go on on the next page, or behind a line, without their header.
type tableAbove struct {
	columns   []span
	header    []string
	isNumber  []bool // of columns that hold numbers
	hasBold   bool   // the header is bold
	linesBack int    // lines since then that are not of it
}

// maxLinesBetween is how many lines may be between a table and its rows on the next page.
const maxLinesBetween = 2

func (w *lineWriter) keepTable(g *grid) {
	above := tableAbove{columns: g.columns, header: g.cells[0], hasBold: g.lines[0].bold}
	for k := range g.columns {
		above.isNumber = append(above.isNumber, g.hasNumbers(k))
	}
	w.above = &above
}

// continueTable writes lines that go on with the table above, with its header, and returns how many they are.
func (w *lineWriter) continueTable(lines []textLine) int {
	if w.above == nil || w.above.linesBack > maxLinesBetween {
		return 0
	}
	g := w.above.rowsOf(lines)
	if g.dropTail(); len(g.lines) == 0 || w.above.isOtherHeader(&g) {
		return 0
	}
	w.endParagraph()
	rows := g
	if slices.Equal(g.cells[0], w.above.header) { // printed once more
		rows.cells = g.cells[1:]
	}
	rows.cells = append([][]string{w.above.header}, rows.cells...)
	rows.writeTable(&w.out)
	w.above.columns, w.above.linesBack = g.columns, 0
	w.segment++
	return len(g.lines)
}

// rowsOf returns the first lines that stand in the columns of the table.
func (t *tableAbove) rowsOf(lines []textLine) grid {
	g := grid{columns: t.columns}
	for n, l := range lines {
		if l.isRTL || n > 0 && !isBelow(lines[n-1], l, len(l.cells)) || n == 0 && len(l.cells)*2 < len(t.columns) {
			break
		}
		columns, ok := addCells(g.columns, l.cells)
		if !ok || len(columns) != len(t.columns) || n == 0 && len(l.cells) < 2 {
			break
		}
		g.columns, g.lines = columns, lines[:n+1]
	}
	g.fillCells()
	return g
}

// isOtherHeader reports whether the first of some rows begins a table of its own: it is bold as the header above is, or
// names columns that hold numbers above and below.
func (t *tableAbove) isOtherHeader(g *grid) bool {
	first := g.cells[0]
	switch {
	case slices.Equal(first, t.header):
		return false
	case g.lines[0].bold && (t.hasBold || len(g.lines) > 1 && !g.lines[1].bold):
		return true
	}
	hasNumbers := false
	for k, isNumber := range t.isNumber {
		if isNumber && startsWithNumber(first[k]) {
			return false
		}
		hasNumbers = hasNumbers || isNumber
	}
	return hasNumbers
}
