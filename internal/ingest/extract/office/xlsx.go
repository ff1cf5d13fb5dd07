package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
)

// ReadXLSX reads the visible sheets as tables, their cells as they are shown. Rows apart by empty ones are tables of
// their own, unless they go on with the table above.
func ReadXLSX(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	if err := a.checkXML("xl/"); err != nil {
		return draft.Document{}, err
	}
	a.remainingBytes = draft.MaxUnpackedBytes // what it has unpacked to is not kept
	opened, err := a.openWorkbook()
	if err != nil {
		return draft.Document{}, err
	}
	w := workbookReader{workbook: opened, drawings: a.readDrawings(opened.sheets)}
	doc := draft.Document{}
	for _, s := range opened.sheets {
		if s.isHidden {
			continue
		}
		doc.Pages++
		if err := w.readSheet(ctx, s); err != nil {
			return draft.Document{}, err
		}
	}
	doc.Text = w.out.Text()
	doc.Title, _ = a.readTitle("docProps/core.xml") // of a part that breaks off, what came before
	return doc, nil
}

type workbookReader struct {
	*workbook
	drawings  map[string][]string
	out       draft.Builder
	cellCount int
	header    []string // of the last table of the sheet
	isTextual bool     // that table holds no numbers
}

// maxBlockRows is up to how many rows a block is looked at for tables side by side.
const maxBlockRows = 500

func (w *workbookReader) readSheet(ctx context.Context, s sheet) error {
	rows, err := w.readRows(ctx, s)
	if err != nil {
		return err
	}
	if len(rows) > 0 || len(w.drawings[s.name]) > 0 {
		w.out.AddHeading(2, s.name)
	}
	w.header = nil
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].number == rows[n-1].number+1 {
			n++
		}
		if err := w.writeBlock(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
		if w.out.IsFull() {
			return draft.ErrTooMuchText
		}
	}
	for _, text := range w.drawings[s.name] {
		w.out.AddParagraph(text)
	}
	return nil
}

// readRows returns the rows of a sheet that hold something, in their order. A sheet of charts has none. The numbers of
// rows that are hidden are taken out, so that what is around them is not apart.
func (w *workbookReader) readRows(ctx context.Context, s sheet) (shown []sheetRow, err error) {
	data, err := w.archive.unpackPart(s.part)
	if err != nil {
		if errors.Is(err, errNoPart) {
			return nil, nil
		}
		return nil, err
	}
	r := sheetReader{workbook: w.workbook, xml: newXMLReader(data), hiddenColumns: map[int]bool{},
		keepsHidden: bytes.Contains(data, []byte("filterColumn")), cellCount: &w.cellCount, ctx: ctx}
	if err := r.read(); err != nil {
		return nil, err
	}
	byNumber := func(a, b sheetRow) int { return a.number - b.number }
	if !slices.IsSortedFunc(r.rows, byNumber) {
		slices.SortStableFunc(r.rows, byNumber)
	}
	merged := findMerged(data)
	hidden := 0
	for _, row := range r.rows {
		if row.isHidden {
			hidden++
			continue
		}
		if row.cells = merged.fill(row.number, row.cells); len(row.cells) > 0 {
			row.number -= hidden
			shown = append(shown, row)
		}
	}
	return shown, nil
}

// writeBlock writes rows that no empty one parts: lines above the tables, and the tables in them.
func (w *workbookReader) writeBlock(block []sheetRow) error {
	rows := make([][]string, len(block))
	for i, row := range block {
		rows[i] = row.cells
	}
	isTable := slices.ContainsFunc(rows, func(row []string) bool { return draft.CaptionText(row) == "" })
	for isTable && len(rows) > 1 && draft.CaptionText(rows[0]) != "" {
		w.out.AddParagraph(draft.CaptionText(rows[0]))
		rows, block = rows[1:], block[1:]
	}
	if isTable && w.goesOn(block) {
		return w.writeTable(append([][]string{w.header}, rows...))
	}
	parts := [][][]string{rows}
	if len(rows) <= maxBlockRows {
		parts = splitSideBySide(rows)
	}
	w.header = nil
	if isTable && len(parts) == 1 && len(rows) > 1 {
		rows = draft.MergeHeaderRows(rows)
		parts[0], w.header = rows, slices.Clone(rows[0])
		w.isTextual = !slices.ContainsFunc(block, sheetRow.hasNumber)
	}
	for _, part := range parts {
		if err := w.writeTable(part); err != nil {
			return err
		}
	}
	return nil
}

func (w *workbookReader) writeTable(rows [][]string) error {
	t := w.out.NewTable()
	for _, row := range rows {
		t.AddRow(slices.Clone(row))
	}
	return t.Finish()
}

func (r sheetRow) hasNumber() bool { return slices.Contains(r.values, true) }

// goesOn reports whether a block has no header of its own, but goes on with the table above: its cells are below names
// of that table, and its first row holds numbers, or no row does.
func (w *workbookReader) goesOn(block []sheetRow) bool {
	if w.header == nil {
		return false
	}
	for i, text := range block[0].cells {
		if text != "" && (i >= len(w.header) || w.header[i] == "") {
			return false
		}
	}
	if slices.Equal(block[0].cells, w.header) {
		return false
	}
	return block[0].hasNumber() || w.isTextual && !slices.ContainsFunc(block, sheetRow.hasNumber)
}

// columnStrip is columns that are apart from others by empty ones.
type columnStrip struct{ from, to, first, last int }

