package helpdesk

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/store"
	"parley/internal/text/safehtml"
)

// Messages returns one page of a ticket's messages and events, with their files. Fails with TICKET_NOT_FOUND.
func (s *Service) Messages(ctx context.Context, ref parley.AgentRef, number int64,
	ask store.TicketMessagesRequest) (page parley.Page[parley.TicketMessage], err error) {
	t, err := s.DB.Ticket(ctx, ref, number)
	if err != nil {
		return page, err
	}
	if page, err = s.DB.TicketMessages(ctx, t.ConversationRef(), ask); err != nil {
		return page, err
	}
	return page, s.addFiles(ctx, t, page.Items)
}

// Message returns one message of a ticket. Fails with TICKET_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (s *Service) Message(ctx context.Context, ref parley.AgentRef, number int64,
	id parley.MessageID) (*parley.TicketMessage, error) {
	t, err := s.DB.Ticket(ctx, ref, number)
	if err != nil {
		return nil, err
	}
	m, err := s.DB.TicketMessage(ctx, t.ConversationRef(), id)
	if err != nil {
		return nil, err
	}
	one := []parley.TicketMessage{*m}
	err = s.addFiles(ctx, t, one)
	return &one[0], err
}

// addFiles sets the files of messages, and the sender of the customer's.
func (s *Service) addFiles(ctx context.Context, t *parley.Ticket, list []parley.TicketMessage) error {
	ids, at := make([]parley.MessageID, len(list)), map[parley.MessageID]*parley.TicketMessage{}
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		if list[i].Author == parley.AuthorUser {
			c := t.Customer
			list[i].Sender = parley.Sender{Type: "customer", ID: string(c.ID), Name: c.Name, Email: c.Email}
		}
	}
	files, err := s.DB.Attachments(ctx, t.AgentRef(), ids)
	for _, f := range files {
		at[f.MessageID].Attachments = append(at[f.MessageID].Attachments, f)
	}
	return err
}

// applyMessage updates a ticket after a message: a customer's reply makes it wait for the team, unless the ticket is
// new; a member's reply makes it wait for the customer; a note does neither.
func (u *update) applyMessage(ctx context.Context, t *parley.Ticket, m *parley.TicketMessage) error {
	if err := u.indexWords(ctx, t, m.Text()); err != nil {
		return err
	}
	to, by := t.Category, "customer"
	if m.Type != store.MessageTypeNote {
		t.LastMessageAt = &m.CreatedAt
		switch {
		case m.Author == parley.AuthorHuman:
			to, by = parley.TicketOnCustomer, string(m.AuthorID)
			t.SLA.RepliedAt = cmp.Or(t.SLA.RepliedAt, &m.CreatedAt)
		case m.Author == parley.AuthorUser && t.Category != parley.TicketNew:
			to = parley.TicketOnYou
		}
	}
	return u.saveInCategory(ctx, t, to, by)
}

// TicketMessagePayload is the payload of the event ticket.message.
type TicketMessagePayload struct {
	Number  int64            `json:"ticketNumber"`
	Message parley.MessageID `json:"messageId"`
	Type    string           `json:"type"`   // reply, note
	Sender  string           `json:"sender"` // customer, agent, system
}

// recordMessage records a message of a ticket, with the other events. Call it last in a transaction.
func (u *update) recordMessage(ctx context.Context, t *parley.Ticket, m *parley.TicketMessage,
	more ...store.NewEvent) error {
	e := newEvent(t, parley.EventTicketMessage, TicketMessagePayload{t.Number, m.ID, m.Type, m.Sender.Type})
	return u.recordEvents(ctx, t.AccountID, append([]store.NewEvent{e}, more...)...)
}

func newEvent(t *parley.Ticket, kind parley.EventKind, payload any) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID),
		Payload: payload}
}

// messageCreated returns the event of a message that the customer sees.
func messageCreated(t *parley.Ticket, id parley.MessageID) store.NewEvent {
	return store.NewEvent{Kind: parley.EventMessageCreated, AgentID: t.AgentID, ConversationID: t.ConversationID,
		Subject: string(id)}
}

// RenderMessage returns the text of a ticket's message as safe HTML and as plain text. Both are empty for an event, and
// for a message without text. What members and the AI write is Markdown; what customers write is not.
func RenderMessage(m *parley.TicketMessage) (html, plain string) {
	text := m.Text()
	switch {
	case m.Type == store.MessageTypeEvent:
		return "", ""
	case m.Author == parley.AuthorUser:
		return safehtml.FromText(text), text
	}
	html = safehtml.FromMarkdown(text)
	return html, safehtml.ToText(html)
}
