package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/text/dictionary"
)

// Trial is a question of a set with its results.
type Trial struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Relevant   []string `json:"relevant,omitempty"`
	Answerable *bool    `json:"answerable"`

	TopDocuments []string `json:"found"` // the first documents, best first
	// of the first relevant one, from 1; 0 when there is none among the passages looked at
	Rank   int     `json:"rank"`
	R5     float64 `json:"r_at_5"`
	AP     float64 `json:"ap"`
	NDCG   float64 `json:"ndcg_at_10"`
	FindMS float64 `json:"find_ms"`
	Rerank string  `json:"rerank,omitempty"` // what the reranking server did, as in a trace; empty without one

	Answer    string   `json:"answer"` // empty with the baseline, which answers nothing
	Refused   bool     `json:"refused"`
	Unsure    bool     `json:"unsure"` // it says that it is not sure
	Outcome   Outcome  `json:"outcome,omitempty"`
	Score     *float64 `json:"score"` // of the answer; with the baseline, of the first passage, without a bound
	Citations int      `json:"cites"`
	// of cites: the cited bytes are those of the passage, and those of the answer
	Supported     int     `json:"supported"`
	Covered       float64 `json:"covered"` // share of the answer's bytes that is cited
	CitesRelevant bool    `json:"cites_relevant"`
	Sentences     int     `json:"sentences"` // of the answer; 0 for a refusal and a question back
	// share of the words of a right answer that stand in its sentences that answer; nil of any other
	Brevity  *float64 `json:"brevity"`
	AnswerMS float64  `json:"answer_ms"`
}

// Runner runs sets.
type Runner struct {
	Backend      model.Backend   // what answers
	Baseline     bool            // plain BM25 finds, and nothing answers
	Embedder     model.Embedder  // of passages; nil if they are found by words alone
	Search       SearchMode      // what passages are found by
	Dictionaries *dictionary.Set // translate questions; nil for none
	VectorWeight float64         // of the vectors beside the words; 0 takes the usual one
	Now          func() time.Time
	Reranker     *chat.QueryReranker             // orders what is found; nil leaves it in the order of the search
	OnProgress   func(set string, done, all int) // may be nil

	QuestionEmbedder model.Embedder // of questions; nil if that of passages embeds them too
}

// maxRankedPassages is how many passages a ranking is measured on; a turn looks at fewer.
const (
	maxRankedPassages = 60
	maxShownDocuments = 10
)

// Run asks every question of the set.
func (r Runner) Run(ctx context.Context, set Set) (out *Result, err error) {
	s := newCorpus(set.Docs, r.Baseline)
	if err := r.addVectors(ctx, s, set); err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	out = &Result{Name: set.Name, Documents: len(set.Docs), Passages: s.Len()}
	for i, q := range set.Questions {
		t, err := r.runQuestion(ctx, s, q)
		if err != nil {
			return nil, fmt.Errorf("%s, question %s: %w", set.Name, q.ID, err)
		}
		out.Trials = append(out.Trials, *t)
		if r.OnProgress != nil {
			r.OnProgress(set.Name, i+1, len(set.Questions))
		}
	}
	out.Figures = computeFigures(out.Trials)
	if out.Answered.Asked == 0 { // the model says nothing
		return out, nil
	}
	if out.LeftOut, err = r.leaveOut(ctx, s, set); err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	return out, nil
}

func (r Runner) newDraft(q Question) chat.StandaloneTurn {
	return chat.StandaloneTurn{Agent: &parley.Agent{}, Backend: r.Backend, Question: q.Text, History: q.History}
}

func (r Runner) runQuestion(ctx context.Context, s *corpus, q Question) (*Trial, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &Trial{ID: q.ID, Question: q.Text, Relevant: q.Relevant, Answerable: q.Answerable}
	draft := r.newDraft(q)
	ask := draft.Query()
	ask.Dictionaries = r.Dictionaries
	s.setVector(&ask, r.Search, r.VectorWeight)
	start := r.Now()
	hits := t.find(ctx, r.Reranker, s, ask)
	t.FindMS = toMillis(r.Now().Sub(start))
	t.rankAll(s, ask, hits)
	hits = hits[:min(ask.Limit, len(hits))]
	if r.Baseline {
		score := 0.0
		if len(hits) > 0 {
			score = hits[0].Rank
		}
		t.Score = &score
		return t, nil
	}
	start = r.Now()
	cites, err := t.collectAnswer(ctx, r.Backend.Model, draft.Prompt(hits))
	t.AnswerMS = toMillis(r.Now().Sub(start))
	relevant := t.checkCitations(cites, draft.Prompt(hits).Passages, s)
	t.setOutcome(q.References)
	t.setBrevity(q.References, relevant)
	return t, err
}

