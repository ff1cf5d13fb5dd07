package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// A passage row is never changed. Which rows an agent answers from follows from its sources: those of each source's live
// version. Sources tell since which of the agent's passage versions that is so.

const passageColumns = `id, account_id, agent_id, source_id, version_id, ordinal, heading, start_byte, end_byte, text, hash`

// insertBatchRows go into one statement.
const insertBatchRows = 50

// Put writes passages of one version of a source. They are found once that version is the source's live one.
func (l *Indexes) Put(ctx context.Context, tx *sqldb.DB, agent parley.AgentID, account parley.AccountID, passages []parley.Passage) error {
	for part := range slices.Chunk(passages, insertBatchRows) {
		args := make([]any, 0, len(part)*11)
		for _, p := range part {
			args = append(args, string(p.ID), string(account), string(agent), string(p.SourceID), string(p.VersionID), p.Ordinal, p.Heading,
				p.Start, p.End, p.Text, textHash(p))
		}
		query := `insert into passages (` + passageColumns + `) values ` + strings.Repeat(rowPlaceholders+", ", len(part)-1) + rowPlaceholders
		if _, err := tx.Exec(ctx, query, args...); err != nil {
			return fmt.Errorf("put passages: %w", err)
		}
	}
	return nil
}

const rowPlaceholders = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// changedSources returns the sources whose live version is another one since the passage version, and which it is; empty for none.
func changedSources(ctx context.Context, db *sqldb.DB, agent parley.AgentID, since int64) (map[parley.SourceID]parley.VersionID, error) {
	rows, err := db.Query(ctx, `select id, coalesce(live_version, '') from sources where agent_id = ? and live_in > ?`, string(agent), since)
	if err != nil {
		return nil, fmt.Errorf("read changed sources: %w", err)
	}
	defer func() { _ = rows.Close() }()
	live := map[parley.SourceID]parley.VersionID{}
	for rows.Next() {
		var id parley.SourceID
		var version parley.VersionID
		if err := rows.Scan(&id, &version); err != nil {
			return nil, fmt.Errorf("read changed sources: %w", err)
		}
		live[id] = version
	}
	return live, rows.Err()
}

func scanPassage(scan sqldb.Scan) (p parley.Passage, err error) {
	err = scan(&p.ID, &p.SourceID, &p.SourceName, &p.SourceURL, &p.VersionID, &p.VersionHash, &p.Ordinal, &p.Heading, &p.Start, &p.End, &p.Text)
	return p, err
}
