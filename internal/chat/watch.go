package chat

import "time"

// Watch is told of each turn that has ended: what came of it (done, interrupted or failed), how long its first text took, 0 where there
// was none, and how long all of it took. It must not wait.
type Watch func(outcome string, first, took time.Duration)

func (e *Engine) tell(t *Turn, a *answer, state string, now time.Time) {
	if e.Watch == nil {
		return
	}
	var first time.Duration
	if !a.first.IsZero() {
		first = a.first.Sub(t.StartedAt)
	}
	e.Watch(state, first, now.Sub(t.StartedAt))
}

// Live counts the answers that this server is making.
func (e *Engine) Live() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live)
}
