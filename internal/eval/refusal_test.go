package eval_test

import (
	"testing"

	"parley/internal/eval"
	"parley/internal/model/quote"
)

// TestRefusal holds how well the built-in model knows what it does not know.
func TestRefusal(t *testing.T) {
	wiki, talk, help := readSets(t, "clapnq")[0], readSets(t, "mtrag-un")[0], readSets(t, "ente-help")[0]
	no := false
	for _, q := range wiki.Questions {
		q.Relevant, q.Answerable = nil, &no // foreign to the help centre
		help.Questions = append(help.Questions, q)
	}
	quotes := quote.Model{}
	wikiOnly, spoken, foreign := measureSet(t, quotes, wiki), measureSet(t, quotes, talk), measureSet(t, quotes, help)
	for _, c := range []struct {
		name           string
		of             []eval.Figures
		falsely, right float64 // at most, at least
	}{
		{"clapnq", []eval.Figures{wikiOnly}, .18, .74},
		{"mtrag-un", []eval.Figures{spoken}, .13, .54},
		{"both", []eval.Figures{wikiOnly, spoken}, .15, .70},
		{"ente-help", []eval.Figures{foreign}, .05, .98},
	} {
		var answered, open, falsely, right float64
		for _, f := range c.of {
			answered, open = answered+float64(f.Answerable), open+float64(f.Unanswerable)
			falsely += *f.FalseRefusals * float64(f.Answerable)
			right += *f.RefusalRecall * float64(f.Unanswerable)
		}
		falsely, right = falsely/answered, right/open
		t.Logf("%-9s refuses %.3f of %.0f answered and %.3f of %.0f open questions", c.name, falsely, answered, right, open)
		if falsely > c.falsely || right < c.right {
			t.Errorf("%s: refuses %.2f of the answered and %.2f of the open questions", c.name, falsely, right)
		}
	}
}
