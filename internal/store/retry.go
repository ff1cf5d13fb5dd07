package store

import (
	"context"
	"time"

	"parley"
)

// UserMessageAnsweredBy returns the user's message that a message of the conversation is, or answers: the last one of the user up to it.
// Fails with CHAT_RETRY_MESSAGE_NOT_FOUND for a message that is not there or has been replaced, and with
// CHAT_RETRY_NO_USER_MESSAGE.
func (db *DB) UserMessageAnsweredBy(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, message parley.MessageID) (*parley.Message, error) {
	seq, err := db.activeMessageSeq(ctx, account, agent, conversation, message)
	if err != nil {
		return nil, err
	}
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where agent_id = ? and conversation_id = ? and account_id = ?
		and seq <= ? and author = ? and type = 'reply' and superseded_at is null order by seq desc limit 1`, agent, conversation, account, seq, parley.AuthorUser))
	return m, mapNotFound(err, parley.CodeRetryNoUser)
}

// activeMessageSeq finds the number of a message that has not been replaced. An answer that failed has left no message: its id stands for
// the message that it was to answer.
func (db *DB) activeMessageSeq(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, message parley.MessageID) (seq int64, err error) {
	err = db.sql.QueryRow(ctx, `select seq from messages where id in (?, (select user_message_id from turns where message_id = ? and conversation_id = ?
		and agent_id = ? and account_id = ? and state = 'failed')) and conversation_id = ? and agent_id = ? and account_id = ?
		and type = 'reply' and superseded_at is null`, message, message, conversation, agent, account, conversation, agent, account).Scan(&seq)
	return seq, mapNotFound(err, parley.CodeRetryNotFound)
}

// SupersedeMessages takes all messages behind the number out of the conversation: a new answer takes their place. The rows stay, and so do the
// team's notes and what happened to the ticket.
func (db *DB) SupersedeMessages(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, after int64, now time.Time) error {
	n, err := db.sql.Exec(ctx, `update messages set superseded_at = ? where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply' and superseded_at is null`,
		millis(now), agent, conversation, account, after)
	if err != nil || n == 0 {
		return err
	}
	_, err = db.sql.Exec(ctx, `update conversations set message_count = message_count - ? where id = ? and agent_id = ? and account_id = ?`, n, conversation, agent, account)
	return err
}

// AgentRedacts reports whether the agent masks personal data before it keeps anything.
func (db *DB) AgentRedacts(ctx context.Context, account parley.AccountID, agent parley.AgentID) (redacts bool, err error) {
	err = db.sql.QueryRow(ctx, `select redact from agents where id = ? and account_id = ? and deleted_at is null`, agent, account).Scan(&redacts)
	return redacts, mapNotFound(err, parley.CodeAgentNotFound)
}
