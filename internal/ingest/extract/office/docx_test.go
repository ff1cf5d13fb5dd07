package office_test

import (
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/testkit/documents"
)

// newWordFile returns a Word file of the XML of its body, its numbering and its styles.
func newWordFile(t testing.TB, body, numbering, styles string) []byte {
	const w = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">`
	return documents.NewZip(t, "word/document.xml", `<w:document`+w+`<w:body>`+body+`</w:body></w:document>`,
		"word/numbering.xml", `<w:numbering`+w+numbering+`</w:numbering>`,
		"word/styles.xml", `<w:styles`+w+styles+`</w:styles>`)
}

func wordItem(list, level, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr>` +
		`</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func wordLevel(level, format, text string) string {
	return `<w:lvl w:ilvl="` + level + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText ` +
		`w:val="` + text + `"/></w:lvl>`
}

func readWord(t *testing.T, data []byte) string {
	t.Helper()
	doc, err := draft.ReadDocument(t.Context(), office.ReadDOCX, "a.docx", data)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text
}

// What a run is marked as is kept: what is hidden or struck out is left out, what is raised is no digit of the number.
func TestWordRuns(t *testing.T) {
	run := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	raised := func(text string) string { return run(`<w:vertAlign w:val="superscript"/>`, text) }
	sign := func(font, char string) string {
		return `<w:r><w:sym w:font="` + font + `" w:char="` + char + `"/></w:r>`
	}
	part := func(name, text string) string {
		return `<m:` + name + `><m:r><m:t>` + text + `</m:t></m:r></m:` + name + `>`
	}
	const struck = `<w:style w:type="character" w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>`
	for want, body := range map[string]string{
		"It costs 28 euros": run("", "It costs ") + run("<w:strike/>", "30 euros") + run("", "28 euros"),
		"It costs 29 euros": run("", "It costs ") + run("<w:dstrike/>", "30 ") + run("", "29 euros"),
		"It costs 27 euros": run("", "It costs ") + run(`<w:rStyle w:val="Old"/>`, "30 ") + run("", "27 euros"),
		"It costs 24 euros": run("", "It costs ") + run(`<w:rStyle w:val="Old"/><w:b w:val="0"/>`, "3 ") +
			run("", "24 euros"),
		"It costs 23 euros":     run("", "It costs ") + run(`<w:vanish/><w:strike w:val="0"/>`, "3 ") + run("", "23 euros"),
		"It costs 26 euros":     run("", "It costs ") + run("<w:vanish/>", "secret ") + run("", "26 euros"),
		"It costs 25 euros":     run("", "It costs ") + run(`<w:strike w:val="0"/>`, "25 ") + run("", "euros"),
		"It costs 49 euros [1]": run("", "It costs 49") + raised("1") + run("", " euros"),
		"A load of 10¹² pascal": run("", "A load of 10") + raised("1") + raised("2") + run("", " pascal"),
		"Made of H2O":           run("", "Made of H") + run(`<w:vertAlign w:val="subscript"/>`, "2") + run("", "O"),
		"Heat to 95 °C ✓":       run("", "Heat to 95 ") + sign("Symbol", "F0B0") + run("", "C ") + sign("Wingdings", "F0FC"),
		"The area is 10² or 1/2 .": run("", "The area is") + `<m:oMath><m:sSup>` + part("e", "10") + part("sup", "2") +
			`</m:sSup></m:oMath>` + run("", "or") + `<m:oMath><m:f>` + part("num", "1") + part("den", "2") + `</m:f></m:oMath>` +
			run("", "."),
	} {
		if got := readWord(t, newWordFile(t, `<w:p>`+body+`</w:p>`, "", struck)); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Automatic numbers are kept as they are printed.
func TestWordNumbers(t *testing.T) {
	numbering := `<w:abstractNum w:abstractNumId="1">` + wordLevel("0", "decimal", "%1.") +
		wordLevel("1", "decimal", "%1.%2") + wordLevel("2", "lowerLetter", "(%3)") +
		`</w:abstractNum><w:abstractNum w:abstractNumId="2">` +
		wordLevel("0", "upperRoman", "Article %1") + `</w:abstractNum><w:abstractNum w:abstractNumId="3">` +
		wordLevel("0", "bullet", "o") + `</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>` +
		`<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>` +
		`<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>` +
		`</w:lvlOverride></w:num>`
	body := wordItem("1", "0", "Scope") + wordItem("1", "0", "Payment") + wordItem("1", "1", "Deposit") +
		wordItem("1", "1", "Late return") + wordItem("1", "2", "by day") + wordItem("1", "2", "by hour") +
		wordItem("1", "0", "Repairs") + wordItem("1", "1", "Report") + wordItem("2", "0", "Helmets") +
		wordItem("2", "0", "Children") + wordItem("3", "0", "Dot") + wordItem("4", "0", "Again") + wordItem("0", "0", "None")
	const want = "1. Scope\n2. Payment\n\n2.1 Deposit\n\n2.2 Late return\n\n    - (a) by day\n    - (b) by hour\n" +
		"3. Repairs\n\n3.1 Report\n\nArticle I Helmets\n\nArticle II Children\n\n- Dot\n1. Again\n\nNone"
	if got := readWord(t, newWordFile(t, body, numbering, "")); got != want {
		t.Errorf("%s", got)
	}
}
