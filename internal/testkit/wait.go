package testkit

import (
	"testing"

	"parley/internal/testkit/check"
)

// WaitTimeout is how long a test waits at most for something that should happen at once.
const WaitTimeout = check.WaitTimeout

// Eventually waits until done returns true.
func Eventually(t testing.TB, condition string, done func() bool) {
	t.Helper()
	check.Eventually(t, condition, done)
}
