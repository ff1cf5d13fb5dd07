package chat

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Run renews the leases of this server's turns and closes those that a dead server left open, until ctx is done.
func (e *Engine) Run(ctx context.Context) error {
	var watcher sync.WaitGroup
	defer watcher.Wait()
	if e.DB.SQL().Dialect() == sqldb.Postgres { // elsewhere there is no other server
		watcher.Go(func() { e.watchCancelRequests(ctx) })
	}
	ticker := time.NewTicker(e.leaseDuration() / 3)
	defer ticker.Stop()
	for {
		closed, err := e.heartbeat(ctx)
		if err != nil && ctx.Err() == nil {
			e.Logger.Warn("turn leases", "err", err)
		}
		if closed > 0 && err == nil && ctx.Err() == nil {
			continue // there may be more, and their users are waiting
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// watchCancelRequests cancels, within a second, the turns of this server that another server asks to end: abandoned
// ones whose conversation has a new message there, and those whose conversation was taken over, ended or deleted there.
func (e *Engine) watchCancelRequests(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if len(e.listLiveTurns()) == 0 {
			continue
		}
		requested, err := e.DB.CancelRequestedTurns(ctx, e.Owner)
		if err != nil && ctx.Err() == nil {
			e.Logger.Warn("turns that are to be cancelled", "err", err)
		}
		for _, t := range e.listLiveTurns() {
			over, isRequested := requested[t.ID]
			switch {
			case isRequested && over:
				t.Cancel(errTakenOver)
			case isRequested && t.isAbandoned():
				t.Cancel(errSuperseded)
			}
		}
	}
}

// heartbeat renews the leases of this server's turns and closes some of those whose lease has run out. It returns how
// many.
func (e *Engine) heartbeat(ctx context.Context) (int, error) {
	e.retryCloses()
	var turns []parley.TurnID
	for _, t := range e.listLiveTurns() {
		turns = append(turns, t.ID)
	}
	if err := e.DB.RenewTurnLeases(ctx, e.Owner, turns, e.Now().Add(e.leaseDuration())); err != nil {
		return 0, err
	}
	return e.Recover(ctx)
}

// How many expired turns are closed by one call of Recover, and in one transaction.
const (
	maxRecovered  = 100
	recoveryBatch = 20
)

// Recover closes up to a hundred turns whose lease has run out: the user's message stays, the credits are released. It
// returns how many it has closed.
func (e *Engine) Recover(ctx context.Context) (closed int, err error) {
	now := e.Now()
	expired, err := e.DB.ExpiredTurns(ctx, now, maxRecovered)
	if err != nil {
		return 0, err
	}
	// A turn of this server is alive, even when its lease could not be renewed in time.
	expired = slices.DeleteFunc(expired, func(t parley.Turn) bool { return e.ownsTurn(t.ID) })
	slices.SortStableFunc(expired, func(a, b parley.Turn) int { return cmp.Compare(a.AccountID, b.AccountID) })
	for len(expired) > 0 {
		n := sameAccount(expired[:min(len(expired), recoveryBatch)])
		count, err := e.closeExpired(ctx, expired[:n], now)
		closed += count
		if err != nil {
			return closed, err
		}
		expired = expired[n:]
	}
	return closed, nil
}

// sameAccount returns how many turns at the beginning of the list belong to one account: closing them locks its row.
func sameAccount(list []parley.Turn) int {
	other := slices.IndexFunc(list, func(t parley.Turn) bool { return t.AccountID != list[0].AccountID })
	if other < 0 {
		return len(list)
	}
	return other
}

// closeExpired closes the turns in one transaction, or each in its own where one of them has ended meanwhile. It
// returns how many it has closed.
func (e *Engine) closeExpired(ctx context.Context, list []parley.Turn, now time.Time) (int, error) {
	err := e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return closeLostTurns(ctx, tx, list, now)
	})
	switch {
	case err == nil:
		return len(list), nil
	case !errors.Is(err, store.ErrTurnLost):
		return 0, err
	case len(list) == 1:
		return 0, nil
	}
	closed := 0
	for i := range list {
		n, err := e.closeExpired(ctx, list[i:i+1], now)
		closed += n
		if err != nil {
			return closed, err
		}
	}
	return closed, nil
}

// retryCloses closes the turns that could not be closed when they ended, since the store was not available.
func (e *Engine) retryCloses() {
	e.mu.Lock()
	list := e.pendingCloses
	e.pendingCloses = nil
	e.mu.Unlock()
	for i, again := range list {
		if parley.IsCode(again(), parley.CodeUnderMaintenance) {
			e.mu.Lock()
			e.pendingCloses = append(e.pendingCloses, list[i:]...)
			e.mu.Unlock()
			return
		}
	}
}

// ownsTurn reports whether the turn is one of this server's live ones.
func (e *Engine) ownsTurn(id parley.TurnID) bool {
	return slices.ContainsFunc(e.listLiveTurns(), func(t *Turn) bool { return t.ID == id })
}

// closeLostTurns closes turns of one account. What there is of all answers is stored first: conversations are locked
// before the account's row, as wherever an answer is stored.
func closeLostTurns(ctx context.Context, tx *store.DB, list []parley.Turn, now time.Time) error {
	isStored := make([]bool, len(list))
	for i := range list {
		var err error
		if isStored[i], err = storeLostWork(ctx, tx, &list[i], now); err != nil {
			return err
		}
	}
	for i := range list {
		if err := closeLostTurn(ctx, tx, &list[i], isStored[i], now); err != nil {
			return err
		}
	}
	return nil
}

