package httpapi

import (
	"cmp"
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
	"parley/internal/tracing"
)

// recorder is the response writer of an API. It collects what the log record of the request needs.
type recorder struct {
	http.ResponseWriter
	id            string
	start         time.Time
	route         string
	account       string
	callerKind    CallerKind // empty where nobody asks for it
	status        int
	bytes         int64
	streamed      bool
	countedStream bool // is counted in Observer.OpenStreams
	span          *tracing.Span
	observer      *Observer
	code          parley.Code
	failure       error
	ctx           context.Context // the request's
	conn          *listen.Conn    // nil for a request within the process
	isSpareConn   bool            // the connection is one of the last that the listener has
	bodyUnread    bool            // the body has not been read to its end
	following     *following      // the stream that is sent after the handler; nil for none
	isDetached    bool            // net/http has nothing to do with the response any more
}

func newRecorder(w http.ResponseWriter, r *http.Request, now time.Time) *recorder {
	rec := newBareRecorder(w, r)
	rec.id, rec.start = parley.NewUUID(), now
	return rec
}

// newBareRecorder returns a recorder for a response that is not logged.
func newBareRecorder(w http.ResponseWriter, r *http.Request) *recorder {
	conn := listen.FromContext(r.Context())
	conn.Serve(r)
	return &recorder{ResponseWriter: w, ctx: r.Context(), conn: conn, isSpareConn: conn.IsSpare(),
		bodyUnread: r.ContentLength != 0}
}

// statusClientGone is logged when the client went away before it was answered. It is never sent.
const statusClientGone = 499

// isClientGone reports whether err only means that the client is gone. A client that has closed its half of the
// connection is not gone.
func (rec *recorder) isClientGone(err error) bool {
	return errors.Is(err, context.Canceled) && rec.ctx.Err() != nil
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func (rec *recorder) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		rec.ResponseWriter.WriteHeader(status) // an informational response
		return
	}
	if rec.status == 0 {
		rec.status = status
		if rec.bodyUnread || rec.isSpareConn {
			rec.Header().Set("Connection", "close") // the rest of the body is not read
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

// finish answers a panic and logs the request. A response that had begun when the handler panicked is cut off, so
// that the client does not take a part for the whole. So is one that has not begun, which net/http would turn into
// a success.
func (a *API) finish(rec *recorder, r *http.Request) {
	if rec.isDetached {
		return
	}
	var stack []byte
	p := recover()
	started := rec.status != 0
	if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http compares it
		stack = debug.Stack()
		a.writeError(rec, fmt.Errorf("panic: %v", p))
	}
	a.Observer.requestEnded(rec, r.Method, a.Now)
	a.logRequest(rec, r.Method, stack)
	if p != nil && started || rec.status == 0 || rec.status == statusClientGone {
		panic(http.ErrAbortHandler)
	}
	if rec.bodyUnread {
		rec.linger(r)
	}
}

func (a *API) logRequest(rec *recorder, method string, stack []byte) {
	level := slog.LevelInfo
	if rec.status >= 500 || stack != nil {
		level = slog.LevelError
	}
	if !a.Logger.Enabled(rec.ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs, slog.String("request", rec.id), slog.String("method", method), slog.String("route", rec.route),
		slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes),
		slog.Float64("ms", float64(a.Now().Sub(rec.start).Microseconds())/1000))
	if rec.callerKind != "" {
		attrs = append(attrs, slog.String("caller", string(rec.callerKind)))
	}
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
	a.Logger.LogAttrs(rec.ctx, level, "request", attrs...)
}

// failureCause returns the chain of errors behind a failure, for the operator; empty for a refusal without a cause.
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

// Observer observes the requests of one or more APIs. A nil *Observer does nothing.
type Observer struct {
	OpenStreams atomic.Int64 // streams of server-sent events that are open

	// OnResponse is called at the end of each response. The route is the pattern of its path; "/" or "" stands for
	// unknown paths. It must not block. May be nil.
	OnResponse func(method, route string, status int, duration time.Duration)

	Tracer *tracing.Tracer // begins the traces of requests; nil for none
}

