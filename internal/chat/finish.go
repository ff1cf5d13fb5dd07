package chat

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// finishTurn stores how the turn ended and only then announces it. The first transaction may still be on its way: what
// it refuses is not there for the second to change.
func (e *Engine) finishTurn(t *Turn, a *answer, failure error, retrieved time.Time) {
	now := e.Now()
	a.finishText()
	state := t.endState(a, failure)
	trace := t.trace(a, state, retrieved, now, failure)
	finish := &Finish{Reason: "error"}
	if t.storesAnswer(a, state) {
		finish.Message = t.answerMessage(a, state, now)
		finish.Reason, finish.Credits = finish.Message.FinishReason, t.Reserved
		finish.Citations, finish.Score = finish.Message.Citations, finish.Message.Score
		finish.AnswerState = finish.Message.AnswerState
	}
	if state == store.TurnFailed || state == store.TurnInterrupted && !t.isSuperseded() && !t.isDeserted() {
		finish.Credits = 0 // the server cancelled it; a client that disconnected, or sent a new message, pays for what it got
	}
	var err error
	usage := a.usage(t, finish, now)
	finish.InputTokens, finish.OutputTokens = usage.InputTokens, usage.OutputTokens
	o := &outcome{finish, trace, usage, now}
	switch d := t.queuedTransaction(); {
	case d == nil:
		err = e.storeResultWithRetry(t, state, finish, a, trace, now)
	case t.offerOutcome(o, state, a.calls):
		d.Commit()
	default:
		d.Enqueue()
		err = e.storeResultWithRetry(t, state, finish, a, trace, now)
	}
	if <-t.beginDone; t.isRefused {
		return
	}
	if err != nil {
		trace.State = store.TurnFailed
		failure = errors.Join(failure, err, e.closeUnstored(t, trace, now))
		state, finish = store.TurnFailed, &Finish{Reason: "error"}
	}
	e.Hub.Wake(t.ConversationID)
	events := []Event{{Kind: Finished, Finish: finish}}
	if state == store.TurnFailed || finish.Message == nil {
		fail := t.clientError(failure)
		e.Logger.Warn("turn failed", "turn", t.ID, "conversation", t.ConversationID, "code", fail.Code, "err",
			t.redactText(failure.Error()))
		events = append([]Event{{Kind: Failed, Err: fail}}, events...)
	}
	e.notifyObserver(t, a, state, now)
	t.endSpan(state)
	e.release(t)
	t.eventLog.append(events...)
}

// endState returns the state in which the turn ended. The text of a cancelled turn is stored.
func (t *Turn) endState(a *answer, failure error) string {
	switch {
	case failure == nil:
		return store.TurnDone
	case t.ctx.Err() != nil || errors.Is(failure, errAnswerTooLong) || errors.Is(failure, errTooManyRounds) &&
		!a.isEmpty():
		return store.TurnInterrupted
	}
	return store.TurnFailed
}

// storesAnswer reports whether what there is of the answer is stored. What a visitor has read stays, also where the
// model has failed in mid-answer.
func (t *Turn) storesAnswer(a *answer, state string) bool {
	if state == store.TurnDone {
		return true
	}
	return (state == store.TurnInterrupted || t.isReadByVisitor()) && !a.isEmpty() && t.keepsAnswer()
}

// isReadByVisitor reports whether a visitor sees the answer while it is written.
func (t *Turn) isReadByVisitor() bool {
	return t.VisitorID != "" && t.request.Streamed && t.request.Voice == nil && !t.request.isUnsaved()
}

// isSuperseded reports whether the turn was cancelled because its client had disconnected and sent a new message.
func (t *Turn) isSuperseded() bool { return errors.Is(context.Cause(t.ctx), errSuperseded) }

// keepsAnswer reports whether a cancelled answer is stored. A retry that the server cancels leaves the old answer.
func (t *Turn) keepsAnswer() bool { return t.retrySeq == 0 || t.isSuperseded() }

// answerMessage returns the answer as it is stored.
func (t *Turn) answerMessage(a *answer, state string, now time.Time) *parley.Message {
	m := &parley.Message{ID: t.MessageID, ConversationID: t.ConversationID, Author: parley.AuthorAssistant,
		State: parley.MessageComplete, TurnID: t.ID,
		Parts: a.parts, Citations: a.citations, FinishReason: a.finishReason, Model: t.agent.Model, CreatedAt: now}
	if state != store.TurnDone {
		m.State, m.FinishReason = parley.MessageInterrupted, "error"
	}
	if a.finish != nil {
		m.Score, m.AnswerState = a.finish.Score, answerState(a.finish)
	}
	if m.Score == nil {
		m.Score = a.passageScore
	}
	return m
}

// answerState returns what the answer says of itself; empty where nothing tells.
func answerState(f *model.Finish) parley.AnswerState {
	switch {
	case f.IsRefusal:
		return parley.AnswerRefused
	case f.IsUnsure:
		return parley.AnswerUnsure
	case f.Score != nil:
		return parley.AnswerSure
	}
	return ""
}

const (
	storeTimeout         = time.Minute            // how long an answer waits for an unavailable database
	storeRetryDelay      = 250 * time.Millisecond // between tries
	maxFullDatabaseTries = 8                      // tries with a full database: freeing space takes a person, and longer
)