// storeLostWork ends the calls of a lost turn and stores what a visitor has seen of its answer. It reports whether
// there is such an answer.
func storeLostWork(ctx context.Context, tx *store.DB, t *parley.Turn, now time.Time) (bool, error) {
	if err := tx.FailLostToolCalls(ctx, t, now); err != nil {
		return false, err
	}
	if t.UserMessageID == "" { // nothing of its conversation is stored
		return false, nil
	}
	return storeLostAnswer(ctx, tx, t, now)
}

// closeLostTurn closes a lost turn, of whose answer something is stored or not.
func closeLostTurn(ctx context.Context, tx *store.DB, t *parley.Turn, isStored bool, now time.Time) error {
	if t.UserMessageID == "" {
		return tx.CloseTurn(ctx, t, store.TurnFailed, 0, nil, now)
	}
	trace := &parley.Trace{TurnID: t.ID, MessageID: t.MessageID, State: store.TurnFailed,
		Passages: []parley.TracePassage{}, ToolCalls: []string{},
		Error: "the server that made this answer stopped before it was stored"}
	events := []store.NewEvent{{Kind: parley.EventTurnFailed, AgentID: t.AgentID, ConversationID: t.ConversationID,
		Subject: string(t.ID)}}
	if isStored {
		events = append(events, store.NewEvent{Kind: parley.EventMessageCreated, AgentID: t.AgentID,
			ConversationID: t.ConversationID, Subject: string(t.MessageID)})
	}
	return tx.CloseTurn(ctx, t, store.TurnFailed, 0, trace, now, events...)
}

// storeLostAnswer stores what a visitor has seen of a lost turn's answer, as interrupted. It reports whether there was
// anything, and somewhere to store it.
func storeLostAnswer(ctx context.Context, tx *store.DB, t *parley.Turn, now time.Time) (bool, error) {
	if t.VisitorID == "" {
		return false, nil
	}
	parts, err := tx.TurnProgress(ctx, t)
	if err != nil || len(parts) == 0 {
		return false, err
	}
	_, err = tx.Agent(ctx, t.AgentRef(), now)
	if err == nil {
		err = tx.AddMessage(ctx, t.AgentRef(), &parley.Message{ID: t.MessageID, ConversationID: t.ConversationID,
			Author: parley.AuthorAssistant, State: parley.MessageInterrupted, TurnID: t.ID, Parts: parts,
			FinishReason: "error", CreatedAt: now}, &store.AnswerUsage{})
	}
	if parley.IsCode(err, parley.CodeAgentNotFound) || parley.IsCode(err, parley.CodeConversationNotFound) {
		return false, nil
	}
	return err == nil, err
}

// shortProgress is how many bytes of an answer are stored whenever there are more of them.
const shortProgress = 32 << 10

// storeProgress stores what a visitor has seen of the answer, until the turn is done: where this server dies, recovery
// keeps it.
func (e *Engine) storeProgress(t *Turn) {
	ticker := time.NewTicker(cmp.Or(e.ProgressInterval, time.Second))
	defer ticker.Stop()
	stored := 0
	for {
		select {
		case <-ticker.C:
		case <-t.done:
			return
		}
		events, _, _ := t.eventLog.snapshot(0, false)
		size := shownBytes(events)
		if !isStoredAnew(size, stored) || !t.hasBegunByNow() {
			continue
		}
		if err := e.DB.SaveTurnProgress(context.Background(), &t.Turn, t.seenParts(events)); err != nil {
			e.Logger.Warn("what is seen of an answer is not stored", "turn", t.ID, "err", err)
			continue
		}
		stored = size
	}
}

// shownBytes returns the length of what events show of an answer.
func shownBytes(events []Event) (n int) {
	for _, e := range events {
		n += len(e.Text)
		if e.Kind == ToolReturned {
			n += len(e.Call.Input) + len(e.Call.Output)
		}
	}
	return n
}

// isStoredAnew reports whether so many bytes of an answer are stored in the place of those that are. Of a long answer
// it takes an eighth more, so that all that is written of it stays in proportion to its length.
func isStoredAnew(size, stored int) bool {
	return size > stored && (size <= shortProgress || size-stored >= stored/8)
}

// hasBegunByNow reports whether the first transaction has ended, and has left something to answer.
func (t *Turn) hasBegunByNow() bool {
	select {
	case <-t.beginDone:
		return !t.isRefused
	default:
		return false
	}
}

// seenParts returns what events have shown of an answer, as it may be stored. Calls that have not returned are left
// out, for nobody knows what became of them.
func (t *Turn) seenParts(events []Event) []parley.Part {
	var parts []parley.Part
	var text strings.Builder
	endText := func() {
		if text.Len() > 0 {
			parts = append(parts, parley.Part{Type: "text", Text: text.String()})
			text.Reset()
		}
	}
	for _, e := range events {
		switch e.Kind {
		case Text:
			text.WriteString(e.Text)
		case ToolReturned:
			endText()
			parts = append(parts,
				parley.Part{Type: "tool-call", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool, Input: e.Call.Input},
				parley.Part{Type: "tool-result", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool, Output: e.Call.Output})
		case ToolCalled, NextRound, Failed, Finished: // they show no words
		}
	}
	endText()
	return t.redactMessage(parley.Message{Parts: parts}).Parts
}

func (e *Engine) listLiveTurns() []*Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.liveTurns))
}

// Drain refuses new turns and waits for the live ones. When ctx ends first they are cancelled, and stored as
// interrupted.
func (e *Engine) Drain(ctx context.Context) {
	e.mu.Lock()
	e.draining = true
	e.mu.Unlock()
	for _, t := range e.listLiveTurns() {
		select {
		case <-t.done:
		case <-ctx.Done():
			t.Cancel(errShutdown)
			<-t.done
		}
	}
}
