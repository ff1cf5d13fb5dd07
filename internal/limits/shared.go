package limits

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"sync/atomic"
	"time"

	"parley/internal/bus"
)

const (
	callTime   = 50 * time.Millisecond // that a request waits for the counter
	retryPause = time.Second           // between attempts while the counter does not answer
)

// Shared is what limiters of several servers count with. While its counter does not answer each server counts for
// itself, and so does one whose Shared is nil: no request is refused for lack of a counter.
type Shared struct {
	counter bus.Counter
	key     []byte
	logger  *slog.Logger
	timeout time.Duration // of a call

	retryAt atomic.Int64 // nanoseconds since 1970; 0 while the counter answers
}

// NewShared returns what limiters count with. The counter sees hashes with the key in place of addresses and names.
func NewShared(counter bus.Counter, key []byte, logger *slog.Logger) *Shared {
	return &Shared{counter: counter, key: key, logger: logger, timeout: callTime}
}

// Rule is what is counted: at most so many uses in a window. Its name and its window tell it apart from other ones.
type Rule struct {
	Name   string
	Limit  int
	Window time.Duration
}

// keyOf returns the name that the counter has for a key.
func (s *Shared) keyOf(r Rule, key string) string {
	hash := hmac.New(sha256.New, s.key)
	_, _ = hash.Write([]byte(r.Name + "\x00" + r.Window.String() + "\x00" + key)) // never fails
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}

// Take counts a use of the key. ok is false if the counter has not answered.
func (s *Shared) Take(r Rule, key string, now time.Time) (t bus.Tally, ok bool) {
	ok = s.call(now, func(ctx context.Context) (err error) {
		t, err = s.counter.Take(ctx, s.keyOf(r, key), r.Limit, r.Window)
		return err
	})
	return t, ok
}

// Peek returns what was counted of the key. ok is false if the counter has not answered.
func (s *Shared) Peek(r Rule, key string, now time.Time) (t bus.Tally, ok bool) {
	ok = s.call(now, func(ctx context.Context) (err error) {
		t, err = s.counter.Peek(ctx, s.keyOf(r, key), r.Window)
		return err
	})
	return t, ok
}

// TakeBack has the counter forget the latest use of the key, or all of them.
func (s *Shared) TakeBack(r Rule, key string, all bool, now time.Time) {
	s.call(now, func(ctx context.Context) error { return s.counter.TakeBack(ctx, s.keyOf(r, key), all) })
}

// call calls the counter and reports whether it has answered. While it does not answer it is tried once in a while, by
// one request.
func (s *Shared) call(now time.Time, ask func(context.Context) error) bool {
	if s == nil {
		return false
	}
	retryAt := s.retryAt.Load()
	if retryAt != 0 && !s.isAttempt(retryAt, now) {
		return false
	}
	ctx, stop := context.WithTimeout(context.Background(), s.timeout)
	defer stop()
	err := ask(ctx)
	switch {
	case err != nil:
		if s.retryAt.Swap(now.Add(retryPause).UnixNano()) == 0 {
			s.logger.Warn("limits are counted by this server alone", "err", err)
		}
	case retryAt != 0:
		s.retryAt.Store(0)
		s.logger.Info("limits are counted by all servers together again")
	}
	return err == nil
}

// isAttempt reports whether a request is to try the counter again: the first one after the pause. A clock that was set
// back does not lengthen the pause.
func (s *Shared) isAttempt(retryAt int64, now time.Time) bool {
	wait := time.Duration(retryAt - now.UnixNano())
	if 0 < wait && wait <= retryPause {
		return false
	}
	return s.retryAt.CompareAndSwap(retryAt, now.Add(retryPause).UnixNano())
}
