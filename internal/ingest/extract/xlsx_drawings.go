package extract

import (
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"
)

// sheetParts gives the parts that hold the sheets of a workbook, by the sheet's name. What cannot be read is left out.
func (a *archive) sheetParts() map[string][]string {
	parts := map[string][]string{}
	main, err := a.officeDocument("xl/workbook.xml")
	if err != nil {
		return nil
	}
	data, err := a.part(main)
	if err != nil {
		return nil
	}
	sheets, err := a.relations(relationsOf(main))
	if err != nil {
		return nil
	}
	e := newElements(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		if el.Name.Local != "sheet" {
			return e.children(look)
		}
		for _, at := range el.Attr {
			if r, known := sheets[at.Value]; known && at.Name.Local == "id" && at.Name.Space != "" {
				name := value(el, "name")
				parts[name] = append(parts[name], resolve(main, r.target))
			}
		}
		return nil
	}
	_ = e.children(look) // of a list that breaks off, the sheets before
	return parts
}

// drawings gives, by the name of its sheet, what is written on a workbook's sheets outside their cells: text boxes, and the titles of
// charts and of their axes. The numbers of charts stand in cells already. What cannot be read is left out.
func (a *archive) drawings(sheets map[string][]string) map[string][]string {
	texts := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		for _, part := range sheets[name] {
			texts[name] = append(texts[name], a.drawnOn(part)...)
		}
	}
	return texts
}

// drawnOn gives the texts of the drawings of one sheet.
func (a *archive) drawnOn(sheet string) (texts []string) {
	for _, drawing := range a.related(sheet, "drawing") {
		if data, err := a.once(drawing); err == nil {
			texts = append(texts, drawnText(data, "txBody")...)
		}
		for _, chart := range a.related(drawing, "chart") {
			if data, err := a.once(chart); err == nil {
				texts = append(texts, drawnText(data, "title")...)
			}
		}
	}
	return texts
}

// related gives the parts of a kind that a part refers to.
func (a *archive) related(part, kind string) (names []string) {
	links, err := a.relations(relationsOf(part))
	if err != nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(links)) {
		if r := links[id]; !r.outside && path.Base(r.kind) == kind {
			names = append(names, resolve(part, r.target))
		}
	}
	return names
}

// drawnText gives the texts of the elements of a name, with a line for each paragraph.
func drawnText(data []byte, name string) (texts []string) {
	e := newElements(data)
	var lines []string
	var paragraphs, look func(el xml.StartElement) error
	paragraphs = func(el xml.StartElement) error {
		if el.Name.Local != "p" {
			return e.children(paragraphs)
		}
		text, err := e.text()
		lines = append(lines, flat(text))
		return err
	}
	look = func(el xml.StartElement) error {
		if el.Name.Local != name {
			return e.children(look)
		}
		lines = nil
		err := e.children(paragraphs)
		if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
			texts = append(texts, text)
		}
		return err
	}
	_ = e.children(look) // of a drawing that breaks off, what came before
	return texts
}
