package stream

import (
	"testing"

	"parley/internal/text/words"
)

// What is looked for in folded text must be folded itself, or it is never found.
func TestRefusalPhrasesAreFolded(t *testing.T) {
	for _, phrase := range refusalPhrases {
		if folded := words.Fold(phrase); folded != phrase {
			t.Errorf("%q is folded %q", phrase, folded)
		}
	}
}
