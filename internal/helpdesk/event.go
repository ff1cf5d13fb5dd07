package helpdesk

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// turned gives the ticket another status.
func turned(t *parley.Ticket, s *parley.TicketStatus) []parley.TicketEvent {
	if s.ID == t.StatusID {
		return nil
	}
	e := parley.TicketEvent{Kind: "status_change", StatusFrom: string(t.StatusID), StatusTo: string(s.ID)}
	t.StatusID, t.Category = s.ID, s.Category
	return []parley.TicketEvent{e}
}

// freed takes the ticket from an assignee who has left the account since it was closed, now that it is open again.
func freed(ctx context.Context, tx *store.DB, t *parley.Ticket, before parley.StatusCategory) ([]parley.TicketEvent, error) {
	if t.AssigneeID == "" || before.Open() || !t.Category.Open() {
		return nil, nil
	}
	_, err := tx.KeepMember(ctx, t.AccountID, t.AssigneeID, parley.CodeTicketMember)
	if !parley.IsCode(err, parley.CodeTicketMember) {
		return nil, err
	}
	e := parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), DoneBy: "system"}
	t.AssigneeID = ""
	return []parley.TicketEvent{e}, nil
}

// note writes a changed ticket with what has happened to it, and records that.
func (d *Desk) note(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent, by string, now time.Time) error {
	e, err := d.noted(ctx, tx, t, events, by, now)
	if err != nil {
		return err
	}
	return tx.Record(ctx, t.AccountID, now, e)
}

// noted is note that gives what is to be recorded. What an event does not say who did was done by by.
func (d *Desk) noted(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent, by string, now time.Time) (store.Event, error) {
	kinds := make([]string, len(events))
	for i, e := range events {
		e.DoneBy, kinds[i] = cmp.Or(e.DoneBy, by), e.Kind
		if err := d.event(ctx, tx, t, e, now); err != nil {
			return store.Event{}, err
		}
	}
	t.UpdatedAt = now
	return updated(t, by, kinds...), tx.SaveTicket(ctx, t)
}

// TicketUpdated is the payload of the event ticket.updated.
type TicketUpdated struct {
	Number int64    `json:"ticketNumber"`
	What   []string `json:"what"` // kinds of the ticket's events
	DoneBy string   `json:"doneBy"`
}

func updated(t *parley.Ticket, by string, kinds ...string) store.Event {
	return store.Event{Kind: "ticket.updated", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID), Payload: TicketUpdated{t.Number, kinds, by}}
}

// move gives a ticket the default status of a category, with an event among its messages, and saves it. One that is in the category
// already stays as it is.
func (d *Desk) move(ctx context.Context, tx *store.DB, t *parley.Ticket, to parley.StatusCategory, by string, now time.Time) error {
	if t.Category == to {
		return nil
	}
	s, err := tx.DefaultStatus(ctx, t.AccountID, t.AgentID, to)
	if err != nil {
		return err
	}
	before := t.Category
	events := turned(t, s)
	free, err := freed(ctx, tx, t, before)
	if err != nil {
		return err
	}
	for _, e := range append(events, free...) {
		e.DoneBy = cmp.Or(e.DoneBy, by)
		if err := d.event(ctx, tx, t, e, now); err != nil {
			return err
		}
	}
	t.UpdatedAt = now
	return tx.SaveTicket(ctx, t)
}

// event appends something that happened to a ticket to its messages. What a member did is signed by that member.
func (d *Desk) event(ctx context.Context, tx *store.DB, t *parley.Ticket, e parley.TicketEvent, now time.Time) error {
	m := &parley.TicketMessage{Type: store.TypeEvent, Event: &e}
	m.ID, m.ConversationID, m.Author, m.Parts, m.CreatedAt = parley.NewMessageID(), t.ConversationID, parley.BySystem, []parley.Part{}, now // nobody outside is told the id
	if parley.IsUUID(e.DoneBy) {
		m.Author, m.AuthorID = parley.ByHuman, parley.UserID(e.DoneBy)
	}
	return tx.AddAside(ctx, t.AccountID, t.AgentID, m)
}
