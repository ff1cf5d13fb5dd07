package store

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// ticketTable is read: a ticket t and its customer p.
var ticketTable = newTable(
	"tickets t join people p on p.id = t.person_id and p.agent_id = t.agent_id and p.account_id = t.account_id",
	func(t *parley.Ticket) []field {
		return append(withAlias("t", ticketFields(t)), withAlias("p", personTable.fields(&t.Customer))...)
	})

// ticketFields are the ticket's own columns without its customer.
func ticketFields(t *parley.Ticket) []field {
	return []field{
		{"id", &t.ID},
		{"account_id", &t.AccountID},
		{"agent_id", &t.AgentID},
		{"number", &t.Number},
		{"subject", &t.Subject},
		{"description", &t.Description},
		{"status_id", &t.StatusID},
		{"category", &t.Category},
		{"assignee_id", nullableText(&t.AssigneeID)},
		{"metadata", rawObject(&t.Metadata)},
		{"channel", &t.Channel},
		{"conversation_id", nullableText(&t.ConversationID)},
		{"team_id", nullableText(&t.TeamID)},
		{"priority", &t.Priority},
		{"created_at", timeDest{&t.CreatedAt}},
		{"updated_at", timeDest{&t.UpdatedAt}},
		{"last_message_at", timePointerDest{&t.LastMessageAt}},
	}
}

// Ticket finds a ticket with its customer. Fails with TICKET_NOT_FOUND.
func (db *DB) Ticket(ctx context.Context, ref parley.AgentRef, number int64) (*parley.Ticket, error) {
	return db.ticket(ctx, ref, `t.number = ?`, number, "")
}

// TicketOfConversation finds the ticket of a conversation. Fails with TICKET_NOT_FOUND.
func (db *DB) TicketOfConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Ticket, error) {
	return db.ticket(ctx, ref.AgentRef, `t.conversation_id = ?`, ref.Conversation, "")
}

// LockTicket is Ticket that keeps every other writer of the ticket out until the transaction ends.
func (db *DB) LockTicket(ctx context.Context, ref parley.AgentRef, number int64) (*parley.Ticket, error) {
	return db.ticket(ctx, ref, `t.number = ?`, number, db.ticketLockClause())
}

// LockTicketOfConversation is TicketOfConversation that keeps every other writer of the ticket out until the
// transaction ends.
func (db *DB) LockTicketOfConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Ticket, error) {
	return db.ticket(ctx, ref.AgentRef, `t.conversation_id = ?`, ref.Conversation, db.ticketLockClause())
}

// ticketLockClause leaves the customer's row to others.
func (db *DB) ticketLockClause() string {
	if lock := db.sql.ForUpdate(); lock != "" {
		return lock + " of t"
	}
	return ""
}

func (db *DB) ticket(ctx context.Context, ref parley.AgentRef, condition string, value any,
	lock string) (*parley.Ticket,
	error) {
	return ticketTable.find(ctx, db, parley.CodeTicketNotFound, `
		where t.agent_id = ? and t.account_id = ? and `+condition+lock, ref.Agent, ref.Account, value)
}

// InsertTicket writes a new ticket, whose number, status and customer are there. routed says how it came to its team
// and its assignee, as an object; nil if nobody looked for them.
func (db *DB) InsertTicket(ctx context.Context, t *parley.Ticket, routed json.RawMessage) error {
	return db.insert(ctx, "tickets", "", append(ticketFields(t),
		field{"is_open", t.Category.IsOpen()},
		field{"person_id", t.Customer.ID},
		field{"routed", rawJSONDest{&routed}},
		field{"closed_at", closedAt(t)})...)
}

func closedAt(t *parley.Ticket) any {
	if t.Category.IsOpen() {
		return nil
	}
	return millis(t.UpdatedAt)
}

// SaveTicket writes what of a locked ticket changes: its status, assignee, team, priority and times. Fails with
// TICKET_NOT_FOUND.
func (db *DB) SaveTicket(ctx context.Context, t *parley.Ticket) error {
	return db.execFound(ctx, parley.CodeTicketNotFound, `
		update tickets set
		  status_id = ?,
		  category = ?,
		  is_open = ?,
		  assignee_id = ?,
		  team_id = ?,
		  priority = ?,
		  updated_at = ?,
		  last_message_at = ?,
		  closed_at = case when ? = 1 then null else coalesce(closed_at, ?) end
		where agent_id = ? and account_id = ? and number = ?`,
		t.StatusID, t.Category, boolToInt(t.Category.IsOpen()), textOrNil(t.AssigneeID), textOrNil(t.TeamID),
		t.Priority, millis(t.UpdatedAt), millisOrNil(t.LastMessageAt),
		boolToInt(t.Category.IsOpen()), closedAt(t), t.AgentID, t.AccountID, t.Number)
}