// startSpan begins the trace of a request, and returns the request with it.
func (o *Observer) startSpan(rec *recorder, r *http.Request) *http.Request {
	if o == nil || o.Tracer == nil {
		return r
	}
	if rec.span = o.Tracer.StartRequest(r); rec.span == nil {
		return r
	}
	rec.span.Set(tracing.RequestID, rec.id)
	return r.WithContext(tracing.WithSpan(r.Context(), rec.span))
}

func (rec *recorder) endSpan(method string) {
	if rec.span == nil {
		return
	}
	rec.span.SetName(method + " " + rec.route)
	rec.span.Set(tracing.HTTPRoute, rec.route)
	rec.span.Set(tracing.HTTPStatus, rec.status)
	if rec.status >= http.StatusInternalServerError {
		rec.span.Fail(cmp.Or(string(rec.code), "panic"))
	}
	rec.span.End()
}

func (o *Observer) streamOpened(rec *recorder) {
	if o != nil && !rec.countedStream {
		rec.countedStream = true
		o.OpenStreams.Add(1)
	}
}

func (o *Observer) requestEnded(rec *recorder, method string, now func() time.Time) {
	rec.endSpan(method)
	if o == nil {
		return
	}
	if rec.countedStream {
		o.OpenStreams.Add(-1)
	}
	if o.OnResponse != nil {
		o.OnResponse(method, rec.route, rec.status, now().Sub(rec.start))
	}
}

// How long a client may go on sending its body after it has been answered.
const (
	lingerIdleTimeout = 2 * time.Second // without a byte
	lingerTimeout     = 10 * time.Second
)

// linger sends the response to a request whose body has not been read, and ends the connection. It goes on reading
// for a while, because a client that finds the connection closed while it is sending loses the response.
func (rec *recorder) linger(r *http.Request) {
	rc := http.NewResponseController(rec.ResponseWriter)
	_ = rc.SetReadDeadline(deadlineIn(lingerIdleTimeout)) // fails only in tests, whose writers have no deadlines
	if rec.conn == nil || rec.Header().Get("Content-Length") == "" {
		return // net/http ends the response
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

// PlainHandler returns a handler for what is not an operation. It adds to h what every response needs: the
// Content-Type is not guessed, each write has a deadline, a request with two lengths is refused, and an unread body
// does not hold up the response.
func PlainHandler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := newBareRecorder(w, r)
		rec.servePlain(h, r)
		if rec.bodyUnread {
			rec.linger(r)
		}
	})
}

// LoggedHandler is PlainHandler whose requests are logged as those of operations are. The route in the record is the
// same for all paths of the handler.
func LoggedHandler(route string, h http.Handler, now func() time.Time, logger *slog.Logger) http.Handler {
	a := &API{Config: Config{Now: now, Logger: logger}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := newRecorder(w, r, now())
		rec.route = route
		rec.Header().Set("X-Request-Id", rec.id)
		rec.servePlain(h, rec.withOrigin(r))
		rec.status = cmp.Or(rec.status, http.StatusOK) // which net/http sends where a handler sends nothing
		a.logRequest(rec, r.Method, nil)
		if rec.bodyUnread {
			rec.linger(r)
		}
	})
}

// withOrigin returns the request with its id, for what is recorded of it.
func (rec *recorder) withOrigin(r *http.Request) *http.Request {
	origin := parley.OriginOf(r.Context())
	origin.RequestID = rec.id
	return r.WithContext(parley.WithOrigin(r.Context(), origin))
}

func (rec *recorder) servePlain(h http.Handler, r *http.Request) {
	setNoSniff(rec.Header())
	if rec.conn.HasAmbiguousLength(r) {
		http.Error(rec, twoLengthsMessage, http.StatusBadRequest)
		return
	}
	h.ServeHTTP(deadlineWriter{rec}, r)
}

// setNoSniff forbids browsers to guess the type of a response.
func setNoSniff(h http.Header) { h.Set("X-Content-Type-Options", "nosniff") }

const twoLengthsMessage = "A request has Content-Length or Transfer-Encoding, and not both."
