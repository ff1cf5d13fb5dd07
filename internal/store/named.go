package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// ConversationByExternalID finds the conversation that the face's clients know by an id of their own; empty where there is none.
func (db *DB) ConversationByExternalID(ctx context.Context, account parley.AccountID, agent parley.AgentID, face parley.API, external string) (parley.ConversationID, error) {
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.ConversationID], `select id from conversations where agent_id = ? and face = ? and external_id = ?
		and account_id = ? and deleted_at is null`, agent, face, external, account)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// OverwriteMessages takes a locked conversation's messages behind the number out of it, and notes whether its answer is now asked for as
// a stream. The rows stay.
func (db *DB) OverwriteMessages(ctx context.Context, c *parley.Conversation, after int64, streamed bool, now time.Time) error {
	if c.Streamed != streamed {
		n, err := db.sql.Exec(ctx, `update conversations set streamed = ? where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
			boolToInt(streamed), c.ID, c.AgentID, c.AccountID)
		if err := requireChanged(n, err, parley.CodeConversationNotFound); err != nil {
			return err
		}
	}
	return db.SupersedeMessages(ctx, c.AccountID, c.AgentID, c.ID, after, now)
}

// ConversationsAtOffset lists an agent's conversations, newest created first, without the first ones: for clients that count pages.
func (db *DB) ConversationsAtOffset(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter, skip, limit int) ([]parley.Conversation, error) {
	where, args := f.whereClause(account, agent)
	return sqldb.All(ctx, db.sql, scanConversationValue, fmt.Sprintf(`select %s from conversations where %s order by created_at desc, id desc limit %d offset %d`,
		conversationColumns, where, limit, skip), args...)
}
