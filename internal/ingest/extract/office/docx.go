package office

import (
	"context"
	"encoding/xml"
	"path"
	"regexp"
	"slices"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// ReadDOCX reads a Word file: headings by the outline level of their styles, lists by their numbering, tables, notes
// and text boxes where they belong. What was deleted under change tracking, comments, headers and footers are left out.
func ReadDOCX(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	main, err := a.mainPartName("word/document.xml")
	if err != nil {
		return draft.Document{}, err
	}
	body, err := a.openXML(main)
	if err != nil {
		return draft.Document{}, err
	}
	w := wordReader{ctx: ctx, xml: body, out: &draft.Builder{}, styles: map[string]wordStyle{},
		lists: map[string]wordList{}, notes: map[string]string{}, itemCounts: map[string][9]int{},
		restarted: map[string]bool{}}
	if w.links, err = a.readRelations(main); err != nil {
		return draft.Document{}, err
	}
	if err := w.readDefinitions(a, path.Dir(main)); err != nil {
		return draft.Document{}, err
	}
	if err := w.xml.eachChild(w.readBlock); err != nil {
		return draft.Document{}, err
	}
	if w.out.IsFull() {
		return draft.Document{}, draft.ErrTooMuchText
	}
	title, err := a.readTitle("docProps/core.xml")
	return draft.Document{Title: title, Text: w.out.Text()}, err
}

type wordReader struct {
	ctx        context.Context
	xml        *xmlReader
	out        *draft.Builder
	links      map[string]relation
	styles     map[string]wordStyle
	lists      map[string]wordList // by numId
	notes      map[string]string   // "footnote 3" → text
	itemCounts map[string][9]int   // of numbered lists, by what they are instances of
	restarted  map[string]bool     // instances that have begun again
	dropCap    string              // of the next paragraph
	tableDepth int                 // how deep in tables
	rowAbove   []string            // the row before, for cells that are merged with it
	repeats    draft.RepeatBudget
}

// readBlock reads an element of a body, a cell or a text box: paragraphs and tables, however they are wrapped.
func (w *wordReader) readBlock(el xml.StartElement) error {
	switch el.Name.Local {
	case "p":
		if err := w.ctx.Err(); err != nil {
			return err
		}
		var p wordParagraph
		if err := w.xml.eachChild(func(el xml.StartElement) error { return w.readRun(el, &p) }); err != nil {
			return err
		}
		w.addParagraph(&p)
		return nil
	case "tbl":
		return w.readTable()
	case "del", "moveFrom", "Fallback", "sectPr", "sdtPr":
		return nil
	}
	return w.xml.eachChild(w.readBlock)
}

// addParagraph writes a paragraph in the form its style and numbering ask for, with its number as it is printed.
func (w *wordReader) addParagraph(p *wordParagraph) {
	text := strings.TrimSpace(w.dropCap + p.text.String())
	w.dropCap = ""
	if p.isDropCap {
		w.dropCap = text
		return
	}
	style := w.styles[p.style]
	level := style.heading
	if p.outline > 0 {
		level = p.outline
	}
	list, depth := p.list, p.depth
	if list == "" {
		list, depth = style.list, style.depth
		if linked, known := w.lists[list].depthOfStyle(p.style); known {
			depth = linked
		}
	}
	isHeading := level > 0 && len(text) < 300
	switch {
	case text == "":
	case list != "" && list != "0":
		w.addNumbered(list, depth, level, isHeading, text)
	case isHeading:
		w.out.AddHeading(level, text)
	default:
		w.out.AddParagraph(text)
	}
	for _, more := range p.trailing {
		w.out.AddParagraph(more)
	}
}

// addNumbered writes an item: one with a bullet or a plain number as such, and others as paragraphs that begin with
// what is printed, such as "2.2" or "Article VI".
func (w *wordReader) addNumbered(list string, depth, level int, isHeading bool, text string) {
	marker := w.nextMarker(list, depth)
	label := strings.TrimSpace(marker + " " + text)
	switch {
	case isHeading && marker == "-":
		w.out.AddHeading(level, text)
	case isHeading:
		w.out.AddHeading(level, label)
	case marker == "-" || plainMarker.MatchString(marker):
		w.out.AddItem(depth, marker, text)
	case letterMarker.MatchString(marker):
		w.out.AddItem(depth, "-", label)
	default:
		w.out.AddParagraph(label)
	}
}

var (
	plainMarker  = regexp.MustCompile(`^[0-9]{1,4}[.)]$`)
	letterMarker = regexp.MustCompile(`^\(?[A-Za-z0-9]{1,4}[.)]$`)
)

// readTable reads a table. One that holds tables, or has one cell, is read as the blocks in it.
func (w *wordReader) readTable() error {
	outer := w.rowAbove
	w.tableDepth, w.rowAbove = w.tableDepth+1, nil
	defer func() { w.tableDepth, w.rowAbove = w.tableDepth-1, outer }()
	t := w.out.NewTable()
	err := w.xml.eachChild(func(el xml.StartElement) error { return w.readRow(el, t) })
	if err != nil {
		return err
	}
	return t.Finish()
}

func (w *wordReader) readRow(el xml.StartElement, t *draft.Table) error {
	switch el.Name.Local {
	case "tr":
		var cells []string
		err := w.xml.eachDescendant(func(el xml.StartElement) error {
			if el.Name.Local != "tc" {
				return nil
			}
			text, span, err := w.readCell(len(cells))
			cells = append(cells, text)
			for range span - 1 {
				cells = append(cells, w.repeats.Take(text))
			}
			return err
		})
		if err != nil {
			return err
		}
		if len(cells) == 1 && t.CellCount == 0 && w.tableDepth == 1 { // a frame around a text
			w.out.AddParagraph(cells[0])
			return nil
		}
		w.rowAbove = slices.Clone(cells)
		t.AddRow(cells)
		return nil
	case "tblPr", "tblGrid":
		return nil
	}
	return w.xml.eachChild(func(el xml.StartElement) error { return w.readRow(el, t) })
}

// readCell returns the text of a cell, its paragraphs and what tables are in it one after the other, and how many
// columns it takes. One that is merged with the cell above has its text.
func (w *wordReader) readCell(column int) (text string, span int, err error) {
	span = 1
	merged := false
	inner, err := w.readApart(func(el xml.StartElement) error {
		if el.Name.Local != "tcPr" {
			return w.readBlock(el)
		}
		return w.xml.eachChild(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "gridSpan":
				span = draft.ParseSmallInt(attributeValue(el, "val"), 1, 100)
			case "vMerge":
				merged = attributeValue(el, "val") != "restart"
			}
			return nil
		})
	})
	if merged && inner == "" && column < len(w.rowAbove) {
		return w.repeats.Take(w.rowAbove[column]), span, err
	}
	if w.tableDepth == 1 && !strings.Contains(inner, "| --- |") {
		return inner, span, err
	}
	return strings.NewReplacer("| --- ", "", "|\n", "; ", "|", " ").Replace(inner), span, err
}

// readApart visits each element in the one that was entered last, and returns what is written meanwhile.
func (w *wordReader) readApart(visit func(xml.StartElement) error) (string, error) {
	outer := w.out
	w.out = &draft.Builder{}
	err := w.xml.eachChild(visit)
	text := w.out.Text()
	w.out = outer
	return text, err
}
