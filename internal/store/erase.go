package store

import (
	"context"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// maxEraseRows is the most rows one transaction erases; of versions, which may hold megabytes each, fewer.
const (
	maxEraseRows     = 200
	maxEraseVersions = 8
	maxEraseTickets  = 4 // tickets, of which each may have two thousand words
	maxEraseKeys     = 10_000
)

// erasableTable is a table with rows of agents: key tells them apart, more narrows what may go, and column names the conversation where
// that is not conversation_id.
type erasableTable struct {
	table, keyColumn, condition string
	conversationColumn          string
	maxRows                     int
	hasNoAccount                bool // no account_id
	keyRepeats                  bool // several rows have one key
}

// agentTables lists the tables that hold rows of agents in the order in which they are erased. Open turns and voice sessions stay
// until they are closed, for they count against their account; what they leave behind comes after them.
var agentTables = []erasableTable{
	{table: "sources", keyColumn: "id"}, // a training holds its source's row while it writes, so nothing comes after them
	{table: "crawl_pages", keyColumn: "id"},
	{table: "passages", keyColumn: "id"},
	{table: "passage_vectors", keyColumn: "text_hash", hasNoAccount: true},
	{table: "source_versions", keyColumn: "id", maxRows: maxEraseVersions},
	{table: "blobs", keyColumn: "id"},
	{table: "actions", keyColumn: "id"},
	{table: "procedures", keyColumn: "id"},
	{table: "helpdesks", keyColumn: "agent_id"}, // a ticket being opened holds this row, so none comes after it
	{table: "ticket_statuses", keyColumn: "id"},
	{table: "teams", keyColumn: "id"},
	{table: "team_members", keyColumn: "user_id"},
	{table: "routing_rules", keyColumn: "id"},
	{table: "ticket_words", keyColumn: "ticket_id", maxRows: maxEraseTickets, keyRepeats: true},
	{table: "attachments", keyColumn: "id"},
	{table: "tickets", keyColumn: "id"},
	{table: "leads", keyColumn: "id"},
	{table: "webhooks", keyColumn: "id"},
	{table: "webhook_deliveries", keyColumn: "id"},
	{table: "custom_attributes", keyColumn: "name"},
	{table: "tool_calls", keyColumn: "id"},
	{table: "procedure_runs", keyColumn: "id"},
	{table: "turns", keyColumn: "id", condition: "state <> 'open'"},
	{table: "voice_recordings", keyColumn: "id"},
	{table: "voice_sessions", keyColumn: "id", condition: "ended_at is not null"},
	{table: "messages", keyColumn: "id"},
	{table: "conversations", keyColumn: "id"},
	{table: "conversation_counts", keyColumn: "agent_id"},
	{table: "conversation_insights", keyColumn: "conversation_id"},
	{table: "insight_questions", keyColumn: "conversation_id"},
	{table: "insight_groups", keyColumn: "name"},
	{table: "insight_days", keyColumn: "day"},
	{table: "insight_agents", keyColumn: "agent_id"},
	{table: "people", keyColumn: "id"},
	{table: "credit_ledger", keyColumn: "turn_id"},
	{table: "credit_usage", keyColumn: "month"},
	{table: "events", keyColumn: "seq"},
}

// EraseAgent erases the rows of a deleted agent, in chunks, each a transaction of its own in the bulk lane, the agent's
// row last. It reports whether all is gone: while a turn or a voice session is still open it is not, and the caller comes back
// later. An agent that is not deleted, or of another account, loses nothing.
func (db *DB) EraseAgent(ctx context.Context, account parley.AccountID, agent parley.AgentID) (gone bool, err error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from agents where id = ? and account_id = ? and deleted_at is not null`, agent, account)
	if err != nil || n == 0 {
		return err == nil, err
	}
	for _, h := range agentTables {
		if err := db.erase(ctx, h, account, agent, "", nil); err != nil {
			return false, err
		}
	}
	open, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select (select count(*) from turns where agent_id = ? and account_id = ?) +
		(select count(*) from voice_sessions where agent_id = ? and account_id = ?)`, agent, account, agent, account)
	if err != nil || open > 0 {
		return false, err
	}
	if err := db.deleteRecordingDays(ctx, agent); err != nil {
		return false, err
	}
	_, err = db.sql.Exec(ctx, `delete from agents where id = ? and account_id = ? and deleted_at is not null`, agent, account)
	return err == nil, err
}

// EraseSource erases what a deleted source and its versions said, in chunks in the bulk lane. The row of the source stays,
// emptied, as long as the agent: it tells every server's memory that its passages are gone.
func (db *DB) EraseSource(ctx context.Context, account parley.AccountID, agent parley.AgentID, source parley.SourceID) error {
	n, err := db.sql.Exec(ctx, `update sources set name = '', url = '', failure = '', metadata = null, size = 0 where id = ? and agent_id = ? and account_id = ?
		and deleted_at is not null`, source, agent, account)
	if err != nil || n == 0 {
		return err
	}
	mine := []any{source}
	if err := db.erase(ctx, erasableTable{table: "source_versions", keyColumn: "id", maxRows: maxEraseVersions}, account, agent, "source_id = ?", mine); err != nil {
		return err
	}
	return db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, account, agent, "source_id = ?", mine)
}

// ErasePassages erases the passages of a version that is not live, such as those of a training that was cut short.
func (db *DB) ErasePassages(ctx context.Context, account parley.AccountID, agent parley.AgentID, source parley.SourceID, version parley.VersionID) error {
	return db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, account, agent,
		"source_id = ? and version_id = ? and version_id not in (select live_version from sources where id = ? and live_version is not null)", []any{source, version, source})
}

// erase deletes the agent's rows of a table. Which ones is read outside the writer: some tables have no index by agent.
func (db *DB) erase(ctx context.Context, h erasableTable, account parley.AccountID, agent parley.AgentID, where string, args []any) error {
	clauses, values := []string{"agent_id = ?"}, []any{agent}
	if !h.hasNoAccount {
		clauses, values = append(clauses, "account_id = ?"), append(values, account)
	}
	owner, ownerValues := strings.Join(clauses, " and "), values
	if h.condition != "" {
		clauses = append(clauses, h.condition)
	}
	if where != "" {
		clauses, values = append(clauses, where), append(values, args...)
	}
	distinct := ""
	if h.keyRepeats {
		distinct = "distinct "
	}
	read := `select ` + distinct + h.keyColumn + ` from ` + h.table + ` where ` + strings.Join(clauses, " and ") + ` limit ?`
	for {
		keys, err := sqldb.All(ctx, db.sql, sqldb.Column[any], read, append(values[:len(values):len(values)], maxEraseKeys)...)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := db.eraseKeys(ctx, h, owner, ownerValues, keys); err != nil {
			return err
		}
	}
}

func (db *DB) eraseKeys(ctx context.Context, h erasableTable, owner string, values, keys []any) error {
	rows := h.maxRows
	if rows == 0 {
		rows = maxEraseRows
	}
	for len(keys) > 0 {
		part := keys[:min(rows, len(keys))]
		keys = keys[len(part):]
		in := h.keyColumn + ` in (?` + strings.Repeat(", ?", len(part)-1) + `)`
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
			_, err := tx.sql.Exec(ctx, `delete from `+h.table+` where `+owner+` and `+in, append(values[:len(values):len(values)], part...)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
