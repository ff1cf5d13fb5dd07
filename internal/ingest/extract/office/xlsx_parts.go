package office

import (
	"bytes"
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
)

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
// boxes, and the titles of charts and of their axes. The numbers of charts stand in cells already. What cannot be read
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
