package store

import (
	"context"
	"database/sql"
	"time"

	"parley/internal/sqldb"
)

type nullText = sql.NullString

// CountDueJobs counts the jobs of a kind that wait and are due, up to a limit. The kind is not one of a fair runner. It is a job of
// the installation and asks for no account.
func (db *DB) CountDueJobs(ctx context.Context, kind string, now time.Time, limit int) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*) from (
		  select id
		  from jobs
		  where kind = ? and state = 'ready' and rank = 0 and run_at <= ?
		  limit ?
		) due`, kind, millis(now), limit)
}
