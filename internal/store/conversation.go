package store

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var conversationTable = newTable("conversations", conversationFields)

func conversationFields(c *parley.Conversation) []field {
	return []field{
		{"id", &c.ID},
		{"account_id", &c.AccountID},
		{"agent_id", &c.AgentID},
		{"face", &c.API},
		{"channel", &c.Channel},
		{"title", nullableText(&c.Title)},
		{"user_id", nullableText(&c.UserID)},
		{"status", &c.Status},
		{"paused", &c.Paused},
		{"parent_id", nullableText(&c.ParentID)},
		{"parent_summary", nullableText(&c.ParentSummary)},
		{"embed_origin", nullableText(&c.EmbedOrigin)},
		{"message_count", &c.MessageCount},
		{"created_at", timeDest{&c.CreatedAt}},
		{"last_activity", timeDest{&c.UpdatedAt}},
		{"external_id", nullableText(&c.ExternalID)},
		{"streamed", &c.Streamed},
		{"visitor_id", nullableText(&c.VisitorID)},
		{"embed_title", nullableText(&c.EmbedTitle)},
		{"embed_locale", nullableText(&c.EmbedLocale)},
		{"claimed_by", nullableText(&c.ClaimedBy)},
		{"waiting_since", timePointerDest{&c.WaitingSince}},
		{"snoozed_until", timePointerDest{&c.SnoozedUntil}},
	}
}

// newConversation is a conversation as it is first written: with its customer.
type newConversation struct {
	parley.Conversation
	customer parley.PersonID
}

var newConversationTable = newTable("conversations", func(c *newConversation) []field {
	return append(conversationFields(&c.Conversation),
		field{"person_id", nullableText(&c.customer)},
		field{"escalated", func() any { return boolToInt(c.Status == parley.ConversationTakenOver) }},
		field{"last_seq", &c.MessageCount})
})

// CreateConversation writes a new conversation with its first message and counts it with its agent. streamed says
// whether the first answer was asked for as a stream. Fails with AGENT_NOT_FOUND once the agent is deleted.
func (db *DB) CreateConversation(ctx context.Context, c *parley.Conversation, first *parley.Message,
	streamed bool) error {
	row := newConversation{Conversation: *c}
	row.Streamed = streamed
	return db.createConversation(ctx, &row, first)
}

// CreateAnsweredConversation is CreateConversation of one whose first message is answered already.
func (db *DB) CreateAnsweredConversation(ctx context.Context, c *parley.Conversation, first, answer *parley.Message,
	usage *AnswerUsage) error {
	row := newConversation{Conversation: *c}
	row.MessageCount = 2
	if err := newConversationTable.queueInsert(ctx, db, &row); err != nil {
		return err
	}
	first.Seq, answer.Seq = 1, 2
	if err := db.insertExchange(ctx, c.AgentRef(), first, answer, usage); err != nil {
		return err
	}
	return db.countConversation(ctx, c)
}

// CreateTicketConversation is CreateConversation of one that begins in the hands of people, with its customer.
func (db *DB) CreateTicketConversation(ctx context.Context, c *parley.Conversation, first *parley.Message,
	customer parley.PersonID) error {
	row := newConversation{Conversation: *c, customer: customer}
	row.Streamed = false
	return db.createConversation(ctx, &row, first)
}

// CreateVoiceConversation is CreateConversation of one that a voice session begins: nothing is said in it yet.
func (db *DB) CreateVoiceConversation(ctx context.Context, c *parley.Conversation) error {
	return db.createConversation(ctx, &newConversation{Conversation: *c}, nil)
}

func (db *DB) createConversation(ctx context.Context, c *newConversation, first *parley.Message) error {
	c.MessageCount = boolToInt(first != nil)
	if c.Status == parley.ConversationTakenOver && first != nil && first.Author != parley.AuthorHuman {
		c.WaitingSince = &c.CreatedAt
	}
	if err := newConversationTable.queueInsert(ctx, db, c); err != nil {
		return err
	}
	if first != nil {
		first.Seq = 1
		if err := db.insertMessage(ctx, c.AgentRef(), first, nil); err != nil {
			return err
		}
	}
	return db.countConversation(ctx, &c.Conversation)
}

