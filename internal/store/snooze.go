package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// SnoozeConversation puts a locked conversation aside until a time. Nobody is said to wait in it meanwhile. Fails with
// RESOURCE_NOT_FOUND.
func (db *DB) SnoozeConversation(ctx context.Context, ref parley.ConversationRef, until time.Time) error {
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		update conversations set
		  snoozed_until = ?,
		  waiting_since = null
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, millis(until), ref.Conversation,
		ref.Agent, ref.Account)
}

// WakeConversation takes back that a locked conversation is put aside. Unless a person has written last, the customer
// waits again: since their last message. Fails with RESOURCE_NOT_FOUND.
func (db *DB) WakeConversation(ctx context.Context, ref parley.ConversationRef) error {
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		update conversations set
		  snoozed_until = null,
		  waiting_since = case when `+lastAuthor+` = 'human' then null else last_activity end
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, ref.Conversation, ref.Agent,
		ref.Account)
}

// DueConversations lists the conversations of all accounts that are put aside until a time or an earlier one, the
// earliest first, at most limit.
func (db *DB) DueConversations(ctx context.Context, at time.Time, limit int) ([]parley.ConversationRef, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (ref parley.ConversationRef, err error) {
		err = scan(&ref.Account, &ref.Agent, &ref.Conversation)
		return ref, err
	}, dueConversationsQuery, millis(at), limit)
}

const dueConversationsQuery = `
	select account_id, agent_id, id
	from conversations
	where snoozed_until is not null and snoozed_until <= ? and deleted_at is null
	order by snoozed_until, id
	limit ?`
