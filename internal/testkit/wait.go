package testkit

import (
	"testing"
	"time"
)

// WaitTimeout is how long a test waits for something that should happen at once. It only guards against waiting
// without end: a busy machine takes long.
const WaitTimeout = time.Minute

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
