package helpdesk

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// StatusChanged opens a ticket when a person takes a conversation over, or has its ticket wait for the team again, and closes the ticket when
// the conversation is handed back or has ended. The conversation must be locked. The clerk of conversations calls it as its desk.
func (d *Service) StatusChanged(ctx context.Context, tx *store.DB, c *parley.Conversation, _ parley.ConversationStatus, by, reason string, now time.Time) error {
	what := parley.TicketEvent{Kind: "handed_back", DoneBy: by}
	switch c.Status {
	case parley.ConversationTakenOver:
		what.Kind, what.Reason = "escalated", reason
		return d.openOrReopen(ctx, tx, c, what, now)
	case parley.ConversationEnded:
		what.Kind = "ended"
	case parley.ConversationOngoing:
	}
	t, err := lockTicketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	to := t.Category
	if to.IsOpen() {
		to = parley.TicketClosed
	}
	return d.recordEvent(ctx, tx, t, what, to, now)
}

// MessageWritten brings the ticket of a conversation up to date with a reply that was written outside the helpdesk. The conversation must be locked.
// The clerk of conversations calls it as its desk.
func (d *Service) MessageWritten(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error {
	t, err := lockTicketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	reply := &parley.TicketMessage{Type: store.MessageTypeReply, Message: *m, Sender: parley.Sender{Type: "customer"}}
	switch m.Author {
	case parley.AuthorHuman:
		reply.Sender.Type = "agent"
	case parley.AuthorAssistant, parley.AuthorSystem:
		reply.Sender.Type = "system"
	case parley.AuthorUser:
	}
	if err := d.applyMessage(ctx, tx, t, reply); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, m.CreatedAt, store.NewEvent{Kind: "ticket.message", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID),
		Payload: TicketMessagePayload{t.Number, m.ID, reply.Type, reply.Sender.Type}})
}

// openOrReopen opens the ticket of a conversation, or gives the one that it has to the team again.
func (d *Service) openOrReopen(ctx context.Context, tx *store.DB, c *parley.Conversation, what parley.TicketEvent, now time.Time) error {
	redacts, err := tx.AgentRedacts(ctx, c.AccountID, c.AgentID)
	if err != nil {
		return err
	}
	if redacts {
		what.Reason = redact.Text(what.Reason)
	}
	t, err := lockTicketOf(ctx, tx, c)
	switch {
	case err != nil:
		return err
	case t == nil:
		return d.openFromConversation(ctx, tx, c, what, redacts, now)
	}
	transcriptTexts, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	if err := d.indexWords(ctx, tx, t, transcriptTexts...); err != nil {
		return err
	}
	t.LastMessageAt = &c.UpdatedAt
	return d.recordEvent(ctx, tx, t, what, parley.TicketOnYou, now)
}

// recordEvent notes what has happened to a ticket, and gives it the default status of a category unless it is in that already.
func (d *Service) recordEvent(ctx context.Context, tx *store.DB, t *parley.Ticket, what parley.TicketEvent, to parley.StatusCategory, now time.Time) error {
	kinds := []string{what.Kind}
	if to != t.Category {
		kinds = append(kinds, "status_change")
	}
	if err := d.addEvent(ctx, tx, t, what, now); err != nil {
		return err
	}
	if err := d.moveToCategory(ctx, tx, t, to, what.DoneBy, now); err != nil {
		return err
	}
	t.UpdatedAt = now
	if err := tx.SaveTicket(ctx, t); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, now, updatedEvent(t, what.DoneBy, kinds...))
}

// lockTicketOf locks the ticket of a conversation; nil where it has none.
func lockTicketOf(ctx context.Context, tx *store.DB, c *parley.Conversation) (*parley.Ticket, error) {
	t, err := tx.LockTicketOfConversation(ctx, c.AccountID, c.AgentID, c.ID)
	if parley.IsCode(err, parley.CodeTicketNotFound) {
		return nil, nil
	}
	return t, err
}

// openFromConversation opens the ticket of a conversation, whose messages are the transcript.
func (d *Service) openFromConversation(ctx context.Context, tx *store.DB, c *parley.Conversation, what parley.TicketEvent, redacts bool, now time.Time) error {
	t, err := newTicketFrom(ctx, tx, c, what.Reason, now)
	if err != nil {
		return err
	}
	if redacts {
		redactTicket(t)
	}
	if err := d.assignNumber(ctx, tx, t, now); err != nil { // from here on nobody else opens one
		return err
	}
	status, err := tx.DefaultStatus(ctx, t.AccountID, t.AgentID, parley.TicketNew)
	if err != nil {
		return err
	}
	t.StatusID, t.Category = status.ID, status.Category
	if err := tx.AddPerson(ctx, &t.Customer); err != nil {
		return err
	}
	if err := tx.SetConversationCustomer(ctx, t.AccountID, t.AgentID, c.ID, t.Customer.ID); err != nil {
		return err
	}
	routed, err := d.routeTicket(ctx, tx, t, t.Description, AutoAssign(), now)
	if err != nil {
		return err
	}
	if err := d.addEvent(ctx, tx, t, what, now); err != nil {
		return err
	}
	transcriptTexts, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	return d.insertTicket(ctx, tx, t, transcriptTexts, routed, now)
}