// SetTicketCustomer writes who a locked ticket is of. Fails with TICKET_NOT_FOUND.
func (db *DB) SetTicketCustomer(ctx context.Context, t *parley.Ticket, person parley.PersonID) error {
	return db.execFound(ctx, parley.CodeTicketNotFound, `
		update tickets set person_id = ?
		where agent_id = ? and account_id = ? and number = ?`, person, t.AgentID, t.AccountID, t.Number)
}

// OpenTicketNumbers returns the numbers of an agent's open tickets that a member has, in their order.
func (db *DB) OpenTicketNumbers(ctx context.Context, ref parley.AgentRef, user parley.UserID) ([]int64, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[int64], `
		select number
		from tickets
		where agent_id = ? and account_id = ? and assignee_id = ? and is_open = 1
		order by number`,
		ref.Agent, ref.Account, user)
}

// TicketSort is what a list of tickets is ordered by; ties go by the tickets' numbers.
type TicketSort string

// The orders of tickets.
const (
	SortByCreated     TicketSort = "created_at"
	SortByUpdated     TicketSort = "updated_at"
	SortByLastMessage TicketSort = "last_message_at" // tickets without a message come last, whichever the direction
)

// TicketFilter is which tickets are listed, and in which order. The zero value lists all of them.
type TicketFilter struct {
	Categories             []parley.StatusCategory // any of them; none is all
	Channels               []parley.TicketChannel  // any of them; none is all
	Assignee               *parley.UserID          // empty lists those that nobody has
	Team                   *parley.TeamID          // empty lists those of no team
	Customer               parley.PersonID         // empty is any
	CreatedFrom, CreatedTo *time.Time              // of creation, both included
	Sort                   TicketSort              // empty is SortByUpdated
	Ascending              bool
	CountTotal             bool // whether the page holds the total

	ofAccount bool // of all agents of the account; ties then go by the tickets' ids
}

// noMessageSortValue is the place of tickets without a message among those ordered by their last one.
const noMessageSortValue = math.MinInt64

// Tickets lists an agent's tickets, each with its customer. A cursor holds the value that they are ordered by and the
// number. A walk shows every ticket that does not change meanwhile exactly once.
func (db *DB) Tickets(ctx context.Context, ref parley.AgentRef, f TicketFilter,
	ask parley.PageRequest) (page parley.Page[parley.Ticket], err error) {
	if f.Sort == "" {
		f.Sort = SortByUpdated
	}
	where, args := f.whereClause(ref)
	if f.CountTotal {
		if page.Total, err = db.count(ctx, `
			from tickets t
			where `+where, args...); err != nil {
			return page, err
		}
	}
	var list []parley.Ticket
	if ask.After == nil || ask.After.SortValue != noMessageSortValue {
		if list, err = db.ticketsWithSortValue(ctx, f, where, args, ask); err != nil {
			return page, err
		}
	}
	if f.Sort == SortByLastMessage && len(list) <= ask.Limit {
		rest, err := db.ticketsWithoutMessages(ctx, f, where, args, ask, ask.Limit+1-len(list))
		if err != nil {
			return page, err
		}
		list = append(list, rest...)
	}
	page.Items, page.Next = cutPage(list, ask.Limit, f.cursor)
	return page, nil
}

// AccountTickets is Tickets of all agents of an account. A cursor holds the id in place of the number.
func (db *DB) AccountTickets(ctx context.Context, account parley.AccountID, f TicketFilter,
	ask parley.PageRequest) (parley.Page[parley.Ticket], error) {
	f.ofAccount = true
	return db.Tickets(ctx, parley.AgentRef{Account: account}, f, ask)
}

// ticketsWithSortValue lists the tickets that have a value to be ordered by, in its index.
func (db *DB) ticketsWithSortValue(ctx context.Context, f TicketFilter, where string, args []any,
	ask parley.PageRequest) ([]parley.Ticket, error) {
	direction, beyond := f.sortDirection()
	column := `t.` + string(f.Sort)
	if f.Sort == SortByLastMessage {
		where += ` and t.last_message_at is not null`
	}
	if ask.After != nil {
		where += ` and (` + column + `, ` + f.tieColumn() + `) ` + beyond + ` (?, ?)`
		args = append(args[:len(args):len(args)], ask.After.SortValue, f.tieOf(ask.After))
	}
	order := ` order by ` + column + direction + `, ` + f.tieColumn() + direction
	return db.queryTickets(ctx, where+order, args, ask.Limit+1)
}

