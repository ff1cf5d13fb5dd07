package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
)

// ReadXLSX reads the visible sheets as tables. Rows apart by empty ones are tables of their own.
func ReadXLSX(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	if err := a.checkXML("xl/"); err != nil {
		return draft.Document{}, err
	}
	a.remainingBytes = draft.MaxUnpackedBytes // what it has unpacked to is not kept
	file, err := excelize.OpenReader(bytes.NewReader(data),
		excelize.Options{UnzipSizeLimit: draft.MaxUnpackedBytes, UnzipXMLSizeLimit: draft.MaxUnpackedBytes})
	switch {
	case errors.Is(err, excelize.ErrWorkbookPassword), errors.Is(err, excelize.ErrWorkbookFileFormat):
		return draft.Document{}, draft.ErrEncrypted
	case err != nil && strings.Contains(err.Error(), "unzip size exceeds"):
		return draft.Document{}, draft.NewError("the archive unpacks to more than %d MB", draft.MaxUnpackedBytes>>20)
	case err != nil:
		return draft.Document{}, draft.NewDamagedError("it is not a readable workbook", err)
	}
	defer func() { _ = file.Close() }()
	parts := a.sheetParts()
	w := workbookReader{file: file, archive: a, parts: parts, drawings: a.readDrawings(parts)}
	sheets := 0
	for _, name := range file.GetSheetList() {
		if visible, err := file.GetSheetVisible(name); err == nil && !visible {
			continue
		}
		sheets++
		if err := w.readSheet(ctx, name); err != nil {
			return draft.Document{}, err
		}
	}
	doc := draft.Document{Text: w.out.Text(), Pages: sheets}
	if properties, err := file.GetDocProps(); err == nil && properties != nil {
		doc.Title = properties.Title
	}
	return doc, nil
}

type workbookReader struct {
	file      *excelize.File
	archive   *archive
	parts     map[string][]string // that hold the sheets
	drawings  map[string][]string
	out       draft.Builder
	cellCount int
	openRows  [][]string   // rows that no empty one parts
	table     *draft.Table // of a block too long to look at as a whole
}

// maxBlockRows is how many rows are looked at before they are written.
const maxBlockRows = 500

func (w *workbookReader) readSheet(ctx context.Context, name string) error {
	titled, err := w.readRows(ctx, name)
	if !titled && len(w.drawings[name]) > 0 {
		w.out.AddHeading(2, name)
	}
	for _, text := range w.drawings[name] {
		w.out.AddParagraph(text)
	}
	return err
}

// readRows writes the rows of a sheet below its name, and returns whether there are any.
func (w *workbookReader) readRows(ctx context.Context, name string) (titled bool, err error) {
	rows, err := w.file.Rows(name)
	if err != nil { // a sheet of charts has none
		return false, nil
	}
	defer func() { _ = rows.Close() }()
	merged := w.archive.merged(w.parts[name])
	for n, blank := 1, 0; rows.Next(); n++ {
		if n%500 == 0 && ctx.Err() != nil {
			return titled, ctx.Err()
		}
		cells, err := rows.Columns()
		if err != nil {
			return titled, draft.NewDamagedError("a sheet of it cannot be read", err)
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			if blank++; blank == 1 {
				err = w.flushRows()
			}
			if err != nil || blank > 1<<20 {
				return titled, err
			}
			continue
		}
		blank = 0
		if !titled {
			w.out.AddHeading(2, name)
			titled = true
		}
		if err := w.addRow(merged.fill(n, cells[:min(len(cells), draft.MaxColumns)])); err != nil {
			return titled, err
		}
	}
	return titled, w.flushRows()
}

func (w *workbookReader) addRow(cells []string) error {
	if w.cellCount += len(cells); w.cellCount > draft.MaxCells {
		return draft.NewError("the file holds more than %d cells", draft.MaxCells)
	}
	if w.out.IsFull() {
		return draft.ErrTooMuchText
	}
	if w.table != nil {
		w.table.AddRow(cells)
		return nil
	}
	if w.openRows = append(w.openRows, cells); len(w.openRows) < maxBlockRows {
		return nil
	}
	w.table = w.out.NewTable()
	for _, row := range w.openRows {
		w.table.AddRow(row)
	}
	w.openRows = nil
	return nil
}

// flushRows writes the rows that are open.
func (w *workbookReader) flushRows() error {
	if w.table != nil {
		t := w.table
		w.table = nil
		return t.Finish()
	}
	blocks := splitSideBySide(w.openRows)
	w.openRows = nil
	for _, rows := range blocks {
		t := w.out.NewTable()
		for _, row := range rows {
			t.AddRow(row)
		}
		if err := t.Finish(); err != nil {
			return err
		}
	}
	return nil
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

// sheetParts returns the parts that hold the sheets of a workbook, by the sheet's name. What cannot be read is left
// out.
func (a *archive) sheetParts() map[string][]string {
	main, err := a.mainPartName("xl/workbook.xml")
	if err != nil {
		return nil
	}
	parts := map[string][]string{}
	_ = a.eachReference(main, "sheet", func(el xml.StartElement, part string) {
		name := attributeValue(el, "name")
		parts[name] = append(parts[name], part)
	})
	return parts
}

// readDrawings returns, by the name of its sheet, what is written on a workbook's sheets outside their cells: text
// boxes, and the titles of charts and of their axes. The numbers of charts are in cells already. What cannot be read
// is left out.
func (a *archive) readDrawings(sheets map[string][]string) map[string][]string {
	texts := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		for _, part := range sheets[name] {
			drawings, _ := a.relatedParts(part, "drawing")
			for _, drawing := range drawings {
				texts[name] = append(texts[name], a.drawingTexts(drawing, "txBody")...)
				charts, _ := a.relatedParts(drawing, "chart")
				for _, chart := range charts {
					texts[name] = append(texts[name], a.drawingTexts(chart, "title")...)
				}
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

// merged finds the merged cells of a sheet in the part that holds it, without the work that laying out all its cells
// would be.
func (a *archive) merged(parts []string) (m mergedCells) {
	if len(parts) == 0 {
		return m
	}
	data, err := a.unpackPart(parts[0])
	if err != nil {
		return m
	}
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