// countConversation counts a new conversation of the agent. Fails with AGENT_NOT_FOUND once that is deleted.
func (db *DB) countConversation(ctx context.Context, c *parley.Conversation) error {
	return db.sql.QueueCheck(ctx, requireSome(parley.CodeAgentNotFound), `
		insert into conversation_counts (agent_id, account_id, total, api)
		select id, account_id, 1, ?
		from agents
		where id = ? and account_id = ? and deleted_at is null
		on conflict (agent_id) do update set
		  total = conversation_counts.total + 1,
		  api = conversation_counts.api + excluded.api`,
		boolToInt(c.Channel == parley.ChannelAPI), c.AgentID, c.AccountID)
}

// Conversation finds one conversation of the agent, whatever its origin. Fails with RESOURCE_NOT_FOUND.
func (db *DB) Conversation(ctx context.Context, ref parley.ConversationRef) (*parley.Conversation, error) {
	return db.conversation(ctx, ref, "")
}

// LockConversation is Conversation that keeps every other writer out until the transaction ends.
func (db *DB) LockConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Conversation, error) {
	return db.conversation(ctx, ref, db.sql.ForUpdate())
}

// LockConversationAndTurn is LockConversation that also finds the conversation's open turn, or nil.
func (db *DB) LockConversationAndTurn(ctx context.Context, ref parley.ConversationRef) (c *parley.Conversation,
	open *parley.Turn, err error) {
	err = conversationTable.queueFind(ctx, db, &c, conversationWhere+db.sql.ForUpdate(), ref.Conversation, ref.Agent,
		ref.Account)
	if err != nil {
		return nil, nil, err
	}
	if open, err = db.OpenTurn(ctx, ref); err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, parley.NewError(parley.CodeResourceNotFound)
	}
	return c, open, nil
}

func (db *DB) conversation(ctx context.Context, ref parley.ConversationRef, lock string) (*parley.Conversation, error) {
	return conversationTable.find(ctx, db, parley.CodeResourceNotFound, conversationWhere+lock,
		ref.Conversation, ref.Agent, ref.Account)
}

const conversationWhere = `where id = ? and agent_id = ? and account_id = ? and deleted_at is null`

// SaveConversationStatus writes the status of a locked conversation, whether it is paused, who answers in it, and, when
// it has ended, at what time and by whom. Once people have it the customer waits, unless a person has written last. It
// is not put aside any more.
func (db *DB) SaveConversationStatus(ctx context.Context, c *parley.Conversation, endedAt int64, endedBy string) error {
	var at any
	if endedAt != 0 {
		at = endedAt
	}
	isTaken := boolToInt(c.Status == parley.ConversationTakenOver)
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		update conversations set
		  status = ?,
		  paused = ?,
		  claimed_by = ?,
		  ended_at = ?,
		  ended_by = ?,
		  escalated = case when ? = 1 then 1 else escalated end,
		  snoozed_until = null,
		  waiting_since = case
		    when ? = 0 then null
		    when status = 'taken_over' and snoozed_until is null then waiting_since
		    when `+lastAuthor+` = 'human' then null
		    else last_activity
		  end
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, c.Status, boolToInt(c.Paused),
		textOrNil(c.ClaimedBy), at,
		textOrNil(endedBy), isTaken, isTaken, c.ID, c.AgentID, c.AccountID)
}

// ConversationHead is what those who follow a conversation have to know of it.
type ConversationHead struct {
	Status    parley.ConversationStatus
	LastSeq   int64         // of the newest message
	ClaimedBy parley.UserID // empty while nobody answers
}

