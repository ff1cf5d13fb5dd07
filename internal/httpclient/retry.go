package httpclient

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// DefaultBackoff is the wait before the first retry where none is set.
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
