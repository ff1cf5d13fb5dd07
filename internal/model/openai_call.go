package model

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	maxRetries    = 2
	maxRetryAfter = 5 * time.Second
)

// providerCall is one HTTP exchange with the provider. Its timer runs only while a read waits, so a slow consumer is not silence.
type providerCall struct {
	parent      context.Context
	ctx         context.Context
	cancel      context.CancelCauseFunc
	timer       *time.Timer
	readTimeout time.Duration // longest silence of the next read
	idleTimeout time.Duration // of those after the first byte
	body        io.ReadCloser
}

// callProvider asks until the provider accepts; it repeats what a repetition can cure.
func (o *OpenAI) callProvider(ctx context.Context, req Request) (*providerCall, error) {
	for attempt, amended := 0, 0; ; {
		h := o.quirks.forModel(req.Model)
		body, err := o.formatOrDefault().encode(req, h)
		if err != nil {
			return nil, err
		}
		c, err := o.tryOnce(ctx, body)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		if amended < 3 && o.quirks.learnFromError(req.Model, h, err) {
			amended++
			continue
		}
		if attempt == maxRetries {
			return nil, err
		}
		pause, again := o.retryDelay(attempt, err)
		if !again {
			return nil, err
		}
		if err := sleepContext(ctx, pause); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (o *OpenAI) tryOnce(parent context.Context, body []byte) (*providerCall, error) {
	c := &providerCall{parent: parent, readTimeout: o.firstByteTimeout(), idleTimeout: o.idleTimeout()}
	c.ctx, c.cancel = context.WithCancelCause(parent)
	c.timer = time.AfterFunc(c.readTimeout, func() { c.cancel(errProviderSilent) })
	resp, err := o.send(c.ctx, body) //nolint:bodyclose // the call closes it, here or when it has been read
	c.timer.Stop()
	if err != nil {
		err = c.causeOf(err)
		c.cancel(nil)
		return nil, err
	}
	c.body = resp.Body
	if resp.StatusCode == http.StatusOK {
		return c, nil
	}
	defer c.close()
	c.readTimeout, c.idleTimeout = finishTimeout, finishTimeout
	text, _ := io.ReadAll(io.LimitReader(c, maxErrorBodyBytes))
	return nil, &statusError{status: resp.StatusCode, body: text, retryAfter: parseRetryAfter(resp.Header)}
}

func (o *OpenAI) send(ctx context.Context, body []byte) (*http.Response, error) {
	requestBody := &releasableBody{}
	requestBody.data.Store(&body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.endpoint(), requestBody.newReader())
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return requestBody.newReader(), nil }
	defer requestBody.release()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	r.Header.Set("User-Agent", "parley")
	o.formatOrDefault().setHeaders(r.Header, o.Key)
	return o.httpClient().Do(r)
}

// releasableBody is the body of a request. The HTTP client keeps the request as long as the answer streams; the prompt, which is the
// bulk of it, goes once the answer begins.
type releasableBody struct{ data atomic.Pointer[[]byte] }

func (p *releasableBody) newReader() io.ReadCloser { return &releasableBodyReader{body: p} }

// release may come while a client still sends: a provider that answers at once does not wait for the rest.
func (p *releasableBody) release() { p.data.Store(new([]byte)) }

type releasableBodyReader struct {
	body   *releasableBody
	offset int
}

// Read implements io.Reader.
func (r *releasableBodyReader) Read(b []byte) (int, error) {
	text := *r.body.data.Load()
	if r.offset >= len(text) {
		return 0, io.EOF
	}
	n := copy(b, text[r.offset:])
	r.offset += n
	return n, nil
}

// Close implements io.Closer.
func (r *releasableBodyReader) Close() error { return nil }

// Read implements io.Reader; a read that waits too long ends the whole call.
func (c *providerCall) Read(p []byte) (int, error) {
	c.timer.Reset(c.readTimeout)
	n, err := c.body.Read(p)
	c.timer.Stop()
	if n > 0 {
		c.readTimeout = c.idleTimeout
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = c.causeOf(err)
	}
	return n, err
}

// isCallerGone reports whether the caller itself gave up.
func (c *providerCall) isCallerGone() bool { return c.parent.Err() != nil }

func (c *providerCall) causeOf(err error) error {
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	return err
}

func (c *providerCall) close() {
	c.timer.Stop()
	c.body.Close()
	c.cancel(nil)
}

// retryDelay tells how long to wait before the next attempt, or that there shall be none.
func (o *OpenAI) retryDelay(attempt int, err error) (time.Duration, bool) {
	wait := o.retryBackoff()
	for range attempt {
		wait *= 3
	}
	wait = wait/2 + rand.N(wait)
	var e *statusError
	switch {
	case !errors.As(err, &e):
		return wait, !errors.Is(err, errProviderSilent)
	case e.retryAfter > maxRetryAfter || e.status != http.StatusTooManyRequests && e.status < 500:
		return 0, false
	}
	return max(wait, e.retryAfter), true
}

func sleepContext(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func parseRetryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	then, err1 := http.ParseTime(v)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err1 == nil && err2 == nil {
		return max(0, then.Sub(now))
	}
	return 0
}
