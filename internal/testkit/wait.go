package testkit

import (
	"testing"
	"time"
)

// WaitTimeout is how long a test waits for something that should happen at once.
const WaitTimeout = 20 * time.Second

// Eventually waits until done returns true.
func Eventually(t testing.TB, condition string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(WaitTimeout)
	for tick := time.NewTicker(5 * time.Millisecond); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", condition, WaitTimeout)
		}
	}
}
