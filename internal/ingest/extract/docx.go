package extract

import (
	"context"
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// readDOCX reads a Word file: headings by the outline level of their styles, lists by their numbering, tables, notes and text
// boxes where they belong. What was deleted under change tracking, comments, headers and footers are left out.
func readDOCX(ctx context.Context, _ string, data []byte) (Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return Document{}, err
	}
	main, err := a.officeDocument("word/document.xml")
	if err != nil {
		return Document{}, err
	}
	body, err := a.part(main)
	if err != nil {
		return Document{}, err
	}
	w := wordReader{ctx: ctx, e: newElements(body), d: &draft{}, styles: map[string]wordStyle{}, lists: map[string]wordList{}, counts: map[string][9]int{}}
	folder := path.Dir(main)
	if w.links, err = a.relations(folder + "/_rels/" + path.Base(main) + ".rels"); err != nil {
		return Document{}, err
	}
	if err := w.prepare(a, folder); err != nil {
		return Document{}, err
	}
	if err := w.e.children(w.blocks); err != nil {
		return Document{}, err
	}
	if w.d.full() {
		return Document{}, errTooMuchText
	}
	title, err := a.coreTitle()
	return Document{Title: title, Text: w.d.text()}, err
}

// officeDocument gives the name of the main part.
func (a *archive) officeDocument(usual string) (string, error) {
	all, err := a.relations("_rels/.rels")
	if err != nil {
		return "", err
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		r := all[id]
		if strings.HasSuffix(r.kind, "/officeDocument") && a.parts[partName(r.target)] != nil {
			return partName(r.target), nil
		}
	}
	return usual, nil
}

// coreTitle gives the title that the author has set, if any.
func (a *archive) coreTitle() (title string, err error) {
	data, err := a.part("docProps/core.xml")
	if err != nil {
		return "", nil //nolint:nilerr // it need not have one
	}
	e := newElements(data)
	err = e.children(func(xml.StartElement) error {
		return e.children(func(el xml.StartElement) (err error) {
			if el.Name.Local == "title" {
				title, err = e.text()
			}
			return err
		})
	})
	return title, err
}

type wordReader struct {
	ctx    context.Context
	e      *elements
	d      *draft
	links  map[string]relation
	styles map[string]wordStyle
	lists  map[string]wordList // by numId
	notes  map[string]string   // "footnote 3" → text
	counts map[string][9]int   // of numbered lists, by numId
	table  int                 // how deep in tables
	above  []string            // the row before, for cells that are merged with it

	repeats repeats
}

// blocks takes what stands in a body, a cell or a text box: paragraphs and tables, however they are wrapped.
func (w *wordReader) blocks(el xml.StartElement) error {
	switch el.Name.Local {
	case "p":
		if err := w.ctx.Err(); err != nil {
			return err
		}
		p, err := w.paragraph()
		if err != nil {
			return err
		}
		w.put(p)
		return nil
	case "tbl":
		return w.rows()
	case "del", "moveFrom", "Fallback", "sectPr", "sdtPr":
		return nil
	}
	return w.e.children(w.blocks)
}

// put writes a paragraph in the form its style and numbering ask for.
func (w *wordReader) put(p wordParagraph) {
	text := strings.TrimSpace(p.text.String())
	style := w.styles[p.style]
	level := style.heading
	if p.outline > 0 {
		level = p.outline
	}
	list, depth := p.list, p.depth
	if list == "" && level == 0 {
		list, depth = style.list, style.depth
	}
	switch {
	case text == "":
	case level > 0 && len(text) < 300:
		w.d.heading(level, text)
	case list != "" && list != "0":
		w.d.item(depth, w.marker(list, depth), text)
	default:
		w.d.paragraph(text)
	}
	for _, more := range p.after {
		w.d.paragraph(more)
	}
}

// marker counts the items of numbered lists; a new item starts the lists within it anew.
func (w *wordReader) marker(list string, depth int) string {
	depth = min(max(depth, 0), 8)
	l, known := w.lists[list]
	if known && l.bullet[depth] {
		return "-"
	}
	counts := w.counts[list]
	if counts[depth] == 0 && l.start[depth] > 0 {
		counts[depth] = l.start[depth] - 1
	}
	counts[depth]++
	clear(counts[depth+1:])
	w.counts[list] = counts
	if counts[depth] > 9999 {
		return "-"
	}
	return strconv.Itoa(counts[depth]) + "."
}

// rows takes a table. One that holds tables, or has one cell, is read as the blocks in it.
func (w *wordReader) rows() error {
	w.table++
	defer func() { w.table-- }()
	t := w.d.table()
	outer := w.above
	w.above = nil
	defer func() { w.above = outer }()
	err := w.e.children(func(el xml.StartElement) error { return w.row(el, t) })
	if err != nil {
		return err
	}
	return t.end()
}

func (w *wordReader) row(el xml.StartElement, t *table) error {
	switch el.Name.Local {
	case "tr":
		var cells []string
		var read func(el xml.StartElement) error
		read = func(el xml.StartElement) error {
			switch el.Name.Local {
			case "tc":
				text, span, err := w.cell(len(cells))
				cells = append(cells, text)
				for range span - 1 {
					cells = append(cells, w.repeats.of(text))
				}
				return err
			case "trPr":
				return nil
			}
			return w.e.children(read)
		}
		if err := w.e.children(read); err != nil {
			return err
		}
		if len(cells) == 1 && t.cells == 0 && w.table == 1 { // a frame around a text
			w.d.paragraph(cells[0])
			return nil
		}
		w.above = slices.Clone(cells)
		t.row(cells)
		return nil
	case "tblPr", "tblGrid":
		return nil
	}
	return w.e.children(func(el xml.StartElement) error { return w.row(el, t) })
}

// cell gives the text of a cell, its paragraphs and what tables are in it one after the other, and how many columns it takes. One
// that is merged with the cell above says the same.
func (w *wordReader) cell(column int) (text string, span int, err error) {
	outer := w.d
	w.d = &draft{}
	span = 1
	merged := false
	err = w.e.children(func(el xml.StartElement) error {
		if el.Name.Local != "tcPr" {
			return w.blocks(el)
		}
		return w.e.children(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "gridSpan":
				span = number(value(el, "val"), 1, 100)
			case "vMerge":
				merged = value(el, "val") != "restart"
			}
			return nil
		})
	})
	inner := w.d.text()
	w.d = outer
	if merged && inner == "" && column < len(w.above) {
		return w.repeats.of(w.above[column]), span, err
	}
	if w.table == 1 && !strings.Contains(inner, "| --- |") {
		return inner, span, err
	}
	return strings.NewReplacer("| --- ", "", "|\n", "; ", "|", " ").Replace(inner), span, err
}
