package rig

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what should come at once.
const Patience = 20 * time.Second

// Eventually waits until done is true.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for tick := time.NewTicker(5 * time.Millisecond); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, Patience)
		}
	}
}
