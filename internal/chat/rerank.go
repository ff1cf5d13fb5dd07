package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// QueryReranker orders the passages that a search has found by what a reranking provider says of them. A question waits
// for it no longer than Timeout; otherwise, and whenever the provider fails, the order of the search remains.
type QueryReranker struct {
	Reranker model.Reranker
	Timeout  time.Duration // 0 means 1 s
	Now      func() time.Time
	Logger   *slog.Logger
	Observe  func(state string, elapsed time.Duration) // is called for each question; may be nil

	pause model.FailurePause
}

// maxCandidates is how many passages the search finds for the reranker. Servers take at least 32 in one request.
const maxCandidates = 30

// The states of a reranking, in traces and metrics.
const (
	rerankDone   = "done"
	rerankFailed = "failed"
	rerankLate   = "late"
	rerankPaused = "paused"
)

const (
	maxEarlierQuestionBytes = 500
	maxRerankQuestionBytes  = 2000
)

// Nearest searches as retrieval.Indexes does, and returns the passages in the reranker's order. The trace is nil if
// there was nothing to order, and with a nil receiver, which returns what the search has found.
func (qr *QueryReranker) Nearest(ctx context.Context, indexes *retrieval.Indexes, agent *parley.Agent,
	q retrieval.Query) ([]retrieval.Hit, *parley.TraceRerank, error) {
	limit := q.Limit
	if qr != nil {
		q.Limit = max(limit, maxCandidates)
	}
	hits, err := indexes.Nearest(ctx, agent.ID, agent.PassageVersion, q)
	if err != nil || qr == nil {
		return hits, nil, err
	}
	hits, trace := qr.rerank(ctx, agent.ID, rerankQuestion(q), hits)
	hits = hits[:min(limit, len(hits))]
	if trace != nil {
		trace.Scores = trace.Scores[:min(limit, len(trace.Scores))]
	}
	return hits, trace, nil
}

// rerankQuestion returns the question as the provider gets it: a follow-up says little without the message before it.
func rerankQuestion(q retrieval.Query) string {
	text := parley.ClipBytes(q.Text, maxRerankQuestionBytes)
	if n := len(q.Earlier); n > 0 {
		return parley.ClipBytes(q.Earlier[n-1], maxEarlierQuestionBytes) + "\n" + text
	}
	return text
}

// rerank orders the hits, and returns the scores with the trace. Hits of one score stay in the order of the search.
func (qr *QueryReranker) rerank(ctx context.Context, agent parley.AgentID, question string,
	hits []retrieval.Hit) ([]retrieval.Hit, *parley.TraceRerank) {
	if len(hits) < 2 {
		return hits, nil
	}
	began := qr.Now()
	scores, err := qr.requestScores(ctx, question, hits)
	if ctx.Err() != nil {
		return hits, nil // the turn has ended, which says nothing of the provider
	}
	elapsed := qr.Now().Sub(began)
	trace := &parley.TraceRerank{State: rerankState(err), Candidates: len(hits),
		Millis: float64(elapsed.Microseconds()) / 1000}
	if qr.Observe != nil {
		qr.Observe(trace.State, elapsed)
	}
	if trace.State == rerankFailed {
		qr.Logger.Warn("passages were not reranked", "agent", agent, "err", err)
	}
	if err != nil {
		return hits, trace
	}
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	ordered := make([]retrieval.Hit, len(hits))
	for i, at := range order {
		ordered[i] = hits[at]
		trace.Scores = append(trace.Scores, scores[at])
	}
	return ordered, trace
}

// requestScores asks the provider unless it has just failed several times.
func (qr *QueryReranker) requestScores(ctx context.Context, question string, hits []retrieval.Hit) ([]float64, error) {
	if qr.pause.IsActive(qr.Now()) {
		return nil, model.ErrRerankerPaused
	}
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = retrieval.Embeddable(h.Passage.Heading, h.Passage.Text)
	}
	waiting, stop := context.WithTimeout(ctx, cmp.Or(qr.Timeout, time.Second))
	defer stop()
	scores, err := qr.Reranker.Rerank(waiting, question, texts)
	if err == nil {
		qr.pause.RecordSuccess()
		return scores, nil
	}
	if ctx.Err() == nil {
		var e *parley.Error
		retryAfter := time.Duration(0)
		if errors.As(err, &e) {
			retryAfter = e.RetryAfter
		}
		qr.pause.RecordFailure(qr.Now(), retryAfter)
	}
	return nil, err
}

func rerankState(err error) string {
	switch {
	case err == nil:
		return rerankDone
	case errors.Is(err, context.DeadlineExceeded):
		return rerankLate
	case errors.Is(err, model.ErrRerankerPaused):
		return rerankPaused
	}
	return rerankFailed
}
