package wire

import (
	"net/http"
	"time"
)

// inTime gives the moment d from now on the machine's own clock. Deadlines of connections are the kernel's affair: a clock
// that a test turns must not move them.
func inTime(d time.Duration) time.Time { return time.Now().Add(d) }

// writeTime is the longest that a client may take to accept what is sent to it.
const writeTime = 30 * time.Second

// hurry bounds the writes that follow. A writer that knows no deadlines is a test's.
func hurry(rc *http.ResponseController) { _ = rc.SetWriteDeadline(inTime(writeTime)) }

// atEase takes the bound away: net/http leaves it on a connection that is kept, and the next response would meet it.
func atEase(rc *http.ResponseController) { _ = rc.SetWriteDeadline(time.Time{}) }
