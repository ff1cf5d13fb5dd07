package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/model"
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
		Passages: a.citedPassages(t.foundPassages), ToolCalls: []string{}}
	if a.finish != nil {
		tr.InputTokens, tr.OutputTokens, tr.Refused = a.finish.InputTokens, a.finish.OutputTokens, a.finish.IsRefusal
		tr.Unsure, tr.Bounds, tr.Reason = a.finish.IsUnsure, a.finish.Bounds, a.finish.DecidedBy
	}
	if tr.Rewrite = t.rewriteTrace; t.rewriteTrace != nil {
		tr.InputTokens, tr.OutputTokens = tr.InputTokens+t.rewriteTrace.InputTokens,
			tr.OutputTokens+t.rewriteTrace.OutputTokens
	}
	tr.Rerank = t.rerankTrace
	// A fast model may be ready before the turn is opened, and a clock may be set back.
	since := func(at time.Time) float64 { return max(0, float64(at.Sub(t.StartedAt).Microseconds())/1000) }
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

// tracePassages returns what a trace holds of passages that were found.
func tracePassages(hits []retrieval.Hit) []parley.TracePassage {
	list := make([]parley.TracePassage, len(hits))
	for i, h := range hits {
		p := h.Passage
		list[i] = parley.TracePassage{ID: p.ID, SourceID: p.SourceID, Name: p.SourceName, Heading: p.Heading, Rank: h.Rank,
			Score: h.Score}
	}
	return list
}

// citedPassages returns the passages with what the answer cites from each.
func (a *answer) citedPassages(found []parley.TracePassage) []parley.TracePassage {
	list := append([]parley.TracePassage{}, found...)
	for _, q := range a.quotes {
		if q.passageIndex >= len(list) {
			continue
		}
		p := &list[q.passageIndex]
		p.IsCited = true
		if q.text != "" && !slices.Contains(p.Quotes, q.text) {
			p.Quotes = append(p.Quotes, q.text)
		}
	}
	return list
}

// quotation is what an answer cites from a passage.
type quotation struct {
	passageIndex int // index in the request to the model
	text         string
}

func newQuotation(p *model.Passage, c model.Citation) quotation {
	from, to := max(c.Start-p.Start, 0), min(c.End-p.Start, len(p.Text))
	if from >= to {
		return quotation{passageIndex: c.PassageIndex}
	}
	return quotation{c.PassageIndex, p.Text[from:to]}
}
