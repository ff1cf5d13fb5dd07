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
	ByCreated TicketSort = "created_at"
	ByUpdated TicketSort = "updated_at"
	BySpoken  TicketSort = "last_message_at" // tickets without a message come last, whichever the direction
)

// TicketFilter says which tickets are listed, and in which order. The zero value lists all of them.
type TicketFilter struct {
	Categories []parley.StatusCategory // any of them; none is all
	Channels   []parley.TicketChannel  // any of them; none is all
	Assignee   *parley.UserID          // empty lists those that nobody has
	Team       *parley.TeamID          // empty lists those of no team
	Customer   parley.PersonID         // empty is any
	From, To   *time.Time              // of creation, both included
	Sort       TicketSort              // empty is ByUpdated
	Ascending  bool
	Count      bool // whether the page tells the total
}

// unspoken is the place of tickets without a message among those ordered by their last one.
const unspoken = math.MinInt64

// Tickets lists an agent's tickets, each with its customer. Mark.At is the value that they are ordered by, Mark.ID the number. A walk
// shows every ticket that does not change meanwhile exactly once.
func (db *DB) Tickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, f TicketFilter, ask parley.PageAsk) (page parley.Page[parley.Ticket], err error) {
	if f.Sort == "" {
		f.Sort = ByUpdated
	}
	where, args := f.where(account, agent)
	if f.Count {
		if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from tickets t where `+where, args...); err != nil {
			return page, err
		}
	}
	var list []parley.Ticket
	if ask.After == nil || ask.After.At != unspoken {
		if list, err = db.spoken(ctx, f, where, args, ask); err != nil {
			return page, err
		}
	}
	if f.Sort == BySpoken && len(list) <= ask.Limit {
		rest, err := db.unspoken(ctx, f, where, args, ask, ask.Limit+1-len(list))
		if err != nil {
			return page, err
		}
		list = append(list, rest...)
	}
	page.Items, page.Next = cut(list, ask.Limit, f.mark)
	return page, nil
}

// spoken lists the tickets that have a value to be ordered by, in its index.
func (db *DB) spoken(ctx context.Context, f TicketFilter, where string, args []any, ask parley.PageAsk) ([]parley.Ticket, error) {
	direction, beyond := f.direction()
	column := `t.` + string(f.Sort)
	if f.Sort == BySpoken {
		where += ` and t.last_message_at is not null`
	}
	if ask.After != nil {
		where += ` and (` + column + `, t.number) ` + beyond + ` (?, ?)`
		args = append(args[:len(args):len(args)], ask.After.At, numberOf(ask.After))
	}
	return db.tickets(ctx, where+` order by `+column+direction+`, t.number`+direction, args, ask.Limit+1)
}

// unspoken lists the tickets without a message.
func (db *DB) unspoken(ctx context.Context, f TicketFilter, where string, args []any, ask parley.PageAsk, limit int) ([]parley.Ticket, error) {
	direction, beyond := f.direction()
	where += ` and t.last_message_at is null`
	if ask.After != nil && ask.After.At == unspoken {
		where += ` and t.number ` + beyond + ` ?`
		args = append(args[:len(args):len(args)], numberOf(ask.After))
	}
	return db.tickets(ctx, where+` order by t.number`+direction, args, limit)
}

func (db *DB) tickets(ctx context.Context, where string, args []any, limit int) ([]parley.Ticket, error) {
	return sqldb.All(ctx, db.sql, scanTicket, `select `+ticketColumns+` from `+ticketTables+` where `+where+` limit ?`, append(args[:len(args):len(args)], limit)...)
}

func (f TicketFilter) direction() (order, beyond string) {
	if f.Ascending {
		return ` asc`, `>`
	}
	return ` desc`, `<`
}

func (f TicketFilter) mark(t parley.Ticket) parley.Mark {
	at := millis(t.UpdatedAt)
	switch {
	case f.Sort == ByCreated:
		at = millis(t.CreatedAt)
	case f.Sort == BySpoken && t.LastMessageAt == nil:
		at = unspoken
	case f.Sort == BySpoken:
		at = millis(*t.LastMessageAt)
	}
	return parley.Mark{At: at, ID: strconv.FormatInt(t.Number, 10)}
}

// numberOf reads the number of a mark; marks are sealed, so it is one of ours.
func numberOf(m *parley.Mark) int64 {
	n, _ := strconv.ParseInt(m.ID, 10, 64)
	return n
}

func (f TicketFilter) where(account parley.AccountID, agent parley.AgentID) (string, []any) {
	clauses, args := []string{`t.agent_id = ?`, `t.account_id = ?`}, []any{agent, account}
	add := func(clause string, values ...any) { clauses, args = append(clauses, clause), append(args, values...) }
	if len(f.Categories) > 0 {
		add(`t.category in `+marks(len(f.Categories)), anys(f.Categories)...)
	}
	if len(f.Channels) > 0 {
		add(`t.channel in `+marks(len(f.Channels)), anys(f.Channels)...)
	}
	whose(add, `t.assignee_id`, f.Assignee)
	whose(add, `t.team_id`, f.Team)
	if f.Customer != "" {
		add(`t.person_id = ?`, f.Customer)
	}
	if f.From != nil {
		add(`t.created_at >= ?`, millis(*f.From))
	}
	if f.To != nil {
		add(`t.created_at <= ?`, millis(*f.To))
	}
	return strings.Join(clauses, ` and `), args
}

// whose narrows a list by a column that may be null: nil does not, empty finds the nulls.
func whose[S ~string](add func(string, ...any), column string, id *S) {
	switch {
	case id == nil:
	case *id == "":
		add(column + ` is null`)
	default:
		add(column+` = ?`, *id)
	}
}
