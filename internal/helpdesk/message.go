package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

// Messages returns one page of a ticket's messages and events, with their files. Fails with TICKET_NOT_FOUND.
func (d *Service) Messages(ctx context.Context, ref parley.AgentRef, number int64,
	ask store.TicketMessagesRequest) (page parley.Page[parley.TicketMessage], err error) {
	t, err := d.DB.Ticket(ctx, ref, number)
	if err != nil {
		return page, err
	}
	if page, err = d.DB.TicketMessages(ctx, ref.ConversationRef(t.ConversationID), ask); err != nil {
		return page, err
	}
	return page, d.addFiles(ctx, t, page.Items)
}

// Message returns one message of a ticket. Fails with TICKET_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (d *Service) Message(ctx context.Context, ref parley.AgentRef, number int64,
	id parley.MessageID) (*parley.TicketMessage, error) {
	t, err := d.DB.Ticket(ctx, ref, number)
	if err != nil {
		return nil, err
	}
	m, err := d.DB.TicketMessage(ctx, ref.ConversationRef(t.ConversationID), id)
	if err != nil {
		return nil, err
	}
	one := []parley.TicketMessage{*m}
	err = d.addFiles(ctx, t, one)
	return &one[0], err
}

// addFiles sets the files of messages, and the sender of the customer's.
func (d *Service) addFiles(ctx context.Context, t *parley.Ticket, list []parley.TicketMessage) error {
	ids, at := make([]parley.MessageID, len(list)), map[parley.MessageID]*parley.TicketMessage{}
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		if list[i].Author == parley.AuthorUser {
			list[i].Sender = parley.Sender{Type: "customer", ID: string(t.Customer.ID), Name: t.Customer.Name,
				Email: t.Customer.Email}
		}
	}
	files, err := d.DB.Attachments(ctx, t.AgentRef(), ids)
	for _, f := range files {
		at[f.MessageID].Attachments = append(at[f.MessageID].Attachments, f)
	}
	return err
}

// applyMessage updates a ticket after a message: a customer's reply makes it wait for the team, unless the ticket is
// new; a member's reply makes it wait for the customer; a note does neither.
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

// recordMessage records a message and wakes the followers of the conversation. Call it last in a transaction.
func (d *Service) recordMessage(ctx context.Context, tx *store.DB, t *parley.Ticket, m *parley.TicketMessage) error {
	if err := tx.CompleteClaim(ctx, "ticketmessage:"+string(m.ID)); err != nil {
		return err
	}
	events := []store.NewEvent{{Kind: "ticket.message", AgentID: t.AgentID, ConversationID: t.ConversationID,
		Subject: string(t.ID), Payload: TicketMessagePayload{t.Number, m.ID, m.Type, m.Sender.Type}}}
	if m.Type == store.MessageTypeReply {
		events = append(events, store.NewEvent{Kind: "message.created", AgentID: t.AgentID,
			ConversationID: t.ConversationID, Subject: string(m.ID)})
		if d.Wake != nil {
			tx.SQL().AfterCommit(func() { d.Wake(t.ConversationID) })
		}
	}
	return tx.RecordEvents(ctx, t.AccountID, m.CreatedAt, events...)
}
