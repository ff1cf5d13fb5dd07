package office

import (
	"context"
	"encoding/xml"
	"errors"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
)

// workbook is what the sheets of a workbook share: its texts, and how cells show their values.
type workbook struct {
	archive *archive
	main    string // the part that lists the sheets
	texts   []string
	formats []cellFormat // by the style of a cell
	is1904  bool
	sheets  []sheet
}

type sheet struct {
	name     string
	part     string
	isHidden bool
}

type cellFormat struct {
	number   numberFormat
	isPlain  bool // General
	isStruck bool
	isRaised bool
}

func (a *archive) openWorkbook() (*workbook, error) {
	main, err := a.mainPartName("xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	w := &workbook{archive: a, main: main}
	if err := w.readSheetList(); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		read func(x *xmlReader) error
	}{{"sharedStrings.xml", w.readTexts}, {"styles.xml", w.readStyles}} {
		x, err := a.openXML(path.Dir(main) + "/" + part.name)
		if err == nil {
			err = part.read(x)
		}
		if err != nil && !errors.Is(err, errNoPart) {
			return nil, err
		}
	}
	return w, nil
}

func (w *workbook) readSheetList() error {
	x, err := w.archive.openXML(w.main)
	if err != nil {
		return err
	}
	links, err := w.archive.readRelations(w.main)
	if err != nil {
		return err
	}
	return x.eachDescendant(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "workbookPr":
			w.is1904 = isOn(attributeValue(el, "date1904"))
		case "sheet":
			state := strings.ToLower(attributeValue(el, "state"))
			s := sheet{name: attributeValue(el, "name"), isHidden: strings.Contains(state, "hidden")}
			for _, at := range el.Attr {
				if r, known := links[at.Value]; known && at.Name.Local == "id" && at.Name.Space != "" {
					s.part = resolveTarget(w.main, r.target)
				}
			}
			w.sheets = append(w.sheets, s)
		}
		return nil
	})
}

func isOn(value string) bool { return value == "1" || value == "true" || value == "on" }

func (w *workbook) readTexts(x *xmlReader) error {
	return x.eachInRoot(func(el xml.StartElement) error {
		if el.Name.Local != "si" {
			return nil
		}
		text, err := readCellText(x)
		w.texts = append(w.texts, text)
		return err
	})
}

// readCellText reads the runs of a text without what is struck out and without how it is spoken.
func readCellText(x *xmlReader) (string, error) {
	var b strings.Builder
	err := x.eachChild(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "t":
			text, err := x.readText()
			b.WriteString(text)
			return err
		case "r":
			var font cellFormat
			text := ""
			err := x.eachChild(func(el xml.StartElement) (err error) {
				switch el.Name.Local {
				case "rPr":
					return x.eachChild(func(el xml.StartElement) error { font.readFont(el); return nil })
				case "t":
					text, err = x.readText()
				}
				return err
			})
			b.WriteString(font.apply(text))
			return err
		}
		return nil
	})
	return b.String(), err
}

func (f *cellFormat) readFont(el xml.StartElement) {
	switch value := attributeValue(el, "val"); el.Name.Local {
	case "strike":
		f.isStruck = value == "" || isOn(value)
	case "vertAlign":
		f.isRaised = value == "superscript"
	}
}

func (f *cellFormat) apply(text string) string {
	switch {
	case f.isStruck:
		return ""
	case f.isRaised:
		return draft.Raised(text)
	}
	return text
}

// maxFormats bounds how many formats and styles are read.
const maxFormats = 70_000

func (w *workbook) readStyles(x *xmlReader) error {
	codes := map[int]string{}
	var fonts []cellFormat
	return x.eachInRoot(func(list xml.StartElement) error {
		return x.eachChild(func(el xml.StartElement) error {
			switch {
			case list.Name.Local == "numFmts":
				codes[numberOf(el, "numFmtId")] = attributeValue(el, "formatCode")
			case list.Name.Local == "fonts" && el.Name.Local == "font":
				var font cellFormat
				err := x.eachChild(func(el xml.StartElement) error { font.readFont(el); return nil })
				fonts = append(fonts, font)
				return err
			case list.Name.Local == "cellXfs" && len(w.formats) < maxFormats:
				var f cellFormat
				if font := numberOf(el, "fontId"); font < len(fonts) {
					f = fonts[font]
				}
				id := numberOf(el, "numFmtId")
				code, known := codes[id]
				if !known {
					code = builtinFormat(id)
				}
				f.number, f.isPlain = parseNumberFormat(code), strings.EqualFold(code, "General") || code == ""
				w.formats = append(w.formats, f)
			}
			return nil
		})
	})
}

func numberOf(el xml.StartElement, name string) int {
	return draft.ParseSmallInt(attributeValue(el, name), 0, 1<<21)
}

