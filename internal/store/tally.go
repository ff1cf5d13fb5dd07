package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// LockAgent fails with AGENT_NOT_FOUND once the agent is deleted, and keeps every other writer of its row out until the
// transaction ends.
func (db *DB) LockAgent(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select 1 from agents where id = ? and account_id = ? and deleted_at is null`+db.sql.ForUpdate(), agent, account)
	return mapNotFound(err, parley.CodeAgentNotFound)
}

// updateAgentCounters moves the agent's counters from what a source was (nil for none) to what it is.
func (db *DB) updateAgentCounters(ctx context.Context, before, after *parley.Source, now time.Time) (size, passages int64, err error) {
	b, a := countSource(before), countSource(after)
	var live int
	var trained any
	if before != nil && before.LiveVersion != after.LiveVersion {
		live = 1
		if after.Status == parley.SourceTrained {
			trained = millis(now)
		}
	}
	err = db.sql.QueryRow(ctx, `update agents set size = size + ?, sources_live = sources_live + ?, sources_pending = sources_pending + ?,
		sources_failed = sources_failed + ?, passage_version = passage_version + ?, last_trained_at = coalesce(?, last_trained_at)
		where id = ? and account_id = ? and deleted_at is null returning size, passage_version`,
		a.size-b.size, a.Live-b.Live, a.Pending-b.Pending, a.Failed-b.Failed, live, trained, after.AgentID, after.AccountID).Scan(&size, &passages)
	return size, passages, mapNotFound(err, parley.CodeAgentNotFound)
}

type sourceCount struct {
	size int64
	parley.SourceCounts
}

func countSource(s *parley.Source) (c sourceCount) {
	if s == nil || s.Status == parley.SourceDeleted {
		return c
	}
	c.size = s.Size
	switch s.Status {
	case parley.SourceTrained:
		c.Live = 1
	case parley.SourceFailed:
		c.Failed = 1
	default:
		c.Pending = 1
	}
	return c
}
