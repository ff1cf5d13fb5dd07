package llm

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
	retries       = 2
	maxRetryAfter = 5 * time.Second
)

// call is one HTTP exchange with the provider. Its timer runs only while a read waits, so a slow consumer is not silence.
type call struct {
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	wait   time.Duration // longest silence of the next read
	idle   time.Duration // of those after the first byte
	body   io.ReadCloser
}

// open asks until the provider accepts; it repeats what a repetition can cure.
func (o *OpenAI) open(ctx context.Context, req Request) (*call, error) {
	for attempt, amended := 0, 0; ; {
		h := o.habits.of(req.Model)
		body, err := o.spoken().encode(req, h)
		if err != nil {
			return nil, err
		}
		c, err := o.try(ctx, body)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		if amended < 3 && o.habits.learn(req.Model, h, err) {
			amended++
			continue
		}
		if attempt == retries {
			return nil, err
		}
		pause, again := o.pause(attempt, err)
		if !again {
			return nil, err
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (o *OpenAI) try(parent context.Context, body []byte) (*call, error) {
	c := &call{parent: parent, wait: o.firstByte(), idle: o.idle()}
	c.ctx, c.cancel = context.WithCancelCause(parent)
	c.timer = time.AfterFunc(c.wait, func() { c.cancel(errSilent) })
	resp, err := o.send(c.ctx, body) //nolint:bodyclose // the call closes it, here or when it has been read
	c.timer.Stop()
	if err != nil {
		err = c.reason(err)
		c.cancel(nil)
		return nil, err
	}
	c.body = resp.Body
	if resp.StatusCode == http.StatusOK {
		return c, nil
	}
	defer c.close()
	c.wait, c.idle = afterFinish, afterFinish
	text, _ := io.ReadAll(io.LimitReader(c, maxHeard))
	return nil, &refusal{status: resp.StatusCode, body: text, after: retryAfter(resp.Header)}
}

func (o *OpenAI) send(ctx context.Context, body []byte) (*http.Response, error) {
	held := &prompt{}
	held.text.Store(&body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.endpoint(), held.reader())
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return held.reader(), nil }
	defer held.drop()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	r.Header.Set("User-Agent", "parley")
	o.spoken().sign(r.Header, o.Key)
	return o.pool().Do(r)
}

// prompt is the body of a request. The HTTP client keeps the request as long as the answer streams; the prompt, which is the
// bulk of it, goes once the answer begins.
type prompt struct{ text atomic.Pointer[[]byte] }

func (p *prompt) reader() io.ReadCloser { return &promptReader{of: p} }

// drop may come while a client still sends: a provider that answers at once does not wait for the rest.
func (p *prompt) drop() { p.text.Store(new([]byte)) }

type promptReader struct {
	of *prompt
	at int
}

// Read implements io.Reader.
func (r *promptReader) Read(b []byte) (int, error) {
	text := *r.of.text.Load()
	if r.at >= len(text) {
		return 0, io.EOF
	}
	n := copy(b, text[r.at:])
	r.at += n
	return n, nil
}

// Close implements io.Closer.
func (r *promptReader) Close() error { return nil }

// Read implements io.Reader; a read that waits too long ends the whole call.
func (c *call) Read(p []byte) (int, error) {
	c.timer.Reset(c.wait)
	n, err := c.body.Read(p)
	c.timer.Stop()
	if n > 0 {
		c.wait = c.idle
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = c.reason(err)
	}
	return n, err
}

// given reports whether the caller itself gave up.
func (c *call) given() bool { return c.parent.Err() != nil }

func (c *call) reason(err error) error {
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	return err
}

func (c *call) close() {
	c.timer.Stop()
	c.body.Close()
	c.cancel(nil)
}

// pause tells how long to wait before the next attempt, or that there shall be none.
func (o *OpenAI) pause(attempt int, err error) (time.Duration, bool) {
	wait := o.backoff()
	for range attempt {
		wait *= 3
	}
	wait = wait/2 + rand.N(wait)
	var e *refusal
	switch {
	case !errors.As(err, &e):
		return wait, !errors.Is(err, errSilent)
	case e.after > maxRetryAfter || e.status != http.StatusTooManyRequests && e.status < 500:
		return 0, false
	}
	return max(wait, e.after), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func retryAfter(h http.Header) time.Duration {
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