// ConversationHead returns the state of a conversation: a cheap query. Fails with RESOURCE_NOT_FOUND.
func (db *DB) ConversationHead(ctx context.Context, ref parley.ConversationRef) (s ConversationHead, err error) {
	err = db.sql.QueryRow(ctx, `
		select status, last_seq, coalesce(claimed_by, '')
		from conversations
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		ref.Conversation, ref.Agent, ref.Account).Scan(&s.Status, &s.LastSeq, &s.ClaimedBy)
	return s, mapNotFound(err, parley.CodeResourceNotFound)
}

// ClaimConversation writes which member answers in a locked conversation. Fails with RESOURCE_NOT_FOUND.
func (db *DB) ClaimConversation(ctx context.Context, ref parley.ConversationRef, member parley.UserID) error {
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		update conversations set claimed_by = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, member, ref.Conversation, ref.Agent,
		ref.Account)
}

// CustomerOfConversation returns the person who is known to be the customer of a conversation; nil for nobody.
func (db *DB) CustomerOfConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Person, error) {
	return personTable.findOrNil(ctx, db, `
		where id = (select person_id from conversations where id = ? and agent_id = ? and account_id = ?)
		  and agent_id = ? and account_id = ?`, ref.Conversation, ref.Agent, ref.Account, ref.Agent, ref.Account)
}

// ConversationFilter narrows a list of conversations. Zero fields do not.
type ConversationFilter struct {
	Channel       parley.Channel
	Channels      []parley.Channel // any of them
	Streamed      *bool            // of those of the API, the ones whose answer was asked for as a stream, or not
	User          parley.EndUserID
	Customer      *parley.Person // of whom it is known, or who is its end user by the client's own id
	CreatedFrom   *time.Time     // created at or after
	CreatedBefore *time.Time     // created before
	IdleSince     *time.Time     // without activity since
}

// Conversations lists an agent's conversations, newest created first.
func (db *DB) Conversations(ctx context.Context, ref parley.AgentRef, f ConversationFilter,
	ask parley.PageRequest) (parley.Page[parley.Conversation], error) {
	var page parley.Page[parley.Conversation]
	var err error
	if page.Total, err = db.CountConversations(ctx, ref, f); err != nil {
		return page, err
	}
	where, args := f.whereClause(ref)
	page.Items, page.Next, err = conversationTable.pageItems(ctx, db, ask, func(c parley.Conversation) parley.Cursor {
		return parley.Cursor{SortValue: millis(c.CreatedAt), ID: string(c.ID)}
	}, where, args...)
	return page, err
}

// CountConversations counts those of the agent's conversations that the filter lets through. What an agent has of all
// origins, or of the API, is kept as a number.
func (db *DB) CountConversations(ctx context.Context, ref parley.AgentRef, f ConversationFilter) (n int, err error) {
	if column := f.counterColumn(); column != "" {
		err = db.sql.QueryRow(ctx, `select coalesce((select `+column+
			` from conversation_counts where agent_id = ? and account_id = ?), 0)`, ref.Agent, ref.Account).Scan(&n)
		return n, err
	}
	where, args := f.whereClause(ref)
	return db.count(ctx, `from conversations where `+where, args...)
}

// counterColumn names the column that counts what the filter lets through, if there is one.
func (f ConversationFilter) counterColumn() string {
	if f.User != "" || f.Customer != nil || len(f.Channels) > 0 || f.Streamed != nil || f.CreatedFrom != nil ||
		f.CreatedBefore != nil || f.IdleSince != nil {
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

func (f ConversationFilter) whereClause(ref parley.AgentRef) (string, []any) {
	where := []string{"agent_id = ?", "account_id = ?", "deleted_at is null"}
	args := []any{ref.Agent, ref.Account}
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
	if f.Customer != nil {
		add("(person_id = ? or user_id = ? and user_id <> '')", f.Customer.ID, f.Customer.ExternalID)
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

// ConversationByExternalID returns the conversation that clients of the API know by an id of their own; empty if
// there is none.
func (db *DB) ConversationByExternalID(ctx context.Context, ref parley.AgentRef, api parley.API,
	external string) (parley.ConversationID, error) {
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.ConversationID], `
		select id
		from conversations
		where agent_id = ? and face = ? and external_id = ? and account_id = ? and deleted_at is null`, ref.Agent, api,
		external, ref.Account)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// ReleaseExternalID changes the name by which clients know a conversation to one that they do not know, so that another
// one may have the name.
func (db *DB) ReleaseExternalID(ctx context.Context, c *parley.Conversation) error {
	return db.exec(ctx, `
		update conversations set external_id = ?
		where id = ? and agent_id = ? and account_id = ? and external_id = ? and deleted_at is null`,
		c.FormerExternalID(), c.ID, c.AgentID, c.AccountID, c.ExternalID)
}

// OverwriteMessages removes a locked conversation's messages after the number from it, and records whether its answer
// is now asked for as a stream. The rows stay.
func (db *DB) OverwriteMessages(ctx context.Context, c *parley.Conversation, after int64, streamed bool,
	now time.Time) error {
	if c.Streamed != streamed {
		if err := db.execFound(ctx, parley.CodeConversationNotFound, `
			update conversations set streamed = ?
			where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
			boolToInt(streamed), c.ID, c.AgentID, c.AccountID); err != nil {
			return err
		}
	}
	return db.SupersedeMessages(ctx, c.Ref(), after, now)
}

// ConversationsAtOffset lists an agent's conversations, newest created first, without the first ones: for clients that
// count pages.
func (db *DB) ConversationsAtOffset(ctx context.Context, ref parley.AgentRef, f ConversationFilter, skip,
	limit int) ([]parley.Conversation, error) {
	where, args := f.whereClause(ref)
	return conversationTable.list(ctx, db, `
		where `+where+`
		order by created_at desc, id desc
		limit ? offset ?`, append(args, limit, skip)...)
}

