package extract_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/testkit/documents"
)

// newLongPDF returns a PDF of text pages as TeX writes them: each word is placed by itself.
func newLongPDF(pages int) []byte {
	var out bytes.Buffer
	at := map[int]int{}
	put := func(n int, format string, args ...any) {
		at[n] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n", n)
		fmt.Fprintf(&out, format, args...)
		out.WriteString("\nendobj\n")
	}
	out.WriteString("%PDF-1.4\n")
	put(1, "<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
		var page strings.Builder
		for line := range 45 {
			fmt.Fprintf(&page,
				"BT /F1 10 Tf 72 %d Td [(Line) -333 (%d) -333 (of) -333 (page) -333 (%d) -333 (says) -333 (that) "+
					"-333 (the) -333 (kettle) -333 (boils) -333 (at) -333 (100) -333 (degrees.)] TJ ET\n",
				770-15*line, line, i)
		}
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		_, _ = z.Write([]byte(page.String()))
		_ = z.Close()
		put(4+2*i, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>", 5+2*i)
		put(5+2*i, "<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream", packed.Len(), packed.String())
	}
	put(2, "<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	put(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", 4+2*pages)
	for n := 1; n < 4+2*pages; n++ {
		fmt.Fprintf(&out, "%010d 00000 n \n", at[n])
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", 4+2*pages, start)
	return out.Bytes()
}

const benchPages = 200

func benchmarkPDF(b *testing.B, programs extract.Programs) {
	p := documents.NewPool(b)
	p.Programs = programs
	data := newLongPDF(benchPages)
	for b.Loop() {
		doc, err := p.ReadFile(b.Context(), extract.PDF, "long.pdf", data)
		if err != nil || doc.Pages != benchPages {
			b.Fatal(doc.Pages, err)
		}
	}
	b.ReportMetric(float64(b.N*benchPages)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkPDF(b *testing.B) { benchmarkPDF(b, extract.Programs{}) }

func BenchmarkPDFWithPdftotext(b *testing.B) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		b.Skip("SKIP: no pdftotext")
	}
	benchmarkPDF(b, extract.Programs{Pdftotext: program})
}

func BenchmarkText(b *testing.B) {
	p := documents.NewPool(b)
	data := []byte(strings.Repeat("The kettle boils at 100 degrees, and at less on a mountain.\n\n", 50_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := p.ReadFile(b.Context(), extract.TXT, "long.txt", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	p := documents.NewPool(b)
	page := "<html><head><title>Kettle</title></head><body><nav><a href=/>Home</a></nav><main><h1>Kettle</h1>" +
		strings.Repeat("<h2>Boiling</h2><p>The kettle boils at <b>100 degrees</b>, and at less on a <a "+
			"href=/m>mountain</a>.</p><ul><li>One</li><li>Two</li></ul>",
			200) + "</main></body></html>"
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if _, err := p.ReadPage(b.Context(), "https://example.com/", "text/html", []byte(page)); err != nil {
			b.Fatal(err)
		}
	}
}
