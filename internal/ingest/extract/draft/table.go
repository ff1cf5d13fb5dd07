package draft

import (
	"slices"
	"strings"

	"parley"
)

// A table is cut where it would not fit into one passage, and each part repeats the header, so that each row can be
// found and read by itself. Rows too wide for that become items: "Header: value; Header: value".
const (
	maxTablePartBytes = 900
	wideRowBytes      = 420 // bytes of an average row, from which on rows are items
	wideTableColumns  = 12  // columns
	rowsToDecide      = 200
)

// Table writes rows, the header first, to a Builder. It keeps no rows but the first ones, which decide on its form.
type Table struct {
	out         *Builder
	pendingRows [][]string
	header      []string
	isDecided   bool
	writesItems bool
	partBytes   int // bytes of the open part
	CellCount   int
}

// NewTable returns a table that is written to the text.
func (b *Builder) NewTable() *Table { return &Table{out: b} }

// AddRow adds a row; it may keep the slice.
func (t *Table) AddRow(cells []string) {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 || t.out.IsFull() || t.CellCount > MaxCells {
		return
	}
	cells = cells[:min(len(cells), MaxColumns)]
	t.CellCount += len(cells)
	for i, c := range cells {
		cells[i] = CollapseSpaces(c)
	}
	if !t.isDecided {
		if t.pendingRows = append(t.pendingRows, cells); len(t.pendingRows) < rowsToDecide {
			return
		}
		t.decideForm(false)
		return
	}
	t.writeRow(cells)
}

// Finish writes the rows that are pending. It fails where the table is too large.
func (t *Table) Finish() error {
	if !t.isDecided {
		t.decideForm(true)
	}
	if t.CellCount > MaxCells {
		return NewError("the file holds a table of more than %d cells", MaxCells)
	}
	return nil
}

// decideForm looks at the first rows, or at all: lines above the header are a caption, and one column is no table.
func (t *Table) decideForm(all bool) {
	t.isDecided = true
	rows := t.pendingRows
	t.pendingRows = nil
	columns := 0
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	if all {
		rows, columns = dropEmptyColumns(rows, columns)
	}
	for len(rows) > 1 && columns > 1 && CaptionText(rows[0]) != "" {
		t.out.AddParagraph(CaptionText(rows[0]))
		rows = rows[1:]
	}
	rows = MergeHeaderRows(rows)
	if columns > 1 && len(rows) > 0 {
		t.header = t.names(rows[0])
		rows = rows[1:]
		t.writesItems = len(rows) > 0 && (averageRowBytes(rows) > wideRowBytes || columns > wideTableColumns)
		if len(rows) == 0 {
			t.beginPart()
		}
	}
	for _, r := range rows {
		t.writeRow(r)
	}
}

// longName is how many bytes the name of a column may have to be repeated.
const longName = 500

// names returns the header of a table as each part of it repeats it: where a name is too long for that, the whole row
// is above the table, and the name's beginning in it.
func (t *Table) names(row []string) []string {
	if !slices.ContainsFunc(row, func(name string) bool { return len(name) > longName }) {
		return row
	}
	t.out.AddParagraph(strings.Join(row, " | "))
	names := make([]string, len(row))
	for i, name := range row {
		if names[i] = name; len(name) > longName {
			names[i] = parley.ClipBytes(name, longName) + "…"
		}
	}
	return names
}

// MergeHeaderRows joins the first two rows where both name columns: the first has one name for several columns, merged
// or with nothing behind it, the second has words in all of these, and numbers are below them.
func MergeHeaderRows(rows [][]string) [][]string {
	if len(rows) < 3 || slices.ContainsFunc(rows[1], startsWithDigit) {
		return rows
	}
	groups := spreadNames(rows[0], rows[1])
	isGrouped := false
	for i, name := range rows[1] {
		if i < len(groups) && i > 0 && groups[i] != "" && groups[i] == groups[i-1] {
			if name == "" || name == rows[1][i-1] {
				return rows
			}
			isGrouped = isGrouped || slices.ContainsFunc(rows[2:], func(row []string) bool {
				return slices.ContainsFunc(row[min(i-1, len(row)):min(i+1, len(row))], startsWithDigit)
			})
		}
	}
	if !isGrouped {
		return rows
	}
	header := make([]string, max(len(groups), len(rows[1])))
	for i := range header {
		for _, row := range [][]string{groups, rows[1]} {
			if i < len(row) && row[i] != "" && row[i] != header[i] {
				header[i] = strings.TrimSpace(header[i] + " " + row[i])
			}
		}
	}
	return append([][]string{header}, rows[2:]...)
}

// spreadNames returns the names of groups of columns, each over the columns behind it that have names of their own.
func spreadNames(groups, names []string) []string {
	spread := make([]string, max(len(groups), len(names)))
	copy(spread, groups)
	for i := 1; i < len(names); i++ {
		if spread[i] == "" && names[i] != "" && names[i-1] != "" {
			spread[i] = spread[i-1]
		}
	}
	return spread
}

