package store

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// TicketSort is what a list of tickets is ordered by; ties go by the tickets' numbers.
type TicketSort string

// The orders of tickets.
const (
	SortByCreated     TicketSort = "created_at"
	SortByUpdated     TicketSort = "updated_at"
	SortByLastMessage TicketSort = "last_message_at" // tickets without a message come last, whichever the direction
)

// TicketFilter says which tickets are listed, and in which order. The zero value lists all of them.
type TicketFilter struct {
	Categories             []parley.StatusCategory // any of them; none is all
	Channels               []parley.TicketChannel  // any of them; none is all
	Assignee               *parley.UserID          // empty lists those that nobody has
	Team                   *parley.TeamID          // empty lists those of no team
	Customer               parley.PersonID         // empty is any
	CreatedFrom, CreatedTo *time.Time              // of creation, both included
	Sort                   TicketSort              // empty is SortByUpdated
	Ascending              bool
	CountTotal             bool // whether the page tells the total
}

// noMessageSortValue is the place of tickets without a message among those ordered by their last one.
const noMessageSortValue = math.MinInt64

// Tickets lists an agent's tickets, each with its customer. Mark.At is the value that they are ordered by, Mark.ID the number. A walk
// shows every ticket that does not change meanwhile exactly once.
func (db *DB) Tickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, f TicketFilter, ask parley.PageRequest) (page parley.Page[parley.Ticket], err error) {
	if f.Sort == "" {
		f.Sort = SortByUpdated
	}
	where, args := f.whereClause(account, agent)
	if f.CountTotal {
		if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from tickets t where `+where, args...); err != nil {
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

// ticketsWithSortValue lists the tickets that have a value to be ordered by, in its index.
func (db *DB) ticketsWithSortValue(ctx context.Context, f TicketFilter, where string, args []any, ask parley.PageRequest) ([]parley.Ticket, error) {
	direction, beyond := f.sortDirection()
	column := `t.` + string(f.Sort)
	if f.Sort == SortByLastMessage {
		where += ` and t.last_message_at is not null`
	}
	if ask.After != nil {
		where += ` and (` + column + `, t.number) ` + beyond + ` (?, ?)`
		args = append(args[:len(args):len(args)], ask.After.SortValue, cursorNumber(ask.After))
	}
	return db.queryTickets(ctx, where+` order by `+column+direction+`, t.number`+direction, args, ask.Limit+1)
}

// ticketsWithoutMessages lists the tickets without a message.
func (db *DB) ticketsWithoutMessages(ctx context.Context, f TicketFilter, where string, args []any, ask parley.PageRequest, limit int) ([]parley.Ticket, error) {
	direction, beyond := f.sortDirection()
	where += ` and t.last_message_at is null`
	if ask.After != nil && ask.After.SortValue == noMessageSortValue {
		where += ` and t.number ` + beyond + ` ?`
		args = append(args[:len(args):len(args)], cursorNumber(ask.After))
	}
	return db.queryTickets(ctx, where+` order by t.number`+direction, args, limit)
}

func (db *DB) queryTickets(ctx context.Context, where string, args []any, limit int) ([]parley.Ticket, error) {
	return sqldb.All(ctx, db.sql, scanTicket, `select `+ticketColumns+` from `+ticketTables+` where `+where+` limit ?`, append(args[:len(args):len(args)], limit)...)
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
	return parley.Cursor{SortValue: at, ID: strconv.FormatInt(t.Number, 10)}
}

// cursorNumber reads the number of a mark; marks are sealed, so it is one of ours.
func cursorNumber(m *parley.Cursor) int64 {
	n, _ := strconv.ParseInt(m.ID, 10, 64)
	return n
}

func (f TicketFilter) whereClause(account parley.AccountID, agent parley.AgentID) (string, []any) {
	clauses, args := []string{`t.agent_id = ?`, `t.account_id = ?`}, []any{agent, account}
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
