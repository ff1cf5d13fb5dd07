package httpclient

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errorBodyTimeout is the longest silence inside the body of a refusal.
const errorBodyTimeout = 2 * time.Second

// Response is an answer that is being read. Its timer runs only while a read waits, so a slow consumer is not taken for
// a silent provider.
type Response struct {
	Header http.Header

	parent      context.Context
	ctx         context.Context
	cancel      context.CancelCauseFunc
	timer       *time.Timer
	readTimeout time.Duration // longest silence of the next read
	idleTimeout time.Duration // of the reads after the first byte
	body        io.ReadCloser
}

// Send sends the request once and returns the answer if its status is 200, else a *StatusError.
func (c *Client) Send(parent context.Context, req Request) (*Response, error) {
	r := &Response{
		parent:      parent,
		readTimeout: cmp.Or(c.FirstByteTimeout, req.FirstByteTimeout),
		idleTimeout: cmp.Or(c.IdleTimeout, req.IdleTimeout),
	}
	r.ctx, r.cancel = context.WithCancelCause(parent)
	r.timer = time.AfterFunc(r.readTimeout, func() { r.cancel(ErrProviderSilent) })
	resp, err := c.post(r.ctx, req) //nolint:bodyclose // the response closes it, here or when it has been read
	r.timer.Stop()
	if err != nil {
		err = r.causeOf(err)
		r.cancel(nil)
		return nil, err
	}
	r.body, r.Header = resp.Body, resp.Header
	if resp.StatusCode == http.StatusOK {
		return r, nil
	}
	defer r.Close()
	r.SetReadTimeout(errorBodyTimeout)
	return nil, newStatusError(resp, r)
}

// Read implements io.Reader; a read that waits too long ends the whole call.
func (r *Response) Read(p []byte) (int, error) {
	r.timer.Reset(r.readTimeout)
	n, err := r.body.Read(p)
	r.timer.Stop()
	if n > 0 {
		r.readTimeout = r.idleTimeout
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.causeOf(err)
	}
	return n, err
}

// SetReadTimeout sets the longest silence of all further reads.
func (r *Response) SetReadTimeout(d time.Duration) { r.readTimeout, r.idleTimeout = d, d }

// IsCallerGone reports whether the caller's context has ended.
func (r *Response) IsCallerGone() bool { return r.parent.Err() != nil }

// Close ends the call.
func (r *Response) Close() {
	r.timer.Stop()
	r.body.Close()
	r.cancel(nil)
}

func (r *Response) causeOf(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	return err
}
