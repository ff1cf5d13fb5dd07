package jobs_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/bus"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// TestIdleRunnersAskSeldom checks that a runner whose bus is complete asks the database when a job is due, and not at
// each of its ticks, also for jobs that become due later and for those that are tried again.
func TestIdleRunnersAskSeldom(t *testing.T) {
	dbs.ForEachURL(t, func(t *testing.T, url string) {
		var looks atomic.Int64
		db := dbs.OpenConfig(t, sqldb.Config{URL: url, OnStatement: func(query string) {
			if strings.Contains(query, "due_at") {
				looks.Add(1)
			}
		}})
		dbs.NewStore(t, db)
		c := clock.At(time.UnixMilli(1_800_000_000_000))
		h := &fixture{Clock: c, t: t, db: db, queue: &jobs.Queue{Now: c.Now, Bus: bus.New(nil, quiet)}}
		ran := make(chan string, 10)
		r := h.newRunner(func(_ context.Context, j jobs.Job) error {
			ran <- j.Key
			if j.Key == "again" && j.Attempts == 1 {
				return context.DeadlineExceeded
			}
			return nil
		})
		r.PollInterval = time.Millisecond
		defer startRunner(t, r)()
		await := func(key string) {
			t.Helper()
			if got := check.Receive(t, "the job "+key, ran); got != key {
				t.Errorf("the job %s runs in place of %s", got, key)
			}
		}
		// Until a job that has run is deleted its lease counts, which ends when the clock is turned.
		awaitEnd := func() { check.Eventually(t, "the end of the job", func() bool { return h.jobStates() == "" }) }
		h.enqueue(jobs.Job{Kind: "train", Key: "now"})
		await("now")
		awaitEnd()
		h.enqueue(jobs.Job{Kind: "train", Key: "later", RunAt: h.Now().Add(time.Hour)})
		h.Advance(time.Hour)
		await("later")
		awaitEnd()
		h.enqueue(jobs.Job{Kind: "train", Key: "again", Backoff: time.Second})
		await("again")
		check.Eventually(t, "a failure that is stored", func() bool { return h.jobStates() == "ready" })
		h.Advance(time.Minute)
		await("again")
		if n := looks.Load(); n > 40 {
			t.Errorf("the database was asked %d times for four runs", n)
		}
	})
}

// TestJobsOfOtherServersAreRun checks that a runner is told of a job that another server has enqueued.
func TestJobsOfOtherServersAreRun(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		shared := &bus.Memory{}
		newQueue := func() *jobs.Queue {
			b := bus.New(shared, quiet)
			running.Go(func() { _ = b.Run(ctx) })
			check.Eventually(t, "a bus that is complete", b.IsComplete)
			return &jobs.Queue{Now: h.Now, Bus: b}
		}
		other := newQueue()
		h.queue = newQueue()
		ran := make(chan string, 1)
		defer startRunner(t, h.newRunner(func(_ context.Context, j jobs.Job) error { ran <- j.Key; return nil }))()
		h.queue = other
		h.enqueue(jobs.Job{Kind: "train", Key: "from afar"})
		check.Receive(t, "the job", ran)
	})
}
