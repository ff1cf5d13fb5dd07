package draft_test

import (
	"testing"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
	"parley/internal/testkit/documents"
	"parley/internal/text/charset"
)

func FuzzDecode(f *testing.F) {
	documents.AddSamples(f, "../testdata/*.txt", "../testdata/*.csv", "../testdata/*.html")
	f.Fuzz(func(t *testing.T, data []byte) {
		text := draft.NormalizeText(charset.Decode(data, ""))
		if !utf8.ValidString(text) || draft.NormalizeText(text) != text {
			t.Fatalf("%q", text)
		}
	})
}
