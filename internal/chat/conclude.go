package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// conclude stores how the turn ended and only then announces it.
func (e *Engine) conclude(t *Turn, a *answer, failure error, retrieved time.Time) {
	now := e.Now()
	state, reason := store.TurnDone, "stop"
	switch {
	case failure != nil && (t.ctx.Err() != nil || errors.Is(failure, errTooMuch)): // cut short: what was said stands
		state, reason = store.TurnInterrupted, "error"
	case failure != nil:
		state, reason = store.TurnFailed, "error"
	}
	trace := t.trace(a, state, retrieved, now, failure)
	finish := &Finish{Reason: reason}
	if state != store.TurnFailed && (state == store.TurnDone || a.text.Len() > 0) {
		finish.Message = t.message(a, state, now)
		finish.Credits, finish.Citations, finish.Score = t.Reserved, a.citations, finish.Message.Score
	}
	if state == store.TurnInterrupted && !errors.Is(context.Cause(t.ctx), errSuperseded) {
		finish.Credits = 0 // the server cut it short; a client that went away and asked anew pays for what it got
	}
	if err := e.settle(t, state, finish, a, trace, now); err != nil {
		failure = errors.Join(failure, err, e.giveUp(t, trace, now))
		state, finish = store.TurnFailed, &Finish{Reason: "error"}
	}
	events := []Event{{Kind: Finished, Finish: finish}}
	if state == store.TurnFailed || finish.Message == nil {
		fail := t.failure(failure)
		e.Logger.Warn("turn failed", "turn", t.ID, "conversation", t.ConversationID, "code", fail.Code, "err", failure)
		events = append([]Event{{Kind: Failed, Err: fail}}, events...)
	}
	e.release(t)
	t.log.append(events...)
}

// message is the answer as it is stored.
func (t *Turn) message(a *answer, state string, now time.Time) *parley.Message {
	m := &parley.Message{ID: t.MessageID, ConversationID: t.ConversationID, Author: parley.ByAssistant, State: parley.MessageComplete, TurnID: t.ID,
		Parts: []parley.Part{{Type: "text", Text: a.text.String()}}, Citations: a.citations, FinishReason: "stop", Model: t.agent.Model, CreatedAt: now}
	if state == store.TurnInterrupted {
		m.State, m.FinishReason = parley.MessageInterrupted, "error"
	}
	if a.finish != nil {
		m.Score = a.finish.Score
	}
	if m.Score == nil {
		m.Score = a.support
	}
	return m
}

// settle is the second transaction. An answer that is paid for is worth waiting for: while the database is away it is tried
// again, as long as the lease lives.
func (e *Engine) settle(t *Turn, state string, finish *Finish, a *answer, trace *parley.Trace, now time.Time) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for again := false; ; again = true {
		err := e.end(ctx, t, state, finish, a, trace, now)
		if err != nil && again && e.ended(ctx, t, state) {
			return nil
		}
		if !parley.IsCode(err, parley.CodeUnderMaintenance) {
			return err
		}
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// ended reports whether the turn has been closed like this. A database that went away during a commit may have made it all
// the same.
func (e *Engine) ended(ctx context.Context, t *Turn, state string) bool {
	is, err := e.DB.TurnState(ctx, t.AccountID, t.ID)
	return err == nil && is == state
}

// giveUp closes a turn whose answer could not be stored, for instance because its agent was deleted meanwhile. Where even
// that fails, the lease runs out and recovery does it.
func (e *Engine) giveUp(t *Turn, trace *parley.Trace, now time.Time) error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	trace.State = store.TurnFailed
	err := e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		return tx.CloseTurn(ctx, &t.Turn, store.TurnFailed, 0, trace, now, t.event("turn.failed", parley.MessageID(t.ID)))
	})
	if errors.Is(err, store.ErrTurnLost) {
		return nil
	}
	return err
}

func (e *Engine) end(ctx context.Context, t *Turn, state string, finish *Finish, a *answer, trace *parley.Trace, now time.Time) error {
	return e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		kind, subject := "turn."+state, parley.MessageID(t.ID)
		if finish.Message != nil {
			m := *finish.Message
			usage := store.Usage{Latency: now.Sub(t.StartedAt), Credits: finish.Credits}
			if a.finish != nil {
				usage.InputTokens, usage.OutputTokens = a.finish.InputTokens, a.finish.OutputTokens
			}
			if err := tx.AddMessage(ctx, t.AccountID, t.AgentID, &m, &usage); err != nil {
				return err
			}
			kind, subject = "message.created", m.ID
		}
		// A deleted agent's rows are being erased: nothing may bring one back (decision 21).
		if err := tx.AgentLives(ctx, t.AccountID, t.AgentID); err != nil {
			return err
		}
		return tx.CloseTurn(ctx, &t.Turn, state, finish.Credits, trace, now, t.event(kind, subject))
	})
}

// failure is what the client is told. It names the conversation, so that the message, which is kept, can be answered again.
func (t *Turn) failure(cause error) *parley.Error {
	var e *parley.Error
	fail := parley.Because(parley.CodeChatStreaming, cause)
	if errors.Is(context.Cause(t.ctx), errShutdown) {
		fail = parley.Because(parley.CodeUnderMaintenance, cause)
		fail.RetryAfter = 5 * time.Second
	} else if errors.As(cause, &e) {
		fail = &parley.Error{Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter, Err: cause}
	}
	fail.Details = map[string]string{"conversationId": string(t.ConversationID)}
	return fail
}

func (t *Turn) trace(a *answer, state string, retrieved, now time.Time, failure error) *parley.Trace {
	tr := &parley.Trace{TurnID: t.ID, MessageID: t.MessageID, State: state, Model: t.agent.Model, BackEnd: t.back.Label, PromptVersion: llm.PromptVersion,
		ConfigVersion: t.agent.ConfigVersion, Question: t.question, Passages: []parley.TracePassage{}, ToolCalls: []string{}}
	for i, h := range t.hits {
		tr.Passages = append(tr.Passages, a.took(i, h))
	}
	if a.finish != nil {
		tr.InputTokens, tr.OutputTokens = a.finish.InputTokens, a.finish.OutputTokens
	}
	since := func(at time.Time) float64 { return float64(at.Sub(t.StartedAt).Microseconds()) / 1000 }
	tr.Millis = parley.TraceMillis{Retrieved: since(retrieved), Answered: since(now)}
	if !a.first.IsZero() {
		tr.Millis.FirstToken = since(a.first)
	}
	if failure != nil {
		tr.Error = failure.Error()
		if cause := context.Cause(t.ctx); cause != nil {
			tr.Error = cause.Error()
		}
	}
	return tr
}

// took tells what the answer took from the passage that was offered at that place.
func (a *answer) took(place int, h retrieval.Hit) parley.TracePassage {
	p := h.Passage
	tp := parley.TracePassage{ID: p.ID, SourceID: p.SourceID, Name: p.SourceName, Heading: p.Heading, Rank: h.Rank, Score: h.Score}
	for _, c := range a.cited {
		if c.Passage != place {
			continue
		}
		tp.Cited = true
		from, to := max(c.Start-p.Start, 0), min(c.End-p.Start, len(p.Text))
		if from < to && !slices.Contains(tp.Quotes, p.Text[from:to]) {
			tp.Quotes = append(tp.Quotes, p.Text[from:to])
		}
	}
	return tp
}
