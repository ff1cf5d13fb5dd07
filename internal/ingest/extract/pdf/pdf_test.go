package pdf_test

import (
	"testing"

	"parley/internal/ingest/extract/pdf"
	"parley/internal/testkit/documents"
)

func FuzzPDF(f *testing.F) {
	for _, l := range visualLines {
		f.Add(drawPDF([]string{l.shown}, glyphOrders["word by word"]))
	}
	documents.AddSamples(f, "../testdata/*.pdf")
	f.Fuzz(func(t *testing.T, data []byte) { documents.ReadBounded(t, pdf.Read, data) })
}

func FuzzFlatten(f *testing.F) {
	documents.AddSamples(f, "../testdata/*.pdf")
	f.Fuzz(func(_ *testing.T, data []byte) { pdf.RebuildFile(data) })
}

func FuzzCMap(f *testing.F) {
	f.Add("1 beginbfchar <01> <0041> endbfchar 2 beginbfrange <02> <05> <0042> <06> <07> [<0043> <0044>] endbfrange % x\n")
	f.Fuzz(func(_ *testing.T, text string) { pdf.CountCMapCodes(text) })
}
