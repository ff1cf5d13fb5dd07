package store

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
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
		{"worked_ms", durationDest{&t.SLA.Worked, time.Millisecond}},
		{"running_since", timePointerDest{&t.SLA.RunningSince}},
		{"replied_at", timePointerDest{&t.SLA.RepliedAt}},
		{"first_reply_due", timePointerDest{&t.SLA.FirstReplyDueAt}},
		{"resolution_due", timePointerDest{&t.SLA.ResolutionDueAt}},
		{"first_reply_breached_at", timePointerDest{&t.SLA.FirstReplyBreachedAt}},
		{"resolution_breached_at", timePointerDest{&t.SLA.ResolutionBreachedAt}},
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
		field{"closed_at", closedAt(t)},
		field{"due_at", millisOrNil(t.SLA.DueAt())},
		field{"breach_at", millisOrNil(t.SLA.NextBreachAt())})...)
}

func closedAt(t *parley.Ticket) any {
	if t.Category.IsOpen() {
		return nil
	}
	return millis(t.UpdatedAt)
}

// SaveTicket writes what of a locked ticket changes: its status, assignee, team, priority, times and SLA. Fails with
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
		  closed_at = case when ? = 1 then null else coalesce(closed_at, ?) end,
		  `+slaAssignments+`
		where agent_id = ? and account_id = ? and number = ?`,
		slices.Concat([]any{
			t.StatusID, t.Category, boolToInt(t.Category.IsOpen()), textOrNil(t.AssigneeID), textOrNil(t.TeamID),
			t.Priority, millis(t.UpdatedAt), millisOrNil(t.LastMessageAt),
			boolToInt(t.Category.IsOpen()), closedAt(t),
		}, slaArgs(&t.SLA), []any{t.AgentID, t.AccountID, t.Number})...)
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

	sortByDue TicketSort = "due_at" // those alone that have something due
)

// TicketFilter is which tickets are listed, and in which order. The zero value lists all of them.
type TicketFilter struct {
	Categories             []parley.StatusCategory // any of them; none is all
	Channels               []parley.TicketChannel  // any of them; none is all
	Assignee               *parley.UserID          // empty lists those that nobody has
	Team                   *parley.TeamID          // empty lists those of no team
	Customer               parley.PersonID         // empty is any
	OverdueAt              *time.Time              // what is overdue then, the longest first, whatever the order
	CreatedFrom, CreatedTo *time.Time              // of creation, both included
	Sort                   TicketSort              // empty is SortByUpdated
	Ascending              bool
	CountTotal             bool // whether the page holds the total

	ofAccount bool // of all agents of the account, and of one category; ties then go by the tickets' ids
}

// noMessageSortValue is the place of tickets without a message among those ordered by their last one.
const noMessageSortValue = math.MinInt64

// Tickets lists an agent's tickets, each with its customer. A cursor holds the value that they are ordered by and the
// number. A walk shows every ticket that does not change meanwhile exactly once.
func (db *DB) Tickets(ctx context.Context, ref parley.AgentRef, f TicketFilter,
	ask parley.PageRequest) (page parley.Page[parley.Ticket], err error) {
	f = f.withOrder()
	if f.CountTotal {
		where, args := f.whereClause(ref)
		if page.Total, err = db.count(ctx, `
			from tickets t
			where `+where, args...); err != nil {
			return page, err
		}
	}
	list, err := db.firstTickets(ctx, ref, f, ask)
	page.Items, page.Next = cutPage(list, ask.Limit, f.cursor)
	return page, err
}

// AccountTickets is Tickets of all agents of an account, without a total. A cursor holds the id in place of the number.
// Those of each category are read by themselves, so that no others are read.
func (db *DB) AccountTickets(ctx context.Context, account parley.AccountID, f TicketFilter,
	ask parley.PageRequest) (page parley.Page[parley.Ticket], err error) {
	categories := slices.Compact(slices.Sorted(slices.Values(f.Categories)))
	if len(categories) == 0 {
		categories = parley.StatusCategories()
	}
	f = f.withOrder()
	f.ofAccount = true
	var list []parley.Ticket
	for _, category := range categories {
		f.Categories = []parley.StatusCategory{category}
		found, err := db.firstTickets(ctx, parley.AgentRef{Account: account}, f, ask)
		if err != nil {
			return page, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, f.compare)
	page.Items, page.Next = cutPage(list, ask.Limit, f.cursor)
	return page, nil
}

// withOrder returns the filter with the order in which its tickets are listed.
func (f TicketFilter) withOrder() TicketFilter {
	f.Sort = cmp.Or(f.Sort, SortByUpdated)
	if f.OverdueAt != nil {
		f.Sort, f.Ascending = sortByDue, true
	}
	return f
}

// firstTickets lists the tickets of a page, and one more if there is one.
func (db *DB) firstTickets(ctx context.Context, ref parley.AgentRef, f TicketFilter,
	ask parley.PageRequest) (list []parley.Ticket, err error) {
	if ask.After == nil || ask.After.SortValue != noMessageSortValue {
		rest, args := f.rowsWithSortValue(ref, ask)
		if list, err = ticketTable.list(ctx, db, rest, args...); err != nil {
			return nil, err
		}
	}
	if f.Sort != SortByLastMessage || len(list) > ask.Limit {
		return list, nil
	}
	rest, args := f.rowsWithoutMessages(ref, ask, ask.Limit+1-len(list))
	more, err := ticketTable.list(ctx, db, rest, args...)
	return append(list, more...), err
}

// rowsWithSortValue selects the tickets that have a value to be ordered by, in its index.
func (f TicketFilter) rowsWithSortValue(ref parley.AgentRef, ask parley.PageRequest) (rest string, args []any) {
	where, args := f.whereClause(ref)
	direction, beyond := f.sortDirection()
	column := `t.` + string(f.Sort)
	if f.Sort == SortByLastMessage {
		where += ` and t.last_message_at is not null`
	}
	if ask.After != nil {
		where += ` and (` + column + `, ` + f.tieColumn() + `) ` + beyond + ` (?, ?)`
		args = append(args, ask.After.SortValue, f.tieOf(ask.After))
	}
	return `where ` + where + f.orderBy(column, direction) + ` limit ?`, append(args, ask.Limit+1)
}

// rowsWithoutMessages selects the tickets without a message.
func (f TicketFilter) rowsWithoutMessages(ref parley.AgentRef, ask parley.PageRequest,
	limit int) (rest string, args []any) {
	where, args := f.whereClause(ref)
	direction, beyond := f.sortDirection()
	where += ` and t.last_message_at is null`
	if ask.After != nil && ask.After.SortValue == noMessageSortValue {
		where += ` and ` + f.tieColumn() + ` ` + beyond + ` ?`
		args = append(args, f.tieOf(ask.After))
	}
	return `where ` + where + f.orderBy(`t.last_message_at`, direction) + ` limit ?`, append(args, limit)
}

// orderBy names the columns of an index in their order, those too that have one value in all rows: PostgreSQL does not
// see that of what is null.
func (f TicketFilter) orderBy(column, direction string) string {
	order := column + direction + `, ` + f.tieColumn() + direction
	if f.ofAccount && f.Assignee != nil && f.isOpen() {
		order = `t.assignee_id` + direction + `, ` + order
	}
	return ` order by ` + order
}

// isOpen reports whether open tickets alone are listed.
func (f TicketFilter) isOpen() bool {
	isDone := func(c parley.StatusCategory) bool { return !c.IsOpen() }
	return len(f.Categories) > 0 && !slices.ContainsFunc(f.Categories, isDone)
}

// compare orders tickets as a list does.
func (f TicketFilter) compare(a, b parley.Ticket) int {
	x, y, sign := f.cursor(a), f.cursor(b), -1
	if f.Ascending {
		sign = 1
	}
	return cmp.Or(cmp.Compare(boolToInt(x.SortValue == noMessageSortValue), boolToInt(y.SortValue == noMessageSortValue)),
		sign*cmp.Compare(x.SortValue, y.SortValue), sign*cmp.Compare(x.ID, y.ID))
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
	case f.Sort == sortByDue && t.SLA.DueAt() != nil:
		at = millis(*t.SLA.DueAt())
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
	if f.isOpen() {
		add(`t.is_open = 1`) // which the indexes of open tickets have in their condition
	}
	switch len(f.Categories) {
	case 0:
	case 1:
		add(`t.category = ?`, f.Categories[0])
	default:
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
	if f.OverdueAt != nil {
		add(`t.due_at is not null and t.due_at <= ?`, millis(*f.OverdueAt))
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
