package bus_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/bus"
	"parley/internal/testkit/check"
	"parley/internal/testkit/redisserver"
)

// newCounter returns an engine that counts with others on the same Redis.
func newCounter(t testing.TB, url string) *bus.Redis {
	t.Helper()
	engine, err := bus.NewRedis(url, "parley.test")
	check.Must(t, err)
	t.Cleanup(engine.Close)
	return engine
}

// TestServersCountTogether checks that a limit holds for all servers at once, however they take turns.
func TestServersCountTogether(t *testing.T) {
	url := redisserver.Start(t).URL
	a, b := newCounter(t, url), newCounter(t, url)
	const limit = 20
	var taken atomic.Int32
	check.Concurrently(60, func(i int) {
		tally, err := []*bus.Redis{a, b}[i%2].Take(context.Background(), "key", limit, time.Minute)
		if err != nil {
			t.Error(err)
		}
		if tally.IsTaken {
			taken.Add(1)
		}
	})
	if taken.Load() != limit {
		t.Errorf("%d of %d uses were counted", taken.Load(), limit)
	}
	for _, c := range []*bus.Redis{a, b} {
		tally, err := c.Peek(t.Context(), "key", time.Minute)
		check.Must(t, err)
		if tally.IsTaken || tally.Uses != limit || tally.Oldest < tally.Latest || tally.Oldest > time.Minute {
			t.Errorf("%+v", tally)
		}
	}
	if tally, err := b.Take(t.Context(), "other", limit, time.Minute); err != nil || tally.Uses != 1 || tally.Oldest != 0 {
		t.Errorf("keys share a window: %+v, %v", tally, err)
	}
}

// TestCountsLeaveTheWindow checks that uses count until the window is over, and that the window slides.
func TestCountsLeaveTheWindow(t *testing.T) {
	c := newCounter(t, redisserver.Start(t).URL)
	const window = 300 * time.Millisecond
	take := func() bus.Tally {
		tally, err := c.Take(t.Context(), "key", 2, window)
		check.Must(t, err)
		return tally
	}
	if first, second, third := take(), take(), take(); !first.IsTaken || !second.IsTaken || third.IsTaken {
		t.Skip("SKIP: the machine is too slow for this window: ", first, second, third)
	}
	refused := take()
	if wait := window - refused.Oldest; refused.Uses != 2 || wait <= 0 || wait > window {
		t.Fatalf("%+v", refused)
	}
	check.Eventually(t, "a use after the window", func() bool { return take().IsTaken })
	if tally, err := c.Peek(t.Context(), "key", time.Nanosecond); err != nil || tally != (bus.Tally{}) {
		t.Errorf("what has left a window is still there: %+v, %v", tally, err)
	}
}

// TestCountsAreTakenBack checks that the latest use or all of them can be forgotten, and that there need be none.
func TestCountsAreTakenBack(t *testing.T) {
	c := newCounter(t, redisserver.Start(t).URL)
	check.Must(t, c.TakeBack(t.Context(), "key", false))
	for all, want := range map[bool]int{false: 2, true: 0} {
		key := fmt.Sprint("key ", all)
		for range 3 {
			_, err := c.Take(t.Context(), key, 3, time.Minute)
			check.Must(t, err)
		}
		check.Must(t, c.TakeBack(t.Context(), key, all))
		if tally, err := c.Peek(t.Context(), key, time.Minute); err != nil || tally.Uses != want {
			t.Errorf("all=%v: %+v, %v", all, tally, err)
		}
	}
}

// TestCountingEndsInTime checks that nobody waits for a Redis that is not there.
func TestCountingEndsInTime(t *testing.T) {
	c := newCounter(t, "unix:///nowhere")
	if _, err := c.Take(t.Context(), "key", 1, time.Minute); err == nil {
		t.Error("a Redis that is not there has counted")
	}
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	if _, err := newCounter(t, redisserver.Start(t).URL).Take(late, "key", 1, time.Minute); err == nil {
		t.Error("a request waits for a connection longer than it may")
	}
}

// TestLostConnectionsCountAgain checks that connections which were closed are replaced at once, all of them.
func TestLostConnectionsCountAgain(t *testing.T) {
	redis := redisserver.Start(t)
	c := newCounter(t, redis.URL)
	check.Concurrently(30, func(int) {
		if _, err := c.Take(context.Background(), "key", 100, time.Minute); err != nil {
			t.Error(err)
		}
	})
	redis.CloseClients()
	if tally, err := c.Take(t.Context(), "key", 100, time.Minute); err != nil || tally.Uses != 31 {
		t.Errorf("%+v, %v", tally, err)
	}
}
