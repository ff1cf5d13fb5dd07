package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

// applyMessage brings a ticket up to date with a message that was written to it: a customer's reply calls for the team, unless nobody of it has
// looked at the ticket yet; a member's calls for the customer; a note does neither.
func (d *Service) applyMessage(ctx context.Context, tx *store.DB, t *parley.Ticket, m *parley.TicketMessage) error {
	if err := d.indexWords(ctx, tx, t, m.Text()); err != nil {
		return err
	}
	t.UpdatedAt = m.CreatedAt
	if m.Type == store.MessageTypeNote {
		return tx.SaveTicket(ctx, t)
	}
	t.LastMessageAt = &m.CreatedAt
	to, by := t.Category, "customer"
	switch {
	case m.Author == parley.AuthorHuman:
		to, by = parley.TicketOnCustomer, string(m.AuthorID)
	case m.Author == parley.AuthorUser && t.Category != parley.TicketNew:
		to = parley.TicketOnYou
	}
	if to == t.Category {
		return tx.SaveTicket(ctx, t)
	}
	return d.moveToCategory(ctx, tx, t, to, by, m.CreatedAt)
}

// TicketMessagePayload is the payload of the event ticket.message.
type TicketMessagePayload struct {
	Number  int64            `json:"ticketNumber"`
	Message parley.MessageID `json:"messageId"`
	Type    string           `json:"type"`   // reply, note
	Sender  string           `json:"sender"` // customer, agent, system
}

// recordMessage records a message and wakes those who follow the conversation. Call it last in a transaction.
func (d *Service) recordMessage(ctx context.Context, tx *store.DB, t *parley.Ticket, m *parley.TicketMessage) error {
	if err := tx.CompleteClaim(ctx, "ticketmessage:"+string(m.ID)); err != nil {
		return err
	}
	events := []store.NewEvent{{Kind: "ticket.message", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID), Payload: TicketMessagePayload{t.Number, m.ID, m.Type, m.Sender.Type}}}
	if m.Type == store.MessageTypeReply {
		events = append(events, store.NewEvent{Kind: "message.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(m.ID)})
		if d.Wake != nil {
			tx.SQL().AfterCommit(func() { d.Wake(t.ConversationID) })
		}
	}
	return tx.RecordEvents(ctx, t.AccountID, m.CreatedAt, events...)
}
