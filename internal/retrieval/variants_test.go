package retrieval

import (
	"strings"
	"testing"
)

// However often groups repeat a word, it stands for a word of the question once.
func TestSynonymsThatRepeatAreOne(t *testing.T) {
	x := newHelpIndex()
	groups := make([][]string, 200)
	for i := range groups {
		groups[i] = []string{"invoice", "money", "money", "invoice", "money", "invoice", "money", "money", "money", "plan"}
	}
	q := &question{}
	x.fillQuestion(q, Query{Text: strings.Repeat("invoice ", 300), Synonyms: groups})
	if len(q.words) != maxQueryWords {
		t.Fatal(len(q.words))
	}
	for _, w := range q.words {
		if len(w.alternatives) > 4 { // the two, and what the language itself knows
			t.Fatalf("%d words stand for %q", len(w.alternatives), w.word)
		}
	}
	if got := hitIDs(x.Nearest(Query{Text: "invoice", Synonyms: groups})); len(got) == 0 || got[0] != "refund" {
		t.Error(got)
	}
}
