package office

import (
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// sheetParts returns the parts that hold the sheets of a workbook, by the sheet's name. What cannot be read is left
// out.
func (a *archive) sheetParts() map[string][]string {
	parts := map[string][]string{}
	main, err := a.mainPartName("xl/workbook.xml")
	if err != nil {
		return nil
	}
	data, err := a.unpackPart(main)
	if err != nil {
		return nil
	}
	sheets, err := a.readRelations(relationsPath(main))
	if err != nil {
		return nil
	}
	e := newXMLReader(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		if el.Name.Local != "sheet" {
			return e.eachChild(look)
		}
		for _, at := range el.Attr {
			if r, known := sheets[at.Value]; known && at.Name.Local == "id" && at.Name.Space != "" {
				name := attributeValue(el, "name")
				parts[name] = append(parts[name], resolveTarget(main, r.target))
			}
		}
		return nil
	}
	_ = e.eachChild(look) // of a list that breaks off, the sheets before
	return parts
}

// readDrawings returns, by the name of its sheet, what is written on a workbook's sheets outside their cells: text
// boxes, and the titles of charts and of their axes. The numbers of charts stand in cells already. What cannot be read
// is left out.
func (a *archive) readDrawings(sheets map[string][]string) map[string][]string {
	texts := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		for _, part := range sheets[name] {
			texts[name] = append(texts[name], a.sheetDrawingTexts(part)...)
		}
	}
	return texts
}

// sheetDrawingTexts returns the texts of the drawings of one sheet.
func (a *archive) sheetDrawingTexts(sheet string) (texts []string) {
	for _, drawing := range a.relatedParts(sheet, "drawing") {
		if data, err := a.once(drawing); err == nil {
			texts = append(texts, drawingTexts(data, "txBody")...)
		}
		for _, chart := range a.relatedParts(drawing, "chart") {
			if data, err := a.once(chart); err == nil {
				texts = append(texts, drawingTexts(data, "title")...)
			}
		}
	}
	return texts
}

// relatedParts returns the parts of a kind that a part refers to.
func (a *archive) relatedParts(part, kind string) (names []string) {
	links, err := a.readRelations(relationsPath(part))
	if err != nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(links)) {
		if r := links[id]; !r.isExternal && path.Base(r.kind) == kind {
			names = append(names, resolveTarget(part, r.target))
		}
	}
	return names
}

// drawingTexts returns the texts of the elements of a name, with a line for each paragraph.
func drawingTexts(data []byte, name string) (texts []string) {
	e := newXMLReader(data)
	var lines []string
	var paragraphs, look func(el xml.StartElement) error
	paragraphs = func(el xml.StartElement) error {
		if el.Name.Local != "p" {
			return e.eachChild(paragraphs)
		}
		text, err := e.readText()
		lines = append(lines, draft.CollapseSpaces(text))
		return err
	}
	look = func(el xml.StartElement) error {
		if el.Name.Local != name {
			return e.eachChild(look)
		}
		lines = nil
		err := e.eachChild(paragraphs)
		if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
			texts = append(texts, text)
		}
		return err
	}
	_ = e.eachChild(look) // of a drawing that breaks off, what came before
	return texts
}
