package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// ConversationFilter narrows a list of conversations. Zero fields do not.
type ConversationFilter struct {
	Channel       parley.Channel
	Channels      []parley.Channel // any of them
	Streamed      *bool            // of those of the API, the ones whose answer was asked for as a stream, or not
	User          parley.EndUserID
	CreatedFrom   *time.Time // created at or after
	CreatedBefore *time.Time // created before
	IdleSince     *time.Time // without activity since
}

// Conversations lists an agent's conversations, newest created first.
func (db *DB) Conversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter, ask parley.PageRequest) (parley.Page[parley.Conversation], error) {
	var page parley.Page[parley.Conversation]
	var err error
	if page.Total, err = db.CountConversations(ctx, account, agent, f); err != nil {
		return page, err
	}
	where, args := f.whereClause(account, agent)
	if ask.After != nil {
		where += ` and (created_at, id) < (?, ?)`
		args = append(args, ask.After.SortValue, ask.After.ID)
	}
	list, err := sqldb.All(ctx, db.sql, scanConversationValue, fmt.Sprintf(`select %s from conversations where %s order by created_at desc, id desc limit %d`,
		conversationColumns, where, ask.Limit+1), args...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(c parley.Conversation) parley.Cursor {
		return parley.Cursor{SortValue: millis(c.CreatedAt), ID: string(c.ID)}
	})
	return page, err
}

func scanConversationValue(scan sqldb.Scan) (parley.Conversation, error) {
	c, err := scanConversation(scanFunc(scan))
	if err != nil {
		return parley.Conversation{}, err
	}
	return *c, nil
}

// CountConversations counts those of the agent's conversations that the filter lets through. What an agent has of all origins,
// or of the API, is kept as a number.
func (db *DB) CountConversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter) (n int, err error) {
	if column := f.counterColumn(); column != "" {
		err = db.sql.QueryRow(ctx, `select coalesce((select `+column+` from conversation_counts where agent_id = ? and account_id = ?), 0)`, agent, account).Scan(&n)
		return n, err
	}
	where, args := f.whereClause(account, agent)
	err = db.sql.QueryRow(ctx, `select count(*) from conversations where `+where, args...).Scan(&n)
	return n, err
}

// counterColumn names the column that counts what the filter lets through, if there is one.
func (f ConversationFilter) counterColumn() string {
	if f.User != "" || len(f.Channels) > 0 || f.Streamed != nil || f.CreatedFrom != nil || f.CreatedBefore != nil || f.IdleSince != nil {
		return ""
	}
	switch f.Channel {
	case "":
		return "total"
	case parley.ChannelAPI:
		return "api"
	default:
		return ""
	}
}

func (f ConversationFilter) whereClause(account parley.AccountID, agent parley.AgentID) (string, []any) {
	where := []string{"agent_id = ?", "account_id = ?", "deleted_at is null"}
	args := []any{agent, account}
	add := func(clause string, values ...any) { where, args = append(where, clause), append(args, values...) }
	if f.Channel != "" {
		add("channel = ?", f.Channel)
	}
	if len(f.Channels) == 1 {
		add("channel = ?", f.Channels[0])
	} else if len(f.Channels) > 1 {
		add("channel in "+placeholders(len(f.Channels)), toAny(f.Channels)...)
	}
	if f.Streamed != nil {
		add("(channel <> ? or streamed = ?)", parley.ChannelAPI, boolToInt(*f.Streamed))
	}
	if f.User != "" {
		add("user_id = ?", f.User)
	}
	if f.CreatedFrom != nil {
		add("created_at >= ?", millis(*f.CreatedFrom))
	}
	if f.CreatedBefore != nil {
		add("created_at < ?", millis(*f.CreatedBefore))
	}
	if f.IdleSince != nil { // what was active before a moment was also created before it, and for that there is an index
		add("created_at < ? and last_activity < ?", millis(*f.IdleSince), millis(*f.IdleSince))
	}
	return strings.Join(where, " and "), args
}
