package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// Delegate has h answer the request, with body as its body: h writes status, headers and body itself. The handler then returns
// nil. It is for protocols that have words of their own for results and failures.
func (c *Call) Delegate(ctx context.Context, h http.Handler, body []byte) {
	c.rec.streamed = true
	r := c.Request.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	h.ServeHTTP(deadlineWriter{c.rec}, r)
}

// deadlineWriter bounds each write for itself: the first may come late, but none may wait for the client for long.
type deadlineWriter struct{ *recorder }

func (w deadlineWriter) Write(b []byte) (int, error) {
	setWriteDeadline(http.NewResponseController(w.recorder))
	n, err := w.recorder.Write(b)
	if err != nil {
		w.failure = err
	}
	return n, err
}
