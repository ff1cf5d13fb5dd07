package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// fixture is a queue of jobs on a database, with a clock.
type fixture struct {
	*clock.Clock
	t     *testing.T
	db    *sqldb.DB
	queue *jobs.Queue
}

func forEachDatabase(t *testing.T, f func(t *testing.T, h *fixture)) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		c := clock.At(time.UnixMilli(1_800_000_000_000))
		f(t, &fixture{Clock: c, t: t, db: db.SQL(), queue: &jobs.Queue{Now: c.Now}})
	})
}

func (f *fixture) newRunner(handler jobs.Handler) *jobs.Runner {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &jobs.Runner{DB: f.db, Queue: f.queue, Handlers: map[string]jobs.Handler{"train": handler}, Logger: quiet,
		LeaseDuration: time.Hour, PollInterval: time.Hour}
}

func (f *fixture) enqueue(j jobs.Job) {
	f.t.Helper()
	err := f.db.Transact(f.t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
		return f.queue.Enqueue(f.t.Context(), tx, j)
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) runDue(r *jobs.Runner, want int) {
	f.t.Helper()
	if n, err := r.RunDue(f.t.Context()); n != want || err != nil {
		f.t.Errorf("%d jobs run, want %d, %v", n, want, err)
	}
}

// jobStates returns the state of the only job; "" when there is none.
func (f *fixture) jobStates() string {
	f.t.Helper()
	state, err := sqldb.One(f.t.Context(), f.db, sqldb.Column[string], `select state from jobs`)
	if err != nil && !sqldb.IsNotFound(err) {
		f.t.Fatal(err)
	}
	return state
}

func TestJobRunsOnceAndIsDeleted(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		var seen jobs.Job
		r := h.newRunner(func(_ context.Context, j jobs.Job) error { seen = j; return nil })
		h.enqueue(jobs.Job{Kind: "train", Key: "s1", AccountID: "acc", Payload: []byte(`{"deep":true}`)})
		h.enqueue(jobs.Job{Kind: "of a newer program", Key: "s1"})
		h.runDue(r, 1)
		if seen.Key != "s1" || seen.AccountID != "acc" || string(seen.Payload) != `{"deep":true}` ||
			seen.Attempts != 1 || !seen.RunAt.Equal(h.Now()) {
			t.Errorf("%+v", seen)
		}
		if s := h.jobStates(); s != "ready" {
			t.Errorf("the job without a handler is %q", s)
		}
	})
}

func TestRolledBackJobDoesNotRun(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		no := errors.New("no")
		err := h.db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
			return errors.Join(no, h.queue.Enqueue(t.Context(), tx, jobs.Job{Kind: "train", Key: "a"}))
		})
		if !errors.Is(err, no) || h.jobStates() != "" {
			t.Error(err, h.jobStates())
		}
	})
}

func TestOneJobPerKey(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		var payloads []string
		r := h.newRunner(func(_ context.Context, j jobs.Job) error {
			payloads = append(payloads, string(j.Payload))
			return nil
		})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`1`), RunAt: h.Now().Add(time.Hour)})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`2`), RunAt: h.Now().Add(time.Minute)})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`3`), RunAt: h.Now().Add(2 * time.Hour)})
		h.runDue(r, 0)
		h.Advance(time.Minute)
		h.runDue(r, 1)
		h.Advance(3 * time.Hour)
		h.runDue(r, 0)
		if fmt.Sprint(payloads) != "[3]" {
			t.Error(payloads)
		}
	})
}

func TestJobEnqueuedWhileRunningRunsAgain(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		runs := 0
		r := h.newRunner(func(_ context.Context, j jobs.Job) error {
			if runs++; runs == 1 {
				h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`2`)})
				h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`3`)})
				return errors.New("even when it failed")
			}
			if string(j.Payload) != `3` || j.Attempts != 1 {
				t.Errorf("%+v", j)
			}
			return nil
		})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`1`)})
		h.runDue(r, 2)
		if h.jobStates() != "" {
			t.Error(h.jobStates())
		}
	})
}

func TestFailedJobIsRetriedAndThenDead(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		fails := true
		r := h.newRunner(func(_ context.Context, j jobs.Job) error {
			if fails && j.Attempts == 2 {
				panic("even a panic")
			}
			if fails {
				return errors.New("the site is down")
			}
			return nil
		})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 3, Backoff: time.Minute})
		h.runDue(r, 1)
		h.Advance(59 * time.Second)
		h.runDue(r, 0)
		h.Advance(time.Second)
		h.runDue(r, 1)
		h.Advance(time.Minute)
		h.runDue(r, 0)
		h.Advance(time.Minute)
		h.runDue(r, 1)
		lastError, err := sqldb.One(t.Context(), h.db, sqldb.Column[string], `select last_error from jobs`)
		if h.jobStates() != "dead" || lastError != "the site is down" || err != nil {
			t.Errorf("%s: %s %v", h.jobStates(), lastError, err)
		}
		h.Advance(1000 * time.Hour)
		h.runDue(r, 0)
		fails = false
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		h.runDue(r, 1)
	})
}
