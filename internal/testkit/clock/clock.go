// Package clock holds a clock that tests set. Only test files import it.
package clock

import (
	"sync"
	"time"
)

// Clock is a clock that a test sets. It does not move by itself.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// New returns a clock that shows noon of a Tuesday, UTC.
func New() *Clock { return At(time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)) }

// At returns a clock that shows a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
