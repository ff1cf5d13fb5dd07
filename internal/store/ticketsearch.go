package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
)

// TicketTerm is a word that a search for tickets asks for, folded.
type TicketTerm struct {
	Word   string
	Prefix bool // every word that begins with it will do
}

const (
	// mostCandidates bounds what a search compares: of a term that more tickets have, the latest tickets are taken.
	mostCandidates = 2000
	mostTerms      = 30 // of a search; further ones are not asked for
	mostEndings    = 40 // words that a prefix stands for where it stands for very many
)

// FindTickets finds the tickets that have a word for each term, each with its customer, the best first: by the sum of the words'
// weights, then by their latest update. Where even the rarest term is in more than two thousand tickets, the latest of them are
// compared.
func (db *DB) FindTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, terms []TicketTerm, limit int) ([]parley.Ticket, error) {
	list, err := db.byRarity(ctx, account, agent, terms[:min(len(terms), mostTerms)])
	if err != nil || len(list) == 0 {
		return nil, err
	}
	candidates, args, err := db.candidates(ctx, account, agent, list[0])
	if err != nil {
		return nil, err
	}
	var query strings.Builder
	query.WriteString(`with c0 as (select ticket_id, max(weight) as weight from (` + candidates + `) r group by ticket_id)`)
	last := `c0`
	for i, t := range list[1:] {
		where, more := t.where(account, agent)
		next := fmt.Sprintf(`c%d`, i+1)
		query.WriteString(`, ` + next + ` as (select c.ticket_id, c.weight + max(w.weight) as weight from ` + last +
			` c cross join ticket_words w where w.ticket_id = c.ticket_id and ` + where + ` group by c.ticket_id, c.weight)`)
		args, last = append(args, more...), next
	}
	query.WriteString(` select ` + ticketColumns + ` from ` + last + ` c cross join tickets t join people p on p.id = t.person_id and p.agent_id = t.agent_id
		and p.account_id = t.account_id where t.id = c.ticket_id and t.agent_id = ? and t.account_id = ? order by c.weight desc, t.updated_at desc, t.number desc limit ?`)
	return sqldb.All(ctx, db.sql, scanTicket, query.String(), append(args, agent, account, limit)...)
}

// rare is a term with the number of its rows, as far as they were counted.
type rare struct {
	TicketTerm
	rows int
}

// byRarity puts the rarest term first, as far as that matters. None is left when a term is in no ticket at all.
func (db *DB) byRarity(ctx context.Context, account parley.AccountID, agent parley.AgentID, terms []TicketTerm) ([]rare, error) {
	list := make([]rare, len(terms))
	for i, t := range terms {
		where, args := t.where(account, agent)
		n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from (select 1 from ticket_words w where `+where+` limit ?) x`, append(args, mostCandidates+1)...)
		if err != nil || n == 0 {
			return nil, err
		}
		list[i] = rare{t, n}
	}
	slices.SortStableFunc(list, func(a, b rare) int { return a.rows - b.rows })
	return list, nil
}

// candidates gives a statement that finds the rows of a term, of the latest tickets where there are too many: the ids of tickets are in
// the order of time.
func (db *DB) candidates(ctx context.Context, account parley.AccountID, agent parley.AgentID, t rare) (query string, args []any, err error) {
	if t.rows <= mostCandidates {
		where, args := t.where(account, agent)
		return `select w.ticket_id, w.weight from ticket_words w where ` + where, args, nil
	}
	words := []string{t.Word}
	if t.Prefix {
		if words, err = db.endings(ctx, account, agent, t.Word); err != nil {
			return "", nil, err
		}
	}
	parts := make([]string, len(words))
	for i, word := range words {
		most := mostCandidates
		if word != t.Word {
			most /= len(words)
		}
		where, more := TicketTerm{Word: word}.where(account, agent)
		parts[i] = fmt.Sprintf(`select * from (select w.ticket_id, w.weight from ticket_words w where %s order by w.ticket_id desc limit ?) r%d`, where, i)
		args = append(append(args, more...), most)
	}
	return strings.Join(parts, ` union all `), args, nil
}

// endings lists the first words that begin with a prefix, stepping from word to word in the index.
func (db *DB) endings(ctx context.Context, account parley.AccountID, agent parley.AgentID, prefix string) ([]string, error) {
	query := `with recursive e (word, n) as (select word, 1 from (select w.word from ticket_words w where ` + within + ` and w.word >= ? order by w.word limit 1) f
		union all select (select w.word from ticket_words w where ` + within + ` and w.word > e.word order by w.word limit 1), e.n + 1 from e where e.word is not null and e.n < ?)
		select word from e where word is not null`
	args := append(span(account, agent, prefix), prefix)
	return sqldb.All(ctx, db.sql, sqldb.Column[string], query, append(append(args, span(account, agent, prefix)...), mostEndings)...)
}

// within finds the words below the end of a prefix's span. The index finds the span; what is in it by the database's order of letters
// alone is left out by the comparison.
const within = `w.agent_id = ? and w.account_id = ? and w.word < ? and substr(w.word, 1, ?) = ?`

func span(account parley.AccountID, agent parley.AgentID, prefix string) []any {
	return []any{agent, account, prefix + string(utf8.MaxRune), utf8.RuneCountInString(prefix), prefix}
}

// where finds the rows of a term among ticket_words w.
func (t TicketTerm) where(account parley.AccountID, agent parley.AgentID) (string, []any) {
	if !t.Prefix {
		return `w.agent_id = ? and w.account_id = ? and w.word = ?`, []any{agent, account, t.Word}
	}
	return within + ` and w.word >= ?`, append(span(account, agent, t.Word), t.Word)
}
