package voice

import (
	"errors"

	"parley"
)

// Why a server takes no further session, whatever the agent's limits are.
var (
	errTooManySessions = errors.New("voice: this server holds as many sessions as it may")
	errOverloaded      = errors.New("voice: this server has no power left for a further session")
)

// acquireSlot lets a session in that this server has room for. It keeps its place until it is held, or leaves it; to ask again changes
// nothing.
func (d *Sessions) acquireSlot(l *Session) error {
	if l.hasSlot {
		return nil
	}
	if d.IsOverloaded != nil && d.IsOverloaded() {
		return newOverloadedError()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.MaxSessions > 0 && len(d.active)+d.openingCount >= d.MaxSessions {
		fail := checkLimit(d.MaxSessions, reasonConcurrent, busyRetryAfter)
		fail.Err = errTooManySessions
		return fail
	}
	d.openingCount++
	l.hasSlot = true
	return nil
}

// releaseSlot is for a session that is not held.
func (d *Sessions) releaseSlot(l *Session) {
	if !l.hasSlot {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.openingCount--
}

// newOverloadedError is what a server without power for a further session answers. It is no limit: nobody has asked for too much.
func newOverloadedError() error {
	fail := parley.NewErrorf(parley.CodeUnderMaintenance, "This server has no power left for another voice session. Try again shortly.")
	fail.Details, fail.RetryAfter, fail.Err = map[string]string{"reason": reasonOverloaded}, busyRetryAfter, errOverloaded
	return fail
}
