package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/listen"
)

// recorder is the response writer of a face: it sees what the record of the request needs.
type recorder struct {
	http.ResponseWriter
	id            string
	start         time.Time
	route         string
	account       string
	status        int
	bytes         int64
	streamed      bool
	countedStream bool // it was counted as a stream of events
	observer      *Observer
	code          parley.Code
	failure       error
	ctx           context.Context // the request's
	conn          *listen.Conn    // nil for a request within the process
	isSpareConn   bool            // the connection is one of the last
	bodyUnread    bool            // there may be more of the body
}

func newRecorder(w http.ResponseWriter, r *http.Request, now time.Time) *recorder {
	rec := newBareRecorder(w, r)
	rec.id, rec.start = parley.NewUUID(), now
	return rec
}

// newBareRecorder returns a recorder of a response of which there is no record.
func newBareRecorder(w http.ResponseWriter, r *http.Request) *recorder {
	conn := listen.FromContext(r.Context())
	conn.Serve(r)
	return &recorder{ResponseWriter: w, ctx: r.Context(), conn: conn, isSpareConn: conn.IsSpare(), bodyUnread: r.ContentLength != 0}
}

// statusClientGone is what the record says of a client that went away before it was answered. It is never sent.
const statusClientGone = 499

// isClientGone reports that err only says that the client is no longer there. A client that has closed its half of the
// connection is there.
func (rec *recorder) isClientGone(err error) bool {
	return errors.Is(err, context.Canceled) && rec.ctx.Err() != nil
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func (rec *recorder) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		rec.ResponseWriter.WriteHeader(status) // the answer is yet to come
		return
	}
	if rec.status == 0 {
		rec.status = status
		if rec.bodyUnread || rec.isSpareConn {
			rec.Header().Set("Connection", "close") // nobody waits for the rest of the body
		}
		rec.ResponseWriter.WriteHeader(status)
	}
}

func (rec *recorder) Write(b []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	n, err := rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// finish answers a panic and writes the one record of the request. A response that had begun when the handler panicked is
// cut off, so that the client does not take half of it for all; and so is one that has not begun, of which net/http
// would make a success.
func (f *API) finish(rec *recorder, r *http.Request) {
	var stack []byte
	p := recover()
	started := rec.status != 0
	if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http compares it
		stack = debug.Stack()
		f.writeError(rec, fmt.Errorf("panic: %v", p))
	}
	f.Observer.requestEnded(rec, r.Method, f.Now)
	f.logRequest(rec, r, stack)
	if p != nil && started || rec.status == 0 || rec.status == statusClientGone {
		panic(http.ErrAbortHandler)
	}
	if rec.bodyUnread {
		rec.linger(r)
	}
}

func (f *API) logRequest(rec *recorder, r *http.Request, stack []byte) {
	level := slog.LevelInfo
	if rec.status >= 500 || stack != nil {
		level = slog.LevelError
	}
	if !f.Logger.Enabled(rec.ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 11)
	attrs = append(attrs, slog.String("request", rec.id), slog.String("method", r.Method), slog.String("route", rec.route),
		slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes), slog.Float64("ms", float64(f.Now().Sub(rec.start).Microseconds())/1000))
	if rec.account != "" {
		attrs = append(attrs, slog.String("account", rec.account))
	}
	if rec.code != "" {
		attrs = append(attrs, slog.String("code", string(rec.code)))
	}
	if cause := failureCause(rec.failure); cause != "" {
		attrs = append(attrs, slog.String("cause", cause))
	}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	f.Logger.LogAttrs(rec.ctx, level, "request", attrs...)
}

// failureCause returns the chain behind a failure, for the operator; a plain refusal has none.
func failureCause(err error) string {
	if err == nil {
		return ""
	}
	var e *parley.Error
	if errors.As(err, &e) && e.Err == nil {
		return ""
	}
	return err.Error()
}

// Observer is told of the requests of one or more faces. A nil one is told nothing.
type Observer struct {
	OpenStreams atomic.Int64 // streams of server-sent events that are open

	// Answered is told of each request when its answer has ended. The route is the pattern of its path; "/", or nothing, stands for paths
	// that lead nowhere. It must not wait. May be nil.
	OnResponse func(method, route string, status int, took time.Duration)
}

func (w *Observer) streamOpened(rec *recorder) {
	if w != nil && !rec.countedStream {
		rec.countedStream = true
		w.OpenStreams.Add(1)
	}
}

func (w *Observer) requestEnded(rec *recorder, method string, now func() time.Time) {
	if w == nil {
		return
	}
	if rec.countedStream {
		w.OpenStreams.Add(-1)
	}
	if w.OnResponse != nil {
		w.OnResponse(method, rec.route, rec.status, now().Sub(rec.start))
	}
}

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

// PlainHandler has h answer what is no operation, with what every answer needs: browsers keep to its Content-Type, each
// write is bounded, a request with two lengths is refused, and nobody waits for a body that is announced.
func PlainHandler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := newBareRecorder(w, r)
		keepType(rec.Header())
		if rec.conn.HasAmbiguousLength(r) {
			http.Error(rec, twoLengthsMessage, http.StatusBadRequest)
		} else {
			h.ServeHTTP(deadlineWriter{rec}, r)
		}
		if rec.bodyUnread {
			rec.linger(r)
		}
	})
}

// keepType forbids browsers to guess what an answer is: it is what its Content-Type says.
func keepType(h http.Header) { h.Set("X-Content-Type-Options", "nosniff") }

const twoLengthsMessage = "A request has Content-Length or Transfer-Encoding, and not both."
