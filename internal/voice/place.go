package voice

import "errors"

// Why a server takes no further session: the causes of a VOICE_LIMIT_EXCEEDED that no limit of the agent stands behind.
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
		return noPlace(errFull)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Most > 0 && len(d.live)+d.opening >= d.Most {
		return noPlace(errMost)
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

func noPlace(cause error) error {
	fail := exceeded(concurrent, busyWait)
	fail.Err = cause
	return fail
}
