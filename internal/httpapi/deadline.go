package httpapi

import (
	"net/http"
	"time"
)

// deadlineIn returns the time d from now by the machine's clock, which the kernel uses for deadlines of
// connections. The clock of a test must not move them.
func deadlineIn(d time.Duration) time.Time { return time.Now().Add(d) }

// writeTimeout is how long a client may take to accept what is written to it.
const writeTimeout = 30 * time.Second

// setWriteDeadline sets the deadline of the next writes. It fails only in tests, whose writers have no deadlines.
func setWriteDeadline(rc *http.ResponseController) { _ = rc.SetWriteDeadline(deadlineIn(writeTimeout)) }

// clearWriteDeadline removes the deadline. net/http would leave it on a reused connection, where it would cut the
// next response.
func clearWriteDeadline(rc *http.ResponseController) { _ = rc.SetWriteDeadline(time.Time{}) }
