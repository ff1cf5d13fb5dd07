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

// SearchTickets finds the tickets that have a word for each term, each with its customer, the best first: by the sum of the words'
// weights, then by their latest update. Where even the rarest term is in more than a thousand tickets, the latest of them are
// compared. It goes on in small steps, so that no database can choose to compare every word with every other.
func (db *DB) SearchTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, terms []TicketTerm, limit int) ([]parley.Ticket, error) {
	list, err := db.sortTermsByRarity(ctx, account, agent, terms[:min(len(terms), maxSearchTerms)])
	if err != nil || len(list) == 0 {
		return nil, err
	}
	hits, err := db.candidateTickets(ctx, account, agent, list[0])
	for _, t := range list[1:] {
		if err == nil {
			hits, err = db.narrowHits(ctx, account, agent, hits, t.TicketTerm)
		}
	}
	if err != nil {
		return nil, err
	}
	ids, err := db.bestTickets(ctx, account, agent, hits, limit)
	if err != nil {
		return nil, err
	}
	return db.ticketsByID(ctx, account, agent, ids)
}

// ticketHits are the tickets that have a word for each term so far, with the sum of the weights.
type ticketHits map[parley.TicketID]int

// weightedTicket is a row of ticket_words.
type weightedTicket struct {
	ticket parley.TicketID
	weight int
}

func scanWeightedTicket(scan sqldb.Scan) (w weightedTicket, err error) {
	err = scan(&w.ticket, &w.weight)
	return w, err
}

// narrowHits leaves those that have a word for a further term.
func (db *DB) narrowHits(ctx context.Context, account parley.AccountID, agent parley.AgentID, before ticketHits, t TicketTerm) (ticketHits, error) {
	where, args := t.whereClause(account, agent)
	best := ticketHits{}
	err := forEachTicketBatch(slices.Collect(maps.Keys(before)), func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scanWeightedTicket, ticketIDsClause+`select w.ticket_id, w.weight from these cross join ticket_words w where w.ticket_id = these.id and `+where,
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

// bestTickets returns the first so many of the tickets: the heaviest, and of equals those that were updated last.
func (db *DB) bestTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, found ticketHits, limit int) ([]parley.TicketID, error) {
	type ticket struct {
		id              parley.TicketID
		updated, number int64
	}
	scan := func(scan sqldb.Scan) (t ticket, err error) {
		err = scan(&t.id, &t.updated, &t.number)
		return t, err
	}
	var list []ticket
	err := forEachTicketBatch(found.heaviest(limit), func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scan, ticketIDsClause+`select t.id, t.updated_at, t.number from these cross join tickets t
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

// heaviest returns the first so many tickets, and all that weigh as much as the last of these.
func (h ticketHits) heaviest(limit int) []parley.TicketID {
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
	err := forEachTicketBatch(ids, func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scanTicket, ticketIDsClause+`select `+ticketColumns+` from these cross join `+ticketTables+`
			where t.id = these.id and t.agent_id = ? and t.account_id = ?`, append(some, agent, account)...)
		list = append(list, rows...)
		return err
	})
	slices.SortFunc(list, func(a, b parley.Ticket) int { return place[a.ID] - place[b.ID] })
	return list, err
}

// ticketsPerStatement is how many tickets one statement is about; a list is filled up to it, so that there is one statement to prepare.
const ticketsPerStatement = 250

// ticketIDsClause begins a statement that goes from tickets to what belongs to them, never the other way round.
var ticketIDsClause = `with these (id) as (select distinct column1 from (values (cast(? as text))` + strings.Repeat(`, (?)`, ticketsPerStatement-1) + `) v) `

func forEachTicketBatch(ids []parley.TicketID, do func(some []any) error) error {
	for some := range slices.Chunk(ids, ticketsPerStatement) {
		full := make([]any, ticketsPerStatement)
		for i := range full {
			full[i] = some[min(i, len(some)-1)]
		}
		if err := do(full); err != nil {
			return err
		}
	}
	return nil
}
