package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"parley"
)

// The causes of a cancelled turn. With each, the text so far is stored as interrupted.
var (
	errSuperseded      = errors.New("chat: a new message came after the client had gone")
	errTakenOver       = errors.New("chat: a person has taken the conversation over, or it is gone")
	errShutdown        = errors.New("chat: the server is shutting down")
	errNothingToAnswer = errors.New("chat: there is nothing to answer")
	errDeadline        = errors.New("chat: the turn's deadline has passed")
	errAnswerTooLong   = errors.New("chat: the answer has no end")
)

// claim makes t the one live turn of its conversation on this server. Messages wait in the order in which they came. A
// live turn without readers is cancelled at once.
func (e *Engine) claim(ctx context.Context, t *Turn) error {
	live, err := e.activateOrEnqueue(t)
	if err != nil || live == nil {
		return err
	}
	timeout := time.NewTimer(cmp.Or(e.QueueTimeout, 30*time.Second))
	defer timeout.Stop()
	for {
		left := live.noReaders()
		if live.isAbandoned() {
			live.Cancel(errSuperseded)
			left = nil
		}
		select {
		case <-t.activated:
			return nil
		case <-live.done:
			live = e.liveTurn(t.key())
		case <-left: // its last reader has left: check again
		case <-timeout.C:
			return e.dequeue(t, busyError())
		case <-ctx.Done():
			return e.dequeue(t, ctx.Err())
		}
	}
}

// activateOrEnqueue makes t the live turn of its conversation, or enqueues it and returns the live one.
func (e *Engine) activateOrEnqueue(t *Turn) (live *Turn, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return nil, fail
	}
	if e.liveTurns == nil {
		e.liveTurns, e.queues, e.liveCounts = map[conversationKey]*Turn{}, map[conversationKey][]*Turn{},
			map[parley.AccountID]int{}
	}
	if live := e.liveTurns[t.key()]; live != nil {
		e.queues[t.key()] = append(e.queues[t.key()], t)
		return live, nil
	}
	e.activate(t)
	return nil, nil
}

func (e *Engine) activate(t *Turn) {
	e.liveTurns[t.key()] = t
	e.liveCounts[t.AccountID]++
}

func (e *Engine) liveTurn(p conversationKey) *Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.liveTurns[p]
}

// dequeue removes a turn that stops waiting from its queue. Where it has become the live one meanwhile, it goes on.
func (e *Engine) dequeue(t *Turn, cause error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	queue := e.queues[t.key()]
	i := slices.Index(queue, t)
	if i < 0 {
		return nil
	}
	e.setQueue(t.key(), slices.Delete(queue, i, i+1))
	return cause
}

func (e *Engine) setQueue(p conversationKey, queue []*Turn) {
	if e.queues[p] = queue; len(queue) == 0 {
		delete(e.queues, p)
	}
}

// release makes the turn that has waited longest the live one. The turn before is closed in the store by then, so that
// the next one finds none open.
func (e *Engine) release(t *Turn) {
	e.mu.Lock()
	delete(e.liveTurns, t.key())
	if e.liveCounts[t.AccountID]--; e.liveCounts[t.AccountID] == 0 {
		delete(e.liveCounts, t.AccountID)
	}
	if queue := e.queues[t.key()]; len(queue) > 0 {
		next := queue[0]
		e.setQueue(t.key(), queue[1:])
		e.activate(next)
		close(next.activated)
	}
	e.mu.Unlock()
	t.cancel(context.Canceled)
	close(t.done)
}

// atTurnLimit reports whether the account has as many live turns on this server as it may have open.
func (e *Engine) atTurnLimit(account parley.AccountID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.liveCounts[account] > e.maxOpenTurns()
}

func busyError() *parley.Error {
	fail := parley.NewError(parley.CodeConversationBusy)
	fail.RetryAfter = time.Second
	return fail
}
