package office_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/testkit/documents"
)

// newWorkbook returns a workbook of the cells of its first sheet, after some changes.
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

// Text boxes and chart titles are read as well, also those of a sheet that holds only a chart.
func TestTextBoxesAndChartTitlesAreRead(t *testing.T) {
	data := newWorkbook(t, map[string][]any{"A1": {"Year", "Ducks"}, "A2": {2019, 200}, "A3": {2020, 230}},
		func(f *excelize.File) error {
			chart := func(title string) *excelize.Chart {
				return &excelize.Chart{Type: excelize.Col, Title: []excelize.RichTextRun{{Text: title}},
					Series: []excelize.ChartSeries{{Name: "Sheet1!$B$1", Categories: "Sheet1!$A$2:$A$3", Values: "Sheet1!$B$2:$B$3"}}}
			}
			if err := f.AddChart("Sheet1", "D2", chart("Ducks by year")); err != nil {
				return err
			}
			if err := f.AddShape("Sheet1", &excelize.Shape{Cell: "D20", Type: "rect",
				Paragraph: []excelize.RichTextRun{{Text: "Counted at dawn."}}}); err != nil {
				return err
			}
			return f.AddChartSheet("Overview", chart("Wild ducks"))
		})
	doc, err := draft.ReadDocument(t.Context(), office.ReadXLSX, "a.xlsx", data)
	const want = "## Sheet1\n\n| Year | Ducks |\n| --- | --- |\n| 2019 | 200 |\n| 2020 | 230 |\n\nCounted at " +
		"dawn.\n\nDucks by year\n\n## Overview\n\nWild ducks"
	if err != nil || doc.Text != want {
		t.Errorf("%v\n%s", err, doc.Text)
	}
}

// Of two tables side by side each is read by itself if the second begins lower with column names, wherever they end.
func TestTablesSideBySide(t *testing.T) {
	data := newWorkbook(t, map[string][]any{
		"A1": {"Size", "Price"}, "A2": {1, 10}, "A3": {2, 20, nil, "Colour", "Stock"}, "A4": {3, 30, nil, "red", 7},
		"A5": {4, 40, nil, "blue", 9},
	}, func(*excelize.File) error { return nil })
	doc, err := draft.ReadDocument(t.Context(), office.ReadXLSX, "a.xlsx", data)
	if err != nil ||
		!strings.Contains(doc.Text, "| 4 | 40 |\n\n| Colour | Stock |\n| --- | --- |\n| red | 7 |\n| blue | 9 |") {
		t.Errorf("%v\n%s", err, doc.Text)
	}
	gap := newWorkbook(t, map[string][]any{"A1": {"Size", "Price"}, "A2": {1, 10, nil, "cheap"},
		"A3": {2, 20, nil, "dear"}}, func(*excelize.File) error { return nil })
	doc, err = draft.ReadDocument(t.Context(), office.ReadXLSX, "a.xlsx", gap)
	if err != nil || !strings.Contains(doc.Text, "| 2 | 20 | dear |") {
		t.Errorf("a remark is torn from its row: %v\n%s", err, doc.Text)
	}
}

// Merged cells are found without laying out the sheet, which would take quadratic time for rows without numbers, and
// memory for each of them.
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
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // only guards against hanging
	defer cancel()
	doc, err := draft.ReadDocument(ctx, office.ReadXLSX, "a.xlsx", b.Bytes())
	if err != nil || ctx.Err() != nil || !strings.HasPrefix(doc.Text,
		"## Sheet1\n\n| Year 2019 | Year 2019 | Note |\n") || strings.Count(doc.Text, "duck") != rows {
		t.Errorf("%v %v\n%.200s", err, ctx.Err(), doc.Text)
	}
}

// FuzzXLSX fuzzes the parts of a workbook with one sheet. A fuzzed archive would mostly be broken.
func FuzzXLSX(f *testing.F) {
	const row = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><f>1+1</f><v>2</v></c></row>`
	f.Add(row, `<mergeCells><mergeCell ref="A1:C3"/></mergeCells>`, `<si><t>Kettle</t></si>`)
	f.Add(`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>a</t></is></c></row>`, "", "")
	f.Add(row+`<row r="3"><c r="A3"><v>45000</v></c></row>`, `<drawing r:id="rId1"/>`,
		`<si><r><t>a</t></r><r><t>b</t></r></si>`)
	f.Fuzz(func(t *testing.T, rows, rest, texts string) {
		documents.ReadBounded(t, office.ReadXLSX, newRawWorkbook(t, rows, rest, texts))
	})
}

func FuzzXLSXFile(f *testing.F) { fuzzReader(f, office.ReadXLSX, "../testdata/*.xlsx") }

// newRawWorkbook returns a workbook of the rows of a sheet, the XML after them, and the shared texts.
func newRawWorkbook(t testing.TB, rows, rest, texts string) []byte {
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	const rel, types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
		"application/vnd.openxmlformats-officedocument.spreadsheetml."
	return documents.NewZip(t,
		"[Content_Types].xml",
		`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" `+
			`ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" `+
			`ContentType="application/xml"/>`+
			`<Override PartName="/xl/workbook.xml" ContentType="`+types+
			`sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="`+types+
			`worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="`+types+`sharedStrings+xml"/></Types>`,
		"_rels/.rels",
		`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship `+
			`Id="rId1" Type="`+rel+
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook `+main+`><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship `+
			`Id="rId1" Type="`+rel+
			`worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="`+rel+
			`sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml", `<worksheet `+main+`><sheetData>`+rows+`</sheetData>`+rest+`</worksheet>`,
		"xl/sharedStrings.xml", `<sst `+main+`>`+texts+`</sst>`)
}