func startsWithDigit(text string) bool {
	text = strings.TrimLeft(text, "-+(€$£ ")
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

func dropEmptyColumns(rows [][]string, columns int) ([][]string, int) {
	var keep []int
	for c := range columns {
		if slices.ContainsFunc(rows, func(r []string) bool { return c < len(r) && r[c] != "" }) {
			keep = append(keep, c)
		}
	}
	if len(keep) == columns {
		return rows, columns
	}
	out := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range keep {
			if c < len(r) {
				out[i] = append(out[i], r[c])
			}
		}
	}
	return out, len(keep)
}

func averageRowBytes(rows [][]string) int {
	bytes := 0
	for _, r := range rows {
		bytes += len(strings.Join(r, " | "))
	}
	return bytes / len(rows)
}

// CaptionText returns the one text of a row, whether in one cell or, merged, in several.
func CaptionText(row []string) (text string) {
	for _, c := range row {
		if c != "" && text != "" && c != text {
			return ""
		}
		text = max(text, c)
	}
	return text
}

func (t *Table) writeRow(cells []string) {
	switch {
	case t.header == nil:
		t.out.AddParagraph(strings.Join(cells, " "))
		return
	case t.writesItems:
		t.out.AddItem(0, "-", t.formatRecord(cells))
		return
	}
	line := t.formatLine(cells)
	if t.partBytes == 0 || t.partBytes+len(line) > maxTablePartBytes {
		t.beginPart()
	}
	t.partBytes += len(line) + 1
	t.out.buf.WriteString("\n" + line)
}

func (t *Table) beginPart() {
	head := t.formatLine(t.header) + "\n|" + strings.Repeat(" --- |", len(t.header))
	t.out.AddBlock(head)
	t.partBytes = len(head)
}

func (t *Table) formatLine(cells []string) string {
	var b strings.Builder
	b.WriteByte('|')
	for i := range max(len(cells), len(t.header)) {
		b.WriteByte(' ')
		if i < len(cells) && cells[i] != "" {
			b.WriteString(strings.ReplaceAll(cells[i], "|", `\|`) + " ")
		}
		b.WriteByte('|')
	}
	return b.String()
}

// formatRecord names each value: "Name: Kettle; Price: 30".
func (t *Table) formatRecord(cells []string) string {
	var parts []string
	for i, c := range cells {
		switch {
		case c == "":
		case i < len(t.header) && t.header[i] != "":
			parts = append(parts, strings.TrimRight(t.header[i], ": ")+": "+c)
		default:
			parts = append(parts, c)
		}
	}
	return strings.Join(parts, "; ")
}

// Builder builds the text of a document, in blocks apart by a blank line.
type Builder struct {
	buf          strings.Builder
	endsWithItem bool // the last block is an item of a list
}

// IsFull reports whether the text is as long as it may be; the reader may stop.
func (b *Builder) IsFull() bool { return b.buf.Len() > MaxTextBytes }

// Size returns the bytes of the text so far.
func (b *Builder) Size() int { return b.buf.Len() }

// Text returns the text so far.
func (b *Builder) Text() string { return b.buf.String() }

// AddBlock adds a text as it is.
func (b *Builder) AddBlock(text string) {
	if text == "" || b.IsFull() {
		return
	}
	if b.buf.Len() > 0 {
		b.buf.WriteString("\n\n")
	}
	b.buf.WriteString(text)
	b.endsWithItem = false
}

// AddHeading adds a heading of level 1 to 6.
func (b *Builder) AddHeading(level int, text string) {
	if text = CollapseSpaces(text); text != "" {
		b.AddBlock(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
	}
}

// AddParagraph adds a paragraph; line breaks in it stay.
func (b *Builder) AddParagraph(text string) {
	lines := strings.Split(text, "\n")
	nonEmpty := lines[:0]
	for _, line := range lines {
		if line = CollapseSpaces(line); line != "" {
			nonEmpty = append(nonEmpty, line)
		}
	}
	b.AddBlock(strings.Join(nonEmpty, "\n"))
}

// AddItem adds an item of a list; marker is "-" or a number with its point, depth is 0 for the outermost list.
func (b *Builder) AddItem(depth int, marker, text string) {
	if text = CollapseSpaces(text); text == "" {
		return
	}
	line := strings.Repeat("  ", min(max(depth, 0), 8)) + marker + " " + text
	if !b.endsWithItem {
		b.AddBlock(line)
	} else if !b.IsFull() {
		b.buf.WriteString("\n" + line)
	}
	b.endsWithItem = true
}

// mostRepeated bounds the bytes that the tables of one file repeat, because cells span columns and rows.
const mostRepeated = 1 << 20

// RepeatBudget bounds the text that tables of one file repeat.
type RepeatBudget struct{ bytes int }

// Take returns the text of a cell for another cell that repeats it, or nothing where too much has been repeated
// already.
func (r *RepeatBudget) Take(text string) string {
	if r.bytes += len(text); r.bytes > mostRepeated {
		return ""
	}
	return text
}
