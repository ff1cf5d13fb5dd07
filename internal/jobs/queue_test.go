package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/jobs"
)

func TestDepth(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		requireDepth := func(want jobs.Depth) {
			t.Helper()
			if got, err := h.queue.Depth(t.Context(), h.db); err != nil || got != want {
				t.Errorf("%+v, %v instead of %+v", got, err, want)
			}
		}
		requireDepth(jobs.Depth{})
		h.enqueue(jobs.Job{Kind: "train", Key: "later", RunAt: h.Now().Add(time.Hour)})
		requireDepth(jobs.Depth{Waiting: 1})
		h.enqueue(jobs.Job{Kind: "train", Key: "now", MaxAttempts: 1})
		h.Advance(90 * time.Second)
		requireDepth(jobs.Depth{Waiting: 2, OldestDue: 90 * time.Second})
		var within jobs.Depth
		var looked error
		r := h.newRunner(func(ctx context.Context, _ jobs.Job) error {
			within, looked = h.queue.Depth(ctx, h.db)
			return errors.New("never")
		})
		h.runDue(r, 1)
		if looked != nil || within != (jobs.Depth{Waiting: 1, Running: 1}) {
			t.Errorf("while it ran: %+v, %v", within, looked)
		}
		requireDepth(jobs.Depth{Waiting: 1, Dead: 1})
	})
}
