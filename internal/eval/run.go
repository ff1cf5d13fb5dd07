package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Trial is a question of a set with what became of it.
type Trial struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Relevant   []string `json:"relevant,omitempty"`
	Answerable *bool    `json:"answerable"`

	Found  []string `json:"found"` // the first documents, best first
	Rank   int      `json:"rank"`  // of the first relevant one, from 1; 0 when there is none among the passages looked at
	R5     float64  `json:"r_at_5"`
	AP     float64  `json:"ap"`
	NDCG   float64  `json:"ndcg_at_10"`
	FindMS float64  `json:"find_ms"`

	Answer    string   `json:"answer"` // empty with the baseline, which answers nothing
	Refused   bool     `json:"refused"`
	Score     *float64 `json:"score"` // of the answer; with the baseline, of the first passage, without a bound
	Cites     int      `json:"cites"`
	Supported int      `json:"supported"` // of cites: the cited bytes are those of the passage, and those of the answer
	Covered   float64  `json:"covered"`   // share of the answer's bytes that is cited
	CitesDoc  bool     `json:"cites_relevant"`
	AnswerMS  float64  `json:"answer_ms"`
}

// Runner runs sets.
type Runner struct {
	Back     llm.Backend  // what answers
	Baseline bool         // plain BM25 finds, and nothing answers
	Embedder llm.Embedder // nil where passages are found by words alone
	Search   Search       // what passages are found by
	Weight   float64      // of the vectors beside the words; 0 takes the usual one
	Now      func() time.Time
	Step     func(set string, done, all int) // may be nil
}

// looked is how many passages a ranking is measured on; a turn looks at fewer.
const (
	looked = 60
	shown  = 10
)

// Run asks every question of the set.
func (r Runner) Run(ctx context.Context, set Set) (*Result, error) {
	s := newShelf(set.Docs, r.Baseline)
	if err := r.embed(ctx, s, set); err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	out := &Result{Name: set.Name, Documents: len(set.Docs), Passages: s.Len()}
	for i, q := range set.Questions {
		t, err := r.one(ctx, s, q)
		if err != nil {
			return nil, fmt.Errorf("%s, question %s: %w", set.Name, q.ID, err)
		}
		out.Trials = append(out.Trials, *t)
		if r.Step != nil {
			r.Step(set.Name, i+1, len(set.Questions))
		}
	}
	out.Figures = figuresOf(out.Trials)
	return out, nil
}

func (r Runner) draft(q Question) chat.Draft {
	return chat.Draft{Agent: &parley.Agent{}, Back: r.Back, Question: q.Text, History: q.History}
}

func (r Runner) one(ctx context.Context, s *shelf, q Question) (*Trial, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &Trial{ID: q.ID, Question: q.Text, Relevant: q.Relevant, Answerable: q.Answerable}
	draft := r.draft(q)
	ask := draft.Query()
	s.aim(&ask, r.Search, r.Weight)
	began := r.Now()
	hits := s.Nearest(ask)
	t.FindMS = millis(r.Now().Sub(began))
	if ask.Limit = looked; len(hits) > 0 {
		t.rank(s.Nearest(ask))
	}
	if r.Baseline {
		score := 0.0
		if len(hits) > 0 {
			score = hits[0].Rank
		}
		t.Score = &score
		return t, nil
	}
	began = r.Now()
	err := t.hear(ctx, r.Back.Model, draft.Prompt(hits), s)
	t.AnswerMS = millis(r.Now().Sub(began))
	return t, err
}

// rank measures the order of the documents. Where the set names a passage, that passage counts by itself.
func (t *Trial) rank(hits []retrieval.Hit) {
	var order []string
	for _, h := range hits {
		id := string(h.Passage.SourceID)
		if slices.Contains(t.Relevant, string(h.Passage.ID)) {
			id = string(h.Passage.ID)
		}
		if !slices.Contains(order, id) {
			order = append(order, id)
		}
	}
	t.measure(order)
	t.Found = order[:min(shown, len(order))]
}

// hear lets the model answer and checks what it cites.
func (t *Trial) hear(ctx context.Context, model llm.Model, req llm.Request, s *shelf) error {
	var cites []llm.Cite
	for chunk, err := range model.Stream(ctx, req) {
		switch {
		case err != nil:
			return err
		case chunk.Cite != nil:
			cites = append(cites, *chunk.Cite)
		case chunk.Finish != nil:
			t.Refused, t.Score = chunk.Finish.Refused, chunk.Finish.Score
		default:
			t.Answer += chunk.Text
		}
	}
	t.check(cites, req.Passages, s)
	return nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
