package jobs_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/jobs"
)

// However long the database is unavailable or full, a job is not given up because of it.
func TestOutageDoesNotCountAsFailure(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		away := true
		r := h.newRunner(func(_ context.Context, j jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			if away {
				return parley.NewError(parley.CodeUnderMaintenance)
			}
			return nil
		})
		h.enqueue(jobs.Job{Kind: "train", Key: "a", MaxAttempts: 2})
		for range 5 {
			h.runDue(r, 1)
			h.runDue(r, 0)
			h.Advance(time.Second)
		}
		if err := r.Queue.Outage("train", "a"); !parley.IsCode(err, parley.CodeUnderMaintenance) {
			t.Errorf("the queue says of the job: %v", err)
		}
		away = false
		h.runDue(r, 1)
		if err := r.Queue.Outage("train", "a"); err != nil {
			t.Errorf("the queue says of a job that has ended: %v", err)
		}
		if s := h.jobStates(); s != "" {
			t.Errorf("the job is %q", s)
		}
	})
}

func TestExpiredLeasesRunAtOnce(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		ran := 0
		r := h.newRunner(func(context.Context, jobs.Job) error { ran++; return nil })
		h.enqueue(jobs.Job{Kind: "train", Key: "a"})
		if _, err := h.db.Exec(t.Context(), `update jobs set state = 'running', lease_owner = 'dead', lease_until = ?`,
			h.Now().Add(time.Hour).UnixMilli()); err != nil {
			t.Fatal(err)
		}
		h.runDue(r, 0)
		if err := r.ExpireLeases(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.runDue(r, 1)
		if ran != 1 || h.jobStates() != "" {
			t.Errorf("ran %d times, the job is %q", ran, h.jobStates())
		}
	})
}
