package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
)

// SearchTickets finds the tickets that have a word for each term, each with its customer, the best first: by the sum of
// the words' weights, then by their latest update. Where even the rarest term is in more than a thousand tickets, the
// latest of them are compared. It goes on in small steps, so that no database can choose to compare every word with
// every other.
func (db *DB) SearchTickets(ctx context.Context, ref parley.AgentRef, terms []TicketTerm, limit int) ([]parley.Ticket,
	error) {
	hits, err := db.findTicketHits(ctx, ref, terms)
	if err != nil {
		return nil, err
	}
	return db.ticketsOfHits(ctx, ref.Account, hits, limit)
}

// SearchAccountTickets is SearchTickets of several agents of an account: the best of all of them.
func (db *DB) SearchAccountTickets(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	terms []TicketTerm, limit int) ([]parley.Ticket, error) {
	all := ticketHits{}
	for _, agent := range agents {
		hits, err := db.findTicketHits(ctx, account.AgentRef(agent), terms)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, hits)
	}
	return db.ticketsOfHits(ctx, account, all, limit)
}

// findTicketHits finds the tickets of an agent that have a word for each term.
func (db *DB) findTicketHits(ctx context.Context, ref parley.AgentRef, terms []TicketTerm) (ticketHits, error) {
	list, err := db.sortTermsByRarity(ctx, ref, terms[:min(len(terms), maxSearchTerms)])
	if err != nil || len(list) == 0 {
		return nil, err
	}
	hits, err := db.candidateTickets(ctx, ref, list[0])
	for _, t := range list[1:] {
		if err == nil {
			hits, err = db.narrowHits(ctx, ref, hits, t.TicketTerm)
		}
	}
	return hits, err
}

