package chat

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// outcome is how a turn ended that is known before its first transaction has run. That one then writes the whole turn,
// with fewer statements than two transactions need.
type outcome struct {
	finish  *Finish
	trace   *parley.Trace
	usage   store.AnswerUsage
	endedAt time.Time
}

// offerOutcome leaves the outcome to the first transaction. It returns false when that has begun, or when more is to be
// written than a message and its answer.
func (t *Turn) offerOutcome(o *outcome, state string, calls []parley.ToolCall) bool {
	if state != store.TurnDone || len(calls) > 0 || t.isReadAsItGrows() || !t.request.isNewMessage() ||
		t.mayHavePendingCalls() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hasBegun {
		return false
	}
	t.outcome = o
	return true
}

// isNewMessage reports whether the request is a message that is stored as the next one of its conversation.
func (r Request) isNewMessage() bool {
	return r.Retry == "" && !r.Continue && r.ReplaceMessageID == "" && r.repeatedMessageID == "" &&
		r.ClientConversation == nil
}

// setDeferral notes that the first transaction is queued.
func (t *Turn) setDeferral(d *sqldb.Deferral) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.deferral = d; t.isAsked {
		d.EnqueueIfIdle()
	}
}

// noteAsked is called when the model is about to be called: while that is busy, the first transaction can run, unless
// the writer has other work.
func (t *Turn) noteAsked() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isAsked = true; t.deferral != nil {
		t.deferral.EnqueueIfIdle()
	}
}

// awaitBegin waits for the first transaction. It returns false when there is nothing to answer.
func (t *Turn) awaitBegin() bool {
	<-t.beginQueued
	if d := t.queuedTransaction(); d != nil {
		d.Enqueue()
	}
	<-t.beginDone
	return !t.isRefused
}

// queuedTransaction returns the first transaction; nil if it could not be queued.
func (t *Turn) queuedTransaction() *sqldb.Deferral {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deferral
}

// startTransaction is called as the first transaction begins to run, each time. It returns the outcome if the first
// time was after that was known.
func (t *Turn) startTransaction() *outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hasBegun = true
	return t.outcome
}

// storeAnswered writes a turn whose outcome is known. Where the conversation has been paused meanwhile, the answer is
// dropped.
func (e *Engine) storeAnswered(ctx context.Context, tx *store.DB, t *Turn, caller parley.Caller,
	o *outcome) (user parley.EndUserID, paused bool, err error) {
	c, events, err := e.storeExchange(ctx, tx, t, o)
	if err != nil || c.Paused {
		return c.UserID, c.Paused, err
	}
	if err := tx.QueueTouchAgent(ctx, t.AgentRef(), t.StartedAt); err != nil {
		return "", false, err
	}
	if err := tx.QueueCharge(ctx, &t.Turn, o.finish.Credits, o.endedAt, t.creditCheck(caller)); err != nil {
		return "", false, err
	}
	if err := tx.CompleteClaim(ctx, "turn:"+string(t.ID)); err != nil {
		return "", false, err
	}
	open, err := tx.CreateClosedTurn(ctx, &t.Turn, o.finish.Credits, o.trace, o.endedAt, events...)
	if err == nil && open >= e.maxOpenTurns() {
		err = e.tooManyOpenError()
	}
	return c.UserID, false, err
}

// storeExchange writes the message and its answer; of a paused conversation the message alone.
func (e *Engine) storeExchange(ctx context.Context, tx *store.DB, t *Turn,
	o *outcome) (c parley.Conversation, events []store.NewEvent, err error) {
	answer := t.redactMessage(*o.finish.Message)
	events = []store.NewEvent{t.newEvent(parley.EventMessageCreated, t.UserMessageID),
		t.newEvent(parley.EventMessageCreated, answer.ID)}
	if t.request.ConversationID == "" {
		c = t.newConversation()
		c.UpdatedAt = o.endedAt
		events = append([]store.NewEvent{t.newEvent(parley.EventConversationCreated, parley.MessageID(c.ID))}, events...)
		return c, events, tx.CreateAnsweredConversation(ctx, &c, t.userMessage(), &answer, &o.usage)
	}
	found, open, err := tx.LockConversationAndTurn(ctx, t.AgentRef().ConversationRef(t.ConversationID))
	if err := t.checkConversation(found, err); err != nil {
		return c, nil, err
	}
	if err := ensureNoOpenTurn(ctx, tx, t, open); err != nil {
		return c, nil, err
	}
	if found.Paused {
		if err := tx.AddMessage(ctx, t.AgentRef(), t.userMessage(), nil); err != nil {
			return c, nil, err
		}
		return *found, nil, e.storeUnanswered(ctx, tx, t, events[:1])
	}
	return *found, events, tx.AddExchange(ctx, t.AgentRef(), t.userMessage(), &answer, &o.usage)
}
