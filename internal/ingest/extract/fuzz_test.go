package extract_test

import (
	"context"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/draft"
	"parley/internal/testkit/documents"
)

func fuzzKind(f *testing.F, kind extract.Kind) {
	documents.AddSamples(f, "testdata/*."+string(kind))
	f.Fuzz(func(t *testing.T, data []byte) { documents.ReadBounded(t, readerOf(kind), data) })
}

// readerOf returns the reader of a kind.
func readerOf(kind extract.Kind) draft.Reader {
	return func(ctx context.Context, name string, data []byte) (draft.Document, error) {
		return extract.ReadFile(ctx, kind, name, data)
	}
}

func FuzzCSV(f *testing.F)  { fuzzKind(f, extract.CSV) }
func FuzzJSON(f *testing.F) { fuzzKind(f, extract.JSON) }

func FuzzSniff(f *testing.F) {
	documents.AddSamples(f, "testdata/*.pdf", "testdata/*.doc", "testdata/*.docx", "testdata/*.odt", "testdata/*.epub",
		"testdata/*.html", "testdata/*.txt", "testdata/*.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if kind, err := extract.Sniff("file", data); (kind == "") != (err != nil) {
			t.Fatalf("%q %v", kind, err)
		}
	})
}
