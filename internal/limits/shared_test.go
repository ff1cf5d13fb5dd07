package limits

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/bus"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/redisserver"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// logText is a log that is read while it is written.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

const (
	testWindow   = time.Hour
	aloneMessage = "limits are counted by this server alone"
	againMessage = "limits are counted by all servers together again"
)

// testServer is a server with limits that it shares with others.
type testServer struct {
	*Limiter
	log *logText
}

func newServer(counter bus.Counter, limit int) *testServer {
	log := &logText{}
	shared := NewShared(counter, []byte("key"), slog.New(slog.NewTextHandler(log, nil)))
	shared.timeout = check.WaitTimeout // the machine may be busy
	return &testServer{&Limiter{Name: "test", Limit: limit, Window: testWindow, Shared: shared}, log}
}

// newRedisServer is newServer with connections of its own to Redis.
func newRedisServer(t *testing.T, redis *redisserver.Server, limit int) *testServer {
	t.Helper()
	engine, err := bus.NewRedis(redis.URL, "parley.test")
	check.Must(t, err)
	t.Cleanup(engine.Close)
	return newServer(engine, limit)
}

// takeShared takes once the counter answers.
func (s *testServer) takeShared(t *testing.T, key string, now time.Time) RateState {
	t.Helper()
	check.Eventually(t, "a call of the counter", func() bool {
		if s.Peek(key, now); s.Shared.retryAt.Load() == 0 {
			return true
		}
		now = now.Add(retryPause)
		return false
	})
	return s.Take(key, now)
}

// TestServersShareALimit checks that two servers count together, and that states are those of one limiter.
func TestServersShareALimit(t *testing.T) {
	redis := redisserver.Start(t)
	a, b := newRedisServer(t, redis, 3), newRedisServer(t, redis, 3)
	one := a.takeShared(t, "key", testTime)
	two := b.takeShared(t, "key", testTime)
	three := a.Take("key", testTime)
	if !one.OK || !two.OK || !three.OK || one.Remaining != 2 || two.Remaining != 1 || three.Remaining != 0 {
		t.Fatalf("%+v, %+v, %+v", one, two, three)
	}
	for _, s := range []*testServer{a, b} {
		for _, state := range []RateState{s.Peek("key", testTime), s.Take("key", testTime), s.Peek("key", testTime)} {
			if state.OK || state.Remaining != 0 || state.Limit != 3 || state.RetryAfter <= 0 ||
				state.RetryAfter > testWindow || !state.Reset.Equal(testTime.Add(state.RetryAfter)) {
				t.Errorf("%+v", state)
			}
		}
		if state := s.Take("other", testTime); !state.OK {
			t.Errorf("keys share a window: %+v", state)
		}
	}
}

// TestNobodyIsRefusedWithoutRedis checks that servers whose Redis was killed count for themselves, say so once, and
// count together again when it is back.
func TestNobodyIsRefusedWithoutRedis(t *testing.T) {
	redis := redisserver.Start(t)
	a, b := newRedisServer(t, redis, 4), newRedisServer(t, redis, 4)
	now := testTime
	a.takeShared(t, "key", now)
	b.takeShared(t, "key", now)
	before := a.log.count(aloneMessage)
	redis.Kill()
	for _, s := range []*testServer{a, b} {
		for i := range 4 {
			now = now.Add(retryPause)
			if state := s.Take("key", now); state.OK != (i < 3) || state.Remaining != max(0, 2-i) {
				t.Errorf("request %d: %+v", i, state)
			}
		}
	}
	if n := a.log.count(aloneMessage) - before; n != 1 {
		t.Errorf("the log says %d times that Redis is away", n)
	}
	redis.Restart()
	after := a.log.count(againMessage)
	now = now.Add(2 * testWindow)
	a.takeShared(t, "key", now)
	b.takeShared(t, "key", now)
	if state := a.Take("key", now); state.Remaining != 1 {
		t.Errorf("the servers do not count together again: %+v", state)
	}
	if n := a.log.count(againMessage) - after; n != 1 {
		t.Errorf("the log says %d times that Redis is back", n)
	}
}

// TestSlowRedisHoldsNobodyUp checks that requests do not wait for a Redis that does not answer, and are not refused.
func TestSlowRedisHoldsNobodyUp(t *testing.T) {
	redis := redisserver.Start(t)
	s := newRedisServer(t, redis, 100)
	s.takeShared(t, "key", testTime)
	s.Shared.timeout = callTime
	redis.Pause(3000)
	began := time.Now()
	for range 90 {
		if state := s.Take("key", testTime.Add(time.Second)); !state.OK {
			t.Fatalf("%+v", state)
		}
	}
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("90 requests have waited for %v", d)
	}
}

