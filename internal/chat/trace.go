package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/model/prompt"
	"parley/internal/retrieval"
)

// clientError returns the error for the client. It names the conversation and the user's message, which is stored, so
// that it can be answered again.
func (t *Turn) clientError(cause error) *parley.Error {
	var e *parley.Error
	fail := parley.WrapError(parley.CodeChatStreaming, cause)
	if errors.Is(context.Cause(t.ctx), errShutdown) {
		fail = parley.WrapError(parley.CodeUnderMaintenance, cause)
		fail.RetryAfter = 5 * time.Second
	} else if errors.As(cause, &e) {
		fail = &parley.Error{Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter, Err: cause}
	}
	if t.agent.Redact {
		fail.Err = errors.New(t.redactText(cause.Error()))
	}
	if !t.request.isUnsaved() {
		fail.Details = map[string]string{"conversationId": string(t.ConversationID), "userMessageId": string(t.UserMessageID)}
	}
	return fail
}

func (t *Turn) trace(a *answer, state string, retrieved, now time.Time, failure error) *parley.Trace {
	tr := &parley.Trace{TurnID: t.ID, MessageID: t.MessageID, State: state, Model: t.agent.Model,
		BackEnd: t.backend.Label, PromptVersion: prompt.Version,
		ConfigVersion: t.agent.ConfigVersion, Question: t.redactText(t.searchText), SearchMethod: t.searchMethod,
		Passages: []parley.TracePassage{}, ToolCalls: []string{}}
	for i, h := range t.hits {
		tr.Passages = append(tr.Passages, a.tracePassage(i, h))
	}
	if a.finish != nil {
		tr.InputTokens, tr.OutputTokens, tr.Refused = a.finish.InputTokens, a.finish.OutputTokens, a.finish.IsRefusal
		tr.Unsure = a.finish.IsUnsure
	}
	if tr.Rewrite = t.rewriteTrace; t.rewriteTrace != nil {
		tr.InputTokens, tr.OutputTokens = tr.InputTokens+t.rewriteTrace.InputTokens,
			tr.OutputTokens+t.rewriteTrace.OutputTokens
	}
	since := func(at time.Time) float64 { return float64(at.Sub(t.StartedAt).Microseconds()) / 1000 }
	tr.Millis = parley.TraceMillis{RetrievalDone: since(retrieved), AnswerDone: since(now)}
	if !a.firstOutput.IsZero() {
		tr.Millis.FirstToken = since(a.firstOutput)
	}
	for _, c := range a.calls {
		tr.ToolCalls = append(tr.ToolCalls, c.Tool+" "+string(c.Status))
	}
	if failure != nil {
		tr.Error = t.redactText(failure.Error())
		if cause := context.Cause(t.ctx); cause != nil {
			tr.Error = cause.Error()
		}
	}
	return tr
}

// tracePassage says what the answer cites from the passage that was offered at that index.
func (a *answer) tracePassage(place int, h retrieval.Hit) parley.TracePassage {
	p := h.Passage
	tp := parley.TracePassage{ID: p.ID, SourceID: p.SourceID, Name: p.SourceName, Heading: p.Heading, Rank: h.Rank,
		Score: h.Score}
	for _, c := range a.cites {
		if c.PassageIndex != place {
			continue
		}
		tp.IsCited = true
		from, to := max(c.Start-p.Start, 0), min(c.End-p.Start, len(p.Text))
		if from < to && !slices.Contains(tp.Quotes, p.Text[from:to]) {
			tp.Quotes = append(tp.Quotes, p.Text[from:to])
		}
	}
	return tp
}
