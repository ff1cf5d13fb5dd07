package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// SourceSum counts an agent's sources of one kind.
type SourceSum struct {
	Kind    parley.SourceKind
	Count   int
	Size    int64 // bytes
	Pending int   // on their way in, to a newer version, or out
}

// SourceSums counts an agent's sources by kind; kinds without any are left out. What was found on a site counts with it.
func (db *DB) SourceSums(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]SourceSum, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s SourceSum, err error) {
		err = scan(&s.Kind, &s.Count, &s.Size, &s.Pending)
		return s, err
	}, `select kind, sum(case when parent_id is null then 1 else 0 end), sum(size), sum(case when status in (?, ?, ?) then 1 else 0 end)
		from sources where agent_id = ? and account_id = ? and deleted_at is null group by kind order by kind`,
		parley.SourceUntrained, parley.SourceUpdated, parley.SourceToBeDeleted, agent, account)
}
