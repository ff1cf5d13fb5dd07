package extract_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract"
)

// newWorkbook makes a workbook of the cells of its first sheet and of whatever else is done to it.
func newWorkbook(t *testing.T, rows map[string][]any, more func(f *excelize.File) error) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	for at, cells := range rows {
		if err := f.SetSheetRow("Sheet1", at, &cells); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := more(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Text boxes and the titles of charts are words of a workbook too, also of a sheet that is nothing but a chart.
func TestWordsBesideTheCells(t *testing.T) {
	data := newWorkbook(t, map[string][]any{"A1": {"Year", "Ducks"}, "A2": {2019, 200}, "A3": {2020, 230}}, func(f *excelize.File) error {
		chart := func(title string) *excelize.Chart {
			return &excelize.Chart{Type: excelize.Col, Title: []excelize.RichTextRun{{Text: title}},
				Series: []excelize.ChartSeries{{Name: "Sheet1!$B$1", Categories: "Sheet1!$A$2:$A$3", Values: "Sheet1!$B$2:$B$3"}}}
		}
		if err := f.AddChart("Sheet1", "D2", chart("Ducks by year")); err != nil {
			return err
		}
		if err := f.AddShape("Sheet1", &excelize.Shape{Cell: "D20", Type: "rect", Paragraph: []excelize.RichTextRun{{Text: "Counted at dawn."}}}); err != nil {
			return err
		}
		return f.AddChartSheet("Overview", chart("Wild ducks"))
	})
	doc, err := extract.ReadFile(t.Context(), extract.XLSX, "a.xlsx", data)
	const want = "## Sheet1\n\n| Year | Ducks |\n| --- | --- |\n| 2019 | 200 |\n| 2020 | 230 |\n\nCounted at dawn.\n\nDucks by year\n\n## Overview\n\nWild ducks"
	if err != nil || doc.Text != want {
		t.Errorf("%v\n%s", err, doc.Text)
	}
}

// A table beside another is one of its own when it begins lower with names of its columns, wherever the two end.
func TestTablesSideBySide(t *testing.T) {
	data := newWorkbook(t, map[string][]any{
		"A1": {"Size", "Price"}, "A2": {1, 10}, "A3": {2, 20, nil, "Colour", "Stock"}, "A4": {3, 30, nil, "red", 7}, "A5": {4, 40, nil, "blue", 9},
	}, func(*excelize.File) error { return nil })
	doc, err := extract.ReadFile(t.Context(), extract.XLSX, "a.xlsx", data)
	if err != nil || !strings.Contains(doc.Text, "| 4 | 40 |\n\n| Colour | Stock |\n| --- | --- |\n| red | 7 |\n| blue | 9 |") {
		t.Errorf("%v\n%s", err, doc.Text)
	}
	gap := newWorkbook(t, map[string][]any{"A1": {"Size", "Price"}, "A2": {1, 10, nil, "cheap"}, "A3": {2, 20, nil, "dear"}}, func(*excelize.File) error { return nil })
	doc, err = extract.ReadFile(t.Context(), extract.XLSX, "a.xlsx", gap)
	if err != nil || !strings.Contains(doc.Text, "| 2 | 20 | dear |") {
		t.Errorf("a remark is torn from its row: %v\n%s", err, doc.Text)
	}
}

// Merged cells are found without laying out the sheet: rows without numbers took time with the square of their count, and memory
// for each of them.
func TestMergedCellsOfALongSheet(t *testing.T) {
	const rows = 120_000
	sheet := `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` +
		`<row><c t="inlineStr"><is><t>Year 2019</t></is></c><c/><c t="inlineStr"><is><t>Note</t></is></c></row>` +
		strings.Repeat(`<row><c><v>1</v></c><c><v>2</v></c><c t="inlineStr"><is><t>duck</t></is></c></row>`, rows) +
		`</sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells></worksheet>`
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	f.Pkg.Store("xl/worksheets/sheet1.xml", []byte(sheet))
	f.Sheet.Delete("xl/worksheets/sheet1.xml")
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // as long as a file may take
	defer cancel()
	doc, err := extract.ReadFile(ctx, extract.XLSX, "a.xlsx", b.Bytes())
	if err != nil || ctx.Err() != nil || !strings.HasPrefix(doc.Text, "## Sheet1\n\n| Year 2019 | Year 2019 | Note |\n") || strings.Count(doc.Text, "duck") != rows {
		t.Errorf("%v %v\n%.200s", err, ctx.Err(), doc.Text)
	}
}
