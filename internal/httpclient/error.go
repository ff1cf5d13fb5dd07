package httpclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
)

const (
	// MaxCauseBytes bounds the text of a cause that is kept for the log.
	MaxCauseBytes = 2 << 10

	// MaxErrorBodyBytes bounds what is read of a provider's error: more than is kept, so that no key is cut before it
	// is recognised.
	MaxErrorBodyBytes = 8 << 10
)

// What can go wrong in a stream of any provider.
var (
	ErrConsumerStopped = errors.New("the consumer stopped")
	ErrProviderSilent  = errors.New("the provider was silent for too long")
	ErrStreamCut       = errors.New("the provider's stream ended in the middle of the answer")
	ErrLineTooLong     = errors.New("the provider sent a line that is too long")
	ErrStreamTooLong   = errors.New("the provider's stream does not end")
)

// StatusError is an answer whose status is not the one wanted.
type StatusError struct {
	Status     int
	Body       []byte // its beginning
	RetryAfter time.Duration
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the provider answered %d%s: %s", e.Status, statusHint(e.Status), bytes.TrimSpace(e.Body))
}

// NewStatusError returns the error that a response stands for; it reads the beginning of the body.
func NewStatusError(resp *http.Response) *StatusError { return newStatusError(resp, resp.Body) }

func newStatusError(resp *http.Response, body io.Reader) *StatusError {
	text, _ := io.ReadAll(io.LimitReader(body, MaxErrorBodyBytes)) // what there is of it is enough
	return &StatusError{Status: resp.StatusCode, Body: text, RetryAfter: parseRetryAfter(resp.Header)}
}

func statusHint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return " (is the model key right?)"
	case http.StatusNotFound:
		return " (are the model URL and the model's name right?)"
	}
	return ""
}

// IsRejectedInput reports whether the provider refused what was in the request.
func IsRejectedInput(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity}, e.Status)
}

// ProviderError is a failure that the provider reported inside its answer, or bytes of the answer that make no sense.
type ProviderError struct {
	problem string
	data    []byte
}

func (e *ProviderError) Error() string { return fmt.Sprintf("%s: %s", e.problem, e.data) }

// NewProviderError returns a *ProviderError with a copy of the beginning of data.
func NewProviderError(problem string, data []byte) error {
	return &ProviderError{problem: problem, data: bytes.Clone(data[:min(len(data), MaxErrorBodyBytes)])}
}

// redactedError is a cause whose text is fit for a log: short and valid, without the key.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// WithCause returns failure with err as its cause, from whose text the key is removed, and with the wait that the
// provider asked for.
func WithCause(failure *parley.Error, err error, key string) *parley.Error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if key != "" {
		text = strings.ReplaceAll(text, key, "***")
	}
	failure.Err = &redactedError{text: parley.ClipBytes(text, MaxCauseBytes), err: err}
	var e *StatusError
	if errors.As(err, &e) {
		failure.RetryAfter = e.RetryAfter
	}
	return failure
}

// DefaultBackoff is the wait before the first retry if none is set.
const DefaultBackoff = 200 * time.Millisecond

const maxRetryAfter = 5 * time.Second

// RetryDelay returns how long to wait before the next attempt, when the one of that number, from 0, has failed with
// err; about backoff after the first, and 200 ms where that is 0. It returns false when another attempt would not help.
func RetryDelay(backoff time.Duration, attempt int, err error) (time.Duration, bool) {
	wait := cmp.Or(backoff, DefaultBackoff)
	for range attempt {
		wait *= 3
	}
	wait = wait/2 + rand.N(wait)
	var e *StatusError
	switch {
	case !errors.As(err, &e):
		return wait, !errors.Is(err, ErrProviderSilent)
	case e.RetryAfter > maxRetryAfter || e.Status != http.StatusTooManyRequests && e.Status < 500:
		return 0, false
	}
	return max(wait, e.RetryAfter), true
}

// Sleep waits, or returns the cause when ctx ends first.
func Sleep(ctx context.Context, d time.Duration) error {
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
