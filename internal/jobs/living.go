package jobs

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// LiveJobs returns the account's jobs of a kind that wait or run, with their keys and payloads.
func (q *Queue) LiveJobs(ctx context.Context, db *sqldb.DB, kind string, account parley.AccountID) ([]Job, error) {
	return sqldb.All(ctx, db, func(scan sqldb.Scan) (Job, error) {
		j := Job{Kind: kind, AccountID: account}
		err := scan(&j.Key, (*[]byte)(&j.Payload))
		return j, err
	}, `select key, payload from jobs where kind = ? and account_id = ? and state in ('ready', 'running') order by id`, kind, account)
}
