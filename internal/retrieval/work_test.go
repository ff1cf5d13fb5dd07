//go:build unix

package retrieval

import (
	"testing"

	"parley/internal/testkit/hostile"
)

// The work to look for a message grows with the message, and no more than that, whatever it follows.
func TestWorkOfQuestions(t *testing.T) {
	x := newHelpIndex()
	synonyms := [][]string{{"album", "folder of photos"}, {"a b", "c"}}
	hostile.ForEachText(t, func(text string) {
		x.Nearest(Query{Text: text, Synonyms: synonyms})
		x.Nearest(Query{Text: "And then?", Earlier: []string{text}, Answer: text})
	})
}

// FuzzQuestion checks that every question finds in order, the same each time, and that none is expensive however often
// it is repeated.
func FuzzQuestion(f *testing.F) {
	for _, s := range []string{"How can I export my photos?", "exprot desktopp", "家庭计划", "ERR-4012 \"a b\"", "a-b_c.d",
		"\xff", "é́", "1,000.5"} {
		f.Add(s, "and then?", "album")
	}
	x := newHelpIndex()
	f.Fuzz(func(t *testing.T, question, earlier, synonym string) {
		q := Query{Text: question, Earlier: []string{earlier}, Answer: earlier, Synonyms: [][]string{{"photos", synonym}}}
		hits := x.Nearest(q)
		for i, h := range hits {
			if !(h.Score >= 0 && h.Score <= 1) {
				t.Errorf("%q: a score of %v", question, h.Score)
			}
			if again := x.Nearest(q); again[i].Passage.ID != h.Passage.ID || again[i].Score != h.Score {
				t.Errorf("%q finds something else the next time", question)
			}
		}
		hostile.RequireBounded(t, question, func(text string) {
			x.Nearest(Query{Text: text, Earlier: []string{text}, Answer: text, Synonyms: q.Synonyms})
		})
	})
}
