package testkit

import (
	"sync"
	"time"
)

// Clock is a clock that a test can turn. Between turns it stands still.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that shows noon of a plain Tuesday, UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)} }

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance turns the clock on.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
