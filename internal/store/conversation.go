package store

import (
	"context"
	"database/sql"

	"parley"
)

const conversationColumns = `id, account_id, agent_id, face, channel, title, user_id, status, paused, parent_id, parent_summary, embed_origin, message_count, created_at, last_activity, external_id, streamed`

func scanConversation(r rowScanner) (*parley.Conversation, error) {
	var c parley.Conversation
	var title, user, parent, summary, origin, external sql.NullString
	var created, active int64
	err := r.Scan(&c.ID, &c.AccountID, &c.AgentID, &c.API, &c.Channel, &title, &user, &c.Status, &c.Paused, &parent, &summary, &origin,
		&c.MessageCount, &created, &active, &external, &c.Streamed)
	if err != nil {
		return nil, err
	}
	c.Title, c.UserID, c.ParentID = title.String, parley.EndUserID(user.String), parley.ConversationID(parent.String)
	c.ParentSummary, c.EmbedOrigin, c.ExternalID = summary.String, origin.String, external.String
	c.CreatedAt, c.UpdatedAt = timeFromMillis(created), timeFromMillis(active)
	return &c, nil
}

// CreateConversation writes a new conversation with its first message and counts it with its agent. streamed says whether the
// first answer was asked for as a stream. Fails with AGENT_NOT_FOUND once the agent is deleted.
func (db *DB) CreateConversation(ctx context.Context, c *parley.Conversation, first *parley.Message, streamed bool) error {
	return db.createConversation(ctx, c, first, streamed, "")
}

// CreateTicketConversation is CreateConversation of one that begins in the hands of people, with its customer.
func (db *DB) CreateTicketConversation(ctx context.Context, c *parley.Conversation, first *parley.Message, customer parley.PersonID) error {
	return db.createConversation(ctx, c, first, false, customer)
}

func (db *DB) createConversation(ctx context.Context, c *parley.Conversation, first *parley.Message, streamed bool, customer parley.PersonID) error {
	_, err := db.sql.Exec(ctx, `insert into conversations (id, account_id, agent_id, face, external_id, channel, streamed, title, user_id, person_id, status, escalated, parent_id, parent_summary,
		embed_origin, message_count, last_seq, last_activity, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?)`,
		c.ID, c.AccountID, c.AgentID, c.API, textOrNil(c.ExternalID), c.Channel, boolToInt(streamed), textOrNil(c.Title), textOrNil(c.UserID), textOrNil(customer), c.Status, boolToInt(c.Status == parley.ConversationTakenOver),
		textOrNil(c.ParentID), textOrNil(c.ParentSummary), textOrNil(c.EmbedOrigin), millis(c.UpdatedAt), millis(c.CreatedAt))
	if err != nil {
		return err
	}
	first.Seq = 1
	if err := db.insertMessage(ctx, c.AccountID, c.AgentID, first, nil); err != nil {
		return err
	}
	return db.countConversation(ctx, c)
}

// countConversation counts a new conversation of the agent. Fails with AGENT_NOT_FOUND once that is deleted.
func (db *DB) countConversation(ctx context.Context, c *parley.Conversation) error {
	n, err := db.sql.Exec(ctx, `insert into conversation_counts (agent_id, account_id, total, api) select id, account_id, 1, ? from agents
		where id = ? and account_id = ? and deleted_at is null
		on conflict (agent_id) do update set total = conversation_counts.total + 1, api = conversation_counts.api + excluded.api`,
		boolToInt(c.Channel == parley.ChannelAPI), c.AgentID, c.AccountID)
	return requireChanged(n, err, parley.CodeAgentNotFound)
}

// Conversation finds one conversation of the agent, whatever its origin. Fails with RESOURCE_NOT_FOUND.
func (db *DB) Conversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (*parley.Conversation, error) {
	return db.conversation(ctx, account, agent, id, "")
}

// LockConversation is Conversation that keeps every other writer out until the transaction ends.
func (db *DB) LockConversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (*parley.Conversation, error) {
	return db.conversation(ctx, account, agent, id, db.sql.ForUpdate())
}

func (db *DB) conversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, lock string) (*parley.Conversation, error) {
	c, err := scanConversation(db.sql.QueryRow(ctx, `select `+conversationColumns+` from conversations
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`+lock, id, agent, account))
	return c, mapNotFound(err, parley.CodeResourceNotFound)
}

// SaveConversationStatus writes how a locked conversation stands: its status, its pause, and, when it has ended, at what time and by whom.
func (db *DB) SaveConversationStatus(ctx context.Context, c *parley.Conversation, endedAt int64, endedBy string) error {
	var at any
	if endedAt != 0 {
		at = endedAt
	}
	n, err := db.sql.Exec(ctx, `update conversations set status = ?, paused = ?, ended_at = ?, ended_by = ?, escalated = case when ? = 1 then 1 else escalated end
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, c.Status, boolToInt(c.Paused), at, textOrNil(endedBy), boolToInt(c.Status == parley.ConversationTakenOver), c.ID, c.AgentID, c.AccountID)
	return requireChanged(n, err, parley.CodeResourceNotFound)
}

// StatusAndLastSeq tells how a conversation stands, and the number of its newest message: the cheap look of those who follow it. Fails with
// RESOURCE_NOT_FOUND.
func (db *DB) StatusAndLastSeq(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (status parley.ConversationStatus, seq int64, err error) {
	err = db.sql.QueryRow(ctx, `select status, last_seq from conversations where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		id, agent, account).Scan(&status, &seq)
	return status, seq, mapNotFound(err, parley.CodeResourceNotFound)
}
