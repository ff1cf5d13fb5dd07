//go:build unix

package prose_test

import (
	"testing"

	"parley/internal/testkit/hostile"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
)

// The time to find the blocks and the sentences of a text is linear in its size.
func TestWork(t *testing.T) {
	for name, read := range map[string]func(text string){
		"blocks":    func(text string) { markdown.Blocks(text) },
		"sentences": func(text string) { prose.Sentences(text, 0, len(text)) },
	} {
		t.Run(name, func(t *testing.T) { hostile.ForEachText(t, read) })
	}
}
