package retrieval

import (
	"strings"
	"testing"
)

// A message of one endless word is answered as soon as any other: what is tried for a word must not grow faster than
// the word.
func TestNearestReadsEndlessWords(t *testing.T) {
	x := newHelpIndex()
	for name, word := range map[string]string{"one letter": "a", "a word again and again": "settings", "no Latin": "б",
		"many letters": "qwrtpsdfgh"} {
		t.Run(name, func(t *testing.T) {
			x.Nearest(Query{Text: strings.Repeat(word, (1<<20)/len(word)) + " photos"})
		})
	}
	if hits := x.Nearest(Query{Text: "Where are the " + strings.Repeat("a", 1<<16) + " settings?"}); len(hits) == 0 {
		t.Error("nothing is found beside an endless word")
	}
}
