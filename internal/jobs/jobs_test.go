package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"parley/internal/jobs"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

// clock is turned by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// house is one program over a database: its clock, its queue and what its handlers noted.
type house struct {
	*clock
	t     *testing.T
	db    *sqldb.DB
	queue *jobs.Queue
}

func each(t *testing.T, f func(t *testing.T, h *house)) {
	dbs.Each(t, func(t *testing.T, db *sqldb.DB) {
		if err := sqldb.Migrate(t.Context(), db, os.DirFS("../store/migrations")); err != nil {
			t.Fatal(err)
		}
		c := &clock{at: time.UnixMilli(1_800_000_000_000)}
		f(t, &house{clock: c, t: t, db: db, queue: &jobs.Queue{Now: c.now}})
	})
}

func (h *house) runner(handler jobs.Handler) *jobs.Runner {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &jobs.Runner{DB: h.db, Queue: h.queue, Handlers: map[string]jobs.Handler{"train": handler}, Logger: quiet, Lease: time.Hour, Poll: time.Hour}
}

func (h *house) enqueue(j jobs.Job) {
	h.t.Helper()
	err := h.db.Transact(h.t.Context(), sqldb.Turns, func(tx *sqldb.DB) error { return h.queue.Enqueue(h.t.Context(), tx, j) })
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) due(r *jobs.Runner, want int) {
	h.t.Helper()
	if n, err := r.RunDue(h.t.Context()); n != want || err != nil {
		h.t.Errorf("%d jobs run, want %d, %v", n, want, err)
	}
}

// state is how the one job stands: "" when there is none.
func (h *house) state() string {
	h.t.Helper()
	state, err := sqldb.One(h.t.Context(), h.db, sqldb.Column[string], `select state from jobs`)
	if err != nil && !sqldb.NotFound(err) {
		h.t.Fatal(err)
	}
	return state
}

func TestAJobRunsOnceAndIsGone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var seen jobs.Job
		r := h.runner(func(_ context.Context, j jobs.Job) error { seen = j; return nil })
		h.enqueue(jobs.Job{Kind: "train", Key: "s1", AccountID: "acc", Payload: []byte(`{"deep":true}`)})
		h.enqueue(jobs.Job{Kind: "of a newer program", Key: "s1"})
		h.due(r, 1)
		if seen.Key != "s1" || seen.AccountID != "acc" || string(seen.Payload) != `{"deep":true}` || seen.Attempts != 1 || !seen.RunAt.Equal(h.now()) {
			t.Errorf("%+v", seen)
		}
		if s := h.state(); s != "ready" {
			t.Errorf("the job without a handler is %q", s)
		}
	})
}

func TestARolledBackJobNeverWas(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		no := errors.New("no")
		err := h.db.Transact(t.Context(), sqldb.Turns, func(tx *sqldb.DB) error {
			return errors.Join(no, h.queue.Enqueue(t.Context(), tx, jobs.Job{Kind: "train", Key: "a"}))
		})
		if !errors.Is(err, no) || h.state() != "" {
			t.Error(err, h.state())
		}
	})
}

func TestOneJobPerKey(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var payloads []string
		r := h.runner(func(_ context.Context, j jobs.Job) error { payloads = append(payloads, string(j.Payload)); return nil })
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`1`), RunAt: h.now().Add(time.Hour)})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`2`), RunAt: h.now().Add(time.Minute)})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", Payload: []byte(`3`), RunAt: h.now().Add(2 * time.Hour)})
		h.due(r, 0)
		h.turn(time.Minute)
		h.due(r, 1)
		h.turn(3 * time.Hour)
		h.due(r, 0)
		if fmt.Sprint(payloads) != "[3]" {
			t.Error(payloads)
		}
	})
}

func TestAskedForWhileRunning(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		runs := 0
		r := h.runner(func(_ context.Context, j jobs.Job) error {
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
		h.due(r, 2)
		if h.state() != "" {
			t.Error(h.state())
		}
	})
}

func TestBackoffAndDeath(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		fails := true
		r := h.runner(func(_ context.Context, j jobs.Job) error {
			if fails && j.Attempts == 2 {
				panic("even a panic")
			}
			if fails {
				return errors.New("the site is down")
			}
			return nil
		})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 3, Backoff: time.Minute})
		h.due(r, 1)
		h.turn(59 * time.Second)
		h.due(r, 0)
		h.turn(time.Second)
		h.due(r, 1)
		h.turn(time.Minute)
		h.due(r, 0)
		h.turn(time.Minute)
		h.due(r, 1)
		why, err := sqldb.One(t.Context(), h.db, sqldb.Column[string], `select last_error from jobs`)
		if h.state() != "dead" || why != "the site is down" || err != nil {
			t.Errorf("%s: %s %v", h.state(), why, err)
		}
		h.turn(1000 * time.Hour)
		h.due(r, 0)
		fails = false
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		h.due(r, 1)
	})
}
