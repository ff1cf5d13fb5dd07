package helpdesk

import (
	"context"
	"time"

	"parley"
	"parley/internal/prose"
	"parley/internal/store"
)

// Moved opens a ticket when a person takes a conversation over, or has its ticket wait for the team again, and closes the ticket when
// the conversation is handed back or has ended. The conversation must be locked. The clerk of conversations calls it as its desk.
func (d *Desk) Moved(ctx context.Context, tx *store.DB, c *parley.Conversation, _ parley.ConversationStatus, by, reason string, now time.Time) error {
	what := parley.TicketEvent{Kind: "handed_back", DoneBy: by}
	switch c.Status {
	case parley.TakenOver:
		what.Kind, what.Reason = "escalated", reason
		return d.escalated(ctx, tx, c, what, now)
	case parley.Ended:
		what.Kind = "ended"
	case parley.Ongoing:
	}
	t, err := ticketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	to := t.Category
	if to.Open() {
		to = parley.TicketClosed
	}
	return d.happened(ctx, tx, t, what, to, now)
}

// Said brings the ticket of a conversation up to date with a reply that was written outside the helpdesk. The conversation must be locked.
// The clerk of conversations calls it as its desk.
func (d *Desk) Said(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error {
	t, err := ticketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	reply := &parley.TicketMessage{Type: store.TypeReply, Message: *m, Sender: parley.Sender{Type: "customer"}}
	switch m.Author {
	case parley.ByHuman:
		reply.Sender.Type = "agent"
	case parley.ByAssistant, parley.BySystem:
		reply.Sender.Type = "system"
	case parley.ByUser:
	}
	if err := d.advance(ctx, tx, t, reply); err != nil {
		return err
	}
	return tx.Record(ctx, t.AccountID, m.CreatedAt, store.Event{Kind: "ticket.message", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID),
		Payload: TicketSaid{t.Number, m.ID, reply.Type, reply.Sender.Type}})
}

// escalated opens the ticket of a conversation, or gives the one that it has to the team again.
func (d *Desk) escalated(ctx context.Context, tx *store.DB, c *parley.Conversation, what parley.TicketEvent, now time.Time) error {
	redacts, err := tx.Redacts(ctx, c.AccountID, c.AgentID)
	if err != nil {
		return err
	}
	if redacts {
		what.Reason = prose.Redact(what.Reason)
	}
	t, err := ticketOf(ctx, tx, c)
	switch {
	case err != nil:
		return err
	case t == nil:
		return d.openFor(ctx, tx, c, what, redacts, now)
	}
	said, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	if err := d.learn(ctx, tx, t, said...); err != nil {
		return err
	}
	t.LastMessageAt = &c.UpdatedAt
	return d.happened(ctx, tx, t, what, parley.TicketOnYou, now)
}

// happened notes what has happened to a ticket, and gives it the default status of a category unless it is in that already.
func (d *Desk) happened(ctx context.Context, tx *store.DB, t *parley.Ticket, what parley.TicketEvent, to parley.StatusCategory, now time.Time) error {
	kinds := []string{what.Kind}
	if to != t.Category {
		kinds = append(kinds, "status_change")
	}
	if err := d.event(ctx, tx, t, what, now); err != nil {
		return err
	}
	if err := d.move(ctx, tx, t, to, what.DoneBy, now); err != nil {
		return err
	}
	t.UpdatedAt = now
	if err := tx.SaveTicket(ctx, t); err != nil {
		return err
	}
	return tx.Record(ctx, t.AccountID, now, updated(t, what.DoneBy, kinds...))
}

// ticketOf locks the ticket of a conversation; nil where it has none.
func ticketOf(ctx context.Context, tx *store.DB, c *parley.Conversation) (*parley.Ticket, error) {
	t, err := tx.LockTicketOf(ctx, c.AccountID, c.AgentID, c.ID)
	if parley.IsCode(err, parley.CodeTicketNotFound) {
		return nil, nil
	}
	return t, err
}

// openFor opens the ticket of a conversation, whose messages are the transcript.
func (d *Desk) openFor(ctx context.Context, tx *store.DB, c *parley.Conversation, what parley.TicketEvent, redacts bool, now time.Time) error {
	t, err := ticketFor(ctx, tx, c, what.Reason, now)
	if err != nil {
		return err
	}
	if redacts {
		mask(t)
	}
	if err := d.number(ctx, tx, t, now); err != nil { // from here on nobody else opens one
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
	if err := tx.SetCustomer(ctx, t.AccountID, t.AgentID, c.ID, t.Customer.ID); err != nil {
		return err
	}
	routed, err := d.place(ctx, tx, t, t.Description, Auto(), now)
	if err != nil {
		return err
	}
	if err := d.event(ctx, tx, t, what, now); err != nil {
		return err
	}
	said, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	return d.insert(ctx, tx, t, said, routed, now)
}
