package extract_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/draft"
	"parley/internal/testkit/documents"
)

func isExtractError(err error, known **draft.Error) bool { return errors.As(err, known) }

// newZipBomb returns an archive with one part of a number of megabytes, without compressing them all.
func newZipBomb(t testing.TB, name string, megabytes int) []byte {
	t.Helper()
	var block, b bytes.Buffer
	f, err := flate.NewWriter(&block, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := f.Flush(); err != nil { // it ends at a byte, and another block may follow
		t.Fatal(err)
	}
	packed := bytes.Repeat(block.Bytes(), megabytes)
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(packed)),
		UncompressedSize64: uint64(megabytes) << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(packed); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const docxHeader = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`

func TestBounds(t *testing.T) {
	p := documents.NewPool(t)
	many := make([]string, 0, 2*10_001)
	for i := range 10_001 {
		many = append(many, fmt.Sprint("a", i), "")
	}
	for name, c := range map[string]struct {
		kind extract.Kind
		data []byte
		word string // part of the error; "" if the file is read
	}{
		"packs too well": {extract.DOCX, documents.NewZip(t, "word/document.xml", strings.Repeat(" ", 8<<20)),
			"times its size"},
		"unpacks to too much": {extract.ODT, newZipBomb(t, "content.xml", 160), "unpacks to more than"},
		"too many files":      {extract.EPUB, documents.NewZip(t, many...), "more than 10000 files"},
		"deep XML": {extract.DOCX,
			documents.NewZip(t, "word/document.xml", docxHeader+strings.Repeat("<w:p>", 100_000)), "deep within"},
		"deep JSON":   {extract.JSON, []byte(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)), "deep within"},
		"deeper JSON": {extract.JSON, []byte(strings.Repeat(`{"a":`, 1_000_000)), "deep within"},
		"deep HTML":   {extract.HTML, []byte("<p>Words</p>" + strings.Repeat("<div>", 500_000) + "more"), ""},
		"entities": {extract.ODT, documents.NewZip(t, "content.xml",
			`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x><p>&b;</p><p>Words</p></x>`), ""},
		"entities in a sheet": {extract.XLSX,
			documents.NewZip(t, "xl/workbook.xml", `<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook/>`), "entities"},
		"no part":        {extract.DOCX, documents.NewZip(t, "other.xml", "<a/>"), "a part is missing"},
		"long JSON path": {extract.JSON, []byte(`{"` + strings.Repeat("a", 5_000) + `": 1}`), "names of more than"},
		"pages in circles": {extract.PDF,
			[]byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count " +
				"999999999/Kids[2 0 R 2 0 R]>>\nendobj\n"),
			"no pages"},
		"a form within itself": {extract.PDF,
			[]byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 " +
				"R]>>\nendobj\n3 0 obj\n<</Type/Page/Contents 4 0 R/Resources 5 0 R>>\nendobj\n4 0 obj\n" +
				"<</Subtype/Form/Length 12>>stream\n/X Do /X Do \nendstream\nendobj\n5 0 obj\n<</XObject<</X 4 " +
				"0 R>>>>\nendobj\n"),
			"no text"},
		"many quotes":   {extract.CSV, []byte(strings.Repeat("\"a\n", 100_000)), ""},
		"a wide table":  {extract.CSV, []byte(strings.Repeat("a,", 3_000_000)), ""},
		"one long line": {extract.TXT, bytes.Repeat([]byte("word "), 4<<20), ""},
		"open tags":     {extract.HTML, []byte(strings.Repeat("<table><tr><td>a", 20_000)), ""},
		"many links":    {extract.HTML, []byte(strings.Repeat("<a href=http://a.example/>a</a><b>b", 30_000)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := p.ReadFile(t.Context(), c.kind, "file", c.data)
			var known *draft.Error
			switch {
			case c.word == "" && (err != nil || doc.Text == ""):
				t.Errorf("not read: %v", err)
			case c.word != "" && (!isExtractError(err, &known) || !strings.Contains(known.Reason, c.word)):
				t.Errorf("%v, not %q (%d bytes of text)", err, c.word, len(doc.Text))
			}
		})
	}
}
