package helpdesk

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	indexBatchSize     = 4   // tickets that are indexed in a transaction: each may have two thousand words
	maxIndexedMessages = 500 // of a ticket
)

// IndexImported builds the index of the tickets of an agent that is imported, behind a number, a few in a transaction.
// done notes in each the number that it has come to.
func IndexImported(ctx context.Context, db *store.DB, ref parley.AgentRef, number int64,
	done func(tx *store.DB, number int64) error) error {
	for {
		list, err := db.TicketsAfter(ctx, ref, number, indexBatchSize)
		if err != nil || len(list) == 0 {
			return err
		}
		words := make([][]store.TicketWord, len(list))
		for i := range list {
			if words[i], err = importedWords(ctx, db, &list[i]); err != nil {
				return err
			}
		}
		number = list[len(list)-1].Number
		if err := db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			for i := range list {
				if err := tx.AddTicketWords(ctx, ref, list[i].ID, words[i]); err != nil {
					return err
				}
			}
			return done(tx, number)
		}); err != nil {
			return err
		}
	}
}

func importedWords(ctx context.Context, db *store.DB, t *parley.Ticket) ([]store.TicketWord, error) {
	var texts []string
	if t.ConversationID != "" {
		list, err := db.IndexableMessagesAfter(ctx, t.AgentRef().ConversationRef(t.ConversationID), 0, maxIndexedMessages)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			texts = append(texts, m.Text)
		}
	}
	return ticketWords(t, texts...), nil
}
