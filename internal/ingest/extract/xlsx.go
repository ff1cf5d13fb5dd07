package extract

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/xuri/excelize/v2"
)

const (
	smallBook  = 2 << 20 // bytes up to which a workbook is looked at twice
	mostMerges = 5000    // merged cells of a sheet up to which they are looked for: the work of that grows with their square
)

// readXLSX reads the visible sheets as tables. Rows apart by empty ones are tables of their own.
func readXLSX(ctx context.Context, _ string, data []byte) (Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return Document{}, err
	}
	if err := a.plainXML("xl/"); err != nil {
		return Document{}, err
	}
	a.left = mostUnpacked // what it has unpacked to is not kept
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: mostUnpacked, UnzipXMLSizeLimit: mostUnpacked})
	switch {
	case errors.Is(err, excelize.ErrWorkbookPassword), errors.Is(err, excelize.ErrWorkbookFileFormat):
		return Document{}, errEncrypted
	case err != nil && strings.Contains(err.Error(), "unzip size exceeds"):
		return Document{}, refuse("the archive unpacks to more than %d MB", mostUnpacked>>20)
	case err != nil:
		return Document{}, broken("it is not a readable workbook", err)
	}
	defer func() { _ = book.Close() }()
	w := workbook{book: book, small: len(data) < smallBook && a.merged <= mostMerges, drawings: a.drawings()}
	sheets := 0
	for _, name := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(name); err == nil && !visible {
			continue
		}
		sheets++
		if err := w.sheet(ctx, name); err != nil {
			return Document{}, err
		}
	}
	doc := Document{Text: w.d.text(), Pages: sheets}
	if about, err := book.GetDocProps(); err == nil && about != nil {
		doc.Title = about.Title
	}
	return doc, nil
}

type workbook struct {
	book     *excelize.File
	small    bool // so that looking for merged cells costs little
	drawings map[string][]string
	d        draft
	cells    int
	open     [][]string // rows that no empty one parts
	table    *table     // of a block too long to look at as a whole
}

// longBlock is how many rows are looked at before they are written.
const longBlock = 500

func (w *workbook) sheet(ctx context.Context, name string) error {
	titled, err := w.rows(ctx, name)
	if err != nil {
		return err
	}
	for _, text := range w.drawings[name] {
		if !titled {
			w.d.heading(2, name)
			titled = true
		}
		w.d.paragraph(text)
	}
	return nil
}

// rows writes the rows of a sheet below its name, and tells whether there are any.
func (w *workbook) rows(ctx context.Context, name string) (titled bool, err error) {
	rows, err := w.book.Rows(name)
	if err != nil { // a sheet of charts has none
		return false, nil
	}
	defer func() { _ = rows.Close() }()
	merged := w.merged(name)
	for n, blank := 1, 0; rows.Next(); n++ {
		if n%500 == 0 && ctx.Err() != nil {
			return titled, ctx.Err()
		}
		cells, err := rows.Columns()
		if err != nil {
			return titled, broken("a sheet of it cannot be read", err)
		}
		if filled(cells) == 0 {
			if blank++; blank == 1 {
				err = w.flush()
			}
			if err != nil || blank > 1<<20 {
				return titled, err
			}
			continue
		}
		blank = 0
		if !titled {
			w.d.heading(2, name)
			titled = true
		}
		if err := w.row(merged.fill(n, cells[:min(len(cells), mostColumns)])); err != nil {
			return titled, err
		}
	}
	return titled, w.flush()
}

func (w *workbook) row(cells []string) error {
	if w.cells += len(cells); w.cells > mostCells {
		return refuse("the file holds more than %d cells", mostCells)
	}
	if w.d.full() {
		return errTooMuchText
	}
	if w.table != nil {
		w.table.row(cells)
		return nil
	}
	if w.open = append(w.open, cells); len(w.open) < longBlock {
		return nil
	}
	w.table = w.d.table()
	for _, row := range w.open {
		w.table.row(row)
	}
	w.open = nil
	return nil
}

// flush writes the rows that are open.
func (w *workbook) flush() error {
	if w.table != nil {
		t := w.table
		w.table = nil
		return t.end()
	}
	blocks := sideBySide(w.open)
	w.open = nil
	for _, rows := range blocks {
		t := w.d.table()
		for _, row := range rows {
			t.row(row)
		}
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

// strip is columns that are apart from others by empty ones.
type strip struct{ from, to, first, last int }

// sideBySide parts tables that stand beside one another: empty columns are between them, they do not begin in
// the same row, and they do not end in the same one either unless the other begins with names of its columns.
func sideBySide(rows [][]string) [][][]string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	var strips []strip
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
			strips = append(strips, strip{c, c + 1, first, last})
		}
	}
	for i := 1; i < len(strips); i++ {
		if strips[i].first == strips[0].first || strips[i].last == strips[0].last && !strips[i].named(rows) {
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

// named reports several columns whose first cells are words.
func (s strip) named(rows [][]string) bool {
	for c := s.from; c < s.to; c++ {
		r := rows[s.first]
		if c >= len(r) || !strings.ContainsFunc(r[c], unicode.IsLetter) {
			return false
		}
	}
	return s.to-s.from > 1 && s.last > s.first
}

// merges gives the text of merged cells, by row and column from 1.
type merges map[[2]int]string

// mostMerged bounds how many cells are filled with the text of the cell they are merged with.
const mostMerged = 20_000

func (w *workbook) merged(sheet string) merges {
	if !w.small {
		return nil
	}
	list, err := w.book.GetMergeCells(sheet)
	if err != nil {
		return nil
	}
	all := merges{}
	for _, m := range list {
		c1, r1, err1 := excelize.CellNameToCoordinates(m.GetStartAxis())
		c2, r2, err2 := excelize.CellNameToCoordinates(m.GetEndAxis())
		if err1 != nil || err2 != nil || (c2-c1+1)*(r2-r1+1) > 1000 || len(all) > mostMerged {
			continue
		}
		for r := r1; r <= r2; r++ {
			for c := c1; c <= c2; c++ {
				all[[2]int{r, c}] = m.GetCellValue()
			}
		}
	}
	return all
}

// fill puts the text of merged cells into each of them.
func (m merges) fill(row int, cells []string) []string {
	for i, c := range cells {
		if c == "" {
			cells[i] = m[[2]int{row, i + 1}]
		}
	}
	for text := m[[2]int{row, len(cells) + 1}]; text != "" && len(cells) < mostColumns; text = m[[2]int{row, len(cells) + 1}] {
		cells = append(cells, text)
	}
	return cells
}
