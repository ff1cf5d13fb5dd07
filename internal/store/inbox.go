package store

import (
	"context"

	"parley"
)

// InboxView is one of the lists of an account's inbox.
type InboxView string

// The views of the inbox. All but InboxEnded and InboxAll leave out what has ended.
const (
	InboxWaiting    InboxView = "waiting"    // handed over to people, and the customer waits for one to write
	InboxMine       InboxView = "mine"       // the member answers
	InboxUnassigned InboxView = "unassigned" // handed over to people, and nobody answers yet
	InboxLive       InboxView = "live"       // not ended
	InboxEnded      InboxView = "ended"
	InboxAll        InboxView = "all"
)

// InboxFilter selects conversations of an account.
type InboxFilter struct {
	View   InboxView
	Member parley.UserID  // whose conversations InboxMine selects
	Agent  parley.AgentID // empty: of all agents

	ClaimedBy parley.UserID // who answers; empty: whoever does

	LongestFirst bool // those in which the customer waits, the longest first; else the last active comes first
}

// lastAuthor is who has written the newest message that the customer of a conversation sees.
const lastAuthor = `coalesce((
		  select m.author
		  from messages m
		  where m.agent_id = conversations.agent_id and m.conversation_id = conversations.id
		    and m.account_id = conversations.account_id and m.type = 'reply' and m.superseded_at is null
		  order by m.seq desc
		  limit 1), '')`

func (f InboxFilter) whereClause(account parley.AccountID) (where string, args []any) {
	// The agent is looked up for each row: a list of agents would have the planner read them one by one, and sort.
	where = `account_id = ? and deleted_at is null and channel <> ?
		  and exists (
		    select 1
		    from agents a
		    where a.id = conversations.agent_id and a.account_id = conversations.account_id and a.deleted_at is null)`
	args = []any{account, parley.ChannelPlayground}
	if f.Agent != "" {
		where, args = where+` and agent_id = ?`, append(args, f.Agent)
	}
	if f.ClaimedBy != "" {
		where, args = where+` and status = 'taken_over' and claimed_by = ?`, append(args, f.ClaimedBy)
	}
	switch f.View {
	case InboxWaiting:
		where += ` and waiting_since is not null`
	case InboxMine:
		where, args = where+` and status = 'taken_over' and claimed_by = ?`, append(args, f.Member)
	case InboxUnassigned:
		where += ` and status = 'taken_over' and claimed_by is null`
	case InboxLive:
		where += ` and status <> 'ended'`
	case InboxEnded:
		where += ` and status = 'ended'`
	case InboxAll:
	}
	return where, args
}

// Inbox lists an account's conversations with all agents but those of playgrounds.
func (db *DB) Inbox(ctx context.Context, account parley.AccountID, f InboxFilter,
	ask parley.PageRequest) (page parley.Page[parley.Conversation], err error) {
	where, args := f.whereClause(account)
	after, order := startCursor(ask), ` and (last_activity, id) < (?, ?)
		order by last_activity desc, id desc`
	if f.LongestFirst {
		after = firstCursor(ask)
		order = ` and waiting_since is not null and (waiting_since, id) > (?, ?)
		order by waiting_since, id`
	}
	list, err := conversationTable.list(ctx, db, `
		where `+where+order+`
		limit ?`, append(args, after.SortValue, after.ID, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(c parley.Conversation) parley.Cursor {
		at := c.UpdatedAt
		if f.LongestFirst {
			at = *c.WaitingSince
		}
		return parley.Cursor{SortValue: millis(at), ID: string(c.ID)}
	})
	return page, err
}

// CountInbox counts what Inbox lists, up to a number.
func (db *DB) CountInbox(ctx context.Context, account parley.AccountID, f InboxFilter, limit int) (int, error) {
	where, args := f.whereClause(account)
	return db.count(ctx, `
		from (
		  select 1
		  from conversations
		  where `+where+`
		  limit ?) found`, append(args, limit)...)
}

// LastMessages returns the newest message that customers see of each of some conversations of an account, in no order.
func (db *DB) LastMessages(ctx context.Context, account parley.AccountID,
	ids []parley.ConversationID) ([]parley.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return messageTable.list(ctx, db, `
		where account_id = ? and id in (
		  select (
		    select m.id
		    from messages m
		    where m.agent_id = c.agent_id and m.conversation_id = c.id and m.account_id = c.account_id
		      and m.type = 'reply' and m.superseded_at is null
		    order by m.seq desc
		    limit 1)
		  from conversations c
		  where c.account_id = ? and c.id in `+placeholders(len(ids))+`)`,
		append([]any{account, account}, toAny(ids)...)...)
}

// conversationCustomer is a conversation with the person who is known to be its customer.
type conversationCustomer struct {
	conversation parley.ConversationID
	person       parley.Person
}

var conversationCustomerTable = newTable(`conversations c
	join people p on p.id = c.person_id and p.agent_id = c.agent_id and p.account_id = c.account_id`,
	func(c *conversationCustomer) []field {
		return append([]field{{"c.id", &c.conversation}}, withAlias("p", personTable.fields(&c.person))...)
	})

// CustomersOfConversations returns the people who are known to be the customers of some conversations of an account.
func (db *DB) CustomersOfConversations(ctx context.Context, account parley.AccountID,
	ids []parley.ConversationID) (map[parley.ConversationID]parley.Person, error) {
	found := map[parley.ConversationID]parley.Person{}
	if len(ids) == 0 {
		return found, nil
	}
	list, err := conversationCustomerTable.list(ctx, db, `
		where c.account_id = ? and c.id in `+placeholders(len(ids)), append([]any{account}, toAny(ids)...)...)
	for i := range list {
		found[list[i].conversation] = list[i].person
	}
	return found, err
}

// HasColleagueWritten reports whether another member than the one has written to the customer after a message.
func (db *DB) HasColleagueWritten(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	after int64) (bool, error) {
	return db.exists(ctx, `
		from messages
		where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply'
		  and author = 'human' and coalesce(author_id, '') <> ? and superseded_at is null`,
		ref.Agent, ref.Conversation, ref.Account, after, member)
}
