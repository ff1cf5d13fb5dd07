package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
	"parley/internal/retrieval"
	"parley/internal/text/words"
)

const (
	maxFollowUpWords       = 16       // words of a message that may need the conversation to be understood
	maxRewriteBytes        = 400      // bytes of what the model makes of it
	rewriteHistoryMessages = 6        // messages that it is shown
	rewriteMessageTokens   = 200      // tokens of each
	rewriteByModel         = "model"  // the question that was searched for is the model's
	rewriteFailed          = "failed" // the model had none, or none that could be used
	rewriteTooLate         = "too late"

	rewriteCooldown = time.Minute // how long a model that was too late is not asked again
)

// rewriteQuery has a connected model put a follow-up into words that can be searched for without the conversation. Only the search uses
// them; the message itself stays as it is. Where the model has nothing useful to say, the search does with the earlier messages.
// Where it is late, too, and the follow-ups of the next minute do not wait for it. A message that begins a conversation costs nothing.
func (e *Engine) rewriteQuery(ctx context.Context, t *Turn, q retrieval.Query) retrieval.Query {
	began := e.Now()
	if e.RewriteTimeout <= 0 || t.backend.Label == model.BuiltinName || began.UnixMilli() < e.nextRewrite.Load() || !t.isFollowUp(q) {
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

// isFollowUp reports whether the message needs the conversation to be understood: there is one, and the message is short and leans on it.
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

// askForRewrite asks the model and gives the one line that it says. It counts the tokens in r.
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
