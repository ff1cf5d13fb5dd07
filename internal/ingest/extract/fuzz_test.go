package extract_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/ingest/extract"
)

// samples seeds a fuzz test with the files of testdata that have one of the endings.
func samples(f *testing.F, endings ...string) {
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
	samples(f, string(kind))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := extract.Text(t.Context(), kind, "file", data)
		var known *extract.Error
		if err != nil && !asError(err, &known) {
			t.Fatalf("%v is no reason", err)
		}
		if err == nil && (!utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0)) {
			t.Fatalf("%q", doc.Text)
		}
	})
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
	samples(f, "pdf", "doc", "docx", "odt", "epub", "html", "txt", "json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if kind, err := extract.Sniff("file", data); (kind == "") != (err != nil) {
			t.Fatalf("%q %v", kind, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	samples(f, "txt", "csv", "html")
	f.Fuzz(func(t *testing.T, data []byte) {
		text := extract.Tidy(extract.Decode(data, ""))
		if !utf8.ValidString(text) || extract.Tidy(text) != text {
			t.Fatalf("%q", text)
		}
	})
}

func FuzzFlatten(f *testing.F) {
	samples(f, "pdf")
	f.Fuzz(func(_ *testing.T, data []byte) { extract.FlattenOf(data) })
}

func FuzzDecrypt(f *testing.F) {
	for _, l := range lockedPDFs("") {
		f.Add(l.file())
	}
	f.Fuzz(func(_ *testing.T, data []byte) { extract.DecryptPDF(data) })
}

func FuzzCMap(f *testing.F) {
	f.Add("1 beginbfchar <01> <0041> endbfchar 2 beginbfrange <02> <05> <0042> <06> <07> [<0043> <0044>] endbfrange % x\n")
	f.Fuzz(func(_ *testing.T, text string) { extract.ReadCMapOf(text) })
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
