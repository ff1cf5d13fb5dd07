package stream

import (
	"testing"

	"parley/internal/text/words"
)

// Phrases that are searched for in folded text must be folded themselves.
func TestRefusalPhrasesAreFolded(t *testing.T) {
	for _, phrase := range refusalPhrases() {
		if folded := words.Fold(phrase); folded != phrase {
			t.Errorf("%q is folded %q", phrase, folded)
		}
	}
}
