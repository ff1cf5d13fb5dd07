package httpapi

import (
	"net/http"
	"time"
)

// How long a client that was answered before it had sent all of its body may go on sending.
const (
	lingerIdleTimeout = 2 * time.Second // without a byte
	lingerTimeout     = 10 * time.Second
)

// linger sends the answer to a request whose body has not been read, and ends the connection. It reads for a while
// what the client still sends: one that meets a closed connection while it is sending loses the answer.
func (rec *recorder) linger(r *http.Request) {
	rc := http.NewResponseController(rec.ResponseWriter)
	_ = rc.SetReadDeadline(deadlineIn(lingerIdleTimeout)) // a writer that has no deadlines is a test's
	if rec.conn == nil || rec.Header().Get("Content-Length") == "" {
		return // net/http writes the end of the answer
	}
	setWriteDeadline(rc)
	if rc.Flush() != nil {
		return
	}
	rec.conn.Finish()
	buf := make([]byte, 16<<10)
	for until := deadlineIn(lingerTimeout); ; {
		if _, err := r.Body.Read(buf); err != nil {
			return
		}
		next := deadlineIn(lingerIdleTimeout)
		if next.After(until) {
			next = until
		}
		_ = rc.SetReadDeadline(next)
	}
}
