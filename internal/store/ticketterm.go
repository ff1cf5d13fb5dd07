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

// sortTermsByRarity puts the rarest term first, as far as that matters. None is left when a term is in no ticket at all.
func (db *DB) sortTermsByRarity(ctx context.Context, account parley.AccountID, agent parley.AgentID, terms []TicketTerm) ([]countedTerm, error) {
	list := make([]countedTerm, len(terms))
	for i, t := range terms {
		where, args := t.whereClause(account, agent)
		n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from (select 1 from ticket_words w where `+where+` limit ?) x`, append(args, maxCandidates+1)...)
		if err != nil || n == 0 {
			return nil, err
		}
		list[i] = countedTerm{t, n}
	}
	slices.SortStableFunc(list, func(a, b countedTerm) int { return a.rowCount - b.rowCount })
	return list, nil
}

// candidateTickets returns the tickets that have a word for a term, the latest where there are too many: the ids of tickets are in the order of
// time.
func (db *DB) candidateTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, t countedTerm) (ticketHits, error) {
	if t.rowCount <= maxCandidates {
		where, args := t.whereClause(account, agent)
		return db.addWeights(ctx, ticketHits{}, where, args)
	}
	words := []string{t.Word}
	if t.IsPrefix {
		var err error
		if words, err = db.wordsWithPrefix(ctx, account, agent, t.Word); err != nil {
			return nil, err
		}
	}
	found := ticketHits{}
	for _, word := range words {
		most := maxCandidates
		if word != t.Word {
			most /= len(words)
		}
		where, args := TicketTerm{Word: word}.whereClause(account, agent)
		if _, err := db.addWeights(ctx, found, where+` order by w.ticket_id desc limit ?`, append(args, most)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (db *DB) addWeights(ctx context.Context, into ticketHits, where string, args []any) (ticketHits, error) {
	rows, err := sqldb.All(ctx, db.sql, scanWeightedTicket, `select w.ticket_id, w.weight from ticket_words w where `+where, args...)
	for _, r := range rows {
		into[r.ticket] = max(into[r.ticket], r.weight)
	}
	return into, err
}

// wordsWithPrefix lists the first words that begin with a prefix, stepping from word to word in the index.
func (db *DB) wordsWithPrefix(ctx context.Context, account parley.AccountID, agent parley.AgentID, prefix string) ([]string, error) {
	query := `with recursive e (word, n) as (select word, 1 from (select w.word from ticket_words w where ` + prefixWhere + ` and w.word >= ? order by w.word limit 1) f
		union all select (select w.word from ticket_words w where ` + prefixWhere + ` and w.word > e.word order by w.word limit 1), e.n + 1 from e where e.word is not null and e.n < ?)
		select word from e where word is not null`
	args := append(prefixArgs(account, agent, prefix), prefix)
	return sqldb.All(ctx, db.sql, sqldb.Column[string], query, append(append(args, prefixArgs(account, agent, prefix)...), maxPrefixWords)...)
}

// prefixWhere finds the words below the end of a prefix's span. The index finds the span; what is in it by the database's order of letters
// alone is left out by the comparison.
const prefixWhere = `w.agent_id = ? and w.account_id = ? and w.word < ? and substr(w.word, 1, ?) = ?`

func prefixArgs(account parley.AccountID, agent parley.AgentID, prefix string) []any {
	return []any{agent, account, prefix + string(utf8.MaxRune), utf8.RuneCountInString(prefix), prefix}
}

// whereClause finds the rows of a term among ticket_words w.
func (t TicketTerm) whereClause(account parley.AccountID, agent parley.AgentID) (string, []any) {
	if !t.IsPrefix {
		return `w.agent_id = ? and w.account_id = ? and w.word = ?`, []any{agent, account, t.Word}
	}
	return prefixWhere + ` and w.word >= ?`, append(prefixArgs(account, agent, t.Word), t.Word)
}
