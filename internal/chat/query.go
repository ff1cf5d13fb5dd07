package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
	"parley/internal/retrieval"
	"parley/internal/text/words"
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
	q.Vector, err = qe.Vector(ctx, q.EmbeddingText())
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
