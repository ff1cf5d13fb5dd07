package store

import (
	"cmp"
	"context"
	"slices"

	"parley"
)

// InboxView is one of the lists of an account's inbox.
type InboxView string

// The views of the inbox. All but InboxEnded, InboxAll and InboxUnread leave out what has ended, and the first three
// what is put aside.
const (
	InboxWaiting    InboxView = "waiting"    // handed over to people, and the customer waits for one to write
	InboxMine       InboxView = "mine"       // the member answers
	InboxUnassigned InboxView = "unassigned" // handed over to people, and nobody answers yet
	InboxUnread     InboxView = "unread"     // unread for the member (ReadMark)
	InboxSnoozed    InboxView = "snoozed"    // put aside until a time, the next one first
	InboxLive       InboxView = "live"       // not ended
	InboxEnded      InboxView = "ended"
	InboxAll        InboxView = "all"
)

// The parts of views that are read by themselves: each has an index in which no other conversations are.
const (
	inboxOngoing       InboxView = "ongoing"
	inboxTakenOver     InboxView = "taken_over"
	inboxAwake         InboxView = "awake"          // of those that a member has
	inboxAside         InboxView = "aside"          // the others of those that a member has: what is put aside
	inboxNewMine       InboxView = "new_mine"       // the member answers, and has not seen what the customer waits with
	inboxNewUnassigned InboxView = "new_unassigned" // nobody answers, and the member has not seen that
	inboxMarked        InboxView = "marked"         // marked as unread
)

const isAwake = `status = 'taken_over' and snoozed_until is null`

// inboxConditions say what is in what is read by itself. Their parameters are the member.
var inboxConditions = map[InboxView]string{
	InboxWaiting:       `waiting_since is not null`,
	InboxMine:          isAwake + ` and claimed_by = ?`,
	InboxUnassigned:    isAwake + ` and claimed_by is null`,
	InboxSnoozed:       `snoozed_until is not null`,
	InboxEnded:         `status = 'ended'`,
	inboxOngoing:       `status = 'ongoing'`,
	inboxTakenOver:     `status = 'taken_over'`,
	inboxAwake:         isAwake,
	inboxAside:         `snoozed_until is not null`,
	inboxNewMine:       `waiting_since is not null and claimed_by = ? and ` + isNewForMember,
	inboxNewUnassigned: `waiting_since is not null and claimed_by is null and ` + isNewForMember,
	inboxMarked:        `conversations.id = r.conversation_id and r.user_id = ? and r.unread_since is not null`,
}

// isNewForMember leaves out what the member has seen, and what is marked. It is no condition on rows that are there or
// not: for that PostgreSQL may read all marks of the member, and sort.
const isNewForMember = `last_activity > coalesce((
		  select case when r.unread_since is null then r.seen_until else 9223372036854775807 end
		  from read_marks r
		  where r.user_id = ? and r.conversation_id = conversations.id and r.account_id = conversations.account_id), -1)`

// InboxFilter selects conversations of an account.
type InboxFilter struct {
	View   InboxView
	Member parley.UserID  // whose conversations InboxMine and InboxUnread select
	Agent  parley.AgentID // empty: of all agents

	ClaimedBy parley.UserID // who answers; empty: whoever does

	// LongestFirst lists those in which the customer waits, the longest first; else the last active comes first. What is
	// unread begins with what has been it for the longest time, always, and what is put aside with what comes back next.
	LongestFirst bool
}

// lastAuthor is who has written the newest message that the customer of a conversation sees.
const lastAuthor = `coalesce((
		  select m.author
		  from messages m
		  where m.agent_id = conversations.agent_id and m.conversation_id = conversations.id
		    and m.account_id = conversations.account_id and m.type = 'reply' and m.superseded_at is null
		  order by m.seq desc
		  limit 1), '')`

// parts returns filters of what is read by itself. Together they list what the filter does, and nothing twice.
func (f InboxFilter) parts() (parts []InboxFilter) {
	for _, view := range f.partViews() {
		part := f
		part.View, part.LongestFirst = view, f.LongestFirst || f.View == InboxUnread || f.View == InboxSnoozed
		parts = append(parts, part)
	}
	return parts
}

func (f InboxFilter) partViews() []InboxView {
	isAny := f.View == InboxLive || f.View == InboxAll
	switch {
	case f.View == InboxUnread:
		return []InboxView{inboxNewMine, inboxNewUnassigned, inboxMarked}
	case f.View == InboxEnded && (f.LongestFirst || f.ClaimedBy != ""): // where nobody waits, and nobody answers
		return nil
	case isAny && f.LongestFirst:
		return []InboxView{InboxWaiting}
	case isAny && f.ClaimedBy != "":
		return []InboxView{inboxAwake, inboxAside}
	case f.View == InboxLive:
		return []InboxView{inboxOngoing, inboxTakenOver}
	case f.View == InboxAll:
		return []InboxView{inboxOngoing, inboxTakenOver, InboxEnded}
	}
	return []InboxView{f.View}
}

