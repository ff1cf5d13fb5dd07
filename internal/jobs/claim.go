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
const jobLane = sqldb.Interactive

const (
	dueReady   = `state = 'ready' and run_at <= ?`
	dueRanked  = `state = 'ready' and rank > 0 and run_at <= ?`
	dueExpired = `state = 'running' and lease_until < ?` // its owner is gone

	jobColumns = `id, kind, key, account_id, payload, run_at, attempts, max_attempts, backoff_ms, created_at, updated_at`
)

// claim leases up to n due jobs. A look outside a transaction comes first, since mostly there is nothing to do.
func (r *Runner) claim(ctx context.Context, n int) ([]Job, error) {
	due, err := r.hasDue(ctx)
	if err != nil || !due {
		return nil, err
	}
	if r.Fair {
		if err := r.rankDue(ctx); err != nil {
			return nil, err
		}
	}
	now, lease := r.now(), parley.NewUUID()
	var claimed []Job
	err = r.DB.Transact(ctx, jobLane, func(tx *sqldb.DB) error {
		claimed = nil
		for _, from := range r.claimSources(now) {
			jobs, err := from.lockJobs(ctx, tx, n-len(claimed))
			if err != nil {
				return err
			}
			for _, j := range jobs {
				j.lease = lease
				if ok, err := r.takeLease(ctx, tx, &j, from.expired, now); err != nil {
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

func (r *Runner) hasDue(ctx context.Context) (bool, error) {
	for _, where := range r.dueStates() {
		query, args := r.whereOurKinds(`select id from jobs`, where, r.now())
		_, err := sqldb.One(ctx, r.DB, sqldb.Column[string], query+` limit 1`, args...)
		if !sqldb.IsNotFound(err) {
			return err == nil, err
		}
	}
	return false, nil
}

// dueStates are the conditions of due jobs. Those of one kind have an index of their own.
func (r *Runner) dueStates() []string {
	switch {
	case r.Fair:
		return []string{dueRanked, dueUnranked, dueExpired}
	case len(r.Handlers) == 1:
		return []string{dueUnranked, dueExpired}
	}
	return []string{dueReady, dueExpired}
}

// claimSource is one of the places that jobs are claimed from.
type claimSource struct {
	expired  bool // their runners have
	lockJobs func(ctx context.Context, tx *sqldb.DB, most int) ([]Job, error)
}

// claimSources are where jobs come from, in order. Fair ones whose runner died had their turn, and go on with it.
func (r *Runner) claimSources(now time.Time) []claimSource {
	from := func(where string) claimSource {
		return claimSource{where == dueExpired, func(ctx context.Context, tx *sqldb.DB, most int) ([]Job, error) {
			return r.lockDue(ctx, tx, where, now, most)
		}}
	}
	if !r.Fair {
		return []claimSource{from(r.dueStates()[0]), from(dueExpired)}
	}
	all := []claimSource{from(dueExpired)}
	for range r.workers() { // each looks at where the line stands after the one before
		all = append(all, claimSource{false, func(ctx context.Context, tx *sqldb.DB, most int) ([]Job, error) {
			if most <= 0 {
				return nil, nil
			}
			return r.lockFair(ctx, tx)
		}})
	}
	return all
}

// whereOurKinds leaves jobs alone that another program, perhaps a newer one, has handlers for.
func (r *Runner) whereOurKinds(query, where string, now time.Time) (string, []any) {
	args := []any{now.UnixMilli()}
	for _, kind := range slices.Sorted(maps.Keys(r.Handlers)) {
		args = append(args, kind)
	}
	if len(r.Handlers) == 1 {
		return query + ` where ` + where + ` and kind = ?`, args
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(r.Handlers)), ", ")
	return query + ` where ` + where + ` and kind in (` + marks + `)`, args
}

func (r *Runner) lockDue(ctx context.Context, tx *sqldb.DB, where string, now time.Time, n int) ([]Job, error) {
	query, args := r.whereOurKinds(`select `+jobColumns+` from jobs`, where, now)
	return sqldb.All(ctx, tx, scanJob, query+` order by run_at, id limit ?`+tx.SkipLocked(), append(args, n)...)
}

func scanJob(scan sqldb.Scan) (Job, error) {
	var j Job
	var account sql.NullString
	var runAt, backoff, created, updated int64
	err := scan(&j.ID, &j.Kind, &j.Key, &account, (*[]byte)(&j.Payload), &runAt, &j.Attempts, &j.MaxAttempts, &backoff,
		&created, &updated)
	j.AccountID = parley.AccountID(account.String)
	j.RunAt = time.UnixMilli(runAt).UTC()
	j.createdAt, j.updatedAt = time.UnixMilli(created), time.UnixMilli(updated)
	j.Backoff = time.Duration(backoff) * time.Millisecond
	return j, err
}

// maxRests is how often a job rests whose runners died in as many attempts as it has, each time longer, and is tried
// again.
const maxRests = 5

// takeLease makes the job ours. One whose runners have died under it time and again rests first: it may be what kills
// them, or they were killed for another reason, and then it must not be what pays: where the program has ended while
// the job rested, its count begins anew. In the end it is lost.
func (r *Runner) takeLease(ctx context.Context, tx *sqldb.DB, j *Job, expired bool, now time.Time) (bool, error) {
	extraAttempts := j.Attempts - j.MaxAttempts
	switch {
	case !expired && extraAttempts >= 0 && r.endedWithout(j, now):
		j.Attempts = 0
	case !expired || extraAttempts < 0:
	case extraAttempts < maxRests:
		return false, r.abandonJob(ctx, tx, j, "ready", now.Add(j.backoffAfter(extraAttempts)))
	case extraAttempts == maxRests && r.OnLost[j.Kind] != nil:
		j.runOnLost = true
	default:
		return false, r.abandonJob(ctx, tx, j, "dead", now)
	}
	j.Attempts++
	_, err := tx.Exec(ctx, `
		update jobs set
		  state = 'running',
		  attempts = ?,
		  again = 0,
		  lease_owner = ?,
		  lease_until = ?,
		  updated_at = ?
		where id = ?`,
		j.Attempts, j.lease, now.Add(r.lease()).UnixMilli(), now.UnixMilli(), j.ID)
	return true, err
}

// suspectTime is how long after it was enqueued a job may be held for innocent. Two jobs that both end the program
// would otherwise vouch for each other for ever.
const suspectTime = time.Hour

// endedWithout reports whether the program has ended while the job rested, so that something else ends it.
func (r *Runner) endedWithout(j *Job, now time.Time) bool {
	return r.started.After(j.updatedAt) && now.Sub(j.createdAt) < suspectTime
}

// abandonJob takes a job from a runner that has died.
func (r *Runner) abandonJob(ctx context.Context, tx *sqldb.DB, j *Job, state string, runAt time.Time) error {
	_, err := tx.Exec(ctx, `
		update jobs set
		  state = ?,
		  run_at = ?,
		  rank = 0,
		  lease_owner = null,
		  lease_until = null,
		  again = 0,
		  last_error = 'the program ended during each attempt',
		  updated_at = ?
		where id = ?`, state, runAt.UnixMilli(), r.now().UnixMilli(), j.ID)
	return err
}
