package office

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
)

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
	for text := m.texts[[2]int{row, len(cells) + 1}]; text != "" &&
		len(cells) < draft.MaxColumns; text = m.texts[[2]int{row, len(cells) + 1}] {
		cells = append(cells, text)
	}
	return cells
}
