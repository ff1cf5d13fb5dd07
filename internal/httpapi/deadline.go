package httpapi

import (
	"net/http"
	"time"
)

// deadlineIn returns the moment d from now on the machine's own clock. Deadlines of connections are the kernel's affair: a clock
// that a test turns must not move them.
func deadlineIn(d time.Duration) time.Time { return time.Now().Add(d) }

// writeTimeout is the longest that a client may take to accept what is sent to it.
const writeTimeout = 30 * time.Second

// setWriteDeadline bounds the writes that follow. A writer that knows no deadlines is a test's.
func setWriteDeadline(rc *http.ResponseController) { _ = rc.SetWriteDeadline(deadlineIn(writeTimeout)) }

// clearWriteDeadline takes the bound away: net/http leaves it on a connection that is kept, and the next response would meet it.
func clearWriteDeadline(rc *http.ResponseController) { _ = rc.SetWriteDeadline(time.Time{}) }
