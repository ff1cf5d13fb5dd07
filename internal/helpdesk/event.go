package helpdesk

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// setStatus returns the ticket another status.
func setStatus(t *parley.Ticket, s *parley.TicketStatus) []parley.TicketEvent {
	if s.ID == t.StatusID {
		return nil
	}
	e := parley.TicketEvent{Kind: "status_change", StatusFrom: string(t.StatusID), StatusTo: string(s.ID)}
	t.StatusID, t.Category = s.ID, s.Category
	return []parley.TicketEvent{e}
}

// unassignFormerMember takes the ticket from an assignee who has left the account since it was closed, now that it is open again.
func unassignFormerMember(ctx context.Context, tx *store.DB, t *parley.Ticket, before parley.StatusCategory) ([]parley.TicketEvent, error) {
	if t.AssigneeID == "" || before.IsOpen() || !t.Category.IsOpen() {
		return nil, nil
	}
	_, err := tx.ShareLockMember(ctx, t.AccountID, t.AssigneeID, parley.CodeTicketMember)
	if !parley.IsCode(err, parley.CodeTicketMember) {
		return nil, err
	}
	e := parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), DoneBy: "system"}
	t.AssigneeID = ""
	return []parley.TicketEvent{e}, nil
}

// storeChange writes a changed ticket with what has happened to it, and records that.
func (d *Service) storeChange(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent, by string, now time.Time) error {
	e, err := d.storeEvents(ctx, tx, t, events, by, now)
	if err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, now, e)
}

// storeEvents is note that gives what is to be recorded. What an event does not say who did was done by by.
func (d *Service) storeEvents(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent, by string, now time.Time) (store.NewEvent, error) {
	kinds := make([]string, len(events))
	for i, e := range events {
		e.DoneBy, kinds[i] = cmp.Or(e.DoneBy, by), e.Kind
		if err := d.addEvent(ctx, tx, t, e, now); err != nil {
			return store.NewEvent{}, err
		}
	}
	t.UpdatedAt = now
	return updatedEvent(t, by, kinds...), tx.SaveTicket(ctx, t)
}

// TicketUpdatedPayload is the payload of the event ticket.updated.
type TicketUpdatedPayload struct {
	Number int64    `json:"ticketNumber"`
	What   []string `json:"what"` // kinds of the ticket's events
	DoneBy string   `json:"doneBy"`
}

func updatedEvent(t *parley.Ticket, by string, kinds ...string) store.NewEvent {
	return store.NewEvent{Kind: "ticket.updated", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID), Payload: TicketUpdatedPayload{t.Number, kinds, by}}
}

// moveToCategory returns a ticket the default status of a category, with an event among its messages, and saves it. One that is in the category
// already stays as it is.
func (d *Service) moveToCategory(ctx context.Context, tx *store.DB, t *parley.Ticket, to parley.StatusCategory, by string, now time.Time) error {
	if t.Category == to {
		return nil
	}
	s, err := tx.DefaultStatus(ctx, t.AccountID, t.AgentID, to)
	if err != nil {
		return err
	}
	before := t.Category
	events := setStatus(t, s)
	free, err := unassignFormerMember(ctx, tx, t, before)
	if err != nil {
		return err
	}
	for _, e := range append(events, free...) {
		e.DoneBy = cmp.Or(e.DoneBy, by)
		if err := d.addEvent(ctx, tx, t, e, now); err != nil {
			return err
		}
	}
	t.UpdatedAt = now
	return tx.SaveTicket(ctx, t)
}

// addEvent appends something that happened to a ticket to its messages. What a member did is signed by that member.
func (d *Service) addEvent(ctx context.Context, tx *store.DB, t *parley.Ticket, e parley.TicketEvent, now time.Time) error {
	m := &parley.TicketMessage{Type: store.MessageTypeEvent, Event: &e}
	m.ID, m.ConversationID, m.Author, m.Parts, m.CreatedAt = parley.NewMessageID(), t.ConversationID, parley.AuthorSystem, []parley.Part{}, now // nobody outside is told the id
	if parley.IsUUID(e.DoneBy) {
		m.Author, m.AuthorID = parley.AuthorHuman, parley.UserID(e.DoneBy)
	}
	return tx.AddInternalMessage(ctx, t.AccountID, t.AgentID, m)
}
