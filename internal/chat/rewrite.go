package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/words"
)

const (
	longestFollowUp = 16       // words of a message that may need the conversation to be understood
	longestRewrite  = 400      // bytes of what the model makes of it
	rewriteHistory  = 6        // messages that it is shown
	rewriteShare    = 200      // tokens of each
	byModel         = "model"  // the question that was searched for is the model's
	byNobody        = "failed" // the model had none, or none that could be used
	tooLate         = "too late"

	rewriteRest = time.Minute // how long a model that was too late is not asked again
)

// restate has a connected model put a follow-up into words that can be searched for without the conversation. Only the search uses
// them; the message itself stays as it is. Where the model has nothing useful to say, the search does with the earlier messages.
// Where it is late, too, and the follow-ups of the next minute do not wait for it. A message that begins a conversation costs nothing.
func (e *Engine) restate(ctx context.Context, t *Turn, q retrieval.Query) retrieval.Query {
	began := e.Now()
	if e.Rewrite <= 0 || t.back.Label == llm.BuiltinName || began.UnixMilli() < e.rewriteAt.Load() || !t.followsUp(q) {
		return q
	}
	ctx, stop := context.WithTimeoutCause(ctx, e.Rewrite, errLateRewrite)
	defer stop()
	r := &parley.TraceRewrite{State: byModel}
	text, err := t.restated(ctx, r)
	switch {
	case errors.Is(context.Cause(ctx), errLateRewrite):
		r.State = tooLate
		e.rewriteAt.Store(began.Add(rewriteRest).UnixMilli())
	case err != nil || text == "":
		r.State = byNobody
	default:
		q.Text, q.Earlier = text, []string{q.Text}
	}
	if err != nil && ctx.Err() == nil {
		e.Logger.Debug("a follow-up was not rewritten", "turn", t.ID, "err", t.keepable(err.Error()))
	}
	r.Millis = float64(e.Now().Sub(began)) / float64(time.Millisecond)
	t.rewrite = r
	return q
}

var errLateRewrite = errors.New("chat: the rewriting of the question took too long")

// followsUp reports whether the message needs the conversation to be understood: there is one, and the message is short and leans on it.
func (t *Turn) followsUp(q retrieval.Query) bool {
	if len(q.Earlier) == 0 || t.request.Continue {
		return false
	}
	n := 0
	for range words.Tokens(q.Text) {
		n++
	}
	return n > 0 && n <= longestFollowUp && words.Leans(q.Text)
}

// restated asks the model and gives the one line that it says. It counts the tokens in r.
func (t *Turn) restated(ctx context.Context, r *parley.TraceRewrite) (string, error) {
	var messages []llm.Message
	for _, m := range t.history[max(0, len(t.history)-rewriteHistory):] {
		messages = append(messages, llm.Message{Role: m.Role(), Text: shortened(m.Text(), rewriteShare)})
	}
	var said strings.Builder
	for chunk, err := range t.back.Model.Stream(ctx, llm.RewriteRequest(t.back.Name, messages, t.question)) {
		if err != nil {
			return "", err
		}
		said.WriteString(chunk.Text)
		if said.Len() > longestRewrite || chunk.Call != nil {
			return "", errors.New("chat: the model did not write a query")
		}
		if chunk.Finish != nil {
			r.InputTokens, r.OutputTokens = chunk.Finish.InputTokens, chunk.Finish.OutputTokens
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	return strings.Trim(line, "\"'“”„«» \t\r"), nil
}
