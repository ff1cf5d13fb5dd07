package voice

import (
	"errors"

	"parley"
)

// Why a server takes no further session, whatever the agent's limits are.
var (
	errMost = errors.New("voice: this server holds as many sessions as it may")
	errFull = errors.New("voice: this server has no power left for a further session")
)

// takePlace lets a session in that this server has room for. It keeps its place until it is held, or leaves it; to ask again changes
// nothing.
func (d *Desk) takePlace(l *Live) error {
	if l.placed {
		return nil
	}
	if d.Full != nil && d.Full() {
		return full()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Most > 0 && len(d.live)+d.opening >= d.Most {
		fail := beyond(d.Most, concurrent, busyWait)
		fail.Err = errMost
		return fail
	}
	d.opening++
	l.placed = true
	return nil
}

// leavePlace is for a session that is not held.
func (d *Desk) leavePlace(l *Live) {
	if !l.placed {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opening--
}

// full is what a server without power for a further session answers. It is no limit: nobody has asked for too much.
func full() error {
	fail := parley.Failf(parley.CodeUnderMaintenance, "This server has no power left for another voice session. Try again shortly.")
	fail.Details, fail.RetryAfter, fail.Err = map[string]string{"reason": overloaded}, busyWait, errFull
	return fail
}
