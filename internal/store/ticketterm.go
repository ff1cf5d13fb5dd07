package store

import (
	"context"
	"slices"
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
	mostCandidates = 1000
	mostTerms      = 30 // of a search; further ones are not asked for
	mostEndings    = 40 // words that a prefix stands for where it stands for very many
)

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

// candidates gives the tickets that have a word for a term, the latest where there are too many: the ids of tickets are in the order of
// time.
func (db *DB) candidates(ctx context.Context, account parley.AccountID, agent parley.AgentID, t rare) (hits, error) {
	if t.rows <= mostCandidates {
		where, args := t.where(account, agent)
		return db.weigh(ctx, hits{}, where, args)
	}
	words := []string{t.Word}
	if t.Prefix {
		var err error
		if words, err = db.endings(ctx, account, agent, t.Word); err != nil {
			return nil, err
		}
	}
	found := hits{}
	for _, word := range words {
		most := mostCandidates
		if word != t.Word {
			most /= len(words)
		}
		where, args := TicketTerm{Word: word}.where(account, agent)
		if _, err := db.weigh(ctx, found, where+` order by w.ticket_id desc limit ?`, append(args, most)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (db *DB) weigh(ctx context.Context, into hits, where string, args []any) (hits, error) {
	rows, err := sqldb.All(ctx, db.sql, scanWeighed, `select w.ticket_id, w.weight from ticket_words w where `+where, args...)
	for _, r := range rows {
		into[r.ticket] = max(into[r.ticket], r.weight)
	}
	return into, err
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
