package chat

import "time"

// TurnObserver is told of each turn that has ended: what came of it (done, interrupted or failed), how long its first text took, 0 where there
// was none, and how long all of it took. It must not wait.
type TurnObserver func(outcome string, first, took time.Duration)

func (e *Engine) notifyObserver(t *Turn, a *answer, state string, now time.Time) {
	if e.TurnObserver == nil {
		return
	}
	var first time.Duration
	if !a.firstOutput.IsZero() {
		first = a.firstOutput.Sub(t.StartedAt)
	}
	e.TurnObserver(state, first, now.Sub(t.StartedAt))
}

// LiveTurns counts the answers that this server is making.
func (e *Engine) LiveTurns() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.liveTurns)
}
