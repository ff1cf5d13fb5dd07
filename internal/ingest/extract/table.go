package extract

import (
	"slices"
	"strings"
)

// A table is cut where it would not fit into one passage, and each part repeats the header, so that each row can be found and
// read by itself. Rows too wide for that become items: "Header: value; Header: value".
const (
	tableBytes   = 900
	wideRow      = 420 // bytes of an average row, from which on rows are items
	wideTable    = 12  // columns
	rowsToDecide = 200
)

// table takes rows, the header first, and writes them to the draft. Nothing is kept but the first rows, which decide on its form.
type table struct {
	d       *draft
	waiting [][]string
	header  []string
	decided bool
	wide    bool
	part    int // bytes of the open part
	cells   int
}

func (d *draft) table() *table { return &table{d: d} }

// row takes one row; it may keep the slice.
func (t *table) row(cells []string) {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 || t.d.full() || t.cells > mostCells {
		return
	}
	cells = cells[:min(len(cells), mostColumns)]
	t.cells += len(cells)
	for i, c := range cells {
		cells[i] = flat(c)
	}
	if !t.decided {
		if t.waiting = append(t.waiting, cells); len(t.waiting) < rowsToDecide {
			return
		}
		t.decide(false)
		return
	}
	t.write(cells)
}

// end writes what waits still. Fails where the table was too large.
func (t *table) end() error {
	if !t.decided {
		t.decide(true)
	}
	if t.cells > mostCells {
		return refuse("the file holds a table of more than %d cells", mostCells)
	}
	return nil
}

// decide looks at the first rows, or at all: lines above the header are a caption, and one column is no table.
func (t *table) decide(all bool) {
	t.decided = true
	rows := t.waiting
	t.waiting = nil
	columns := 0
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	if all {
		rows, columns = withoutEmpty(rows, columns)
	}
	for len(rows) > 1 && columns > 1 && caption(rows[0]) != "" {
		t.d.paragraph(caption(rows[0]))
		rows = rows[1:]
	}
	if columns > 1 && len(rows) > 0 {
		t.header = t.names(rows[0])
		rows = rows[1:]
		t.wide = len(rows) > 0 && (average(rows) > wideRow || columns > wideTable)
		if len(rows) == 0 {
			t.begin()
		}
	}
	for _, r := range rows {
		t.write(r)
	}
}

// longName is how many bytes the name of a column may have to be repeated.
const longName = 500

// names gives the header of a table as each part of it repeats it: where a name is too long for that, the whole row stands above the
// table, and the name's beginning in it.
func (t *table) names(row []string) []string {
	if !slices.ContainsFunc(row, func(name string) bool { return len(name) > longName }) {
		return row
	}
	t.d.paragraph(strings.Join(row, " | "))
	names := make([]string, len(row))
	for i, name := range row {
		if names[i] = name; len(name) > longName {
			names[i] = strings.ToValidUTF8(name[:longName], "") + "…"
		}
	}
	return names
}

// withoutEmpty drops columns that hold nothing.
func withoutEmpty(rows [][]string, columns int) ([][]string, int) {
	var keep []int
	for c := range columns {
		for _, r := range rows {
			if c < len(r) && r[c] != "" {
				keep = append(keep, c)
				break
			}
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

// average is how long a row is, in bytes.
func average(rows [][]string) int {
	bytes := 0
	for _, r := range rows {
		bytes += len(strings.Join(r, " | "))
	}
	return bytes / len(rows)
}

// caption gives the one text of a row, be it in one cell or, merged, in several.
func caption(row []string) (text string) {
	for _, c := range row {
		if c != "" && text != "" && c != text {
			return ""
		}
		text = max(text, c)
	}
	return text
}

func filled(row []string) (n int) {
	for _, c := range row {
		if c != "" {
			n++
		}
	}
	return n
}

func (t *table) write(cells []string) {
	switch {
	case t.header == nil:
		t.d.paragraph(strings.Join(cells, " "))
		return
	case t.wide:
		t.d.item(0, "-", t.record(cells))
		return
	}
	line := t.line(cells)
	if t.part == 0 || t.part+len(line) > tableBytes {
		t.begin()
	}
	t.part += len(line) + 1
	t.d.b.WriteString("\n" + line)
}

// begin opens a part of the table with the header.
func (t *table) begin() {
	head := t.line(t.header) + "\n|" + strings.Repeat(" --- |", len(t.header))
	t.d.block(head)
	t.part = len(head)
}

func (t *table) line(cells []string) string {
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

// record names each value: "Name: Kettle; Price: 30".
func (t *table) record(cells []string) string {
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