// ticketsOfHits returns the first so many of the tickets, the best first.
func (db *DB) ticketsOfHits(ctx context.Context, account parley.AccountID, hits ticketHits,
	limit int) ([]parley.Ticket, error) {
	ids, err := db.bestTickets(ctx, account, hits, limit)
	if err != nil {
		return nil, err
	}
	return db.ticketsByID(ctx, account, ids)
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
func (db *DB) narrowHits(ctx context.Context, ref parley.AgentRef, before ticketHits, t TicketTerm) (ticketHits,
	error) {
	where, args := t.whereClause(ref)
	best := ticketHits{}
	err := forEachTicketBatch(slices.Collect(maps.Keys(before)), func(some []any) error {
		rows, err := sqldb.All(ctx, db.sql, scanWeightedTicket, ticketIDsClause+`select w.ticket_id, w.weight
			from these
			cross join ticket_words w
			where w.ticket_id = these.id and `+where,
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
func (db *DB) bestTickets(ctx context.Context, account parley.AccountID, found ticketHits,
	limit int) ([]parley.TicketID, error) {
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
		rows, err := sqldb.All(ctx, db.sql, scan, ticketIDsClause+`select t.id, t.updated_at, t.number
			from these
			cross join tickets t
			where t.id = these.id and t.account_id = ?`, append(some, account)...)
		list = append(list, rows...)
		return err
	})
	slices.SortFunc(list, func(a, b ticket) int {
		return cmp.Or(cmp.Compare(found[b.id], found[a.id]), cmp.Compare(b.updated, a.updated),
			cmp.Compare(b.number, a.number), cmp.Compare(b.id, a.id))
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
func (db *DB) ticketsByID(ctx context.Context, account parley.AccountID, ids []parley.TicketID) ([]parley.Ticket,
	error) {
	place := map[parley.TicketID]int{}
	for i, id := range ids {
		place[id] = i
	}
	var list []parley.Ticket
	err := forEachTicketBatch(ids, func(some []any) error {
		rows, err := ticketTable.listFrom(ctx, db, ticketIDsClause+`select `+ticketTable.columns+`
			from these
			cross join `+ticketTable.name+`
			where t.id = these.id and t.account_id = ?`, append(some, account)...)
		list = append(list, rows...)
		return err
	})
	slices.SortFunc(list, func(a, b parley.Ticket) int { return place[a.ID] - place[b.ID] })
	return list, err
}

// ticketsPerStatement is how many tickets one statement is about; a list is filled up to it, so that there is one
// statement to prepare.
const ticketsPerStatement = 250

// ticketIDsClause begins a statement that goes from tickets to what belongs to them, never the other way round.
var ticketIDsClause = `with these (id) as (select distinct column1 from (values (cast(? as text))` +
	strings.Repeat(`, (?)`, ticketsPerStatement-1) + `) v) `

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

// TicketTerm is a word that a search for tickets asks for, folded.
type TicketTerm struct {
	Word     string
	IsPrefix bool // every word that begins with it will do
}

const (
	// maxCandidates bounds what a search compares: of a term that more tickets have, the latest tickets are taken.
	maxCandidates  = 1000
	maxSearchTerms = 30 // of a search; further ones are not asked for
	maxPrefixWords = 40 // words that a prefix stands for where it stands for very many
)

// countedTerm is a term with the number of its rows, as far as they were counted.
type countedTerm struct {
	TicketTerm
	rowCount int
}

// sortTermsByRarity puts the rarest term first, as far as that matters. None is left when a term is in no ticket at
// all.
func (db *DB) sortTermsByRarity(ctx context.Context, ref parley.AgentRef, terms []TicketTerm) ([]countedTerm, error) {
	list := make([]countedTerm, len(terms))
	for i, t := range terms {
		where, args := t.whereClause(ref)
		n, err := db.count(ctx, `from (select 1 from ticket_words w where `+
			where+` limit ?) x`, append(args, maxCandidates+1)...)
		if err != nil || n == 0 {
			return nil, err
		}
		list[i] = countedTerm{t, n}
	}
	slices.SortStableFunc(list, func(a, b countedTerm) int { return a.rowCount - b.rowCount })
	return list, nil
}

// candidateTickets returns the tickets that have a word for a term, the latest where there are too many: the ids of
// tickets are in the order of time.
func (db *DB) candidateTickets(ctx context.Context, ref parley.AgentRef, t countedTerm) (ticketHits, error) {
	if t.rowCount <= maxCandidates {
		where, args := t.whereClause(ref)
		return db.addWeights(ctx, ticketHits{}, where, args)
	}
	words := []string{t.Word}
	if t.IsPrefix {
		var err error
		if words, err = db.wordsWithPrefix(ctx, ref, t.Word); err != nil {
			return nil, err
		}
	}
	found := ticketHits{}
	for _, word := range words {
		limit := maxCandidates
		if word != t.Word {
			limit /= len(words)
		}
		where, args := TicketTerm{Word: word}.whereClause(ref)
		if _, err := db.addWeights(ctx, found, where+` order by w.ticket_id desc limit ?`, append(args, limit)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (db *DB) addWeights(ctx context.Context, into ticketHits, where string, args []any) (ticketHits, error) {
	rows, err := sqldb.All(ctx, db.sql, scanWeightedTicket, `
		select w.ticket_id, w.weight
		from ticket_words w
		where `+where, args...)
	for _, r := range rows {
		into[r.ticket] = max(into[r.ticket], r.weight)
	}
	return into, err
}

// wordsWithPrefix lists the first words that begin with a prefix, stepping from word to word in the index.
func (db *DB) wordsWithPrefix(ctx context.Context, ref parley.AgentRef, prefix string) ([]string, error) {
	query := `with recursive e (word, n) as (select word, 1 from (select w.word from ticket_words w where ` +
		prefixWhere + `
		and w.word >= ?
		order by w.word
		limit 1) f union all select (select w.word
		from ticket_words w
		where ` + prefixWhere +
		` and w.word > e.word order by w.word limit 1), e.n + 1 from e where e.word is not null and e.n < ?)
		select word from e where word is not null`
	args := append(prefixArgs(ref, prefix), prefix)
	return sqldb.All(ctx, db.sql, sqldb.Column[string], query,
		append(append(args, prefixArgs(ref, prefix)...), maxPrefixWords)...)
}

// prefixWhere finds the words below the end of a prefix's span. The index finds the span; what is in it by the
// database's order of letters alone is left out by the comparison.
const prefixWhere = `w.agent_id = ? and w.account_id = ? and w.word < ? and substr(w.word, 1, ?) = ?`

func prefixArgs(ref parley.AgentRef, prefix string) []any {
	return []any{ref.Agent, ref.Account, prefix + string(utf8.MaxRune), utf8.RuneCountInString(prefix), prefix}
}

// whereClause finds the rows of a term among ticket_words w.
func (t TicketTerm) whereClause(ref parley.AgentRef) (string, []any) {
	if !t.IsPrefix {
		return `w.agent_id = ? and w.account_id = ? and w.word = ?`, []any{ref.Agent, ref.Account, t.Word}
	}
	return prefixWhere + ` and w.word >= ?`, append(prefixArgs(ref, t.Word), t.Word)
}

// TicketWord is a word by which a ticket is found, folded. The weight says how much the place counts in which it is.
type TicketWord struct {
	Word   string
	Weight int
}

// wordsPerStatement is how many words one statement writes; a list is filled up to it, so that there is one statement
// to prepare.
const wordsPerStatement = 50

// AddTicketWords adds words by which a ticket is found. Those that it has already keep their weight.
func (db *DB) AddTicketWords(ctx context.Context, ref parley.AgentRef, ticket parley.TicketID,
	words []TicketWord) error {
	for some := range slices.Chunk(words, wordsPerStatement) {
		args := make([]any, 0, 5*wordsPerStatement)
		for i := range wordsPerStatement {
			w := some[min(i, len(some)-1)]
			args = append(args, ref.Agent, w.Word, ticket, ref.Account, w.Weight)
		}
		if err := db.exec(ctx, insertTicketWordsQuery, args...); err != nil {
			return err
		}
	}
	return nil
}

var insertTicketWordsQuery = `
	insert into ticket_words (
	  agent_id,
	  word,
	  ticket_id,
	  account_id,
	  weight
	)
	values ` +
	strings.Repeat(`, (?, ?, ?, ?, ?)`, wordsPerStatement)[2:] + ` on conflict do nothing`

// CountTicketWords returns how many words a ticket has.
func (db *DB) CountTicketWords(ctx context.Context, ref parley.AgentRef, ticket parley.TicketID) (int, error) {
	return db.count(ctx, `
		from ticket_words
		where ticket_id = ? and agent_id = ? and account_id = ?`, ticket, ref.Agent, ref.Account)
}
