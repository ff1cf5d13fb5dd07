package jobs

import (
	"context"
	"database/sql"
	"time"

	"parley/internal/sqldb"
)

// Fair jobs have a rank once they are due, and the lowest goes first. An account's jobs have every second rank, from
// the one after that of the newest job that runs: so an account that comes goes before the second waiting job of each
// that was there, and nobody is overtaken without end. The ranks belong to the account: its small jobs take them
// before its large ones, unless a large one has waited a millisecond for each 16 bytes more, which is about a minute
// for a MB.

// maxRanksPerTransaction is how many jobs get their ranks in one transaction.
const maxRanksPerTransaction = 64

const (
	dueUnranked = `state = 'ready' and rank = 0 and run_at <= ?`

	selectUnranked = `select id, account_id from jobs where kind = ? and ` + dueUnranked + `
		order by run_at, id
		limit ?`
	lowestRank = `
		select id, account_id, rank
		from jobs
		where kind = ? and state = 'ready' and rank > 0
		order by rank, id
		limit 1`
	runningRank      = `select max(rank) from jobs where kind = ? and state = 'running' and rank > 0`
	accountRank      = `select max(rank) from jobs where kind = ? and account_id = ? and rank > 0`
	smallestJobFirst = `
		select ` + jobColumns + `, rank from jobs where kind = ? and account_id = ? and state = 'ready' and rank > 0
		order by run_at + size / 16, id limit 1`
	jobByID = `select ` + jobColumns + `, rank from jobs where id = ?`
)

// fairKind returns the one kind of a fair runner.
func (r *Runner) fairKind() string {
	for kind := range r.Handlers {
		return kind
	}
	return ""
}

// rankDue returns those due jobs ranks that have none, each once.
func (r *Runner) rankDue(ctx context.Context) error {
	for {
		ranked := 0
		err := r.DB.Transact(ctx, jobLane, func(tx *sqldb.DB) (err error) {
			ranked, err = r.rankBatch(ctx, tx, r.now())
			return err
		})
		if err != nil || ranked < maxRanksPerTransaction {
			return err
		}
	}
}

// rankedHead is a job's place in the line.
type rankedHead struct {
	id      string
	account sql.NullString
	rank    int64
}

func (r *Runner) rankBatch(ctx context.Context, tx *sqldb.DB, now time.Time) (int, error) {
	kind := r.fairKind()
	unranked, err := sqldb.All(ctx, tx, func(scan sqldb.Scan) (h rankedHead, err error) {
		err = scan(&h.id, &h.account)
		return h, err
	}, selectUnranked+tx.SkipLocked(), kind, now.UnixMilli(), maxRanksPerTransaction)
	if err != nil || len(unranked) == 0 {
		return 0, err
	}
	reached, err := r.currentRank(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, h := range unranked {
		latest, err := maxRank(ctx, tx, accountRank, kind, h.account.String)
		if err != nil {
			return 0, err
		}
		rank := max(reached+1, latest+2)
		if latest == 0 {
			rank = reached + 1
		}
		if _, err := tx.Exec(ctx, `update jobs set rank = ? where id = ?`, rank, h.id); err != nil {
			return 0, err
		}
	}
	return len(unranked), nil
}

// currentRank is the rank after which jobs join that come now.
func (r *Runner) currentRank(ctx context.Context, tx *sqldb.DB) (int64, error) {
	running, err := maxRank(ctx, tx, runningRank, r.fairKind())
	if err != nil || running > 0 {
		return running, err
	}
	first, err := sqldb.One(ctx, tx, scanRankedHead, lowestRank, r.fairKind())
	if sqldb.IsNotFound(err) {
		return 0, nil
	}
	return max(0, first.rank-1), err
}

func maxRank(ctx context.Context, tx *sqldb.DB, query string, args ...any) (int64, error) {
	n, err := sqldb.One(ctx, tx, sqldb.Column[sql.NullInt64], query, args...)
	return n.Int64, err
}

func scanRankedHead(scan sqldb.Scan) (h rankedHead, err error) {
	err = scan(&h.id, &h.account, &h.rank)
	return h, err
}

// lockFair returns the job that is next, if any, with the rank of its account that is lowest. The job that had it gets
// the other's.
func (r *Runner) lockFair(ctx context.Context, tx *sqldb.DB) ([]Job, error) {
	head, err := sqldb.One(ctx, tx, scanRankedHead, lowestRank+tx.SkipLocked(), r.fairKind())
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	next, err := sqldb.One(ctx, tx, scanRankedJob, smallestJobFirst+tx.SkipLocked(), r.fairKind(), head.account.String)
	if sqldb.IsNotFound(err) { // it is nobody's
		next, err = sqldb.One(ctx, tx, scanRankedJob, jobByID, head.id)
	}
	if err != nil || next.ID == head.id {
		return []Job{next.Job}, err
	}
	for id, rank := range map[string]int64{head.id: next.rank, next.ID: head.rank} {
		if _, err := tx.Exec(ctx, `update jobs set rank = ? where id = ?`, rank, id); err != nil {
			return nil, err
		}
	}
	return []Job{next.Job}, nil
}

// rankedJob is a job in the line.
type rankedJob struct {
	Job
	rank int64
}

func scanRankedJob(scan sqldb.Scan) (j rankedJob, err error) {
	j.Job, err = scanJob(func(dest ...any) error { return scan(append(dest, &j.rank)...) })
	return j, err
}
