package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"parley"
)

const conversationColumns = `id, account_id, agent_id, face, channel, title, user_id, status, paused, parent_id, parent_summary, embed_origin, message_count, created_at, last_activity`

func scanConversation(r row) (*parley.Conversation, error) {
	var c parley.Conversation
	var title, user, parent, summary, origin sql.NullString
	var created, active int64
	err := r.Scan(&c.ID, &c.AccountID, &c.AgentID, &c.Face, &c.Channel, &title, &user, &c.Status, &c.Paused, &parent, &summary, &origin,
		&c.MessageCount, &created, &active)
	if err != nil {
		return nil, err
	}
	c.Title, c.UserID, c.ParentID = title.String, parley.EndUserID(user.String), parley.ConversationID(parent.String)
	c.ParentSummary, c.EmbedOrigin = summary.String, origin.String
	c.CreatedAt, c.UpdatedAt = timeOf(created), timeOf(active)
	return &c, nil
}

// CreateConversation writes a new conversation with its first message. streamed says whether the first answer was asked for
// as a stream.
func (db *DB) CreateConversation(ctx context.Context, c *parley.Conversation, first *parley.Message, streamed bool) error {
	_, err := db.sql.Exec(ctx, `insert into conversations (id, account_id, agent_id, face, channel, streamed, title, user_id, status, parent_id, parent_summary,
		embed_origin, message_count, last_seq, last_activity, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?, ?)`,
		c.ID, c.AccountID, c.AgentID, c.Face, c.Channel, bit(streamed), textOrNil(c.Title), textOrNil(c.UserID), c.Status, textOrNil(c.ParentID),
		textOrNil(c.ParentSummary), textOrNil(c.EmbedOrigin), millis(c.UpdatedAt), millis(c.CreatedAt))
	if err != nil {
		return err
	}
	first.Seq = 1
	return db.insertMessage(ctx, c.AccountID, c.AgentID, first, nil)
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
	return c, found(err, parley.CodeResourceNotFound)
}

// ConversationFilter narrows a list of conversations. Zero fields do not.
type ConversationFilter struct {
	Channel parley.Channel
	User    parley.EndUserID
	From    *time.Time // created at or after
	Before  *time.Time // created before
}

// Conversations lists an agent's conversations, newest created first.
func (db *DB) Conversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter, ask parley.PageAsk) (parley.Page[parley.Conversation], error) {
	where, args := f.where(account, agent)
	var page parley.Page[parley.Conversation]
	if err := db.sql.QueryRow(ctx, `select count(*) from conversations where `+where, args...).Scan(&page.Total); err != nil {
		return page, err
	}
	if ask.After != nil {
		where += ` and (created_at < ? or (created_at = ? and id < ?))`
		args = append(args, ask.After.At, ask.After.At, ask.After.ID)
	}
	rows, err := db.sql.Query(ctx, fmt.Sprintf(`select %s from conversations where %s order by created_at desc, id desc limit %d`,
		conversationColumns, where, ask.Limit+1), args...)
	if err != nil {
		return page, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		c, err := scanConversation(rows)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, *c)
	}
	if len(page.Items) > ask.Limit {
		page.Items = page.Items[:ask.Limit]
		last := page.Items[ask.Limit-1]
		page.Next = &parley.Mark{At: millis(last.CreatedAt), ID: string(last.ID)}
	}
	return page, rows.Err()
}

func (f ConversationFilter) where(account parley.AccountID, agent parley.AgentID) (string, []any) {
	where := []string{"agent_id = ?", "account_id = ?", "deleted_at is null"}
	args := []any{agent, account}
	add := func(clause string, arg any) { where, args = append(where, clause), append(args, arg) }
	if f.Channel != "" {
		add("channel = ?", f.Channel)
	}
	if f.User != "" {
		add("user_id = ?", f.User)
	}
	if f.From != nil {
		add("created_at >= ?", millis(*f.From))
	}
	if f.Before != nil {
		add("created_at < ?", millis(*f.Before))
	}
	return strings.Join(where, " and "), args
}
