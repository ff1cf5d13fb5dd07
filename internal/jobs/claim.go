package jobs

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/sqldb"
)

// The runner's own writes go in the lane of turns: each is a row or two, and behind an import a lease could run out.
const jobLane = sqldb.Interactive

// lookAhead is how far a runner looks ahead: until after its next look in any case.
const lookAhead = 2 * bus.NetInterval

const (
	dueReady   = `state = 'ready' and run_at <= ?`
	dueExpired = `state = 'running' and lease_until < ?` // its owner is gone

	// Each condition of one kind has an index in the order of its jobs.
	readyOrder   = ` order by run_at, id`
	expiredOrder = ` order by lease_until, id`

	jobColumns = `id, kind, key, account_id, payload, run_at, attempts, max_attempts, backoff_ms, created_at, updated_at`
)

// claim leases up to n due jobs, and returns when the next one is due; the zero time if none is soon. A look outside a
// transaction comes first, since mostly there is nothing to do.
func (r *Runner) claim(ctx context.Context, n int) (claimed []Job, next time.Time, err error) {
	due, err := r.findDue(ctx)
	if err != nil || due.isEmpty() {
		return nil, due.next, err
	}
	if r.Fair {
		if err := r.rankDue(ctx); err != nil {
			return nil, next, err
		}
	}
	now, lease := r.now(), parley.NewUUID()
	err = r.DB.Transact(ctx, jobLane, func(tx *sqldb.DB) error {
		claimed = nil
		for _, from := range r.claimSources(due, now) {
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
		return nil, next, err
	}
	return claimed, now, nil // behind these there may be others
}

// dueKinds are the runner's kinds that have due jobs.
type dueKinds struct {
	ready, expired []string
	next           time.Time // when the next of the others is due; zero if none is soon
}

func (d *dueKinds) isEmpty() bool { return len(d.ready)+len(d.expired) == 0 }

// findDue looks for jobs of the runner's kinds that are due, or will be before somebody looks again in any case. Kinds
// that another program, perhaps a newer one, has handlers for are left alone.
func (r *Runner) findDue(ctx context.Context) (due dueKinds, err error) {
	now := r.now()
	kinds, soon := slices.Sorted(maps.Keys(r.Handlers)), now.Add(lookAhead).UnixMilli()
	var args []any
	for _, kind := range kinds {
		args = append(args, kind, soon, kind, soon)
	}
	list, err := sqldb.All(ctx, r.DB, scanDueJob, dueQuery(kinds...), args...)
	for _, j := range list {
		due.add(j, now)
	}
	return due, err
}

// dueJob is the first job of a kind to become due, or whose runner's lease ends first.
type dueJob struct {
	kind, state string
	at          int64 // in milliseconds
}

func scanDueJob(scan sqldb.Scan) (j dueJob, err error) {
	err = scan(&j.kind, &j.state, &j.at)
	return j, err
}

func (d *dueKinds) add(j dueJob, now time.Time) {
	at := time.UnixMilli(j.at)
	switch {
	case j.state == "running" && j.at < now.UnixMilli():
		d.expired = append(d.expired, j.kind)
	case j.state != "running" && j.at <= now.UnixMilli():
		d.ready = append(d.ready, j.kind)
	case d.next.IsZero() || at.Before(d.next):
		d.next = at
	}
}

func lockQuery(where, order string) string {
	return `select ` + jobColumns + ` from jobs where kind = ? and ` + where + order + ` limit ?`
}

// dueQuery asks for the first job of each kind and state that is due by a time: one seek of an index for each, however
// many there are.
func dueQuery(kinds ...string) string {
	const one = `
		select * from (select kind, state, run_at as due_at from jobs where kind = ? and ` + dueReady + readyOrder +
		` limit 1) due
		union all
		select * from (select kind, state, lease_until as due_at from jobs where kind = ? and ` + dueExpired + expiredOrder +
		` limit 1) due`
	return strings.Repeat(one+` union all `, len(kinds)-1) + one
}

// claimSource is one of the places that jobs are claimed from.
type claimSource struct {
	expired  bool // their runners have
	lockJobs func(ctx context.Context, tx *sqldb.DB, limit int) ([]Job, error)
}

// claimSources are where jobs come from, in order. Fair ones whose runner died had their turn, and go on with it.
func (r *Runner) claimSources(due dueKinds, now time.Time) []claimSource {
	ready := claimSource{false, func(ctx context.Context, tx *sqldb.DB, limit int) ([]Job, error) {
		return lockDue(ctx, tx, due.ready, dueReady, readyOrder, now, limit)
	}}
	expired := claimSource{true, func(ctx context.Context, tx *sqldb.DB, limit int) ([]Job, error) {
		return lockDue(ctx, tx, due.expired, dueExpired, expiredOrder, now, limit)
	}}
	if !r.Fair {
		return []claimSource{ready, expired}
	}
	all := []claimSource{expired}
	for range r.workers() { // each looks at where the line is after the one before
		all = append(all, claimSource{false, func(ctx context.Context, tx *sqldb.DB, limit int) ([]Job, error) {
			if limit <= 0 {
				return nil, nil
			}
			return r.lockFair(ctx, tx)
		}})
	}
	return all
}

// lockDue returns up to n due jobs of the kinds, those first that have been due for longest.
func lockDue(ctx context.Context, tx *sqldb.DB, kinds []string, where, order string, now time.Time,
	n int) (due []Job, err error) {
	if n <= 0 {
		return nil, nil
	}
	for _, kind := range kinds {
		some, err := sqldb.All(ctx, tx, scanJob, lockQuery(where, order)+tx.SkipLocked(), kind, now.UnixMilli(), n)
		if err != nil {
			return nil, err
		}
		due = append(due, some...)
	}
	slices.SortStableFunc(due, func(a, b Job) int { return a.RunAt.Compare(b.RunAt) })
	return due[:min(n, len(due))], nil
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
// the job rested, its count starts over. In the end it is lost.
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
// would otherwise vouch for each other forever.
const suspectTime = time.Hour

// endedWithout reports whether the program has ended while the job rested, so that something else ends it.
func (r *Runner) endedWithout(j *Job, now time.Time) bool {
	return r.started.After(j.updatedAt) && now.Sub(j.createdAt) < suspectTime
}

// abandonJob takes a job from a runner that has died.
func (r *Runner) abandonJob(ctx context.Context, tx *sqldb.DB, j *Job, state string, runAt time.Time) error {
	tx.AfterCommit(func() { r.Queue.announce(j.Kind, runAt, r.now()) })
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
