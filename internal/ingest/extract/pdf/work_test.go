//go:build unix

package pdf_test

import (
	"testing"

	"parley/internal/ingest/extract/pdf"
	costly "parley/internal/testkit/hostile"
)

// The time to read a table of codes, or the output of another program, is linear in its size.
func TestWorkOfTexts(t *testing.T) {
	costly.Readers(t, map[string]func(text string){
		"CMap":  func(text string) { pdf.CountCMapCodes(text) },
		"order": func(text string) { pdf.ToReadingOrder(text) },
	})
}
