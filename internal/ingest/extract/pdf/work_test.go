//go:build unix

package pdf_test

import (
	"testing"

	"parley/internal/ingest/extract/pdf"
	costly "parley/internal/testkit/hostile"
)

// The work to read a table of codes, or what another program has written, grows with it, and no more than that.
func TestWorkOfTexts(t *testing.T) {
	costly.Readers(t, map[string]func(text string){
		"CMap":  func(text string) { pdf.CountCMapCodes(text) },
		"order": func(text string) { pdf.ToReadingOrder(text) },
	})
}
