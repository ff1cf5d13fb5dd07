package rtc

import "time"

// bucket limits how often something happens: so many times at once, and then once every so often.
type bucket struct {
	burst int
	every time.Duration
	paid  time.Time // up to when the time is used
}

// take reports whether it may happen now.
func (b *bucket) take(now time.Time) bool {
	if least := now.Add(-time.Duration(b.burst) * b.every); b.paid.Before(least) {
		b.paid = least
	}
	next := b.paid.Add(b.every)
	if next.After(now) {
		return false
	}
	b.paid = next
	return true
}
