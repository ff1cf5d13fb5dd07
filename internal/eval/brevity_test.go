package eval_test

import (
	"testing"
	"time"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/testkit/scripted"
)

// The share of a reply that answers is told in words of its sentences, and how many sentences it has.
func TestBrevity(t *testing.T) {
	for _, c := range []struct {
		name, reply, reference string
		brevity, sentences     float64
	}{
		{"nothing but the answer", "The shop opens at nine.", "at nine", 1, 1},
		{"one sentence of two", "The shop opens at nine. Dogs may come in too.", "at nine", 0.5, 2},
		{"a row of a table", "| Day | Hours |\n|---|---|\n| Monday | nine |\n| Sunday | closed |", "nine", 1.0 / 3, 3},
		{"an item of a list", "Open:\n\n- Monday, nine to five\n- Sunday", "nine to five", 4.0 / 6, 3},
		{"a reference over two sentences", "It opens at nine. On Sundays it does not.", "nine. On Sundays", 1, 2},
		{"a wrong answer", "Dogs may come in. Cats may not.", "at nine", -1, 2},
	} {
		m := &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
			return []scripted.Step{scripted.Text(c.reply), {Chunk: model.Chunk{Citation: &model.Citation{}}}, scripted.Stop()}
		}}
		isAnswerable := true
		set := eval.Set{Name: c.name, Docs: []eval.Doc{{ID: "hours", Text: c.reply}}, Questions: []eval.Question{{ID: "1",
			Text: "When?", Answerable: &isAnswerable, References: []string{c.reference}}}}
		r := eval.Runner{Backend: model.Backend{Model: m, Label: "scripted"}, Now: time.Now}
		report, err := r.RunAll(t.Context(), []eval.Set{set})
		if err != nil {
			t.Fatal(err)
		}
		brevity := -1.0
		if report.Brevity != nil {
			brevity = *report.Brevity
		}
		if d := brevity - c.brevity; d < -1e-9 || d > 1e-9 || report.SentencesP50 != c.sentences {
			t.Errorf("%s: brevity %.3f and %v sentences, want %.3f and %v", c.name, brevity, report.SentencesP50, c.brevity,
				c.sentences)
		}
	}
}