// ticketsWithoutMessages lists the tickets without a message.
func (db *DB) ticketsWithoutMessages(ctx context.Context, f TicketFilter, where string, args []any,
	ask parley.PageRequest, limit int) ([]parley.Ticket, error) {
	direction, beyond := f.sortDirection()
	where += ` and t.last_message_at is null`
	if ask.After != nil && ask.After.SortValue == noMessageSortValue {
		where += ` and ` + f.tieColumn() + ` ` + beyond + ` ?`
		args = append(args[:len(args):len(args)], f.tieOf(ask.After))
	}
	// The column is null in all of them: named, it is the order of the index.
	order := ` order by t.last_message_at` + direction + `, ` + f.tieColumn() + direction
	return db.queryTickets(ctx, where+order, args, limit)
}

func (db *DB) queryTickets(ctx context.Context, where string, args []any, limit int) ([]parley.Ticket, error) {
	return ticketTable.list(ctx, db, `where `+where+` limit ?`, append(args[:len(args):len(args)], limit)...)
}

func (f TicketFilter) sortDirection() (order, beyond string) {
	if f.Ascending {
		return ` asc`, `>`
	}
	return ` desc`, `<`
}

func (f TicketFilter) cursor(t parley.Ticket) parley.Cursor {
	at := millis(t.UpdatedAt)
	switch {
	case f.Sort == SortByCreated:
		at = millis(t.CreatedAt)
	case f.Sort == SortByLastMessage && t.LastMessageAt == nil:
		at = noMessageSortValue
	case f.Sort == SortByLastMessage:
		at = millis(*t.LastMessageAt)
	}
	if f.ofAccount {
		return parley.Cursor{SortValue: at, ID: string(t.ID)}
	}
	return parley.Cursor{SortValue: at, ID: strconv.FormatInt(t.Number, 10)}
}

// tieColumn is what tickets are ordered by that have the same value.
func (f TicketFilter) tieColumn() string {
	if f.ofAccount {
		return `t.id`
	}
	return `t.number`
}

// tieOf reads the value of that column in a cursor; cursors are sealed, so it is one of ours.
func (f TicketFilter) tieOf(m *parley.Cursor) any {
	if f.ofAccount {
		return m.ID
	}
	n, _ := strconv.ParseInt(m.ID, 10, 64)
	return n
}

func (f TicketFilter) whereClause(ref parley.AgentRef) (string, []any) {
	clauses, args := []string{`t.agent_id = ?`, `t.account_id = ?`}, []any{ref.Agent, ref.Account}
	if f.ofAccount {
		clauses, args = []string{`t.account_id = ?`, ticketAgentThere}, []any{ref.Account}
	}
	add := func(clause string, values ...any) { clauses, args = append(clauses, clause), append(args, values...) }
	if len(f.Categories) > 0 {
		add(`t.category in `+placeholders(len(f.Categories)), toAny(f.Categories)...)
	}
	if len(f.Channels) > 0 {
		add(`t.channel in `+placeholders(len(f.Channels)), toAny(f.Channels)...)
	}
	addNullableFilter(add, `t.assignee_id`, f.Assignee)
	addNullableFilter(add, `t.team_id`, f.Team)
	if f.Customer != "" {
		add(`t.person_id = ?`, f.Customer)
	}
	if f.CreatedFrom != nil {
		add(`t.created_at >= ?`, millis(*f.CreatedFrom))
	}
	if f.CreatedTo != nil {
		add(`t.created_at <= ?`, millis(*f.CreatedTo))
	}
	return strings.Join(clauses, ` and `), args
}

// ticketAgentThere leaves out the tickets of agents that are deleted.
const ticketAgentThere = `exists (
	select 1
	from agents a
	where a.id = t.agent_id and a.account_id = t.account_id and a.deleted_at is null)`

// addNullableFilter narrows a list by a column that may be null: nil does not, empty finds the nulls.
func addNullableFilter[S ~string](add func(string, ...any), column string, id *S) {
	switch {
	case id == nil:
	case *id == "":
		add(column + ` is null`)
	default:
		add(column+` = ?`, *id)
	}
}
