package office_test

import (
	"strconv"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
)

// formatCases are formats with the value of a cell and what the cell shows. Days in digits are said as 2026-03-05.
var formatCases = []struct {
	code  string
	value float64
	want  string
}{
	{"General", 12500, "12500"}, {"General", 0.1 + 0.2, "0.3"}, {"General", -3.5, "-3.5"}, {"General", 1e20, "1E+20"},
	{`General" pcs"`, 12, "12 pcs"}, {"0", 2.5, "3"}, {"0", -2.4, "-2"}, {"0", 0, "0"}, {"0.00", 4.9, "4.90"},
	{"0.00", 1.005, "1.01"}, {"0.00", 999.999, "1000.00"}, {"000", 7, "007"}, {"#", 0, ""},
	{"#,##0", 1234567, "1,234,567"},
	{"#,##0", 999, "999"}, {"#,##0.00", 1234.5, "1,234.50"}, {"0,000", 12, "0,012"}, {"#.##", 0.5, ".5"}, {"0.##", 3, "3"},
	{"0.0#", 3.14159, "3.14"}, {"??0", 5, "5"}, {"0%", 0.075, "8%"}, {"0.0%", 0.075, "7.5%"}, {"0.0 %", 0.19, "19.0 %"},
	{`"in stock";"owed";"sold out"`, 0, "sold out"}, {`"in stock";"owed";"sold out"`, 3, "in stock"},
	{`"in stock";"owed";"sold out"`, -1, "owed"}, {`"yes";;"no"`, -1, ""}, {"0;;", 0, ""}, {";;;", 5, ""},
	{`[>=100]"free";0.00" EUR"`, 4.9, "4.90 EUR"}, {`[>=100]"free";0.00" EUR"`, 120, "free"},
	{`[>=100]"free";0.00" EUR"`, -5, "-5.00 EUR"}, {`[=1]"yes";[=0]"no";"unknown"`, 1, "yes"},
	{`[=1]"yes";[=0]"no";"unknown"`, 0, "no"}, {`[=1]"yes";[=0]"no";"unknown"`, 2, "unknown"},
	{`[<1]0.00" l";0" l"`, 0.25, "0.25 l"}, {`[<1]0.00" l";0" l"`, 2, "2 l"}, {`[Red][<0]0;0`, -7, "7"},
	{`[<=1000]0" g";0.0," kg"`, 2500, "2.5 kg"}, {`[<>0]0;"none"`, 0, "none"},
	{`#,##0," k"`, 12500, "13 k"}, {`#,##0," k"`, 800000, "800 k"}, {`0.0,," m"`, 12_300_000, "12.3 m"},
	{`#,##0,`, 499, "0"}, {`0,`, 1_234_567, "1235"}, {`0.00,`, 1500, "1.50"},
	{`#,##0_);(#,##0)`, -1234, "(1,234)"}, {`#,##0.00 [$€-407]`, 1299, "1,299.00 €"}, {`[$£-809]#,##0`, 42, "£42"},
	{`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, -8, "($8.00)"}, {`_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`, 0, "-"},
	{`000-00-0000`, 123456789, "123-45-6789"}, {`"+"00" "000" "0000`, 493012345, "+49 301 2345"}, {`0\ \k\g`, 5, "5 kg"},
	{`"No. "0`, 12, "No. 12"}, {`0" °C"`, -4, "-4 °C"}, {`0.00E+00`, 12345, "1.23E+04"}, {`0.0E-0`, 0.00012, "1.2E-4"},
	{`##0.0E+0`, 12345, "12.3E+3"}, {`# ?/?`, 2.5, "2 1/2"}, {`# ??/??`, 0.3125, "5/16"}, {`# ?/8`, 1.375, "1 3/8"},
	{`?/?`, 1.5, "3/2"}, {`# ?/?`, 3, "3"}, {`# ?/?`, 0, "0"}, {`# ?/4" inch"`, 5.75, "5 3/4 inch"},
	{`[h]:mm`, 1.5, "36:00"}, {`[h]:mm:ss`, 2.000011574, "48:00:01"}, {`[mm]:ss`, 0.0625, "90:00"},
	{`[s]" s"`, 0.001, "86 s"},
	{`h:mm`, 0.5, "12:00"}, {`h:mm AM/PM`, 0.8125, "7:30 PM"}, {`hh:mm:ss`, 0.0001, "00:00:09"},
	{`mm:ss.0`, 0.00123, "01:46.3"},
	{`m/d/yyyy`, 46086, "2026-03-05"}, {`mm-dd-yy`, 46086, "2026-03-05"}, {`dd.mm.yyyy`, 46086, "2026-03-05"},
	{`d/m/yy h:mm`, 46086.5, "2026-03-05 12:00"}, {`yyyy\-mm\-dd`, 46086, "2026-03-05"}, {`d-mmm-yy`, 46086, "5-Mar-2026"},
	{`mmmm d, yyyy`, 46086, "March 5, 2026"}, {`[$-407]d. mmmm yyyy`, 46086, "2026-03-05"}, {`dddd, d/m/yyyy`, 46086,
		"Thursday, 2026-03-05"}, {`[$-F800]dddd\,\ mmmm\ dd\,\ yyyy`, 46086, "Thursday, March 05, 2026"},
	{`mmm yyyy`, 46086, "Mar 2026"}, {`mm/yyyy`, 46086, "2026-03"}, {`yyyy`, 46086, "2026"},
	{`d.m.`, 46086, "2026-03-05."},
	{`dddd`, 46086, "Thursday"}, {`yyyy-mm-dd"T"hh:mm`, 46086.25, "2026-03-05T06:00"}, {`m/d/yyyy`, 60, "1900-02-29"},
	{`m/d/yyyy`, -1, "-1"},
}

func TestNumberFormats(t *testing.T) {
	for _, c := range formatCases {
		if got := office.FormatNumber(c.code, c.value, false); got != c.want {
			t.Errorf("%s of %v: %q, not %q", c.code, c.value, got, c.want)
		}
	}
	if got := office.FormatNumber("d/m/yy", 44624, true); got != "2026-03-05" {
		t.Errorf("since 1904: %s", got)
	}
	for code, want := range map[string]string{"@": "Kettle", `"Nr. "@`: "Nr. Kettle", `0;-0;0;"<"@">"`: "<Kettle>",
		"0.00": "Kettle", ";;;": "", "General": "Kettle", `0;@`: "Kettle"} {
		if got := office.FormatText(code, "Kettle"); got != want {
			t.Errorf("%s of a text: %q, not %q", code, got, want)
		}
	}
}

// A format of any text costs little, and never fails.
func FuzzNumberFormat(f *testing.F) {
	for _, c := range formatCases {
		f.Add(c.code, c.value)
	}
	f.Fuzz(func(_ *testing.T, code string, value float64) {
		office.FormatNumber(code, value, false)
		office.FormatText(code, "a")
	})
}

func numberCell(at string, style int, value float64) string {
	return `<c r="` + at + `" s="` + strconv.Itoa(style) + `"><v>` + strconv.FormatFloat(value, 'g', -1, 64) + `</v></c>`
}

func textCell(at, text string) string {
	return `<c r="` + at + `" t="inlineStr"><is><t>` + text + `</t></is></c>`
}

// A row is below the names of its columns, however its cells are written in the file.
func TestRowsKeepTheirHeader(t *testing.T) {
	head := `<row r="1">` + textCell("A1", "Part") + textCell("B1", "Colour") + textCell("C1", "Price") +
		textCell("D1", "Stock") + `</row><row r="2">` + textCell("A2", "Chair") + textCell("B2", "oak") +
		numberCell("C2", 0, 129) + numberCell("D2", 0, 4) + `</row>`
	for name, c := range map[string]struct{ rows, rest, want string }{
		"blank row": {head + `<row r="4">` + textCell("A4", "Table") + textCell("B4", "ash") + numberCell("D4", 0, 6) +
			`</row>`, "", "| Part | Colour | Price | Stock |\n| --- | --- | --- | --- |\n| Table | ash | | 6 |"},
		"label of a group": {head + `<row r="4">` + textCell("A4", "Tables") + `</row><row r="5">` + textCell("A5", "Table") +
			textCell("B5", "ash") + numberCell("C5", 0, 20) + `</row>`, "",
			"Tables\n\n| Part | Colour | Price | Stock |\n| --- | --- | --- | --- |\n| Table | ash | 20 | |"},
		"another table": {head + `<row r="4">` + textCell("A4", "City") + textCell("B4", "Post") + `</row><row r="5">` +
			textCell("A5", "Bonn") + numberCell("B5", 0, 53111) + `</row>`, "",
			"| City | Post |\n| --- | --- |\n| Bonn | 53111 |"},
		"cells out of order": {`<row r="1">` + textCell("A1", "Article") + textCell("B1", "Price") + textCell("C1", "Stock") +
			`</row><row r="2">` + numberCell("C2", 0, 12) + textCell("A2", "Lamp") + numberCell("B2", 0, 59) + `</row>`, "",
			"| Lamp | 59 | 12 |"},
		"rows out of order": {`<row r="2">` + textCell("A2", "Lamp") + numberCell("B2", 0, 59) + `</row><row r="1">` +
			textCell("A1", "Article") + textCell("B1", "Price") + `</row>`, "",
			"| Article | Price |\n| --- | --- |\n| Lamp | 59 |"},
		"two header rows": {`<row r="1">` + textCell("A1", "Room") + textCell("B1", "Low season") +
			textCell("D1", "High season") + `</row><row r="2">` + textCell("B2", "Single") +
			textCell("C2", "Double") + textCell("D2", "Single") +
			textCell("E2", "Double") + `</row><row r="3">` + textCell("A3", "Garden") + numberCell("B3", 0, 80) +
			numberCell("C3", 0, 110) + numberCell("D3", 0, 120) + numberCell("E3", 0, 165) + `</row>`,
			`<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>`,
			"| Room | Low season Single | Low season Double | High season Single | High season Double |\n" +
				"| --- | --- | --- | --- | --- |\n| Garden | 80 | 110 | 120 | 165 |"},
		"empty column": {`<row r="1">` + textCell("A1", "Prices") + `</row><row r="2">` + textCell("A2", "Part") +
			textCell("B2", "Price") + textCell("D2", "Stock") + `</row><row r="3">` + textCell("A3", "Lamp") +
			numberCell("B3", 0, 59) + numberCell("D3", 0, 3) + `</row>`, "",
			"Prices\n\n| Part | Price | Stock |\n| --- | --- | --- |\n| Lamp | 59 | 3 |"},
		"hidden row": {strings.Replace(head, `<row r="2">`, `<row r="2" hidden="1">`, 1) + `<row r="3">` +
			textCell("A3", "Table") + numberCell("C3", 0, 6) + `</row>`, "",
			"| Part | Colour | Price | Stock |\n| --- | --- | --- | --- |\n| Table | | 6 | |"},
	} {
		doc, err := draft.ReadDocument(t.Context(), office.ReadXLSX, "a.xlsx", newRawWorkbook(t, c.rows, c.rest, ""))
		if err != nil || !strings.Contains(doc.Text, c.want) || name == "hidden row" && strings.Contains(doc.Text, "Chair") {
			t.Errorf("%s: %v\n%s", name, err, doc.Text)
		}
	}
}
