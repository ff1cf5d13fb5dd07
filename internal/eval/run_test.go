package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/testkit/scripted"
)

func runSet(t *testing.T, r eval.Runner, set string) *eval.Report {
	t.Helper()
	sets, err := eval.ReadSets(newFolder(map[string]string{"set.jsonl": set}), "")
	if err != nil {
		t.Fatal(err)
	}
	r.Now = func() time.Time { return time.UnixMilli(0) }
	report, err := r.RunAll(t.Context(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const shopSet = `{"id": "hours", "title": "Opening hours", "text": "The shop opens at nine on weekdays. On Saturdays ` +
	`it closes at noon."}
{"id": "returns", "title": "Returns", "text": "You can return a parcel within thirty days of delivery."}
{"id": "pets", "title": "Pets", "text": "Dogs are welcome in the garden."}
{"id": "1", "question": "When does the shop open on weekdays?", "relevant": ["hours"]}
{"id": "2", "question": "How long can I return a parcel?", "relevant": ["returns#0"]}
{"id": "3", "question": "And how long can I do that?", "history": ["I want to return a parcel."], "relevant": ` +
	`["returns"]}
{"id": "4", "question": "Who painted the ceiling of the chapel?", "answerable": false}
`

// rerankFunc is a reranker that is a function.
type rerankFunc func(question, text string) (float64, error)

func (r rerankFunc) Rerank(_ context.Context, question string, texts []string) (scores []float64, err error) {
	for _, text := range texts {
		s, err := r(question, text)
		if err != nil {
			return nil, err
		}
		scores = append(scores, s)
	}
	return scores, nil
}

// A set is measured in the order of the reranking server, and it shows for which questions that failed.
func TestSetsAreReranked(t *testing.T) {
	rank := func(score rerankFunc) []eval.Trial {
		qr := &chat.QueryReranker{Reranker: score, Now: func() time.Time { return time.UnixMilli(0) },
			Logger: slog.New(slog.DiscardHandler)}
		r := eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}, Reranker: qr}
		return runSet(t, r, shopSet).Sets[0].Trials
	}
	preferPets := func(_, text string) (float64, error) { return float64(strings.Count(text, "Dogs")), nil }
	for _, q := range rank(preferPets)[:1] {
		if q.Rerank != "done" || q.TopDocuments[0] != "pets" || q.Rank < 2 {
			t.Errorf("%+v", q)
		}
	}
	for _, q := range rank(func(string, string) (float64, error) { return 0, errors.New("no") })[:1] {
		if q.Rerank != "failed" || q.Rank != 1 {
			t.Errorf("%+v", q)
		}
	}
}

func TestBuiltinModelOnASmallSet(t *testing.T) {
	r := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, shopSet)
	if floatOrNaN(r.R1) != 1 || floatOrNaN(r.R5) != 1 || floatOrNaN(r.MAP) != 1 || floatOrNaN(r.NDCG) != 1 {
		t.Errorf("ranking: %v %v %v %v", floatOrNaN(r.R1), floatOrNaN(r.R5), floatOrNaN(r.MAP), floatOrNaN(r.NDCG))
	}
	if r.Asked != 4 || r.Answerable != 3 || r.Unanswerable != 1 || floatOrNaN(r.RefusalRecall) != 1 {
		t.Errorf("%d asked, %d answerable, %d not, refused %v", r.Asked, r.Answerable, r.Unanswerable,
			floatOrNaN(r.RefusalRecall))
	}
	if r.Citations == 0 || floatOrNaN(r.CitationSupport) != 1 || floatOrNaN(r.AUC) != 1 {
		t.Errorf("%d citations, supported %v, area %v", r.Citations, floatOrNaN(r.CitationSupport), floatOrNaN(r.AUC))
	}
	keys := map[string]any{}
	text, err := json.Marshal(r)
	if err != nil || json.Unmarshal(text, &keys) != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"r_at_1", "r_at_5", "map", "ndcg_at_10", "refusal_recall", "false_refusals"} {
		if _, ok := keys[key].(float64); !ok {
			t.Errorf("%s is %v", key, keys[key])
		}
	}
}

