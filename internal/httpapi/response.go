package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"parley"
)

// Envelope is the body of a failure in REST v2.
type Envelope struct {
	Error Failure `json:"error"`
}

// Failure describes a failure.
type Failure struct {
	Code    parley.Code       `json:"code" doc:"Machine-readable name of the failure."`
	Message string            `json:"message" doc:"What went wrong, for people."`
	Details map[string]string `json:"details,omitempty" doc:"What is wrong, by field."`
}

// RenderEnvelope renders a failure for REST v2.
func RenderEnvelope(e *parley.Error) (int, any) {
	return e.Code.Status(), Envelope{Failure{Code: e.Code, Message: e.Message, Details: e.Details}}
}

// netHTTPBufferBytes is the size of a response that net/http buffers without waiting for the client.
const netHTTPBufferBytes = 2048

// writeJSON writes v as the response.
func (rec *recorder) writeJSON(status int, v any) error {
	buf := getBuffer()
	defer putBuffer(buf)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	h := rec.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	rec.WriteHeader(status)
	if buf.Len() > netHTTPBufferBytes {
		rc := http.NewResponseController(rec)
		setWriteDeadline(rc)
		defer clearWriteDeadline(rc)
	}
	if _, err := rec.Write(buf.Bytes()); err != nil {
		rec.failure = err // the client is gone
	}
	return nil
}

// writeError sends a failure. If the response has begun, the failure is only logged. If the client is gone, nothing
// is sent: finish cuts the connection.
func (a *API) writeError(rec *recorder, err error) {
	if rec.status == 0 && rec.isClientGone(err) {
		rec.status = statusClientGone
		return
	}
	e := parley.AsError(err)
	rec.failure, rec.code = err, e.Code
	if rec.status != 0 {
		return
	}
	status, body := a.RenderError(e)
	if wait := e.RetryAfter; wait > 0 || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		rec.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	}
	if status == http.StatusTooManyRequests {
		setLimitReachedHeaders(rec.Header(), e, a.Now())
	}
	if status == http.StatusUnauthorized {
		rec.Header().Set("WWW-Authenticate", a.challenge())
	}
	if err := rec.writeJSON(status, body); err != nil {
		rec.failure = errors.Join(rec.failure, err)
	}
}

// challenge returns what a 401 says of how callers show who they are.
func (a *API) challenge() string {
	challenge := `Bearer realm="parley"`
	if a.Scheme != nil {
		challenge = a.Scheme.Name + ` realm="parley"`
	}
	if a.Challenge != "" {
		challenge += ", " + a.Challenge
	}
	return challenge
}

// The headers that tell the rate limit. A client reads all three of every response that it may count.
const (
	HeaderRateLimit     = "X-RateLimit-Limit"
	HeaderRateRemaining = "X-RateLimit-Remaining"
	HeaderRateReset     = "X-RateLimit-Reset"
)

// RateHeaders are the names of the headers that tell the rate limit.
var RateHeaders = []string{HeaderRateLimit, HeaderRateRemaining, HeaderRateReset}

// setHeaders sets the three headers of the rate limit. The reset is a time in epoch seconds, rounded up so that a
// client that waits for it has waited long enough.
func (r Rate) setHeaders(h http.Header) {
	h.Set(HeaderRateLimit, strconv.Itoa(r.Limit))
	h.Set(HeaderRateRemaining, strconv.Itoa(r.Remaining))
	h.Set(HeaderRateReset, strconv.FormatInt(r.Reset.Add(time.Second-1).Unix(), 10))
}

// setLimitReachedHeaders sets the headers for the limit that refused the request, which may be a different one than
// that of requests. Nothing remains of it until the caller may try again.
func setLimitReachedHeaders(h http.Header, e *parley.Error, now time.Time) {
	if e.Limit > 0 {
		h.Set(HeaderRateLimit, strconv.Itoa(e.Limit))
	}
	h.Set(HeaderRateRemaining, "0")
	h.Set(HeaderRateReset, strconv.FormatInt(now.Add(max(time.Second, e.RetryAfter)+time.Second-1).Unix(), 10))
}

// Delegate has h answer the request, with body as its body: h writes status, headers and body itself, and the
// handler then returns nil. It is for protocols with their own form of results and failures.
func (c *Call) Delegate(ctx context.Context, h http.Handler, body []byte) {
	c.rec.streamed = true
	r := c.Request.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	h.ServeHTTP(deadlineWriter{c.rec}, r)
}

// deadlineWriter sets a deadline for each write: the first may come late, but no write may wait for the client for
// long.
type deadlineWriter struct{ *recorder }

func (w deadlineWriter) Write(b []byte) (int, error) {
	setWriteDeadline(http.NewResponseController(w.recorder))
	n, err := w.recorder.Write(b)
	if err != nil {
		w.failure = err
	}
	return n, err
}
