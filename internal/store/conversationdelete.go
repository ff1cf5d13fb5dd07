package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// DeleteConversations marks conversations of an agent as deleted: from then on nothing finds them and no running answer can write
// to them, and the names that clients gave them are free. Their rows are left for EraseConversations. With idle, one that was active since stays. It gives those it deleted.
func (db *DB) DeleteConversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, ids []parley.ConversationID, idle *time.Time, now time.Time) ([]parley.ConversationID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	clause, args := "", append([]any{millis(now), agent, account}, toAny(ids)...)
	if idle != nil {
		clause, args = " and last_activity < ?", append(args, millis(*idle))
	}
	type gone struct {
		id      parley.ConversationID
		channel parley.Channel
	}
	read := func(scan sqldb.Scan) (g gone, err error) {
		err = scan(&g.id, &g.channel)
		return g, err
	}
	list, err := sqldb.All(ctx, db.sql, read,
		`update conversations set deleted_at = ?, external_id = null where agent_id || '' = ? and account_id = ? and deleted_at is null and id in `+placeholders(len(ids))+clause+` returning id, channel`, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	deleted, api := make([]parley.ConversationID, len(list)), 0
	for i, g := range list {
		deleted[i] = g.id
		api += boolToInt(g.channel == parley.ChannelAPI)
	}
	if _, err := db.sql.Exec(ctx, `delete from tickets where agent_id = ? and account_id = ? and conversation_id in `+placeholders(len(deleted)), append([]any{agent, account}, toAny(deleted)...)...); err != nil {
		return nil, err
	}
	_, err = db.sql.Exec(ctx, `update conversation_counts set total = total - ?, api = api - ? where agent_id = ? and account_id = ?`,
		len(list), api, agent, account)
	return deleted, err
}

// conversationTables lists what hangs on a conversation, in the order in which it is erased. Leads and the ledger of credits
// stay: they are the account's own.
var conversationTables = []erasableTable{
	{table: "tool_calls", keyColumn: "id"},
	{table: "procedure_runs", keyColumn: "id"},
	{table: "turns", keyColumn: "id", condition: "state <> 'open'"},
	{table: "voice_recordings", keyColumn: "id"},
	{table: "voice_sessions", keyColumn: "id", condition: "ended_at is not null"},
	{table: "ticket_words", keyColumn: "ticket_id", conversationColumn: "ticket_id", maxRows: maxEraseTickets, keyRepeats: true}, // the ticket of a conversation has its id
	{table: "attachments", keyColumn: "id"},
	{table: "tickets", keyColumn: "id"},
	{table: "messages", keyColumn: "id"},
	{table: "events", keyColumn: "seq"},
	{table: "conversations", keyColumn: "id", conversationColumn: "id"},
}

// conversationsPerErase is how many conversations are erased in one walk through the tables.
const conversationsPerErase = 100

// EraseConversations erases the rows of an agent's deleted conversations, in chunks, each a transaction of its own in the bulk
// lane. It reports whether all are gone: one with an open turn or voice session is not, and the caller comes back later.
func (db *DB) EraseConversations(ctx context.Context, account parley.AccountID, agent parley.AgentID) (gone bool, err error) {
	for {
		ids, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.ConversationID], `select id from conversations c where agent_id = ? and account_id = ? and deleted_at is not null
			and not exists (select 1 from turns t where t.conversation_id = c.id and t.state = 'open')
			and not exists (select 1 from voice_sessions v where v.conversation_id = c.id and v.ended_at is null) limit ?`, agent, account, conversationsPerErase)
		if err != nil {
			return false, err
		}
		if len(ids) == 0 {
			break
		}
		if err := db.dropConversationInsights(ctx, account, agent, ids); err != nil {
			return false, err
		}
		for _, h := range conversationTables {
			column := h.conversationColumn
			if column == "" {
				column = "conversation_id"
			}
			if err := db.erase(ctx, h, account, agent, column+" in "+placeholders(len(ids)), toAny(ids)); err != nil {
				return false, err
			}
		}
	}
	left, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from conversations where agent_id = ? and account_id = ? and deleted_at is not null`, agent, account)
	return left == 0, err
}