func TestBaselineAnswersNothing(t *testing.T) {
	r := runSet(t, eval.Runner{Baseline: true}, shopSet)
	if floatOrNaN(r.R5) != 1 || r.RefusalRecall != nil || r.FalseRefusals != nil || r.CitationSupport != nil ||
		r.AUC == nil {
		t.Errorf("%+v", r.Figures)
	}
}

// What cites wrongly is found out: this model cites its words for a passage that does not hold them.
func TestCitationsAreChecked(t *testing.T) {
	const answer = "The shop opens at nine"
	cite := func(end int) scripted.Step {
		return scripted.Step{Chunk: model.Chunk{Citation: &model.Citation{Start: 1, End: end, AnswerEnd: 4}}}
	}
	wrongModel := &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text(answer), cite(5), cite(9999), scripted.Stop()}
	}}
	r := runSet(t, eval.Runner{Backend: model.Backend{Model: wrongModel, Label: "liar"}}, shopSet)
	if r.Citations != 8 || floatOrNaN(r.CitationSupport) != 0 || floatOrNaN(r.Covered) == 0 {
		t.Errorf("%d citations, supported %v, covered %v", r.Citations, floatOrNaN(r.CitationSupport), floatOrNaN(r.Covered))
	}
}

func TestCompareNamesWhatChanged(t *testing.T) {
	builtin := eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}
	before := runSet(t, builtin, shopSet)
	c := eval.Compare(before, runSet(t, builtin, shopSet))
	if c.Same != 4 || len(c.Changes) != 0 || c.Missing != 0 {
		t.Errorf("unchanged: %+v", c)
	}
	now := runSet(t, builtin, shopSet+`{"id": "5", "question": "May I bring my dog?", "relevant": ["pets"]}`)
	first, last := &now.Sets[0].Trials[0], &now.Sets[0].Trials[3]
	first.Rank, last.Refused = 3, false
	now.Sets[0].Trials[1].Answer = "Otherwise."
	c = eval.Compare(before, now)
	if c.Worse != 2 || c.Other != 1 || c.Same != 1 || c.Missing != 1 || len(c.Changes) != 3 {
		t.Errorf("changed: %+v", c)
	}
	c = eval.Compare(now, before)
	if c.Better != 2 || c.Other != 1 {
		t.Errorf("the other way round: %+v", c)
	}
}

func TestCurve(t *testing.T) {
	r := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, shopSet)
	if len(r.Curve) == 0 || r.Curve[0].FalseRefusals != 0 || r.Curve[0].RefusalRecall != 0 {
		t.Errorf("%+v", r.Curve)
	}
	if got := r.RecallAt(0); got == nil || math.Abs(*got-1) > 1e-9 {
		t.Errorf("at no false refusals: %v", floatOrNaN(got))
	}
}

func floatOrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// A question that one document answers is asked again while that document is not there.
func TestOutcomesOfAnswers(t *testing.T) {
	const set = `{"id": "hours", "title": "Opening hours", "text": "The shop opens at nine on weekdays."}
{"id": "pets", "title": "Pets", "text": "Dogs are welcome in the garden of the shop."}
{"id": "1", "question": "When does the shop open on weekdays?", "relevant": ["hours"]}
{"id": "2", "question": "Are dogs welcome in the garden?", "relevant": ["hours"]}`
	r := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, set).Sets[0]
	if r.Answered != (eval.Outcomes{Asked: 2, Right: 1, Wrong: 1}) || r.LeftOut == nil || r.LeftOut.Asked != 2 {
		t.Errorf("%+v, left out %+v", r.Answered, r.LeftOut)
	}
	if r.Trials[0].Outcome != eval.OutcomeRight || r.Trials[1].Outcome != eval.OutcomeWrong {
		t.Errorf("%+v", r.Trials)
	}
}