// storeResultWithRetry runs the second transaction. An answer that is paid for is worth waiting for: while the database
// is not available, it is tried again.
func (e *Engine) storeResultWithRetry(t *Turn, state string, finish *Finish, a *answer, trace *parley.Trace,
	now time.Time) error {
	ctx, stop := context.WithTimeout(context.Background(), storeTimeout)
	defer stop()
	full := 0
	for again := false; ; again = true {
		err := e.storeResult(ctx, t, state, finish, a, trace, now)
		if err != nil && again && e.isClosedAs(ctx, t, state) {
			return nil
		}
		if errors.Is(err, sqldb.ErrFull) {
			full++
		}
		if !parley.IsCode(err, parley.CodeUnderMaintenance) || full == maxFullDatabaseTries || t.isRefusedByNow() {
			return err
		}
		select {
		case <-time.After(storeRetryDelay):
		case <-ctx.Done():
			return err
		}
	}
}

// isClosedAs reports whether the turn has been closed in that state. When the connection is lost during a commit, the
// commit may have succeeded.
func (e *Engine) isClosedAs(ctx context.Context, t *Turn, state string) bool {
	stored, err := e.DB.TurnState(ctx, t.AccountID, t.ID)
	return err == nil && stored == state
}

// closeUnstored closes a turn whose answer could not be stored, for instance because its agent was deleted meanwhile.
// Where that fails too, it is tried again with each heartbeat; when this server dies, the lease runs out and recovery
// closes the turn.
func (e *Engine) closeUnstored(t *Turn, trace *parley.Trace, now time.Time) error {
	closing := func() error { return e.closeFailed(t, trace, now) }
	err := closing()
	if parley.IsCode(err, parley.CodeUnderMaintenance) {
		e.mu.Lock()
		e.pendingCloses = append(e.pendingCloses, closing)
		e.mu.Unlock()
	}
	return err
}

func (e *Engine) closeFailed(t *Turn, trace *parley.Trace, now time.Time) error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	err := e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return t.closeTurn(ctx, tx, store.TurnFailed, 0, trace, now,
			t.newEvent(parley.EventTurnFailed, parley.MessageID(t.ID)))
	})
	if errors.Is(err, store.ErrTurnLost) {
		return nil
	}
	return err
}

// turnEvents are the events of turns that end without a whole answer.
var turnEvents = map[string]parley.EventKind{
	store.TurnDone:        parley.EventTurnDone,
	store.TurnFailed:      parley.EventTurnFailed,
	store.TurnInterrupted: parley.EventTurnInterrupted,
}

func (e *Engine) storeResult(ctx context.Context, t *Turn, state string, finish *Finish, a *answer, trace *parley.Trace,
	now time.Time) error {
	return e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if t.isRefusedByNow() {
			return errNothingToAnswer
		}
		events := []store.NewEvent{t.newEvent(turnEvents[state], parley.MessageID(t.ID))}
		if finish.Message != nil && !t.request.isUnsaved() {
			if err := t.cutForRetry(ctx, tx, now); err != nil {
				return err
			}
			m := t.redactMessage(*finish.Message)
			usage := a.usage(t, finish, now)
			if err := e.addAnswer(ctx, tx, t, &m, &usage); err != nil {
				return err
			}
			stored := t.newEvent(parley.EventMessageCreated, m.ID)
			if events = append(events, stored); state != store.TurnFailed {
				events = events[1:] // the message says how the turn has ended
			}
		}
		if err := t.storeCalls(ctx, tx, a.calls); err != nil {
			return err
		}
		// The rows of a deleted agent are being erased: none may be written after that.
		if err := tx.QueueShareLockAgent(ctx, t.AccountID.AgentRef(t.AgentID)); err != nil {
			return err
		}
		return t.closeTurn(ctx, tx, state, finish.Credits, trace, now, events...)
	})
}

// usage returns what the answer cost.
func (a *answer) usage(t *Turn, finish *Finish, now time.Time) store.AnswerUsage {
	usage := store.AnswerUsage{Latency: now.Sub(t.StartedAt), Credits: finish.Credits}
	if a.finish != nil {
		usage.InputTokens, usage.OutputTokens = a.finish.InputTokens, a.finish.OutputTokens
	}
	return usage
}

// addAnswer stores the answer. Where a person has taken over meanwhile, the HandoverObserver is called.
func (e *Engine) addAnswer(ctx context.Context, tx *store.DB, t *Turn, m *parley.Message,
	usage *store.AnswerUsage) error {
	status, err := tx.AddAnswer(ctx, t.AccountID.AgentRef(t.AgentID), m, usage)
	if err != nil || status != parley.ConversationTakenOver || e.HandoverObserver == nil {
		return err
	}
	c, err := tx.LockConversation(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID))
	if err != nil {
		return err
	}
	return e.HandoverObserver.MessageWritten(ctx, tx, c, m)
}

// cutForRetry removes what follows the message of a retry: the new answer replaces the old one.
func (t *Turn) cutForRetry(ctx context.Context, tx *store.DB, now time.Time) error {
	if t.retrySeq == 0 {
		return nil
	}
	if err := tx.IgnorePendingToolCalls(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
		now); err != nil {
		return err
	}
	return tx.SupersedeMessages(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), t.retrySeq, now)
}
