package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
)

// Why a turn was cancelled; each leaves the text so far, stored as interrupted.
var (
	errSuperseded = errors.New("chat: a new message came after the client had gone")
	errTakenOver  = errors.New("chat: a person has taken the conversation over, or it is gone")
	errShutdown   = errors.New("chat: the server is shutting down")
	errRefused    = errors.New("chat: there is nothing to answer")
	errTooLong    = errors.New("chat: the turn's deadline has passed")
	errTooMuch    = errors.New("chat: the answer has no end")
)

// claim makes t the one live turn of its conversation on this server. Messages wait in the order in which they came; a live
// turn that nobody reads any more is cancelled at once.
func (e *Engine) claim(ctx context.Context, t *Turn) error {
	live, err := e.enter(t)
	if err != nil || live == nil {
		return err
	}
	patience := time.NewTimer(orDefault(e.Patience, 30*time.Second))
	defer patience.Stop()
	for {
		left := live.leaving()
		if live.abandoned() {
			live.Cancel(errSuperseded)
			left = nil
		}
		select {
		case <-t.entered:
			return nil
		case <-live.done:
			live = e.liveAt(t.place())
		case <-left: // its last reader has just gone: look again
		case <-patience.C:
			return e.leave(t, busy())
		case <-ctx.Done():
			return e.leave(t, ctx.Err())
		}
	}
}

// enter puts t in its place, or at the end of the queue before it; then it gives the turn that is live there.
func (e *Engine) enter(t *Turn) (live *Turn, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining {
		fail := parley.Fail(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return nil, fail
	}
	if e.live == nil {
		e.live, e.queues, e.open = map[place]*Turn{}, map[place][]*Turn{}, map[parley.AccountID]int{}
	}
	if live := e.live[t.place()]; live != nil {
		e.queues[t.place()] = append(e.queues[t.place()], t)
		return live, nil
	}
	e.seat(t)
	return nil, nil
}

func (e *Engine) seat(t *Turn) {
	e.live[t.place()] = t
	e.open[t.AccountID]++
}

func (e *Engine) liveAt(p place) *Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[p]
}

// leave takes a turn that will not wait any longer out of its queue. Where its time has come meanwhile, it goes on.
func (e *Engine) leave(t *Turn, why error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	queue := e.queues[t.place()]
	i := slices.Index(queue, t)
	if i < 0 {
		return nil
	}
	e.requeue(t.place(), slices.Delete(queue, i, i+1))
	return why
}

func (e *Engine) requeue(p place, queue []*Turn) {
	if e.queues[p] = queue; len(queue) == 0 {
		delete(e.queues, p)
	}
}

// release gives the place to the turn that has waited longest. The turn before is closed in the store by then, so that the
// next one finds none open.
func (e *Engine) release(t *Turn) {
	e.mu.Lock()
	delete(e.live, t.place())
	if e.open[t.AccountID]--; e.open[t.AccountID] == 0 {
		delete(e.open, t.AccountID)
	}
	if queue := e.queues[t.place()]; len(queue) > 0 {
		next := queue[0]
		e.requeue(t.place(), queue[1:])
		e.seat(next)
		close(next.entered)
	}
	e.mu.Unlock()
	t.cancel(context.Canceled)
	close(t.done)
}

// crowded reports whether the account has as many live turns here as it may have open.
func (e *Engine) crowded(account parley.AccountID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open[account] > e.openTurns()
}

func busy() *parley.Error {
	fail := parley.Fail(parley.CodeConversationBusy)
	fail.RetryAfter = time.Second
	return fail
}
