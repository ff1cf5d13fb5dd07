package rtc

import "time"

// rateLimit limits how often something happens: so many times at once, and then once every so often.
type rateLimit struct {
	burst     int
	interval  time.Duration
	usedUntil time.Time // up to when the time is used
}

// allow reports whether it may happen now.
func (b *rateLimit) allow(now time.Time) bool {
	if least := now.Add(-time.Duration(b.burst) * b.interval); b.usedUntil.Before(least) {
		b.usedUntil = least
	}
	next := b.usedUntil.Add(b.interval)
	if next.After(now) {
		return false
	}
	b.usedUntil = next
	return true
}
