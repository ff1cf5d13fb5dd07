package store

import (
	"context"

	"parley"
)

// TruncateMessage keeps what is left of a message that was talked over; spoken_until is the length of its text, in bytes. Fails with
// RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) TruncateMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, m *parley.Message) error {
	var citations any
	if len(m.Citations) > 0 {
		citations = toJSON(m.Citations)
	}
	n, err := db.sql.Exec(ctx, `update messages set parts = ?, citations = ?, state = ?, finish_reason = ?, spoken_until = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		toJSON(m.Parts), citations, m.State, textOrNil(m.FinishReason), len(m.Text()), m.ID, m.ConversationID, agent, account)
	return requireChanged(n, err, parley.CodeMessageNotFound)
}
