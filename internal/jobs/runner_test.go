package jobs_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
)

// startRunner starts the runner and returns a function that stops it and waits for it.
func startRunner(t *testing.T, r *jobs.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- r.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := check.Receive(t, "the end of the runner", done); err != nil {
			t.Error(err)
		}
	})
}

func TestAnotherRunnerTakesOver(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		begun, free := make(chan struct{}), make(chan struct{})
		var owners []string
		dying := h.newRunner(func(context.Context, jobs.Job) error {
			close(begun)
			<-free // like a runner that has crashed: the lease is not renewed by the clock of this test
			return nil
		})
		living := h.newRunner(func(_ context.Context, j jobs.Job) error {
			owners = append(owners, fmt.Sprint(j.Key, j.Attempts))
			return nil
		})
		stop := startRunner(t, dying)
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		check.Receive(t, "the beginning of the job", begun)
		h.runDue(living, 0)
		h.Advance(2 * time.Hour)
		h.runDue(living, 1)
		if fmt.Sprint(owners) != "[a2]" || h.jobStates() != "" {
			t.Error(owners, h.jobStates())
		}
		h.enqueue(jobs.Job{Kind: "train", Key: "a", RunAt: h.Now().Add(time.Hour)})
		close(free) // the first runner continues, and must not change a job that it no longer holds
		stop()
		if h.jobStates() != "ready" {
			t.Error(h.jobStates())
		}
	})
}

// expireLeases lets a runner begin the job and crash.
func (f *fixture) expireLeases() { f.t.Helper(); f.dieIn(f.newRunner, 2*time.Hour) }

// dieIn lets the runner that a function returns begin the job and crash, and then advances the clock.
func (f *fixture) dieIn(runner func(jobs.Handler) *jobs.Runner, pass time.Duration) {
	f.t.Helper()
	begun, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	r := runner(func(context.Context, jobs.Job) error {
		close(begun)
		<-free // like a runner that has crashed: the lease is not renewed by the clock of this test
		return nil
	})
	go func() {
		defer close(done)
		if n, _ := r.RunDue(ctx); n == 0 && ctx.Err() == nil { // the job waits
			f.Advance(20 * time.Second)
			r.SetStarted()
			_, _ = r.RunDue(ctx)
		}
	}()
	f.t.Cleanup(func() {
		cancel()
		close(free)
		check.Receive(f.t, "the end of the runner", done)
	})
	select {
	case <-begun:
	case <-done:
		f.t.Fatal("the job has not begun: ", f.jobStates())
	case <-time.After(check.WaitTimeout):
		f.t.Fatal("neither the job nor the runner comes to anything: ", f.jobStates())
	}
	f.Advance(pass)
}

// A job is given up only after it was alone at several crashes: after the first ones it waits, since something else may
// have killed the servers.
func TestJobThatKillsItsRunnersIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		kind  string
		state string // in the end
		lost  int
	}{{"train", "", 1}, {"other", "dead", 0}} {
		forEachDatabase(t, func(t *testing.T, h *fixture) {
			lost := 0
			living := h.newRunner(func(context.Context, jobs.Job) error { t.Error("ran again"); return nil })
			living.OnLost = map[string]jobs.Handler{c.kind: func(context.Context, jobs.Job) error { lost++; return nil }}
			h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 2})
			h.expireLeases()
			for rest := time.Second; rest < 32*time.Second; rest *= 2 {
				h.expireLeases()
				h.runDue(living, 0)
				if h.jobStates() != "ready" || lost > 0 {
					t.Errorf("before a pause of %v: %s", rest, h.jobStates())
				}
				h.Advance(rest - time.Millisecond)
				h.runDue(living, 0)
				h.Advance(time.Millisecond)
			}
			h.expireLeases()
			h.runDue(living, c.lost)
			if lost != c.lost || h.jobStates() != c.state {
				t.Errorf("%d times lost, and then %q", lost, h.jobStates())
			}
		})
	}
}

// If a program crashes again and again, even while the job waits, something else is the cause: the job is not given up.
func TestJobThatIsKilledWithItsRunnersIsKept(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 2})
		lost, done := 0, 0
		started := func(handler jobs.Handler) *jobs.Runner {
			r := h.newRunner(handler)
			r.LeaseDuration = time.Minute
			r.OnLost = map[string]jobs.Handler{"train": func(context.Context, jobs.Job) error { lost++; return nil }}
			r.SetStarted()
			return r
		}
		for range 30 {
			h.dieIn(started, 90*time.Second)
		}
		h.runDue(started(nil), 0) // it waits
		h.Advance(20 * time.Second)
		h.runDue(started(func(context.Context, jobs.Job) error { done++; return nil }), 1)
		if lost != 0 || done != 1 {
			t.Errorf("lost %d times, done %d times; state %q", lost, done, h.jobStates())
		}
	})
}

func TestStoppingReleasesTheJob(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		begun := make(chan struct{})
		stop := startRunner(t, h.newRunner(func(ctx context.Context, _ jobs.Job) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}))
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 1})
		check.Receive(t, "the beginning of the job", begun)
		stop()
		h.runDue(h.newRunner(func(_ context.Context, j jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			return nil
		}), 1)
	})
}

func TestLeaseIsRenewed(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		begun, free := make(chan struct{}), make(chan struct{})
		r := h.newRunner(func(context.Context, jobs.Job) error { close(begun); <-free; return nil })
		r.LeaseDuration = 30 * time.Millisecond
		stop := startRunner(t, r)
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		check.Receive(t, "the beginning of the job", begun)
		until := func() int64 {
			ms, err := sqldb.One(t.Context(), h.db, sqldb.Column[int64], `select lease_until from jobs`)
			if err != nil {
				t.Fatal(err)
			}
			return ms
		}
		first := until()
		h.Advance(r.LeaseDuration / 2) // the lease is still valid; renewing it now sets a later end
		check.Eventually(t, "a later end of the lease", func() bool { return until() != first })
		close(free)
		if err := r.WaitIdle(t.Context()); err != nil {
			t.Error(err)
		}
		stop()
	})
}

func TestNoJobRunsTwice(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) { assertNoJobRunsTwice(t, h, false) })
}

func TestNoFairJobRunsTwice(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) { assertNoJobRunsTwice(t, h, true) })
}

func assertNoJobRunsTwice(t *testing.T, h *fixture, fair bool) {
	t.Helper()
	var mu sync.Mutex
	runs := map[string]int{}
	handler := func(_ context.Context, j jobs.Job) error {
		mu.Lock()
		defer mu.Unlock()
		runs[j.Key]++
		return nil
	}
	a, b := h.newRunner(handler), h.newRunner(handler)
	a.MaxWorkers, b.MaxWorkers, a.Fair, b.Fair = 8, 8, fair, fair
	stopA, stopB := startRunner(t, a), startRunner(t, b)
	var callers sync.WaitGroup
	for i := range 200 {
		callers.Go(func() {
			h.enqueue(jobs.Job{Kind: "train", Key: fmt.Sprint(i), AccountID: parley.AccountID(fmt.Sprint(i % 3)),
				Size: int64(i % 7)})
		})
	}
	callers.Wait()
	if err := a.WaitIdle(t.Context()); err != nil {
		t.Error(err)
	}
	stopA()
	stopB()
	for key, n := range runs {
		if n != 1 {
			t.Errorf("job %s ran %d times", key, n)
		}
	}
	if len(runs) != 200 || h.jobStates() != "" {
		t.Errorf("%d of 200 jobs ran", len(runs))
	}
}
