package store

import (
	"context"
	"slices"
	"strings"
	"time"

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

// erasableTable is a table with rows of agents: key distinguishes them, more narrows what may go, and column names the
// conversation where that is not conversation_id.
type erasableTable struct {
	table, keyColumn, condition string
	conversationColumn          string
	maxRows                     int
	hasNoAccount                bool               // no account_id
	keyRepeats                  bool               // several rows have one key
	guard                       func(tx *DB) error // fails in a transaction that must not erase; may be nil
}

// agentTables lists the tables that hold rows of agents in the order in which they are erased. Open turns and voice
// sessions stay until they are closed, for they count against their account; what they leave behind comes after them.
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
	{table: "visitor_files", keyColumn: "id"},
	{table: "member_files", keyColumn: "id"},
	{table: "tickets", keyColumn: "id"},
	{table: "leads", keyColumn: "id"},
	{table: "mail_notices", keyColumn: "id"},
	{table: "webhooks", keyColumn: "id"},
	{table: "webhook_deliveries", keyColumn: "id"},
	{table: "custom_attributes", keyColumn: "name"},
	{table: "tool_calls", keyColumn: "id"},
	{table: "procedure_runs", keyColumn: "id"},
	{table: "turns", keyColumn: "id", condition: "state <> 'open'"},
	{table: "voice_recordings", keyColumn: "id"},
	{table: "voice_sessions", keyColumn: "id", condition: "ended_at is not null"},
	{table: "messages", keyColumn: "id"},
	{table: "drafts", keyColumn: "id"},
	{table: "read_marks", keyColumn: "conversation_id", keyRepeats: true},
	{table: "conversations", keyColumn: "id"},
	{table: "conversation_counts", keyColumn: "agent_id"},
	{table: "conversation_insights", keyColumn: "conversation_id"},
	{table: "insight_questions", keyColumn: "conversation_id"},
	{table: "insight_groups", keyColumn: "name"},
	{table: "insight_days", keyColumn: "day"},
	{table: "insight_agents", keyColumn: "agent_id"},
	{table: "agent_versions", keyColumn: "version", maxRows: maxEraseVersions},
	{table: "move_in_agents", keyColumn: "id"},
	{table: "move_in_items", keyColumn: "id"},
	{table: "visitors", keyColumn: "id"},
	{table: "visitor_credits", keyColumn: "visitor_id"},
	{table: "people", keyColumn: "id"},
	{table: "credit_ledger", keyColumn: "turn_id"},
	{table: "credit_usage", keyColumn: "month"},
	{table: "credit_days", keyColumn: "day"},
	{table: "credit_models", keyColumn: "day", keyRepeats: true},
	{table: "voice_days", keyColumn: "day", keyRepeats: true},
	{table: "events", keyColumn: "seq"},
}

