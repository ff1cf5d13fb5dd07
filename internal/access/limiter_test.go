package access

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// oracle is the rule said plainly: a request goes through when fewer than limit went through in the window before it.
type oracle struct {
	limit  int
	window time.Duration
	passed []time.Time
}

func (o *oracle) take(now time.Time) Reading {
	var inside []time.Time
	for _, t := range o.passed {
		if now.Sub(t) < o.window {
			inside = append(inside, t)
		}
	}
	r := Reading{OK: len(inside) < o.limit, Limit: o.limit, Reset: now}
	if r.OK {
		o.passed = append(o.passed, now)
		inside = append(inside, now)
	}
	r.Remaining = o.limit - len(inside)
	r.Reset = inside[0].Add(o.window)
	if !r.OK {
		r.RetryAfter = r.Reset.Sub(now)
	}
	return r
}

func TestLimiterIsExact(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		o := &oracle{limit: 1 + rnd.IntN(8), window: time.Duration(1+rnd.IntN(20)) * time.Millisecond}
		l := &Limiter{Limit: o.limit, Window: o.window}
		for now, i := noon, 0; i < 300; i++ {
			now = now.Add(time.Duration(rnd.IntN(6000)) * time.Microsecond * time.Duration(rnd.IntN(2)))
			look := l.Look("key", now)
			want, got := o.take(now), l.Take("key", now)
			if got != want || look.OK != want.OK {
				t.Fatalf("seed %d, step %d: got %+v, look %+v, want %+v", seed, i, got, look, want)
			}
		}
	}
}

func TestLimiterLooksWithoutCounting(t *testing.T) {
	l := &Limiter{Limit: 2}
	for range 5 {
		if r := l.Look("key", noon); !r.OK || r.Remaining != 2 || r.Limit != 2 || !r.Reset.Equal(noon) {
			t.Fatalf("%+v", r)
		}
	}
	l.Take("key", noon)
	l.Take("key", noon.Add(time.Second))
	if r := l.Look("key", noon.Add(3*time.Second)); r.OK || r.RetryAfter != 7*time.Second {
		t.Errorf("%+v", r)
	}
	if r := l.Take("other", noon); !r.OK {
		t.Errorf("keys share a window: %+v", r)
	}
	if r := l.Take("key", noon.Add(-time.Hour)); r.OK {
		t.Errorf("a clock set back opens the window: %+v", r)
	}
}

func TestLimiterForgetsTheIdle(t *testing.T) {
	l := &Limiter{Limit: 3, Keys: 50}
	for i := range 1000 {
		l.Take(fmt.Sprint(i), noon)
		if len(l.logs) > 50 {
			t.Fatal("beyond its bound:", len(l.logs))
		}
	}
	for i := range 100 {
		l.Take("busy", noon.Add(DefaultWindow+time.Duration(i)*time.Second))
	}
	if len(l.logs) != 1 || l.used.Len() != 1 {
		t.Errorf("%d keys left", len(l.logs))
	}
	if c := cap(l.logs["busy"].Value.(*log).times); c > 16 {
		t.Errorf("a log of three holds room for %d", c)
	}
}

func BenchmarkLimiter(b *testing.B) {
	l, now := &Limiter{Limit: 1 << 20}, noon
	for b.Loop() {
		now = now.Add(100 * time.Microsecond)
		l.Take("key", now)
	}
}
