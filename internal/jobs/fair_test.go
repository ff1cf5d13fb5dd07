package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
)

// fairRunner is a runner whose handler reports each job that it gets, and ends the job when the test says so.
func (f *fixture) fairRunner(workers int) (r *jobs.Runner, begun chan string, end chan error) {
	begun, end = make(chan string), make(chan error)
	r = f.newRunner(func(_ context.Context, j jobs.Job) error {
		begun <- j.Key
		return <-end
	})
	r.Fair, r.MaxWorkers = true, workers
	return r, begun, end
}

func (f *fixture) enqueueSized(account, key string, size int64) {
	f.t.Helper()
	f.enqueue(jobs.Job{Kind: "train", Key: key, AccountID: parley.AccountID(account), Size: size})
}

// runOrder runs what is due and returns the keys in the order of their runs.
func (f *fixture) runOrder(failing string) string {
	f.t.Helper()
	var keys []string
	r := f.newRunner(func(_ context.Context, j jobs.Job) error {
		keys = append(keys, j.Key)
		if j.Key == failing && j.Attempts == 1 {
			return errors.New("once")
		}
		return nil
	})
	r.Fair = true
	if _, err := r.RunDue(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(keys, " ")
}

// After ten large files of one account, the small file of another is taken by the first worker that is free.
func TestJobOfAnotherAccountIsNext(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		r, begun, end := h.fairRunner(2)
		for i := range 10 {
			h.enqueueSized("hog", fmt.Sprint("large", i), 20<<20)
		}
		stop := startRunner(t, r)
		check.Receive(t, "a job", begun)
		check.Receive(t, "another job", begun)
		h.enqueueSized("other", "small", 130)
		h.enqueueSized("third", "also small", 130)
		for _, want := range []string{"small", "also small"} {
			end <- nil
			if got := check.Receive(t, "the next job", begun); got != want {
				t.Errorf("%q has begun, not %q", got, want)
			}
		}
		for range 8 {
			end <- nil
			check.Receive(t, "a job", begun)
		}
		end <- nil
		end <- nil
		if err := r.WaitIdle(t.Context()); err != nil {
			t.Error(err)
		}
		stop()
	})
}

// However many jobs of one account are enqueued at once, those of another account follow its first.
func TestAccountsTakeTurns(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		for i := range 150 {
			h.enqueueSized("hog", fmt.Sprint("h", i), 100)
		}
		for i := range 3 {
			h.enqueueSized("a", fmt.Sprint("a", i), 100)
			h.enqueueSized("b", fmt.Sprint("b", i), 100)
		}
		if got, want := h.runOrder(""), "h0 a0 b0 h1 a1 b1 h2 a2 b2 h3 h4 "; !strings.HasPrefix(got, want) ||
			len(strings.Fields(got)) != 156 {
			t.Errorf("%s, want %s…", got, want)
		}
	})
}

// Small jobs run before large ones, until a large one has waited for as long as its size requires.
func TestSmallJobsOfAnAccountGoFirst(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		h.enqueueSized("a", "large", 16*60_000) // counts as small after a minute
		h.enqueueSized("a", "middle", 16*30_000)
		h.enqueueSized("b", "other", 1<<30)
		h.Advance(40 * time.Second)
		h.enqueueSized("a", "small", 100)
		h.Advance(21 * time.Second)
		h.enqueueSized("a", "late", 100)
		if got, want := h.runOrder(""), "middle other small large late"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// A failed job waits for its next time, and then for its turn.
func TestFairJobsAreTriedAgain(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		h.enqueueSized("a", "a0", 100)
		h.enqueueSized("b", "b0", 100)
		if got := h.runOrder("a0"); got != "a0 b0" {
			t.Error(got)
		}
		h.Advance(time.Minute)
		h.enqueueSized("b", "b1", 100)
		h.enqueueSized("", "nobody's", 100)
		if got := h.runOrder(""); got != "a0 b1 nobody's" {
			t.Error(got)
		}
	})
}

// Each statement that finds jobs uses an index, among many jobs of other kinds.
func TestQueryPlans(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, h *fixture) {
		fill := `insert into jobs (id, kind, key, account_id, payload, state, run_at, attempts, max_attempts,
			backoff_ms, created_at, updated_at)
			select 'o' || n, 'other', 'o' || n, 'acc', '{}', 'ready', n, 0, 1, 1, 1, 1 from (
			with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) select n from c) many`
		if _, err := h.db.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			h.enqueueSized(fmt.Sprint("acc", i%3), fmt.Sprint(i), 100)
		}
		r, _, _ := h.fairRunner(1)
		if err := r.RankDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.db.Exec(t.Context(), "analyze jobs"); err != nil {
			t.Fatal(err)
		}
		for query, index := range jobs.HotQueries() {
			plan := h.queryPlan(query)
			if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort") {
				t.Errorf("%s\n%s", query, plan)
			}
		}
	})
}

// queryPlan returns the plan of a statement with its arguments.
func (f *fixture) queryPlan(query string) string {
	f.t.Helper()
	if f.db.Dialect() == sqldb.SQLite {
		steps, err := sqldb.All(f.t.Context(), f.db, func(scan sqldb.Scan) (s string, err error) {
			var n int
			err = scan(&n, &n, &n, &s)
			return s, err
		}, "explain query plan "+query)
		if err != nil {
			f.t.Fatal(err)
		}
		return strings.Join(steps, "\n")
	}
	steps, err := sqldb.All(f.t.Context(), f.db, sqldb.Column[string], "explain "+query)
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
