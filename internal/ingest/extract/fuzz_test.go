package extract_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/ingest/extract"
)

// addSamples seeds a fuzz test with the files of testdata that have one of the endings.
func addSamples(f *testing.F, endings ...string) {
	f.Helper()
	for _, end := range endings {
		files, err := filepath.Glob("testdata/*." + end)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

func fuzzKind(f *testing.F, kind extract.Kind) {
	addSamples(f, string(kind))
	f.Fuzz(func(t *testing.T, data []byte) { readBounded(t, kind, data) })
}

// readBounded reads a file and sees that it ends as text or with a reason, and that neither what it takes nor what it
// gives is out of proportion: a reader that repeats what it reads shows in the memory that it asks for.
func readBounded(t *testing.T, kind extract.Kind, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	doc, err := extract.ReadFile(t.Context(), kind, "file", data)
	runtime.ReadMemStats(&after)
	var known *extract.Error
	if err != nil && !isExtractError(err, &known) {
		t.Fatalf("%v is no reason", err)
	}
	if !utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0) || len(doc.Text) > 32<<20 {
		t.Fatalf("%d bytes: %.200q", len(doc.Text), doc.Text)
	}
	if again := extract.NormalizeText(doc.Text); again != doc.Text {
		t.Fatalf("%.200q is not tidy", doc.Text)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > maxAllocatedBytes {
		t.Fatalf("%d bytes take %d MB", len(data), took>>20)
	}
}

// maxAllocatedBytes bounds the memory that reading one small file asks for, in all. What is packed may unpack to much.
const maxAllocatedBytes = 2 << 30

func FuzzPDF(f *testing.F) {
	for _, l := range visualLines {
		f.Add(drawPDF([]string{l.shown}, glyphOrders["word by word"]))
	}
	fuzzKind(f, extract.PDF)
}

// FuzzXLSX reads a workbook of one sheet whose parts are what is fuzzed: a changed archive would mostly be a broken
// one.
func FuzzXLSX(f *testing.F) {
	const row = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><f>1+1</f><v>2</v></c></row>`
	f.Add(row, `<mergeCells><mergeCell ref="A1:C3"/></mergeCells>`, `<si><t>Kettle</t></si>`)
	f.Add(`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>a</t></is></c></row>`, "", "")
	f.Add(row+`<row r="3"><c r="A3"><v>45000</v></c></row>`, `<drawing r:id="rId1"/>`, `<si><r><t>a</t></r><r><t>b</t></r></si>`)
	f.Fuzz(func(t *testing.T, rows, rest, texts string) {
		readBounded(t, extract.XLSX, newRawWorkbook(t, rows, rest, texts))
	})
}

func FuzzXLSXFile(f *testing.F) { fuzzKind(f, extract.XLSX) }

// newRawWorkbook makes a workbook of the rows of a sheet, what follows them, and the shared texts.
func newRawWorkbook(t testing.TB, rows, rest, texts string) []byte {
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	const rel, types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/", "application/vnd.openxmlformats-officedocument.spreadsheetml."
	return newZip(t,
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" `+
			`ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`+
			`<Override PartName="/xl/workbook.xml" ContentType="`+types+`sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="`+types+
			`worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="`+types+`sharedStrings+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+rel+
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook `+main+`><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+rel+
			`worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="`+rel+`sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml", `<worksheet `+main+`><sheetData>`+rows+`</sheetData>`+rest+`</worksheet>`,
		"xl/sharedStrings.xml", `<sst `+main+`>`+texts+`</sst>`)
}

func FuzzDOC(f *testing.F)  { fuzzKind(f, extract.DOC) }
func FuzzDOCX(f *testing.F) { fuzzKind(f, extract.DOCX) }
func FuzzPPTX(f *testing.F) { fuzzKind(f, extract.PPTX) }
func FuzzODT(f *testing.F)  { fuzzKind(f, extract.ODT) }
func FuzzEPUB(f *testing.F) { fuzzKind(f, extract.EPUB) }
func FuzzHTML(f *testing.F) { fuzzKind(f, extract.HTML) }
func FuzzCSV(f *testing.F)  { fuzzKind(f, extract.CSV) }
func FuzzJSON(f *testing.F) { fuzzKind(f, extract.JSON) }

func FuzzSniff(f *testing.F) {
	addSamples(f, "pdf", "doc", "docx", "odt", "epub", "html", "txt", "json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if kind, err := extract.Sniff("file", data); (kind == "") != (err != nil) {
			t.Fatalf("%q %v", kind, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	addSamples(f, "txt", "csv", "html")
	f.Fuzz(func(t *testing.T, data []byte) {
		text := extract.NormalizeText(extract.DecodeText(data, ""))
		if !utf8.ValidString(text) || extract.NormalizeText(text) != text {
			t.Fatalf("%q", text)
		}
	})
}

func FuzzFlatten(f *testing.F) {
	addSamples(f, "pdf")
	f.Fuzz(func(_ *testing.T, data []byte) { extract.RebuildPDF(data) })
}

func FuzzDecrypt(f *testing.F) {
	for _, l := range encryptedPDFs("") {
		f.Add(l.bytes())
	}
	f.Fuzz(func(_ *testing.T, data []byte) { extract.DecryptPDF(data) })
}

func FuzzCMap(f *testing.F) {
	f.Add("1 beginbfchar <01> <0041> endbfchar 2 beginbfrange <02> <05> <0042> <06> <07> [<0043> <0044>] endbfrange % x\n")
	f.Fuzz(func(_ *testing.T, text string) { extract.CountCMapCodes(text) })
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := extract.ReadMessage(bytes.NewReader(data), 3)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := extract.WriteMessage(&again, parts...); err != nil || !bytes.HasPrefix(data, again.Bytes()) {
			t.Fatalf("%v %q %q", err, data, again.Bytes())
		}
	})
}