// sheetCell is a cell as it is shown.
type sheetCell struct {
	text     string
	isNumber bool
}

type sheetRow struct {
	number   int
	cells    []string
	values   []bool // which cells hold numbers
	isHidden bool
}

// sheetReader reads the rows of one sheet.
type sheetReader struct {
	*workbook
	ctx           context.Context
	xml           *xmlReader
	hiddenColumns map[int]bool // from 0
	rows          []sheetRow
	keepsHidden   bool // a filter hides rows, which a reader lifts by a click
	cellCount     *int
}

func (s *sheetReader) read() error {
	return s.xml.eachInRoot(func(list xml.StartElement) error {
		switch list.Name.Local {
		case "cols":
			return s.xml.eachChild(func(el xml.StartElement) error {
				if isHiddenInSheet(el, "width") {
					last := min(numberOf(el, "max"), draft.MaxColumns)
					for c := max(numberOf(el, "min"), 1); c <= last; c++ {
						s.hiddenColumns[c-1] = true
					}
				}
				return nil
			})
		case "sheetData":
			return s.xml.eachChild(s.readRow)
		}
		return nil
	})
}

// isHiddenInSheet reports whether a row or a column is hidden, other than by a group that a reader opens by a click.
func isHiddenInSheet(el xml.StartElement, size string) bool {
	if level := attributeValue(el, "outlineLevel"); level != "" && level != "0" {
		return false
	}
	return isOn(attributeValue(el, "hidden")) || attributeValue(el, size) == "0"
}

func (s *sheetReader) readRow(el xml.StartElement) error {
	if el.Name.Local != "row" {
		return nil
	}
	row := sheetRow{number: numberOf(el, "r")}
	if n := len(s.rows); row.number == 0 && n > 0 {
		row.number = s.rows[n-1].number + 1
	}
	row.number = max(row.number, 1)
	if isHiddenInSheet(el, "ht") && !s.keepsHidden {
		row.isHidden = true
		s.rows = append(s.rows, row)
		return nil
	}
	if len(s.rows)%500 == 0 && s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	column := 0
	err := s.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local != "c" {
			return nil
		}
		if c, _, err := excelize.CellNameToCoordinates(attributeValue(el, "r")); err == nil {
			column = c - 1
		}
		cell, err := s.readCell(el)
		if err != nil {
			return err
		}
		if column < draft.MaxColumns && !s.hiddenColumns[column] && cell.text != "" {
			for len(row.cells) <= column {
				row.cells, row.values = append(row.cells, ""), append(row.values, false)
			}
			row.cells[column], row.values[column] = cell.text, cell.isNumber
		}
		column++
		return nil
	})
	if *s.cellCount += len(row.cells); *s.cellCount > draft.MaxCells {
		return draft.NewError("the file holds more than %d cells", draft.MaxCells)
	}
	s.rows = append(s.rows, row)
	return err
}

// readCell returns what a cell shows.
func (s *sheetReader) readCell(el xml.StartElement) (cell sheetCell, err error) {
	value, inline := "", ""
	err = s.xml.eachChild(func(el xml.StartElement) (err error) {
		switch el.Name.Local {
		case "v":
			value, err = s.xml.readText()
		case "is":
			inline, err = readCellText(s.xml)
		}
		return err
	})
	format := cellFormat{isPlain: true}
	if style := numberOf(el, "s"); style < len(s.formats) {
		format = s.formats[style]
	}
	kind := attributeValue(el, "t")
	switch {
	case kind == "s":
		at, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || at < 0 || at >= len(s.texts) {
			return cell, nil //nolint:nilerr // a cell whose text is missing
		}
		cell.text = format.showText(s.texts[at])
	case kind == "inlineStr":
		cell.text = format.showText(inline + value)
	case kind == "b":
		cell.text = map[bool]string{true: "TRUE", false: "FALSE"}[strings.TrimSpace(value) == "1"]
	case kind == "str", kind == "e", kind == "d":
		cell.text = format.showText(value)
	default:
		cell.text, cell.isNumber = format.showNumber(strings.TrimSpace(value), s.is1904)
	}
	cell.text = format.apply(cell.text)
	return cell, err
}

func (f *cellFormat) showText(text string) string {
	if f.isPlain || len(f.number.sections) == 0 {
		return text
	}
	return f.number.formatText(text)
}

func (f *cellFormat) showNumber(value string, is1904 bool) (text string, isNumber bool) {
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil, math.IsNaN(x), math.IsInf(x, 0):
		return value, false
	case f.isPlain || len(f.number.sections) == 0:
		return formatGeneral(x), true
	}
	return f.number.formatNumber(x, is1904), true
}
