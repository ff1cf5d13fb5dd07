//go:build unix

package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/testkit/hostile"
	"parley/internal/text/words"
)

// The work to note the words of a message grows with the message, and no more than that.
func TestWorkOfWords(t *testing.T) {
	hostile.ForEachText(t, func(text string) {
		distinctWords(text)
		queryWords(text)
	})
}

// FuzzWords checks that a message has every word that a query of the same text asks for, that words are where they
// say, and that no text is expensive however often it is repeated.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"Where is my Crème brûlée?", "家庭计划", "한국어 abc", "👩‍👩‍👧 x", "\xff\x00a", "é́e", "ＡＢ１２",
		strings.Repeat("long", 40), "İstanbul ﬁ ß"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen, last := map[string]bool{}, 0
		for k := range tokensWithForms(text) {
			seen[k.word] = true
			if k.start < last || k.end <= k.start || k.end > len(text) {
				t.Errorf("%q: a word stands from %d to %d behind %d", text, k.start, k.end, last)
			}
			if last = k.start; k.word == "" || len(k.word) > maxTokenBytes || !utf8.ValidString(k.word) {
				t.Errorf("%q has the word %q", text, k.word)
			}
		}
		for _, w := range queryWords(text) {
			if !slices.ContainsFunc(w.forms, func(form string) bool { return seen[form] }) {
				t.Errorf("%q does not have %q", text, w.forms)
			}
		}
		for _, word := range distinctForms(queryWords(words.Fold(text))) {
			if foldWord(word) != word {
				t.Errorf("%q is not folded", word)
			}
		}
		hostile.RequireBounded(t, text, func(text string) { queryWords(text); distinctWords(text) })
	})
}