// ConversationsByID finds those of an agent's conversations that are still there, in no order.
func (db *DB) ConversationsByID(ctx context.Context, ref parley.AgentRef,
	ids []parley.ConversationID) ([]parley.Conversation, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return conversationTable.listFrom(ctx, db, ConversationsByIDQuery(len(ids)),
		append([]any{ref.Agent, ref.Account}, toAny(ids)...)...)
}

// ConversationsByIDQuery is what ConversationsByID asks. That agent and account are compared with expressions
// keeps SQLite from walking an index of all their conversations, which it takes for short.
func ConversationsByIDQuery(ids int) string {
	return `
		select ` + conversationTable.columns + `
		from conversations
		where agent_id || '' = ? and account_id || '' = ? and deleted_at is null and id in ` + placeholders(ids)
}

// ConversationState is a conversation with the numbers that show how far it has been followed.
type ConversationState struct {
	parley.Conversation
	LastSeq       int64 // of its newest message
	ReplacedCount int64 // messages that others have taken the place of
}

var conversationStateTable = newTable("conversations", func(s *ConversationState) []field {
	return append(conversationFields(&s.Conversation),
		field{"last_seq", &s.LastSeq},
		field{"last_seq - message_count", &s.ReplacedCount})
})

// ConversationState finds the state of a conversation, or nil when it is gone.
func (db *DB) ConversationState(ctx context.Context, ref parley.ConversationRef) (*ConversationState, error) {
	return conversationStateTable.findOrNil(ctx, db, conversationWhere, ref.Conversation, ref.Agent, ref.Account)
}

// ConversationStates is ConversationState of several of an agent. Those that are gone are missing.
func (db *DB) ConversationStates(ctx context.Context, ref parley.AgentRef,
	ids []parley.ConversationID) (map[parley.ConversationID]*ConversationState, error) {
	all := map[parley.ConversationID]*ConversationState{}
	err := inGroups(ids, func(some []any) error {
		args := append([]any{ref.Agent, ref.Account}, some...)
		list, err := conversationStateTable.list(ctx, db, conversationStatesWhere, args...)
		for i := range list {
			all[list[i].ID] = &list[i]
		}
		return err
	})
	return all, err
}

var conversationStatesWhere = `
	where agent_id || '' = ? and account_id || '' = ? and deleted_at is null
	  and id in ` + placeholders(conversationsPerStatement)

// ConversationsCreatedAfter lists an agent's conversations behind a place in the order of their creation.
func (db *DB) ConversationsCreatedAfter(ctx context.Context, ref parley.AgentRef, after parley.Cursor,
	limit int) ([]parley.Cursor, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (m parley.Cursor, err error) {
		err = scan(&m.SortValue, &m.ID)
		return m, err
	}, `
		select created_at, id
		from conversations
		where agent_id = ? and account_id = ? and deleted_at is null and (created_at, id) > (?, ?)
		order by created_at, id
		limit ?`, ref.Agent, ref.Account, after.SortValue, after.ID, limit)
}

// CountAccountConversations counts what the agents of an account have.
func (db *DB) CountAccountConversations(ctx context.Context, account parley.AccountID) (n int64, err error) {
	err = db.sql.QueryRow(ctx, `
		select coalesce(sum(c.total), 0)
		from conversation_counts c
		join agents a on a.id = c.agent_id
		where c.account_id = ? and a.deleted_at is null`, account).Scan(&n)
	return n, err
}

// ConversationIDs lists the ids of conversations that the filter lets through, oldest first, at most limit.
func (db *DB) ConversationIDs(ctx context.Context, ref parley.AgentRef, f ConversationFilter,
	limit int) ([]parley.ConversationID, error) {
	where, args := f.whereClause(ref)
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.ConversationID], `
		select id
		from conversations
		where `+where+`
		order by created_at, id
		limit ?`, append(args, limit)...)
}

// OwnerOfConversation returns the account and the agent of a conversation. It is the operator's view and asks for no
// account. Fails with CONVERSATION_NOT_FOUND.
func (db *DB) OwnerOfConversation(ctx context.Context, id parley.ConversationID) (account parley.AccountID,
	agent parley.AgentID, err error) {
	err = db.sql.QueryRow(ctx, `
		select account_id, agent_id
		from conversations
		where id = ? and deleted_at is null`, id).Scan(&account, &agent)
	return account, agent, mapNotFound(err, parley.CodeConversationNotFound)
}