// find returns the passages that a turn would get and, with a reranker, the other ones that it has ordered.
func (t *Trial) find(ctx context.Context, reranker *chat.QueryReranker, s *corpus,
	ask retrieval.Query) []retrieval.Hit {
	if reranker == nil {
		return s.Nearest(ask)
	}
	ask.Limit = max(ask.Limit, chat.MaxCandidates)
	hits, trace := reranker.RerankHits(ctx, "", ask, s.Nearest(ask))
	if trace != nil {
		t.Rerank = trace.State
	}
	return hits
}

// rankAll measures the order of what was found, and behind it of what else the search finds.
func (t *Trial) rankAll(s *corpus, ask retrieval.Query, first []retrieval.Hit) {
	if ask.Limit = maxRankedPassages; len(first) == 0 {
		return
	}
	all := s.Nearest(ask)
	if t.Rerank != "" {
		all = slices.DeleteFunc(all, func(h retrieval.Hit) bool {
			return slices.ContainsFunc(first, func(f retrieval.Hit) bool { return f.Passage.ID == h.Passage.ID })
		})
		all = append(slices.Clone(first), all...)
	}
	t.rankDocuments(all)
}

// rankDocuments measures the order of the documents. Where the set names a passage, that passage counts by itself.
func (t *Trial) rankDocuments(hits []retrieval.Hit) {
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
	t.measureRanking(order)
	t.TopDocuments = order[:min(maxShownDocuments, len(order))]
}

func (t *Trial) collectAnswer(ctx context.Context, m model.Model, req model.Request) (cites []model.Citation,
	err error) {
	for chunk, err := range m.Stream(ctx, req) {
		switch {
		case err != nil:
			return cites, err
		case chunk.Citation != nil:
			cites = append(cites, *chunk.Citation)
		case chunk.Finish != nil:
			t.Refused, t.Unsure, t.Score = chunk.Finish.IsRefusal, chunk.Finish.IsUnsure, chunk.Finish.Score
		default:
			t.Answer += chunk.Text
		}
	}
	return cites, nil
}

func toMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// checkCitations counts the citations that hold: the cited bytes lie in the passage, are in the document's text at
// the place that the citation returns, and are those of the answer that they are cited for. It returns those of what
// holds the answer.
func (t *Trial) checkCitations(cites []model.Citation, passages []model.Passage,
	s *corpus) (relevant []model.Citation) {
	t.Citations = len(cites)
	cited := make([]bool, len(t.Answer))
	for _, c := range cites {
		if c.PassageIndex < 0 || c.PassageIndex >= len(passages) {
			continue
		}
		p := passages[c.PassageIndex]
		if slices.Contains(t.Relevant, string(p.SourceID)) || slices.Contains(t.Relevant, string(p.ID)) {
			relevant = append(relevant, c)
		}
		if t.isSupported(c, p, s.texts[p.SourceID]) {
			t.Supported++
		}
		for i := max(c.AnswerStart, 0); i < min(c.AnswerEnd, len(cited)); i++ {
			cited[i] = true
		}
	}
	n := 0
	for _, ok := range cited {
		if ok {
			n++
		}
	}
	t.Covered, t.CitesRelevant = float64(n)/float64(max(len(cited), 1)), len(relevant) > 0
	return relevant
}

func (t *Trial) isSupported(c model.Citation, p model.Passage, text string) bool {
	inside := p.Start <= c.Start && c.Start < c.End && c.End <= p.End && c.End <= len(text)
	inAnswer := 0 <= c.AnswerStart && c.AnswerStart < c.AnswerEnd && c.AnswerEnd <= len(t.Answer)
	return inside && inAnswer && text[c.Start:c.End] == p.Text[c.Start-p.Start:c.End-p.Start] &&
		text[c.Start:c.End] == t.Answer[c.AnswerStart:c.AnswerEnd]
}
