package jobs

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// The runner's own writes go in the lane of turns: each is a row or two, and behind an import a lease could run out.
const lane = sqldb.Turns

const (
	dueReady   = `state = 'ready' and run_at <= ?`
	dueExpired = `state = 'running' and lease_until < ?` // its owner is gone
)

// claim leases up to n due jobs. A look outside a transaction comes first, since mostly there is nothing to do.
func (r *Runner) claim(ctx context.Context, n int) ([]Job, error) {
	due, err := r.due(ctx)
	if err != nil || !due {
		return nil, err
	}
	now, lease := r.now(), parley.NewUUID()
	var claimed []Job
	err = r.DB.Transact(ctx, lane, func(tx *sqldb.DB) error {
		claimed = nil
		for _, where := range []string{dueReady, dueExpired} {
			some, err := r.lock(ctx, tx, where, now, n-len(claimed))
			if err != nil {
				return err
			}
			for _, j := range some {
				j.lease = lease
				if ok, err := r.take(ctx, tx, &j, where == dueExpired, now); err != nil {
					return err
				} else if ok {
					claimed = append(claimed, j)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

func (r *Runner) due(ctx context.Context) (bool, error) {
	for _, where := range []string{dueReady, dueExpired} {
		query, args := r.ofOurKinds(`select id from jobs`, where, r.now())
		_, err := sqldb.One(ctx, r.DB, sqldb.Column[string], query+` limit 1`, args...)
		if !sqldb.NotFound(err) {
			return err == nil, err
		}
	}
	return false, nil
}

// ofOurKinds leaves jobs alone that another program, perhaps a newer one, has handlers for.
func (r *Runner) ofOurKinds(query, where string, now time.Time) (string, []any) {
	args := []any{now.UnixMilli()}
	for _, kind := range slices.Sorted(maps.Keys(r.Handlers)) {
		args = append(args, kind)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(r.Handlers)), ", ")
	return query + ` where ` + where + ` and kind in (` + marks + `)`, args
}

func (r *Runner) lock(ctx context.Context, tx *sqldb.DB, where string, now time.Time, n int) ([]Job, error) {
	query, args := r.ofOurKinds(`select id, kind, key, account_id, payload, run_at, attempts, max_attempts, backoff_ms from jobs`, where, now)
	return sqldb.All(ctx, tx, scanJob, query+` order by run_at, id limit ?`+tx.SkipLocked(), append(args, n)...)
}

func scanJob(scan sqldb.Scan) (Job, error) {
	var j Job
	var account sql.NullString
	var runAt, backoff int64
	err := scan(&j.ID, &j.Kind, &j.Key, &account, (*[]byte)(&j.Payload), &runAt, &j.Attempts, &j.MaxAttempts, &backoff)
	j.AccountID = parley.AccountID(account.String)
	j.RunAt = time.UnixMilli(runAt).UTC()
	j.Backoff = time.Duration(backoff) * time.Millisecond
	return j, err
}

// rests is how often a job rests whose runners died in as many attempts as it has, each time longer, and is tried again.
const rests = 5

// take makes the job ours. One whose runners have died under it time and again rests first: it may be what kills them, or they were
// killed for another reason, and then it must not be what pays. In the end it is lost.
func (r *Runner) take(ctx context.Context, tx *sqldb.DB, j *Job, died bool, now time.Time) (bool, error) {
	over := j.Attempts - j.MaxAttempts
	switch {
	case !died || over < 0:
	case over < rests:
		return false, r.abandon(ctx, tx, j, "ready", now.Add(j.doubled(over)))
	case over == rests && r.Lost[j.Kind] != nil:
		j.lost = true
	default:
		return false, r.abandon(ctx, tx, j, "dead", now)
	}
	j.Attempts++
	_, err := tx.Exec(ctx, `update jobs set state = 'running', attempts = ?, again = 0, lease_owner = ?, lease_until = ?, updated_at = ? where id = ?`,
		j.Attempts, j.lease, now.Add(r.lease()).UnixMilli(), now.UnixMilli(), j.ID)
	return true, err
}

// abandon takes a job from a runner that has died.
func (r *Runner) abandon(ctx context.Context, tx *sqldb.DB, j *Job, state string, runAt time.Time) error {
	_, err := tx.Exec(ctx, `update jobs set state = ?, run_at = ?, lease_owner = null, lease_until = null, again = 0,
		last_error = 'the program ended during each attempt', updated_at = ? where id = ?`, state, runAt.UnixMilli(), r.now().UnixMilli(), j.ID)
	return err
}
