//go:build unix

package words_test

import (
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
	"parley/internal/text/words"
)

// The time to stem an endless word is linear in its length, in every language.
func TestWorkOfStems(t *testing.T) {
	for _, unit := range []string{"y", "u", "i", "aya", "qu", "e", "ния", "ال"} {
		word := strings.Repeat(unit, 1<<20/len(unit))
		for l := range words.Language(words.LanguageCount) {
			if stem := l.Stem(word); stem != word {
				t.Errorf("%d: %d bytes are cut off an endless word", l, len(word)-len(stem))
			}
		}
	}
}

// The time to find the words of a text is linear in its size.
func TestWork(t *testing.T) {
	for name, read := range map[string]func(text string){
		"cut": func(text string) { words.GuessLanguage(words.AppendTokens(nil, text)) }, "fold": func(text string) {
			words.Fold(text)
		},
		"form": func(text string) { words.AsksFor(text); words.NeedsContext(text) },
		"grams": func(text string) {
			for token := range words.Tokens(text) {
				words.English.Stem(token.Word)
				words.Grams(nil, token.Word)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { hostile.ForEachText(t, read) })
	}
}
