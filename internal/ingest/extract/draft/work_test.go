//go:build unix

package draft_test

import (
	"testing"

	"parley/internal/ingest/extract/draft"
	costly "parley/internal/testkit/hostile"
	"parley/internal/text/charset"
)

// The time to decode and normalize a text is linear in its size.
func TestWorkOfTexts(t *testing.T) {
	costly.Readers(t, map[string]func(text string){
		"normalize": func(text string) { draft.NormalizeText(charset.Decode([]byte(text), "")) },
	})
}
