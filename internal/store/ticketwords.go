package store

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// TicketWord is a word by which a ticket is found, folded. The weight says how much the place tells in which it stands.
type TicketWord struct {
	Word   string
	Weight int
}

// wordsPerStatement is how many words one statement writes; a list is filled up to it, so that there is one statement to prepare.
const wordsPerStatement = 50

// AddTicketWords adds words by which a ticket is found. Those that it has already keep their weight.
func (db *DB) AddTicketWords(ctx context.Context, account parley.AccountID, agent parley.AgentID, ticket parley.TicketID, words []TicketWord) error {
	for some := range slices.Chunk(words, wordsPerStatement) {
		args := make([]any, 0, 5*wordsPerStatement)
		for i := range wordsPerStatement {
			w := some[min(i, len(some)-1)]
			args = append(args, agent, w.Word, ticket, account, w.Weight)
		}
		if _, err := db.sql.Exec(ctx, insertTicketWordsQuery, args...); err != nil {
			return err
		}
	}
	return nil
}

var insertTicketWordsQuery = `insert into ticket_words (agent_id, word, ticket_id, account_id, weight) values ` +
	strings.Repeat(`, (?, ?, ?, ?, ?)`, wordsPerStatement)[2:] + ` on conflict do nothing`

// CountTicketWords tells how many words a ticket has.
func (db *DB) CountTicketWords(ctx context.Context, account parley.AccountID, agent parley.AgentID, ticket parley.TicketID) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from ticket_words where ticket_id = ? and agent_id = ? and account_id = ?`, ticket, agent, account)
}
