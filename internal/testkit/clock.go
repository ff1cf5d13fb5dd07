package testkit

import (
	"sync"
	"testing"
	"time"
)

// Clock is a clock that a test sets. It does not move by itself.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows noon of a Tuesday, UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)} }

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

// WaitTimeout is how long a test waits for what should come at once.
const WaitTimeout = 20 * time.Second

// Eventually waits until done is true.
func Eventually(t testing.TB, condition string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(WaitTimeout)
	for tick := time.NewTicker(5 * time.Millisecond); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", condition, WaitTimeout)
		}
	}
}
