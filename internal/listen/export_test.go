package listen

import (
	"testing"
	"time"
)

// ShortenWrites returns clients less time to take in an answer.
func ShortenWrites(t *testing.T, d time.Duration) {
	t.Helper()
	before := writeTime
	t.Cleanup(func() { writeTime = before })
	writeTime = d
}