// splitSideBySide parts tables that are side by side: empty columns are between them, they do not begin in
// the same row, and they do not end in the same one either unless the other begins with names of its columns.
func splitSideBySide(rows [][]string) [][][]string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	var strips []columnStrip
	for c := range width {
		first, last := -1, -1
		for i, r := range rows {
			if c < len(r) && strings.TrimSpace(r[c]) != "" {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		n := len(strips)
		switch {
		case first < 0:
		case n > 0 && strips[n-1].to == c:
			s := &strips[n-1]
			s.to, s.first, s.last = c+1, min(s.first, first), max(s.last, last)
		default:
			strips = append(strips, columnStrip{c, c + 1, first, last})
		}
	}
	for i := 1; i < len(strips); i++ {
		if strips[i].first == strips[0].first || strips[i].last == strips[0].last && !strips[i].hasColumnNames(rows) {
			return [][][]string{rows}
		}
	}
	var blocks [][][]string
	for _, s := range strips {
		var block [][]string
		for _, r := range rows[s.first : s.last+1] {
			block = append(block, r[min(s.from, len(r)):min(s.to, len(r))])
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// hasColumnNames reports whether there are several columns whose first cells are words.
func (s columnStrip) hasColumnNames(rows [][]string) bool {
	for c := s.from; c < s.to; c++ {
		r := rows[s.first]
		if c >= len(r) || !strings.ContainsFunc(r[c], unicode.IsLetter) {
			return false
		}
	}
	return s.to-s.from > 1 && s.last > s.first
}

// readDrawings returns, by the name of its sheet, what is written on a workbook's sheets outside their cells: text
// boxes, and the titles of charts and of their axes. The numbers of charts are in cells already. What cannot be read
// is left out.
func (a *archive) readDrawings(sheets []sheet) map[string][]string {
	texts := map[string][]string{}
	for _, s := range sheets {
		drawings, _ := a.relatedParts(s.part, "drawing")
		for _, drawing := range drawings {
			texts[s.name] = append(texts[s.name], a.drawingTexts(drawing, "txBody")...)
			charts, _ := a.relatedParts(drawing, "chart")
			for _, chart := range charts {
				texts[s.name] = append(texts[s.name], a.drawingTexts(chart, "title")...)
			}
		}
	}
	return texts
}

// drawingTexts returns the texts of the elements of a name, with a line for each paragraph.
func (a *archive) drawingTexts(part, name string) (texts []string) {
	data, err := a.once(part)
	if err != nil {
		return nil
	}
	x := newXMLReader(data)
	_ = x.eachDescendant(func(el xml.StartElement) error {
		if el.Name.Local != name {
			return nil
		}
		var lines []string
		err := x.eachDescendant(func(el xml.StartElement) error {
			if el.Name.Local != "p" {
				return nil
			}
			text, err := x.readText()
			lines = append(lines, draft.CollapseSpaces(text))
			return err
		})
		if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
			texts = append(texts, text)
		}
		return err
	})
	return texts
}

// mergedCells are the merged cells of a sheet, of which a file holds the text of the first one only.
type mergedCells struct {
	areas map[int][]area    // by the row they begin in
	texts map[[2]int]string // by row and column from 1, of the areas that have begun
}

// area is cells that are merged: columns and rows from 1, both ends within.
type area struct{ left, top, right, bottom int }

// maxMergedCells bounds how many cells are filled with the text of the cell they are merged with, and mostInArea those
// of one area.
const (
	maxMergedCells = 20_000
	mostInArea     = 1000
)

var mergeCell = regexp.MustCompile(`<(?:\w+:)?mergeCell\s[^<>]*\bref\s*=\s*["']([A-Za-z]+[0-9]+:[A-Za-z]+[0-9]+)["']`)

// findMerged finds the merged cells in the part of a sheet, without the work that laying out all its cells would be.
func findMerged(data []byte) (m mergedCells) {
	data = data[max(bytes.Index(data, []byte("mergeCells")), 0):]
	m = mergedCells{areas: map[int][]area{}, texts: map[[2]int]string{}}
	cells := 0
	for _, found := range mergeCell.FindAllSubmatch(data, maxMergedCells) {
		from, to, _ := strings.Cut(string(found[1]), ":")
		c1, r1, err1 := excelize.CellNameToCoordinates(from)
		c2, r2, err2 := excelize.CellNameToCoordinates(to)
		n := (c2 - c1 + 1) * (r2 - r1 + 1)
		if err1 != nil || err2 != nil || c2 < c1 || r2 < r1 || n > mostInArea || cells > maxMergedCells {
			continue
		}
		cells += n
		m.areas[r1] = append(m.areas[r1], area{c1, r1, c2, r2})
	}
	return m
}

// fill puts the text of merged cells into each of them. It is told the rows in order.
func (m mergedCells) fill(row int, cells []string) []string {
	for _, a := range m.areas[row] {
		if a.left > len(cells) || cells[a.left-1] == "" {
			continue
		}
		for r := a.top; r <= a.bottom; r++ {
			for c := a.left; c <= a.right; c++ {
				m.texts[[2]int{r, c}] = cells[a.left-1]
			}
		}
	}
	for i, c := range cells {
		if c == "" {
			cells[i] = m.texts[[2]int{row, i + 1}]
		}
	}
	for len(cells) < draft.MaxColumns {
		text := m.texts[[2]int{row, len(cells) + 1}]
		if text == "" {
			break
		}
		cells = append(cells, text)
	}
	return cells
}
