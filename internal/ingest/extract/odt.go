package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"strconv"
	"strings"
)

// readODT reads an OpenDocument text: headings, lists, tables, notes. Comments and tracked changes are left out.
func readODT(ctx context.Context, _ string, data []byte) (Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return Document{}, err
	}
	if manifest, err := a.part("META-INF/manifest.xml"); err == nil && strings.Contains(string(manifest), "encryption-data") {
		return Document{}, errEncrypted
	}
	content, err := a.part("content.xml")
	if err != nil {
		return Document{}, err
	}
	o := odtReader{ctx: ctx, e: newElements(content), d: &draft{}, ordered: map[string]bool{}}
	if err := o.e.children(o.block); err != nil {
		return Document{}, err
	}
	if o.d.full() {
		return Document{}, errTooMuchText
	}
	return Document{Title: a.odtTitle(), Text: o.d.text()}, nil
}

func (a *archive) odtTitle() (title string) {
	data, err := a.part("meta.xml")
	if err != nil {
		return ""
	}
	e := newElements(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) (err error) {
		if el.Name.Local == "title" {
			title, err = e.text()
			return err
		}
		return e.children(look)
	}
	_ = e.children(look)
	return title
}

type odtReader struct {
	ctx     context.Context
	e       *elements
	d       *draft
	ordered map[string]bool // list styles whose first level is numbered
	styles  []string        // of the lists around
	counts  []int
	notes   []string
	repeats repeats
}

// block takes what stands in a text, a section, an item or a cell.
func (o *odtReader) block(el xml.StartElement) error {
	switch el.Name.Local {
	case "h":
		text, err := o.line()
		o.d.heading(number(value(el, "outline-level"), 1, 6), text)
		return err
	case "p":
		if err := o.ctx.Err(); err != nil {
			return err
		}
		return o.paragraph()
	case "list":
		return o.list(el)
	case "list-style":
		return o.listStyle(value(el, "name"))
	case "table":
		t := o.d.table()
		if err := o.e.children(func(el xml.StartElement) error { return o.row(el, t) }); err != nil {
			return err
		}
		return t.end()
	case "tracked-changes", "annotation", "forms", "sequence-decls", "desc", "title", "script", "binary-data":
		return nil
	}
	return o.e.children(o.block)
}

func (o *odtReader) listStyle(name string) error {
	return o.e.children(func(el xml.StartElement) error {
		if el.Name.Local == "list-level-style-number" && value(el, "level") == "1" && value(el, "num-format") != "" {
			o.ordered[name] = true
		}
		return nil
	})
}

func (o *odtReader) paragraph() error {
	text, err := o.line()
	if depth := len(o.counts); depth > 0 {
		marker := "-"
		if o.ordered[o.styles[0]] && o.counts[depth-1] <= 9999 {
			marker = strconv.Itoa(o.counts[depth-1]) + "."
		}
		o.d.item(depth-1, marker, text)
	} else {
		o.d.paragraph(text)
	}
	for _, note := range o.notes {
		o.d.paragraph(note)
	}
	o.notes = nil
	return err
}

func (o *odtReader) list(el xml.StartElement) error {
	style := value(el, "style-name")
	if style == "" && len(o.styles) > 0 {
		style = o.styles[0]
	}
	o.styles, o.counts = append(o.styles, style), append(o.counts, 0)
	err := o.e.children(func(el xml.StartElement) error {
		if el.Name.Local == "list-item" {
			o.counts[len(o.counts)-1]++
		}
		return o.e.children(o.block)
	})
	o.styles, o.counts = o.styles[:len(o.styles)-1], o.counts[:len(o.counts)-1]
	return err
}

// line gives the words of a paragraph or a heading.
func (o *odtReader) line() (string, error) {
	var b bytes.Buffer
	var inner func(el xml.StartElement) error
	text := func(s string) { b.WriteString(strings.Map(spaces, s)) }
	inner = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "s", "tab":
			b.WriteByte(' ')
		case "line-break":
			b.WriteByte('\n')
		case "note":
			return o.note()
		case "annotation", "desc", "title", "script", "binary-data", "bookmark":
		case "a":
			before := b.Len()
			if err := o.e.content(inner, text); err != nil {
				return err
			}
			label := strings.TrimSpace(string(b.Bytes()[before:]))
			if target := absolute(nil, value(el, "href")); target != "" && label != "" && label != target {
				b.Truncate(before)
				b.WriteString("[" + label + "](" + target + ")")
			}
		case "p", "h": // of a text box
			b.WriteByte('\n')
			return o.e.content(inner, text)
		default:
			return o.e.content(inner, text)
		}
		return nil
	}
	err := o.e.content(inner, text)
	return strings.TrimSpace(b.String()), err
}

func spaces(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// note keeps a note for the end of its paragraph.
func (o *odtReader) note() error {
	return o.e.children(func(el xml.StartElement) error {
		if el.Name.Local != "note-body" {
			return nil
		}
		text, err := o.e.text()
		o.notes = append(o.notes, text)
		return err
	})
}

func (o *odtReader) row(el xml.StartElement, t *table) error {
	switch el.Name.Local {
	case "table-row":
		var cells []string
		err := o.e.children(func(el xml.StartElement) error {
			if el.Name.Local != "table-cell" && el.Name.Local != "covered-table-cell" {
				return nil
			}
			outer := *o
			o.d, o.styles, o.counts, o.notes = &draft{}, nil, nil, nil
			err := o.e.children(o.block)
			text := o.d.text()
			outer.repeats = o.repeats
			*o = outer
			cells = append(cells, text)
			for range number(value(el, "number-columns-repeated"), 1, 100) - 1 {
				cells = append(cells, o.repeats.of(text))
			}
			return err
		})
		t.row(cells)
		return err
	case "table-header-rows", "table-rows", "table-row-group":
		return o.e.children(func(el xml.StartElement) error { return o.row(el, t) })
	}
	return nil
}
