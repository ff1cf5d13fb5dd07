package search_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/search"
	"parley/internal/testkit/check"
)

func TestSnippet(t *testing.T) {
	long := strings.Repeat("word ", 60) + "the Crème brûlée is here " + strings.Repeat("and more ", 60)
	for _, row := range []struct{ text, query, hits string }{
		{"It is HERE, here and hereafter.", "here", "HERE|here"},
		{long, "creme BRULEE", "Crème|brûlée"},
		{"e\u0301te\u0301 in June", "été", "e\u0301te\u0301"},
		{"我想退款，谢谢", "退款", "退款"},
		{"don't \"quote\" me", `"quote" AND don`, "don|quote"},
	} {
		s := search.SnippetOf(row.text, row.query)
		var hits []string
		for _, h := range s.Highlights {
			if h.Hit {
				hits = append(hits, h.Value)
			}
		}
		if got := strings.Join(hits, "|"); got != row.hits {
			t.Errorf("%q: hits %q, want %q", row.query, got, row.hits)
		}
	}
	if got := highlightText(search.SnippetOf(long, "creme BRULEE"), false); utf8.RuneCountInString(got) > 180 ||
		utf8.RuneCountInString(got) < 160 || strings.HasPrefix(got, "ord") {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(got), got)
	}
}

// TestSnippetsAreTheText holds for any text that the highlights joined are a stretch of it, about 180 characters long,
// and that each hit is an occurrence of a word of the query.
func TestSnippetsAreTheText(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alphabet := []rune("aábcÀÉ ß  \n.,'\"*()&|!😀👍🏽\u200d退货政策ไทย한국\u0301\u00ad١٢٣_-\t<>\u202e")
	for range 20_000 {
		b := make([]rune, rng.IntN(700))
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		whole := string(b)
		from := rng.IntN(len(b) + 1)
		query := string(b[from:min(len(b), from+rng.IntN(12))])
		s := search.SnippetOf(whole, query)
		if s == nil {
			if len(search.QueryWords(query)) > 0 && search.ContainsAllWords(whole, query) {
				t.Fatalf("no snippet of %q for %q", whole, query)
			}
			continue
		}
		joined := highlightText(s, false)
		if !strings.Contains(whole, joined) || utf8.RuneCountInString(joined) > search.SnippetLength ||
			!utf8.ValidString(joined) {
			t.Fatalf("%q is no excerpt of %q", joined, whole)
		}
		hit := false
		for _, h := range s.Highlights {
			hit = hit || h.Hit
			if h.Value == "" {
				t.Fatalf("an empty highlight of %q for %q", whole, query)
			}
		}
		if !hit {
			t.Fatalf("no hit in %q for %q", joined, query)
		}
	}
}

// TestQueriesArePlainWords checks that whatever a query holds it is words, and finds the message that is the same text.
func TestQueriesArePlainWords(t *testing.T) {
	list := []string{`"`, `""`, `'`, `a"b`, `alpha AND`, `AND OR NOT`, `NEAR(a b)`, `col:x`, `{a b}:c`, `^a`, `a*`,
		`-a`, `a + b`, `a:*`, `!a`, `a & b | c`, `a <-> b`, `\`, `\'`, "a\x00b", "😀", "👨‍👩‍👧", ";drop table x",
		"\ue000m", "\ue000", "x\ue000m"}
	if folder, ok := check.FindSharedDir(t, "naughty-strings"); ok {
		text, err := os.ReadFile(filepath.Join(folder, "blns.json"))
		check.Must(t, err)
		var known []string
		check.Must(t, json.Unmarshal(text, &known))
		list = append(list, known...)
	}
	long := make([]rune, search.MaxQueryRunes)
	for i := range long {
		long[i] = rune(0x4e00 + 7*i)
	}
	list = append(list, string(long), strings.Repeat("ab cd ef gh ", 40),
		"a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 "+string(long[:200]))
	forEachDatabase(t, func(ts *testSearch) {
		conversations := map[string]parley.ConversationID{}
		for _, s := range list {
			s = strings.ReplaceAll(s, "\x00", "")
			if _, ok := conversations[s]; !ok && utf8.ValidString(s) {
				conversations[s] = ts.startConversation(s).ID
			}
		}
		ts.runIndexer()
		for s, id := range conversations {
			if utf8.RuneCountInString(s) > search.MaxQueryRunes {
				continue
			}
			found := ts.readAllPages(search.Query{Text: s}, nil)
			switch {
			case strings.TrimSpace(s) == "": // blanks ask for nothing, so all are found
				if len(found) != len(conversations) {
					t.Errorf("%q: found %d of %d", s, len(found), len(conversations))
				}
			case len(search.QueryWords(s)) > 0 && !idSet(found)[id], len(search.QueryWords(s)) == 0 && len(found) > 0:
				t.Errorf("%q: found %d", s, len(found))
			}
		}
	})
}
