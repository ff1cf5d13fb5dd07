package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
	"parley/internal/retrieval"
	"parley/internal/text/words"
	"parley/internal/tracing"
)

const (
	maxFollowUpWords       = 16       // words of a follow-up
	maxRewriteBytes        = 400      // bytes of the rewritten question
	rewriteHistoryMessages = 6        // messages that the model gets
	rewriteMessageTokens   = 200      // tokens of each
	rewriteByModel         = "model"  // the model's question was searched for
	rewriteFailed          = "failed" // the model returned none, or none that could be used
	rewriteTooLate         = "too late"

	rewriteCooldown = time.Minute // how long a model that was too slow is not asked again
)

// rewriteQuery lets a connected model rewrite a follow-up so that it can be searched for without the conversation. Only
// the search uses the result. Where the model returns nothing useful, or is too slow, the search uses the earlier
// messages instead; after a slow reply the follow-ups of the next minute do not wait for it. The first message of a
// conversation costs nothing.
func (e *Engine) rewriteQuery(ctx context.Context, t *Turn, q retrieval.Query) retrieval.Query {
	began := e.Now()
	if e.RewriteTimeout <= 0 || t.backend.Label == model.BuiltinName || began.UnixMilli() < e.nextRewrite.Load() ||
		!t.isFollowUp(q) {
		return q
	}
	ctx, stop := context.WithTimeoutCause(ctx, e.RewriteTimeout, errRewriteTimeout)
	defer stop()
	r := &parley.TraceRewrite{State: rewriteByModel}
	text, err := t.askForRewrite(ctx, r)
	switch {
	case errors.Is(context.Cause(ctx), errRewriteTimeout):
		r.State = rewriteTooLate
		e.nextRewrite.Store(began.Add(rewriteCooldown).UnixMilli())
	case err != nil || text == "":
		r.State = rewriteFailed
	default:
		q.Text, q.Earlier = text, []string{q.Text}
	}
	if err != nil && ctx.Err() == nil {
		e.Logger.Debug("a follow-up was not rewritten", "turn", t.ID, "err", t.redactText(err.Error()))
	}
	r.Millis = float64(e.Now().Sub(began)) / float64(time.Millisecond)
	t.rewriteTrace = r
	return q
}

var errRewriteTimeout = errors.New("chat: the rewriting of the question took too long")

// isFollowUp reports whether the message needs the conversation to be understood: it is short and refers to earlier
// messages.
func (t *Turn) isFollowUp(q retrieval.Query) bool {
	if len(q.Earlier) == 0 || t.request.Continue {
		return false
	}
	n := 0
	for range words.Tokens(q.Text) {
		n++
	}
	return n > 0 && n <= maxFollowUpWords && words.NeedsContext(q.Text)
}

// askForRewrite asks the model and returns the first line of its reply. It counts the tokens in r.
func (t *Turn) askForRewrite(ctx context.Context, r *parley.TraceRewrite) (string, error) {
	var messages []model.Message
	for _, m := range t.history[max(0, len(t.history)-rewriteHistoryMessages):] {
		messages = append(messages, model.Message{Role: m.Role(), Text: shortenText(m.Text(), rewriteMessageTokens)})
	}
	var text strings.Builder
	for chunk, err := range t.backend.Model.Stream(ctx, prompt.RewriteRequest(t.backend.Name, messages, t.question)) {
		if err != nil {
			return "", err
		}
		text.WriteString(chunk.Text)
		if text.Len() > maxRewriteBytes || chunk.ToolCall != nil {
			return "", errors.New("chat: the model did not write a query")
		}
		if chunk.Finish != nil {
			r.InputTokens, r.OutputTokens = chunk.Finish.InputTokens, chunk.Finish.OutputTokens
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text.String()), "\n")
	return strings.Trim(line, "\"'“”„«» \t\r"), nil
}

// QueryEmbedder computes the vectors of questions. A question waits for its vector no longer than Timeout.
type QueryEmbedder struct {
	model.CachedEmbedder
	Timeout      time.Duration // 0 means 400 ms
	VectorWeight float64       // weight of vectors against words in a search, 0 to 1; 0 means retrieval's default
	Logger       *slog.Logger
}

// The search methods of traces.
const (
	searchByWords   = "words"
	searchByVectors = "words and vectors"
)

// EmbedQuery sets the query's vector where the agent's passages have vectors, and returns the search method. Without a
// vector, or when it comes too late, the search goes by words. A nil receiver searches by words.
func (qe *QueryEmbedder) EmbedQuery(ctx context.Context, indexes *retrieval.Indexes, agent *parley.Agent,
	q *retrieval.Query) (by string) {
	if qe == nil {
		return searchByWords
	}
	vectored, err := indexes.HasVectors(ctx, agent.ID, agent.PassageVersion)
	if err != nil || !vectored {
		return searchByWords // the search meets the error again
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(qe.Timeout, 400*time.Millisecond))
	defer stop()
	q.VectorWeight = qe.VectorWeight
	ctx, span := tracing.Start(ctx, tracing.OperationEmbeddings, tracing.Client,
		tracing.Attribute{Key: tracing.GenAIOperation, Value: tracing.OperationEmbeddings},
		tracing.Attribute{Key: tracing.GenAIModel, Value: qe.Embedder.Name()})
	q.Vector, err = qe.Vector(ctx, q.EmbeddingText())
	span.End()
	switch {
	case err == nil:
		return searchByVectors
	case errors.Is(err, context.DeadlineExceeded):
		return searchByWords + "; the question's vector did not come in time"
	case errors.Is(err, model.ErrEmbedderPaused):
		return searchByWords + "; the embedding provider failed just before"
	}
	qe.Logger.Warn("a question has no vector", "agent", agent.ID, "err", err)
	return searchByWords + "; the embedding provider failed"
}

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
	hits, err := searchPassages(ctx, indexes, agent, q)
	if err != nil || qr == nil {
		return hits, nil, err
	}
	hits, trace := qr.RerankHits(ctx, agent.ID, q, hits)
	hits = hits[:min(limit, len(hits))]
	if trace != nil {
		trace.Scores = trace.Scores[:min(limit, len(trace.Scores))]
	}
	return hits, trace, nil
}

// searchPassages searches in a span of its own.
func searchPassages(ctx context.Context, indexes *retrieval.Indexes, agent *parley.Agent,
	q retrieval.Query) ([]retrieval.Hit, error) {
	ctx, span := tracing.Start(ctx, tracing.SpanSearch, tracing.Internal)
	defer span.End()
	hits, err := indexes.Nearest(ctx, agent.ID, agent.PassageVersion, q)
	span.Set(tracing.PassagesFound, len(hits))
	return hits, err
}

// RerankHits orders what the search has found for a question, MaxCandidates at most. The trace is nil if there was
// nothing to order.
func (qr *QueryReranker) RerankHits(ctx context.Context, agent parley.AgentID, q retrieval.Query,
	hits []retrieval.Hit) ([]retrieval.Hit, *parley.TraceRerank) {
	return qr.rerank(ctx, agent, rerankQuestion(q), hits)
}

// MaxCandidates is how many passages of a question a reranker orders.
const MaxCandidates = maxCandidates

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
	waiting, span := tracing.Start(ctx, tracing.SpanRerank, tracing.Client)
	defer span.End()
	waiting, stop := context.WithTimeout(waiting, cmp.Or(qr.Timeout, time.Second))
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