// whereClause selects what is in one of the parts.
func (f InboxFilter) whereClause(account parley.AccountID) (where string, args []any) {
	where, args = `deleted_at is null and channel <> ?`, []any{parley.ChannelPlayground}
	add := func(clause string, values ...any) { where, args = where+` and `+clause, append(args, values...) }
	// The agent is looked up for each row: a list of agents would have the planner read them one by one, and sort.
	const isThere = `exists (
		    select 1
		    from agents a
		    where a.id = conversations.agent_id and a.deleted_at is null and a.account_id = `
	switch {
	case f.Agent != "": // whose account is not compared with the rows': that would have SQLite walk those of all agents
		add(`conversations.agent_id = ? and `+isThere+`?)`, f.Agent, account)
	case f.View == inboxMarked:
		add(isThere + `conversations.account_id)`)
	default:
		add(`conversations.account_id = ? and `+isThere+`conversations.account_id)`, account)
	}
	if f.View == inboxMarked {
		add(`r.account_id = ? and conversations.account_id = r.account_id`, account)
	}
	if f.ClaimedBy != "" {
		add(`status = 'taken_over' and claimed_by = ?`, f.ClaimedBy)
	}
	condition := inboxConditions[f.View]
	add(condition, repeatArg(f.Member, condition)...)
	return where, args
}

// pageQuery is what follows the table in a statement that lists the first rows of one of the parts behind a place, and
// one more.
func (f InboxFilter) pageQuery(account parley.AccountID, ask parley.PageRequest) (rest string, args []any) {
	where, args := f.whereClause(account)
	after, beyond, direction := startCursor(ask), `<`, ` desc`
	if f.LongestFirst {
		after, beyond, direction = firstCursor(ask), `>`, ` asc`
	}
	column, id := `last_activity`, `id`
	switch {
	case f.View == inboxMarked:
		column, id = `r.unread_since`, `r.conversation_id`
	case f.View == InboxSnoozed:
		column = `snoozed_until`
	case f.LongestFirst:
		column, where = `waiting_since`, where+` and waiting_since is not null`
	}
	order := column + direction + `, ` + id + direction
	if f.View == InboxUnassigned || f.View == inboxNewUnassigned {
		order = `claimed_by` + direction + `, ` + order // which PostgreSQL does not see to be one value
	}
	return `
		where ` + where + ` and (` + column + `, ` + id + `) ` + beyond + ` (?, ?)
		order by ` + order + `
		limit ?`, append(args, after.SortValue, after.ID, ask.Limit+1)
}

// inboxRow is a conversation with the time, in milliseconds, that it is listed by.
type inboxRow struct {
	parley.Conversation
	at int64
}

// markedTable reads conversations by the marks that say that they are unread: the marks come first.
var markedTable = newTable("read_marks r cross join conversations", func(row *inboxRow) []field {
	return append(withAlias("conversations", conversationFields(&row.Conversation)), field{"r.unread_since", &row.at})
})

// inboxPart lists the first rows of one of the parts.
func (db *DB) inboxPart(ctx context.Context, account parley.AccountID, f InboxFilter,
	ask parley.PageRequest) ([]inboxRow, error) {
	rest, args := f.pageQuery(account, ask)
	if f.View == inboxMarked {
		return markedTable.list(ctx, db, rest, args...)
	}
	list, err := conversationTable.list(ctx, db, rest, args...)
	rows := make([]inboxRow, len(list))
	for i, c := range list {
		rows[i] = inboxRow{c, millis(c.UpdatedAt)}
		switch {
		case f.View == InboxSnoozed:
			rows[i].at = millis(*c.SnoozedUntil)
		case f.LongestFirst:
			rows[i].at = millis(*c.WaitingSince)
		}
	}
	return rows, err
}

// Inbox lists an account's conversations with all agents but those of playgrounds.
func (db *DB) Inbox(ctx context.Context, account parley.AccountID, f InboxFilter,
	ask parley.PageRequest) (page parley.Page[parley.Conversation], err error) {
	var rows []inboxRow
	sign := -1
	for _, part := range f.parts() {
		found, err := db.inboxPart(ctx, account, part, ask)
		if err != nil {
			return page, err
		}
		rows = append(rows, found...)
		if part.LongestFirst {
			sign = 1
		}
	}
	slices.SortFunc(rows, func(a, b inboxRow) int {
		return sign * cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID))
	})
	rows, page.Next = cutPage(rows, ask.Limit, func(row inboxRow) parley.Cursor {
		return parley.Cursor{SortValue: row.at, ID: string(row.ID)}
	})
	for i := range rows {
		page.Items = append(page.Items, rows[i].Conversation)
	}
	return page, nil
}

// CountInbox counts what Inbox lists, up to a number.
func (db *DB) CountInbox(ctx context.Context, account parley.AccountID, f InboxFilter, limit int) (n int, err error) {
	for _, part := range f.parts() {
		if n >= limit {
			break
		}
		from := conversationTable.name
		if part.View == inboxMarked {
			from = markedTable.name
		}
		rest, args := part.pageQuery(account, parley.PageRequest{Limit: limit - n - 1})
		found, err := db.count(ctx, `
			from (
			  select 1
			  from `+from+rest+`) found`, args...)
		if n += found; err != nil {
			return n, err
		}
	}
	return n, nil
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
