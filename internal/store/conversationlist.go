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
	Channel  parley.Channel
	Channels []parley.Channel // any of them
	Streamed *bool            // of those of the API, the ones whose answer was asked for as a stream, or not
	User     parley.EndUserID
	From     *time.Time // created at or after
	Before   *time.Time // created before
	Idle     *time.Time // without activity since
}

// Conversations lists an agent's conversations, newest created first.
func (db *DB) Conversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter, ask parley.PageAsk) (parley.Page[parley.Conversation], error) {
	var page parley.Page[parley.Conversation]
	var err error
	if page.Total, err = db.CountConversations(ctx, account, agent, f); err != nil {
		return page, err
	}
	where, args := f.where(account, agent)
	if ask.After != nil {
		where += ` and (created_at, id) < (?, ?)`
		args = append(args, ask.After.At, ask.After.ID)
	}
	list, err := sqldb.All(ctx, db.sql, aConversation, fmt.Sprintf(`select %s from conversations where %s order by created_at desc, id desc limit %d`,
		conversationColumns, where, ask.Limit+1), args...)
	page.Items, page.Next = cut(list, ask.Limit, func(c parley.Conversation) parley.Mark {
		return parley.Mark{At: millis(c.CreatedAt), ID: string(c.ID)}
	})
	return page, err
}

func aConversation(scan sqldb.Scan) (parley.Conversation, error) {
	c, err := scanConversation(scanner(scan))
	if err != nil {
		return parley.Conversation{}, err
	}
	return *c, nil
}

// CountConversations counts those of the agent's conversations that the filter lets through. What an agent has of all origins,
// or of the API, is kept as a number.
func (db *DB) CountConversations(ctx context.Context, account parley.AccountID, agent parley.AgentID, f ConversationFilter) (n int, err error) {
	if column := f.counter(); column != "" {
		err = db.sql.QueryRow(ctx, `select coalesce((select `+column+` from conversation_counts where agent_id = ? and account_id = ?), 0)`, agent, account).Scan(&n)
		return n, err
	}
	where, args := f.where(account, agent)
	err = db.sql.QueryRow(ctx, `select count(*) from conversations where `+where, args...).Scan(&n)
	return n, err
}

// counter names the column that counts what the filter lets through, if there is one.
func (f ConversationFilter) counter() string {
	if f.User != "" || len(f.Channels) > 0 || f.Streamed != nil || f.From != nil || f.Before != nil || f.Idle != nil {
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

func (f ConversationFilter) where(account parley.AccountID, agent parley.AgentID) (string, []any) {
	where := []string{"agent_id = ?", "account_id = ?", "deleted_at is null"}
	args := []any{agent, account}
	add := func(clause string, values ...any) { where, args = append(where, clause), append(args, values...) }
	if f.Channel != "" {
		add("channel = ?", f.Channel)
	}
	if len(f.Channels) == 1 {
		add("channel = ?", f.Channels[0])
	} else if len(f.Channels) > 1 {
		add("channel in "+marks(len(f.Channels)), anys(f.Channels)...)
	}
	if f.Streamed != nil {
		add("(channel <> ? or streamed = ?)", parley.ChannelAPI, bit(*f.Streamed))
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
	if f.Idle != nil { // what was active before a moment was also created before it, and for that there is an index
		add("created_at < ? and last_activity < ?", millis(*f.Idle), millis(*f.Idle))
	}
	return strings.Join(where, " and "), args
}
