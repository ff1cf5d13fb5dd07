package store

import (
	"context"
	"time"

	"parley"
)

// AnsweredBy gives the user's message that a message of the conversation is, or answers: the last one of the user up to it.
// Fails with CHAT_RETRY_MESSAGE_NOT_FOUND for a message that is not there or has been replaced, and with
// CHAT_RETRY_NO_USER_MESSAGE.
func (db *DB) AnsweredBy(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, message parley.MessageID) (*parley.Message, error) {
	var seq int64
	err := db.sql.QueryRow(ctx, `select seq from messages where id = ? and conversation_id = ? and agent_id = ? and account_id = ?
		and type = 'reply' and superseded_at is null`, message, conversation, agent, account).Scan(&seq)
	if err != nil {
		return nil, found(err, parley.CodeRetryNotFound)
	}
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where agent_id = ? and conversation_id = ? and account_id = ?
		and seq <= ? and author = ? and type = 'reply' and superseded_at is null order by seq desc limit 1`, agent, conversation, account, seq, parley.ByUser))
	return m, found(err, parley.CodeRetryNoUser)
}

// Supersede takes all messages behind the number out of the conversation: a new answer takes their place. The rows stay.
func (db *DB) Supersede(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, after int64, now time.Time) error {
	n, err := db.sql.Exec(ctx, `update messages set superseded_at = ? where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and superseded_at is null`,
		millis(now), agent, conversation, account, after)
	if err != nil || n == 0 {
		return err
	}
	_, err = db.sql.Exec(ctx, `update conversations set message_count = message_count - ? where id = ? and agent_id = ? and account_id = ?`, n, conversation, agent, account)
	return err
}

// Redacts reports whether the agent masks personal data before it keeps anything.
func (db *DB) Redacts(ctx context.Context, account parley.AccountID, agent parley.AgentID) (redacts bool, err error) {
	err = db.sql.QueryRow(ctx, `select redact from agents where id = ? and account_id = ? and deleted_at is null`, agent, account).Scan(&redacts)
	return redacts, found(err, parley.CodeAgentNotFound)
}
