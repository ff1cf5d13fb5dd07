package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

const (
	indexBatchSize     = 100 // tickets that are read at once
	maxIndexedMessages = 500 // of a ticket
)

// IndexImported builds the index of the tickets of an account that was imported, in the transaction of the import.
func IndexImported(ctx context.Context, tx *store.DB, account parley.AccountID) error {
	for after := parley.TicketID(""); ; {
		list, err := tx.TicketsAfter(ctx, account, after, indexBatchSize)
		if err != nil {
			return err
		}
		for i := range list {
			if err := indexTicket(ctx, tx, &list[i]); err != nil {
				return err
			}
		}
		if len(list) < indexBatchSize {
			return nil
		}
		after = list[len(list)-1].ID
	}
}

func indexTicket(ctx context.Context, tx *store.DB, t *parley.Ticket) error {
	var texts []string
	if t.ConversationID != "" {
		list, err := tx.IndexableMessagesAfter(ctx, t.AgentRef().ConversationRef(t.ConversationID), 0, maxIndexedMessages)
		if err != nil {
			return err
		}
		for _, m := range list {
			texts = append(texts, m.Text)
		}
	}
	return tx.AddTicketWords(ctx, t.AgentRef(), t.ID, ticketWords(t, texts...))
}
