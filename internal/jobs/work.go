package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// runJob runs the handler under the lease and writes down how it went.
func (r *Runner) runJob(ctx context.Context, j Job) {
	defer r.Queue.jobEnded.notify()
	running, cancel := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		r.renewLease(running, j, cancel)
	}()
	err := r.callHandler(running, j)
	leaseLost := errors.Is(context.Cause(running), errLeaseLost)
	cancel(nil)
	<-renewed
	if leaseLost {
		return
	}
	unrecorded := r.recordOutcome(context.WithoutCancel(ctx), j, err, ctx.Err() != nil)
	if unrecorded != nil {
		r.logger().Error("jobs: the outcome is not recorded; the job runs again when its lease ends", "kind", j.Kind,
			"key", j.Key, "error", unrecorded)
	}
	r.Queue.noteOutcome(j, errors.Join(err, unrecorded))
}

func (r *Runner) callHandler(ctx context.Context, j Job) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
			r.logger().Error("jobs: a handler panicked", "kind", j.Kind, "key", j.Key, "panic", v, "stack",
				string(debug.Stack()))
		}
	}()
	if j.runOnLost {
		return r.OnLost[j.Kind](ctx, j)
	}
	return r.Handlers[j.Kind](ctx, j)
}

var errLeaseLost = errors.New("jobs: the lease is lost to another runner")

// renewLease keeps the lease until ctx is done. While the database is away it goes on trying.
func (r *Runner) renewLease(ctx context.Context, j Job, lost context.CancelCauseFunc) {
	tick := time.NewTicker(r.lease() / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := r.DB.Exec(ctx, `
			update jobs set lease_until = ?
			where id = ? and lease_owner = ?`, r.now().Add(r.lease()).UnixMilli(), j.ID, j.lease)
		if err != nil && ctx.Err() == nil {
			r.logger().Warn("jobs: a lease is not renewed", "kind", j.Kind, "key", j.Key, "error", err)
		}
		if err == nil && n == 0 {
			lost(errLeaseLost)
			return
		}
	}
}

// recordOutcome writes the outcome down, trying for a while when the database is away.
func (r *Runner) recordOutcome(ctx context.Context, j Job, outcome error, stopping bool) error {
	for try := 1; ; try++ {
		err := r.DB.Transact(ctx, jobLane, func(tx *sqldb.DB) error { return r.settleOutcome(ctx, tx, j, outcome, stopping) })
		if err == nil || try == 5 {
			return err
		}
		time.Sleep(r.poll())
	}
}

// settleOutcome ends the job, or has it run once more: at once when the runner is stopping or it was asked for
// meanwhile, after a rest when it failed. A job that is no longer ours is left alone by each of these statements.
func (r *Runner) settleOutcome(ctx context.Context, tx *sqldb.DB, j Job, outcome error, stopping bool) error {
	now := r.now()
	if outcome != nil && stopping {
		return r.releaseJob(ctx, tx, j, `state = 'ready', attempts = attempts - 1, run_at = ?`, now.UnixMilli())
	}
	// the database was away or full, which is no failure of the job's
	if parley.IsCode(outcome, parley.CodeUnderMaintenance) {
		r.logger().Warn("jobs: an attempt found no database", "kind", j.Kind, "key", j.Key, "error", outcome)
		return r.releaseJob(ctx, tx, j, `state = 'ready', attempts = attempts - 1, run_at = ?, last_error = ?`,
			now.Add(j.backoffDelay()).UnixMilli(), outcome.Error())
	}
	if outcome == nil {
		n, err := tx.Exec(ctx, `delete from jobs where id = ? and lease_owner = ? and again = 0`, j.ID, j.lease)
		if err != nil || n > 0 {
			return err
		}
		return r.releaseJob(ctx, tx, j, `state = 'ready', attempts = 0, last_error = null`)
	}
	r.logger().Warn("jobs: an attempt failed", "kind", j.Kind, "key", j.Key, "attempt", j.Attempts, "error", outcome)
	state := "ready"
	if j.Attempts >= j.MaxAttempts {
		state = "dead"
	}
	return r.releaseJob(ctx, tx, j,
		`state = case when again = 1 then 'ready' else ? end, attempts = case when again = 1 then 0 else attempts end,
		run_at = case when again = 1 then run_at else ? end, last_error = ?`, state,
		now.Add(j.backoffDelay()).UnixMilli(), outcome.Error())
}

// releaseJob ends the lease. Runners look when the job is to run again.
func (r *Runner) releaseJob(ctx context.Context, tx *sqldb.DB, j Job, set string, args ...any) error {
	tx.AfterCommit(func() { r.Queue.wakeAll(j.Kind) })
	args = append(args, r.now().UnixMilli(), j.ID, j.lease)
	_, err := tx.Exec(ctx, `
		update jobs set `+set+`, rank = 0, again = 0, lease_owner = null, lease_until = null, updated_at = ?
		where id = ? and lease_owner = ?`, args...)
	return err
}