// fakeCounter is a counter that can be away.
type fakeCounter struct {
	Limiter
	calls int
	keys  []string
	err   error
}

func (f *fakeCounter) Take(_ context.Context, key string, limit int, window time.Duration) (bus.Tally, error) {
	f.calls++
	f.keys = append(f.keys, key)
	f.Limit, f.Window = limit, window
	state := f.takeHere(key, testTime)
	return bus.Tally{IsTaken: state.OK, Uses: limit - state.Remaining}, f.err
}

func (f *fakeCounter) Peek(context.Context, string, time.Duration) (bus.Tally, error) {
	f.calls++
	return bus.Tally{}, f.err
}

func (f *fakeCounter) TakeBack(context.Context, string, bool) error {
	f.calls++
	return f.err
}

// TestCallsAreSaved checks that what is refused anyhow needs no call, whoever has used the limit up, and that one
// request in a while tries a counter that does not answer.
func TestCallsAreSaved(t *testing.T) {
	counter := &fakeCounter{}
	a, b := newServer(counter, 2), newServer(counter, 2)
	for range 10 {
		a.Take("key", testTime)
	}
	if counter.calls != 2 {
		t.Errorf("%d calls for a limit of 2", counter.calls)
	}
	for range 10 {
		if b.Take("key", testTime).OK || b.Peek("key", testTime).OK {
			t.Error("a server admits what others have used up")
		}
	}
	if counter.calls != 3 {
		t.Errorf("%d calls to learn that others have used a limit up", counter.calls-2)
	}
	counter.err, counter.calls = errors.New("away"), 0
	for range 10 {
		b.Take("other", testTime.Add(time.Minute))
		b.Peek("third", testTime.Add(time.Minute))
	}
	if counter.calls != 1 {
		t.Errorf("%d calls of a counter that is away", counter.calls)
	}
	b.Take("fourth", testTime.Add(time.Minute+retryPause))
	b.Take("fifth", testTime.Add(-time.Hour)) // a clock that was set back
	if counter.calls != 3 || b.log.count(aloneMessage) != 1 {
		t.Errorf("%d calls, %d lines", counter.calls, b.log.count(aloneMessage))
	}
}

// TestCountersLearnNoAddresses checks that limits and keys stay apart, and that their names are hidden.
func TestCountersLearnNoAddresses(t *testing.T) {
	counter := &fakeCounter{}
	s := newServer(counter, 2)
	s.Take("192.0.2.1", testTime)
	s.Take("192.0.2.2", testTime)
	renamed := &Limiter{Name: "else", Limit: 2, Window: testWindow, Shared: s.Shared}
	renamed.Take("192.0.2.1", testTime)
	longer := &Limiter{Name: "test", Limit: 2, Window: 2 * testWindow, Shared: s.Shared}
	longer.Take("192.0.2.1", testTime)
	seen := map[string]bool{}
	for _, key := range counter.keys {
		if seen[key] || strings.Contains(key, "192") || strings.Contains(key, "test") {
			t.Errorf("the counter gets the key %q", key)
		}
		seen[key] = true
	}
}

// TestOthersRefusalsAreForgotten checks that a server does not remember for good what others have used up.
func TestOthersRefusalsAreForgotten(t *testing.T) {
	counter := &fakeCounter{}
	a, b := newServer(counter, 1), newServer(counter, 1)
	for i := range 100 {
		key := strings.Repeat("k", i)
		a.Take(key, testTime)
		b.Take(key, testTime)
	}
	if n := len(b.logs); n != 100 {
		t.Errorf("%d refusals are remembered", n)
	}
	for i := range 100 {
		counter.logs = nil
		b.Take("busy", testTime.Add(time.Duration(i+2)*testWindow))
	}
	if n := len(b.logs); n > 2 {
		t.Errorf("%d keys left", n)
	}
}

// BenchmarkSharedLimiter measures what a request that is admitted costs with a Redis on the same machine.
func BenchmarkSharedLimiter(b *testing.B) {
	redis := redisserver.Start(b)
	engine, err := bus.NewRedis(redis.URL, "parley.test")
	check.Must(b, err)
	b.Cleanup(engine.Close)
	s := newServer(engine, 1<<20)
	for b.Loop() {
		s.Take("key", testTime)
	}
}
