package retrieval_test

import (
	"slices"
	"testing"

	"parley/internal/llm"
	"parley/internal/retrieval"
)

// verdicts are the confidences of the built-in model in its answers to questions that the sources answer and to those that
// they leave open, and how many of each it refused.
type verdicts struct {
	held, open               []float64
	heldRefused, openRefused float64
}

// judge asks every question of the collection.
func (c *collection) judge(t *testing.T) (v verdicts) {
	for _, trial := range c.trials {
		f := c.finish(t, trial.query)
		refused := 0.0
		if f.Refused {
			refused = 1
		}
		if len(trial.right) > 0 {
			v.held, v.heldRefused = append(v.held, *f.Score), v.heldRefused+refused
		} else {
			v.open, v.openRefused = append(v.open, *f.Score), v.openRefused+refused
		}
	}
	slices.Sort(v.held)
	return v
}

func (c *collection) finish(t *testing.T, q retrieval.Query) (f llm.Finish) {
	var req llm.Request
	for _, text := range append(slices.Clone(q.Earlier), q.Text) {
		req.Messages = append(req.Messages, llm.Message{Role: "user", Text: text})
	}
	for _, h := range c.index.Nearest(q) {
		req.Passages = append(req.Passages, llm.Passage{Passage: h.Passage, Score: h.Score, Coverage: h.Coverage, Terms: h.Terms})
	}
	for chunk, err := range (llm.Builtin{}).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Finish != nil {
			f = *chunk.Finish
		}
	}
	return f
}

// at gives the share of open questions that would be refused at the threshold that refuses so many of the others.
func (v verdicts) at(falsely float64) float64 {
	threshold := v.held[int(falsely*float64(len(v.held)))]
	n := 0
	for _, s := range v.open {
		if s < threshold {
			n++
		}
	}
	return float64(n) / float64(len(v.open))
}

func (v verdicts) and(w verdicts) verdicts {
	held := append(slices.Clone(v.held), w.held...)
	slices.Sort(held)
	return verdicts{held, append(slices.Clone(v.open), w.open...), v.heldRefused + w.heldRefused, v.openRefused + w.openRefused}
}

// TestRefusal publishes how well the built-in model knows what it does not know.
func TestRefusal(t *testing.T) {
	dir := sets(t)
	wiki, help := clapnq(t, dir), enteHelp(t, dir)
	for _, foreign := range wiki.trials {
		help.ask(retrieval.Query{Text: foreign.query.Text})
	}
	alone, talk := wiki.judge(t), mtrag(t, dir, true).judge(t)
	for _, c := range []struct {
		name           string
		v              verdicts
		falsely, right float64 // at most, at least
	}{
		{"clapnq", alone, .15, .63},
		{"mtrag-un", talk, .16, .63},
		{"both", alone.and(talk), .15, .64},
		{"ente-help", help.judge(t), .05, .98},
	} {
		v := c.v
		falsely, right := v.heldRefused/float64(len(v.held)), v.openRefused/float64(len(v.open))
		t.Logf("%-9s refuses %3.0f %% of %d answered and %3.0f %% of %d open questions; of the open ones at 5/10/15/20 %%: %.0f/%.0f/%.0f/%.0f %%", c.name,
			100*falsely, len(v.held), 100*right, len(v.open), 100*v.at(.05), 100*v.at(.1), 100*v.at(.15), 100*v.at(.2))
		if falsely > c.falsely || right < c.right {
			t.Errorf("%s: refuses %.2f of the answered and %.2f of the open questions", c.name, falsely, right)
		}
	}
}
