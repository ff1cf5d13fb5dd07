package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// ReadODT reads an OpenDocument text: headings, lists, tables, notes. Comments and tracked changes are left out.
func ReadODT(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	if manifest, err := a.unpackPart("META-INF/manifest.xml"); err == nil &&
		strings.Contains(string(manifest), "encryption-data") {
		return draft.Document{}, draft.ErrEncrypted
	}
	content, err := a.openXML("content.xml")
	if err != nil {
		return draft.Document{}, err
	}
	o := odtReader{ctx: ctx, xml: content, out: &draft.Builder{}, orderedStyles: map[string]bool{},
		runs: map[string]wordRun{}}
	if err := o.xml.eachChild(o.readBlock); err != nil {
		return draft.Document{}, err
	}
	if o.out.IsFull() {
		return draft.Document{}, draft.ErrTooMuchText
	}
	title, _ := a.readTitle("meta.xml") // of a part that breaks off, what came before
	return draft.Document{Title: title, Text: o.out.Text()}, nil
}

type odtReader struct {
	ctx           context.Context
	xml           *xmlReader
	out           *draft.Builder
	orderedStyles map[string]bool // list styles whose first level is numbered
	listStyles    []string        // of the lists around
	itemCounts    []int
	notes         []string
	runs          map[string]wordRun // by style
	repeats       draft.RepeatBudget
}

// readBlock reads an element of a text, a section, an item or a cell.
func (o *odtReader) readBlock(el xml.StartElement) error {
	switch el.Name.Local {
	case "h":
		text, err := o.readLine()
		o.out.AddHeading(draft.ParseSmallInt(attributeValue(el, "outline-level"), 1, 6), text)
		return err
	case "p":
		if err := o.ctx.Err(); err != nil {
			return err
		}
		return o.readParagraph()
	case "list":
		return o.readList(el)
	case "style":
		return o.readStyle(attributeValue(el, "name"))
	case "list-style":
		return o.readListStyle(attributeValue(el, "name"))
	case "table":
		t := o.out.NewTable()
		if err := o.xml.eachChild(func(el xml.StartElement) error { return o.readRow(el, t) }); err != nil {
			return err
		}
		return t.Finish()
	case "tracked-changes", "annotation", "forms", "sequence-decls", "desc", "title", "script", "binary-data":
		return nil
	}
	return o.xml.eachChild(o.readBlock)
}

// readStyle reads how a style of texts writes them.
func (o *odtReader) readStyle(name string) error {
	return o.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local != "text-properties" {
			return nil
		}
		through, position := attributeValue(el, "text-line-through-style"), attributeValue(el, "text-position")
		o.runs[name] = wordRun{
			isHidden: attributeValue(el, "display") == "none", isStruck: through != "" && through != "none",
			isRaised: strings.HasPrefix(position, "super"), isLowered: strings.HasPrefix(position, "sub")}
		return nil
	})
}

func (o *odtReader) readListStyle(name string) error {
	return o.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local == "list-level-style-number" && attributeValue(el, "level") == "1" &&
			attributeValue(el, "num-format") != "" {
			o.orderedStyles[name] = true
		}
		return nil
	})
}

func (o *odtReader) readParagraph() error {
	text, err := o.readLine()
	if depth := len(o.itemCounts); depth > 0 {
		marker := "-"
		if o.orderedStyles[o.listStyles[0]] && o.itemCounts[depth-1] <= 9999 {
			marker = strconv.Itoa(o.itemCounts[depth-1]) + "."
		}
		o.out.AddItem(depth-1, marker, text)
	} else {
		o.out.AddParagraph(text)
	}
	for _, note := range o.notes {
		o.out.AddParagraph(note)
	}
	o.notes = nil
	return err
}

func (o *odtReader) readList(el xml.StartElement) error {
	style := attributeValue(el, "style-name")
	if style == "" && len(o.listStyles) > 0 {
		style = o.listStyles[0]
	}
	o.listStyles, o.itemCounts = append(o.listStyles, style), append(o.itemCounts, 0)
	err := o.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local == "list-item" {
			o.itemCounts[len(o.itemCounts)-1]++
		}
		return o.xml.eachChild(o.readBlock)
	})
	o.listStyles, o.itemCounts = o.listStyles[:len(o.listStyles)-1], o.itemCounts[:len(o.itemCounts)-1]
	return err
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// readLine returns the words of a paragraph or a heading.
func (o *odtReader) readLine() (string, error) {
	var b bytes.Buffer
	var inner func(el xml.StartElement) error
	text := func(s string) { b.WriteString(lineBreaks.Replace(s)) }
	inner = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "s", "tab":
			b.WriteByte(' ')
		case "line-break":
			b.WriteByte('\n')
		case "note":
			return o.readNote()
		case "annotation", "desc", "title", "script", "binary-data", "bookmark":
		case "a":
			before := b.Len()
			if err := o.xml.eachContent(inner, text); err != nil {
				return err
			}
			linkText(&b, before, attributeValue(el, "href"))
		case "span":
			before := b.Len()
			err := o.xml.eachContent(inner, text)
			run := o.runs[attributeValue(el, "style-name")]
			run.mark(&b, before)
			return err
		case "p", "h": // of a text box
			b.WriteByte('\n')
			return o.xml.eachContent(inner, text)
		default:
			return o.xml.eachContent(inner, text)
		}
		return nil
	}
	err := o.xml.eachContent(inner, text)
	return strings.TrimSpace(b.String()), err
}

// readNote keeps a note for the end of its paragraph.
func (o *odtReader) readNote() error {
	return o.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local != "note-body" {
			return nil
		}
		text, err := o.xml.readText()
		o.notes = append(o.notes, text)
		return err
	})
}

func (o *odtReader) readRow(el xml.StartElement, t *draft.Table) error {
	switch el.Name.Local {
	case "table-row":
		var cells []string
		err := o.xml.eachChild(func(el xml.StartElement) error {
			if el.Name.Local != "table-cell" && el.Name.Local != "covered-table-cell" {
				return nil
			}
			outer := *o
			o.out, o.listStyles, o.itemCounts, o.notes = &draft.Builder{}, nil, nil, nil
			err := o.xml.eachChild(o.readBlock)
			text := o.out.Text()
			outer.repeats = o.repeats
			*o = outer
			cells = append(cells, text)
			for range draft.ParseSmallInt(attributeValue(el, "number-columns-repeated"), 1, 100) - 1 {
				cells = append(cells, o.repeats.Take(text))
			}
			return err
		})
		t.AddRow(cells)
		return err
	case "table-header-rows", "table-rows", "table-row-group":
		return o.xml.eachChild(func(el xml.StartElement) error { return o.readRow(el, t) })
	}
	return nil
}
