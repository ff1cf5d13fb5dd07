//go:build unix

package draft_test

import (
	"testing"

	"parley/internal/ingest/extract/draft"
	costly "parley/internal/testkit/hostile"
	"parley/internal/text/charset"
)

// The work to decode and normalize a text grows with it, and no more than that.
func TestWorkOfTexts(t *testing.T) {
	costly.Readers(t, map[string]func(text string){
		"normalize": func(text string) { draft.NormalizeText(charset.Decode([]byte(text), "")) },
	})
}
