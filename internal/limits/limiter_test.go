package limits

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// referenceLimiter is the simplest form of the rule: a request is admitted if fewer than limit requests were admitted
// in the window before it.
type referenceLimiter struct {
	limit    int
	window   time.Duration
	accepted []time.Time
}

func (r *referenceLimiter) take(now time.Time) RateState {
	var inside []time.Time
	for _, t := range r.accepted {
		if now.Sub(t) < r.window {
			inside = append(inside, t)
		}
	}
	state := RateState{OK: len(inside) < r.limit, Limit: r.limit, Reset: now}
	if state.OK {
		r.accepted = append(r.accepted, now)
		inside = append(inside, now)
	}
	state.Remaining = r.limit - len(inside)
	state.Reset = inside[0].Add(r.window)
	if !state.OK {
		state.RetryAfter = state.Reset.Sub(now)
	}
	return state
}

func TestLimiterIsExact(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		o := &referenceLimiter{limit: 1 + rnd.IntN(8), window: time.Duration(1+rnd.IntN(20)) * time.Millisecond}
		l := &Limiter{Limit: o.limit, Window: o.window}
		for now, i := testTime, 0; i < 300; i++ {
			now = now.Add(time.Duration(rnd.IntN(6000)) * time.Microsecond * time.Duration(rnd.IntN(2)))
			state := l.Peek("key", now)
			want, got := o.take(now), l.Take("key", now)
			if got != want || state.OK != want.OK {
				t.Fatalf("seed %d, step %d: got %+v, look %+v, want %+v", seed, i, got, state, want)
			}
		}
	}
}

func TestPeekDoesNotCount(t *testing.T) {
	l := &Limiter{Limit: 2}
	for range 5 {
		if r := l.Peek("key", testTime); !r.OK || r.Remaining != 2 || r.Limit != 2 || !r.Reset.Equal(testTime) {
			t.Fatalf("%+v", r)
		}
	}
	l.Take("key", testTime)
	l.Take("key", testTime.Add(time.Second))
	if r := l.Peek("key", testTime.Add(3*time.Second)); r.OK || r.RetryAfter != 7*time.Second {
		t.Errorf("%+v", r)
	}
	if r := l.Take("other", testTime); !r.OK {
		t.Errorf("keys share a window: %+v", r)
	}
	if r := l.Take("key", testTime.Add(-time.Hour)); r.OK {
		t.Errorf("a clock set back opens the window: %+v", r)
	}
}

func TestLimiterDropsIdleKeys(t *testing.T) {
	l := &Limiter{Limit: 3, MaxKeys: 50}
	for i := range 1000 {
		l.Take(fmt.Sprint(i), testTime)
		if len(l.logs) > 50 {
			t.Fatal("beyond its bound:", len(l.logs))
		}
	}
	for i := range 100 {
		l.Take("busy", testTime.Add(DefaultWindow+time.Duration(i)*time.Second))
	}
	if len(l.logs) != 1 || l.recentlyUsed.Len() != 1 {
		t.Errorf("%d keys left", len(l.logs))
	}
	if c := cap(l.logs["busy"].Value.(*requestLog).times); c > 16 {
		t.Errorf("a log of three holds room for %d", c)
	}
}

func BenchmarkLimiter(b *testing.B) {
	l, now := &Limiter{Limit: 1 << 20}, testTime
	for b.Loop() {
		now = now.Add(100 * time.Microsecond)
		l.Take("key", now)
	}
}
