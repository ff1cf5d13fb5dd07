//go:build unix

package prose_test

import (
	"testing"

	"parley/internal/testkit/hostile"
	"parley/internal/text/prose"
)

// The work to lay a text out, and to mask what is personal in it, grows with the text, and no more than that.
func TestWork(t *testing.T) {
	for name, read := range map[string]func(text string){
		"blocks": func(text string) { prose.Blocks(text) }, "sentences": func(text string) { prose.Sentences(text, 0, len(text)) },
		"redact": func(text string) { prose.Redact(text) },
	} {
		t.Run(name, func(t *testing.T) { hostile.ForEachText(t, read) })
	}
}
