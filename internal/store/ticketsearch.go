package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// FindTickets finds the tickets that have a word for each term, each with its customer, the best first: by the sum of the words'
// weights, then by their latest update. Where even the rarest term is in more than a thousand tickets, the latest of them are
// compared. It goes on in small steps, so that no database can choose to compare every word with every other.
func (db *DB) FindTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, terms []TicketTerm, limit int) ([]parley.Ticket, error) {
	list, err := db.byRarity(ctx, account, agent, terms[:min(len(terms), mostTerms)])
	if err != nil || len(list) == 0 {
		return nil, err
	}
	hits, err := db.candidates(ctx, account, agent, list[0])
	for _, t := range list[1:] {
		if err == nil {
			hits, err = db.narrowed(ctx, account, agent, hits, t.TicketTerm)
		}
	}
	if err != nil {
		return nil, err
	}
	ids, err := db.bestOf(ctx, account, agent, hits, limit)
	if err != nil {
		return nil, err
	}
	return db.ticketsByID(ctx, account, agent, ids)
}

// hits are the tickets that have a word for each term so far, with the sum of the weights.
type hits map[parley.TicketID]int

// weighed is a row of ticket_words.
type weighed struct {
	ticket parley.TicketID
	weight int
}

func scanWeighed(scan sqldb.Scan) (w weighed, err error) {
	err = scan(&w.ticket, &w.weight)
	return w, err
}

// narrowed leaves those that have a word for a further term.
func (db *DB) narrowed(ctx context.Context, account parley.AccountID, agent parley.AgentID, before hits, t TicketTerm) (hits, error) {
	where, args := t.where(account, agent)
	best := hits{}
	err := together(slices.Collect(maps.Keys(before)), func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scanWeighed, fromThese+`select w.ticket_id, w.weight from these cross join ticket_words w where w.ticket_id = these.id and `+where,
			append(some, args...)...)
		for _, r := range rows {
			best[r.ticket] = max(best[r.ticket], r.weight)
		}
		return err
	})
	for id := range best {
		best[id] += before[id]
	}
	return best, err
}

// bestOf gives the first so many of the tickets: the heaviest, and of equals those that were updated last.
func (db *DB) bestOf(ctx context.Context, account parley.AccountID, agent parley.AgentID, found hits, limit int) ([]parley.TicketID, error) {
	type ticket struct {
		id              parley.TicketID
		updated, number int64
	}
	scan := func(scan sqldb.Scan) (t ticket, err error) {
		err = scan(&t.id, &t.updated, &t.number)
		return t, err
	}
	var list []ticket
	err := together(found.heaviest(limit), func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scan, fromThese+`select t.id, t.updated_at, t.number from these cross join tickets t
			where t.id = these.id and t.agent_id = ? and t.account_id = ?`, append(some, agent, account)...)
		list = append(list, rows...)
		return err
	})
	slices.SortFunc(list, func(a, b ticket) int {
		return cmp.Or(cmp.Compare(found[b.id], found[a.id]), cmp.Compare(b.updated, a.updated), cmp.Compare(b.number, a.number))
	})
	ids := make([]parley.TicketID, min(len(list), limit))
	for i := range ids {
		ids[i] = list[i].id
	}
	return ids, err
}

// heaviest gives the first so many tickets, and all that weigh as much as the last of these.
func (h hits) heaviest(limit int) []parley.TicketID {
	ids := slices.Collect(maps.Keys(h))
	if len(ids) <= limit {
		return ids
	}
	slices.SortFunc(ids, func(a, b parley.TicketID) int { return h[b] - h[a] })
	end := limit
	for end < len(ids) && h[ids[end]] == h[ids[limit-1]] {
		end++
	}
	return ids[:end]
}

// ticketsByID finds tickets, in the order of the ids.
func (db *DB) ticketsByID(ctx context.Context, account parley.AccountID, agent parley.AgentID, ids []parley.TicketID) ([]parley.Ticket, error) {
	place := map[parley.TicketID]int{}
	for i, id := range ids {
		place[id] = i
	}
	var list []parley.Ticket
	err := together(ids, func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scanTicket, fromThese+`select `+ticketColumns+` from these cross join `+ticketTables+`
			where t.id = these.id and t.agent_id = ? and t.account_id = ?`, append(some, agent, account)...)
		list = append(list, rows...)
		return err
	})
	slices.SortFunc(list, func(a, b parley.Ticket) int { return place[a.ID] - place[b.ID] })
	return list, err
}

// ticketsTogether is how many tickets one statement is about; a list is filled up to it, so that there is one statement to prepare.
const ticketsTogether = 250

// fromThese begins a statement that goes from tickets to what belongs to them, never the other way round.
var fromThese = `with these (id) as (select distinct column1 from (values (cast(? as text))` + strings.Repeat(`, (?)`, ticketsTogether-1) + `) v) `

func together(ids []parley.TicketID, do func(some []any) error) error {
	for some := range slices.Chunk(ids, ticketsTogether) {
		full := make([]any, ticketsTogether)
		for i := range full {
			full[i] = some[min(i, len(some)-1)]
		}
		if err := do(full); err != nil {
			return err
		}
	}
	return nil
}
