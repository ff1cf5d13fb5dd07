package access_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/bus"
	"parley/internal/limits"
	"parley/internal/testkit/clock"
)

// memoryCounter counts for servers of one process, by the clock of a test.
type memoryCounter struct {
	*clock.Clock

	mu   sync.Mutex
	uses map[string][]time.Time
	err  error
}

func (m *memoryCounter) Take(_ context.Context, key string, limit int, window time.Duration) (bus.Tally, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally(key, window)
	if m.err == nil && t.Uses < limit {
		m.uses[key] = append(m.uses[key], m.Now())
		t = m.tally(key, window)
		t.IsTaken = true
	}
	return t, m.err
}

func (m *memoryCounter) Peek(_ context.Context, key string, window time.Duration) (bus.Tally, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tally(key, window), m.err
}

func (m *memoryCounter) TakeBack(_ context.Context, key string, all bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.uses[key]); n > 0 && !all {
		m.uses[key] = m.uses[key][:n-1]
	} else {
		delete(m.uses, key)
	}
	return m.err
}

func (m *memoryCounter) tally(key string, window time.Duration) (t bus.Tally) {
	list := m.uses[key]
	for len(list) > 0 && m.Now().Sub(list[0]) >= window {
		list = list[1:]
	}
	m.uses[key] = list
	if t.Uses = len(list); t.Uses > 0 {
		t.Oldest, t.Latest = m.Now().Sub(list[0]), m.Now().Sub(list[t.Uses-1])
	}
	return t
}

// newThrottles returns the throttles of two servers that count together.
func newThrottles() (counter *memoryCounter, a, b *access.SignInThrottle) {
	counter = &memoryCounter{Clock: clock.At(testTime), uses: map[string][]time.Time{}}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return counter, &access.SignInThrottle{Shared: limits.NewShared(counter, nil, quiet)},
		&access.SignInThrottle{Shared: limits.NewShared(counter, nil, quiet)}
}

// TestServersCountGuessesTogether checks that a second server leaves no more guesses than one, and that a success on
// one of them counts on the other.
func TestServersCountGuessesTogether(t *testing.T) {
	counter, a, b := newThrottles()
	guess := func(throttle *access.SignInThrottle, email string) (*access.SignInAttempt, time.Duration) {
		attempt, err := throttle.Begin(email, "192.0.2.1", counter.Now())
		if err == nil {
			return attempt, 0
		}
		return nil, parley.AsError(err).RetryAfter
	}
	for i := range 5 {
		if _, wait := guess([]*access.SignInThrottle{a, b}[i%2], "kim@shop.example"); wait != 0 {
			t.Fatal("a free guess waits", wait)
		}
	}
	for _, throttle := range []*access.SignInThrottle{a, b} {
		if _, wait := guess(throttle, "kim@shop.example"); wait != time.Minute {
			t.Error("after five guesses on two servers one waits", wait)
		}
	}
	counter.Advance(time.Minute)
	attempt, wait := guess(b, "kim@shop.example")
	if wait != 0 {
		t.Fatal("after the wait one waits", wait)
	}
	attempt.Succeed()
	for i := range 3 {
		if _, wait := guess(b, "kim@shop.example"); wait != 0 {
			t.Error("after a success one waits", i, wait)
		}
	}
	n := 0
	for i := range 100 {
		if _, wait := guess([]*access.SignInThrottle{a, b}[i%2], fmt.Sprintf("u%d@x.example", i)); wait == 0 {
			n++
		}
	}
	if n != 50-5-3 {
		t.Errorf("%d more guesses from an address on two servers", n)
	}
}

// TestGuessesAreCountedWithoutACounter checks that each server limits guesses while there is no counter, and that
// nobody has to wait for lack of one.
func TestGuessesAreCountedWithoutACounter(t *testing.T) {
	counter, a, b := newThrottles()
	counter.err = errors.New("away")
	for _, throttle := range []*access.SignInThrottle{a, b} {
		for i := range 6 {
			_, err := throttle.Begin("kim@shop.example", "192.0.2.1", counter.Now())
			if (err == nil) != (i < 5) {
				t.Errorf("guess %d: %v", i, err)
			}
		}
	}
}
