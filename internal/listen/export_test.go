package listen

import (
	"testing"
	"time"
)

// ShortenWrites shortens the time that clients have to receive an answer.
func ShortenWrites(t *testing.T, d time.Duration) {
	t.Helper()
	previous := writeTime
	t.Cleanup(func() { writeTime = previous })
	writeTime = d
}
