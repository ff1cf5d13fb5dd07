package store

import (
	"context"

	"parley"
)

// IncrementPassageVersion counts the agent's passage version up, for what retrieval shall notice beside a source that goes live, and gives
// it. Fails with AGENT_NOT_FOUND.
func (db *DB) IncrementPassageVersion(ctx context.Context, account parley.AccountID, agent parley.AgentID) (version int64, err error) {
	err = db.sql.QueryRow(ctx, `update agents set passage_version = passage_version + 1 where id = ? and account_id = ? and deleted_at is null
		returning passage_version`, agent, account).Scan(&version)
	return version, mapNotFound(err, parley.CodeAgentNotFound)
}