// execInChunks runs a statement in the bulk lane until it changes fewer rows than its last argument, maxEraseRows.
func (db *DB) execInChunks(ctx context.Context, query string, args ...any) error {
	args = append(slices.Clip(args), maxEraseRows)
	for n := int64(maxEraseRows); n >= maxEraseRows; {
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) (err error) {
			n, err = tx.sql.Exec(ctx, query, args...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EraseAgent erases the rows of a deleted agent, in chunks, each a transaction of its own in the bulk lane, the agent's
// row last. It reports whether all is gone: while a turn or a voice session is still open it is not, and the caller
// comes back later. An agent that is not deleted, or of another account, loses nothing.
func (db *DB) EraseAgent(ctx context.Context, ref parley.AgentRef) (erased bool, err error) {
	n, err := db.count(ctx, `
		from agents
		where id = ? and account_id = ? and deleted_at is not null`, ref.Agent, ref.Account)
	if err != nil || n == 0 {
		return err == nil, err
	}
	for _, h := range agentTables {
		if err := db.erase(ctx, h, ref, "", nil); err != nil {
			return false, err
		}
	}
	open, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select
		  (select count(*) from turns where agent_id = ? and account_id = ?) + (select count(*)
		    from voice_sessions where agent_id = ? and account_id = ?)`, ref.Agent, ref.Account, ref.Agent, ref.Account)
	if err != nil || open > 0 {
		return false, err
	}
	if err := db.deleteRecordingDays(ctx, ref.Agent); err != nil {
		return false, err
	}
	err = db.exec(ctx, `
		delete from agents
		where id = ? and account_id = ? and deleted_at is not null`, ref.Agent, ref.Account)
	return err == nil, err
}

// EraseSource erases what a deleted source and its versions said, in chunks in the bulk lane. The row of the source
// stays, emptied, as long as the agent: it tells every server's memory that its passages are gone.
func (db *DB) EraseSource(ctx context.Context, ref parley.AgentRef, source parley.SourceID) error {
	n, err := db.sql.Exec(ctx, `
		update sources set
		  name = '',
		  url = '',
		  failure = '',
		  metadata = null,
		  size = 0
		where id = ? and agent_id = ? and account_id = ? and deleted_at is not null`, source, ref.Agent, ref.Account)
	if err != nil || n == 0 {
		return err
	}
	args := []any{source}
	if err := db.erase(ctx, erasableTable{table: "source_versions", keyColumn: "id", maxRows: maxEraseVersions}, ref,
		"source_id = ?", args); err != nil {
		return err
	}
	return db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, ref, "source_id = ?", args)
}

// ErasePassages erases the passages of a version that is not live, such as those of a training that was cut short.
func (db *DB) ErasePassages(ctx context.Context, ref parley.AgentRef, source parley.SourceID,
	version parley.VersionID) error {
	return db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, ref,
		"source_id = ? and version_id = ? and version_id not in (select live_version from sources where id = ? "+
			"and live_version is not null)",
		[]any{source, version, source})
}

// erase deletes the agent's rows of a table. Which ones is read outside the writer: some tables have no index by agent.
func (db *DB) erase(ctx context.Context, h erasableTable, ref parley.AgentRef, where string, args []any) error {
	clauses, values := []string{"agent_id = ?"}, []any{ref.Agent}
	if !h.hasNoAccount {
		clauses, values = append(clauses, "account_id = ?"), append(values, ref.Account)
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
	read := `
		select ` + distinct + h.keyColumn + `
		from ` + h.table + `
		where ` + strings.Join(clauses, " and ") + ` limit ?`
	for {
		keys, err := sqldb.All(ctx, db.sql, sqldb.Column[any], read,
			append(values[:len(values):len(values)], maxEraseKeys)...)
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
			if h.guard != nil {
				if err := h.guard(tx); err != nil {
					return err
				}
			}
			return tx.exec(ctx, `
				delete from `+h.table+`
				where `+owner+`
				and `+in, append(values[:len(values):len(values)], part...)...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteConversations marks conversations of an agent as deleted: from then on nothing finds them and no running answer
// can write to them, and the names that clients gave them are free. Their rows are left for EraseConversations. With
// idle, one that was active since stays. Whoever takes over from another service leaves them out from then on. It
// returns those it deleted.
func (db *DB) DeleteConversations(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
	idle *time.Time, now time.Time) ([]parley.ConversationID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	clause, args := "", append([]any{millis(now), ref.Agent, ref.Account}, toAny(ids)...)
	if idle != nil {
		clause, args = " and last_activity < ?", append(args, millis(*idle))
	}
	type deletedConversation struct {
		id      parley.ConversationID
		channel parley.Channel
	}
	read := func(scan sqldb.Scan) (g deletedConversation, err error) {
		err = scan(&g.id, &g.channel)
		return g, err
	}
	list, err := sqldb.All(ctx, db.sql, read,
		`
			update conversations set
			  deleted_at = ?,
			  external_id = null
			where agent_id || '' = ? and account_id || '' = ? and deleted_at is null and id in `+placeholders(len(ids))+clause+`
			returning id, channel`, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	deleted, api := make([]parley.ConversationID, len(list)), 0
	for i, g := range list {
		deleted[i] = g.id
		api += boolToInt(g.channel == parley.ChannelAPI)
	}
	if err := db.noteDeletedMoveIns(ctx, ref, deleted, now); err != nil {
		return nil, err
	}
	if err := db.exec(ctx, `
		delete from tickets
		where agent_id = ? and account_id = ? and conversation_id in `+placeholders(len(deleted)),
		append([]any{ref.Agent, ref.Account}, toAny(deleted)...)...); err != nil {
		return nil, err
	}
	err = db.exec(ctx, `
		update conversation_counts set
		  total = total - ?,
		  api = api - ?
		where agent_id = ? and account_id = ?`,
		len(list), api, ref.Agent, ref.Account)
	return deleted, err
}

// conversationTables lists what hangs on a conversation, in the order in which it is erased. Leads and the ledger of
// credits stay: they are the account's own.
var conversationTables = []erasableTable{
	{table: "tool_calls", keyColumn: "id"},
	{table: "procedure_runs", keyColumn: "id"},
	{table: "turns", keyColumn: "id", condition: "state <> 'open'"},
	{table: "voice_recordings", keyColumn: "id"},
	{table: "voice_sessions", keyColumn: "id", condition: "ended_at is not null"},
	// the ticket of a conversation has its id
	{table: "ticket_words", keyColumn: "ticket_id", conversationColumn: "ticket_id", maxRows: maxEraseTickets,
		keyRepeats: true},
	{table: "attachments", keyColumn: "id"},
	{table: "tickets", keyColumn: "id"},
	{table: "messages", keyColumn: "id"},
	{table: "mail_notices", keyColumn: "id"},
	{table: "webhook_deliveries", keyColumn: "id"}, // those of channels, which hold what was written
	{table: "drafts", keyColumn: "id"},
	{table: "read_marks", keyColumn: "conversation_id", keyRepeats: true},
	{table: "events", keyColumn: "seq"},
	{table: "conversations", keyColumn: "id", conversationColumn: "id"},
}

// conversationsPerErase is how many conversations are erased in one walk through the tables.
const conversationsPerErase = 100

// EraseConversations erases the rows of an agent's deleted conversations, in chunks, each a transaction of its own in
// the bulk lane. It reports whether all are gone: one with an open turn or voice session is not, nor is one with a
// submission that webhooks may still have to be sent, and the caller comes back later.
func (db *DB) EraseConversations(ctx context.Context, ref parley.AgentRef) (erased bool, err error) {
	kinds := toAny(parley.SubmissionEvents())
	for {
		followed, _, err := db.EventPosition(ctx, WebhookFollower, ref.Account)
		if err != nil {
			return false, err
		}
		ids, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.ConversationID], `
			select id
			from conversations c
			where agent_id = ? and account_id = ? and deleted_at is not null
			  and not exists (select 1 from turns t where t.conversation_id = c.id and t.state = 'open')
			  and not exists (select 1 from voice_sessions v where v.conversation_id = c.id and v.ended_at is null)
			  and not exists (select 1 from events e where e.account_id = c.account_id and e.seq > ?
			    and e.conversation_id = c.id and e.kind in `+placeholders(len(kinds))+`)
			limit ?`, slices.Concat([]any{ref.Agent, ref.Account, followed.seq}, kinds, []any{conversationsPerErase})...)
		if err != nil {
			return false, err
		}
		if len(ids) == 0 {
			break
		}
		if err := db.dropConversationInsights(ctx, ref, ids); err != nil {
			return false, err
		}
		for _, h := range conversationTables {
			column := h.conversationColumn
			if column == "" {
				column = "conversation_id"
			}
			if err := db.erase(ctx, h, ref, column+" in "+placeholders(len(ids)), toAny(ids)); err != nil {
				return false, err
			}
		}
	}
	left, err := db.count(ctx, `
		from conversations
		where agent_id = ? and account_id = ? and deleted_at is not null`, ref.Agent, ref.Account)
	return left == 0, err
}
