package jobs_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
)

// run starts the runner and gives what stops it and waits for it.
func run(t *testing.T, r *jobs.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- r.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAnotherRunnerTakesOver(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		begun, free := make(chan struct{}), make(chan struct{})
		var who []string
		dying := h.runner(func(context.Context, jobs.Job) error {
			close(begun)
			<-free // as good as dead: the lease is not renewed by the clock of this test
			return nil
		})
		living := h.runner(func(_ context.Context, j jobs.Job) error {
			who = append(who, fmt.Sprint(j.Key, j.Attempts))
			return nil
		})
		stop := run(t, dying)
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		<-begun
		h.due(living, 0)
		h.turn(2 * time.Hour)
		h.due(living, 1)
		if fmt.Sprint(who) != "[a2]" || h.state() != "" {
			t.Error(who, h.state())
		}
		h.enqueue(jobs.Job{Kind: "train", Key: "a", RunAt: h.now().Add(time.Hour)})
		close(free) // the first one comes back to life and must not touch what is no longer its own
		stop()
		if h.state() != "ready" {
			t.Error(h.state())
		}
	})
}

// die has a runner begin the job and die in it.
func (h *house) die() { h.t.Helper(); h.dieIn(h.runner, 2*time.Hour) }

// dieIn is die for a runner that is made by a function, and after which some time passes.
func (h *house) dieIn(runner func(jobs.Handler) *jobs.Runner, pass time.Duration) {
	h.t.Helper()
	begun, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	r := runner(func(context.Context, jobs.Job) error {
		close(begun)
		<-free // as good as dead: the lease is not renewed by the clock of this test
		return nil
	})
	go func() {
		defer close(done)
		if n, _ := r.RunDue(ctx); n == 0 && ctx.Err() == nil { // the job rests
			h.turn(20 * time.Second)
			r.SetStarted()
			_, _ = r.RunDue(ctx)
		}
	}()
	h.t.Cleanup(func() { cancel(); close(free); <-done })
	select {
	case <-begun:
	case <-done:
		h.t.Fatal("the job was not begun: ", h.state())
	}
	h.turn(pass)
}

// Whoever kills servers for another reason does not kill their jobs: they rest, and only then they are given up.
func TestAJobThatKillsItsRunners(t *testing.T) {
	for _, c := range []struct {
		kind  string
		state string // in the end
		lost  int
	}{{"train", "", 1}, {"other", "dead", 0}} {
		each(t, func(t *testing.T, h *house) {
			lost := 0
			living := h.runner(func(context.Context, jobs.Job) error { t.Error("ran again"); return nil })
			living.Lost = map[string]jobs.Handler{c.kind: func(context.Context, jobs.Job) error { lost++; return nil }}
			h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 2})
			h.die()
			for rest := time.Second; rest < 32*time.Second; rest *= 2 {
				h.die()
				h.due(living, 0)
				if h.state() != "ready" || lost > 0 {
					t.Errorf("before a rest of %v: %s", rest, h.state())
				}
				h.turn(rest - time.Millisecond)
				h.due(living, 0)
				h.turn(time.Millisecond)
			}
			h.die()
			h.due(living, c.lost)
			if lost != c.lost || h.state() != c.state {
				t.Errorf("%d times lost, and then %q", lost, h.state())
			}
		})
	}
}

// A program that ends again and again, also while the job rests, is ended by something else: the job is not given up for it.
func TestAJobThatIsKilledWithItsRunners(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 2})
		lost, done := 0, 0
		started := func(handler jobs.Handler) *jobs.Runner {
			r := h.runner(handler)
			r.Lease = time.Minute
			r.Lost = map[string]jobs.Handler{"train": func(context.Context, jobs.Job) error { lost++; return nil }}
			r.SetStarted()
			return r
		}
		for range 30 {
			h.dieIn(started, 90*time.Second)
		}
		h.due(started(nil), 0) // it rests
		h.turn(20 * time.Second)
		h.due(started(func(context.Context, jobs.Job) error { done++; return nil }), 1)
		if lost != 0 || done != 1 {
			t.Errorf("lost %d times, done %d times; state %q", lost, done, h.state())
		}
	})
}

func TestStoppingGivesTheJobBack(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		begun := make(chan struct{})
		stop := run(t, h.runner(func(ctx context.Context, _ jobs.Job) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}))
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 1})
		<-begun
		stop()
		h.due(h.runner(func(_ context.Context, j jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			return nil
		}), 1)
	})
}

func TestTheLeaseIsRenewed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		begun, free := make(chan struct{}), make(chan struct{})
		r := h.runner(func(context.Context, jobs.Job) error { close(begun); <-free; return nil })
		r.Lease = 30 * time.Millisecond
		stop := run(t, r)
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		<-begun
		until := func() int64 {
			ms, err := sqldb.One(t.Context(), h.db, sqldb.Column[int64], `select lease_until from jobs`)
			if err != nil {
				t.Fatal(err)
			}
			return ms
		}
		first := until()
		h.turn(r.Lease / 2) // the lease holds still; whoever renews it now sets a later end
		for until() == first {
			runtime.Gosched()
		}
		close(free)
		if err := r.Idle(t.Context()); err != nil {
			t.Error(err)
		}
		stop()
	})
}

func TestNoJobRunsTwice(t *testing.T) {
	each(t, func(t *testing.T, h *house) { noJobTwice(t, h, false) })
}

func TestNoFairJobRunsTwice(t *testing.T) {
	each(t, func(t *testing.T, h *house) { noJobTwice(t, h, true) })
}

func noJobTwice(t *testing.T, h *house, fair bool) {
	t.Helper()
	var mu sync.Mutex
	runs := map[string]int{}
	handler := func(_ context.Context, j jobs.Job) error {
		mu.Lock()
		defer mu.Unlock()
		runs[j.Key]++
		return nil
	}
	a, b := h.runner(handler), h.runner(handler)
	a.Workers, b.Workers, a.Fair, b.Fair = 8, 8, fair, fair
	stopA, stopB := run(t, a), run(t, b)
	var callers sync.WaitGroup
	for i := range 200 {
		callers.Go(func() {
			h.enqueue(jobs.Job{Kind: "train", Key: fmt.Sprint(i), AccountID: parley.AccountID(fmt.Sprint(i % 3)), Size: int64(i % 7)})
		})
	}
	callers.Wait()
	if err := a.Idle(t.Context()); err != nil {
		t.Error(err)
	}
	stopA()
	stopB()
	for key, n := range runs {
		if n != 1 {
			t.Errorf("job %s ran %d times", key, n)
		}
	}
	if len(runs) != 200 || h.state() != "" {
		t.Errorf("%d of 200 jobs ran", len(runs))
	}
}
