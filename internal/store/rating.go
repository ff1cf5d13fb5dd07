package store

import (
	"context"
	"time"

	"parley"
)

// Message finds a message that a conversation shows. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) Message(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, id parley.MessageID) (*parley.Message, error) {
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where id = ? and conversation_id = ? and agent_id = ? and account_id = ?
		and type = 'reply' and superseded_at is null`, id, conversation, agent, account))
	return m, mapNotFound(err, parley.CodeMessageNotFound)
}

// RateMessage keeps what the end user thinks of a message, and since when; an empty rating takes it back.
func (db *DB) RateMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, m *parley.Message, now time.Time) error {
	n, err := db.sql.Exec(ctx, `update messages set feedback = ?, feedback_at = ? where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		textOrNil(m.Feedback), millis(now), m.ID, m.ConversationID, agent, account)
	return requireChanged(n, err, parley.CodeMessageNotFound)
}
