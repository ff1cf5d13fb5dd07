package helpdesk

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// setStatus changes the ticket's status and returns the event, if any.
func setStatus(t *parley.Ticket, s *parley.TicketStatus) []parley.TicketEvent {
	if s.ID == t.StatusID {
		return nil
	}
	e := parley.TicketEvent{Kind: "status_change", StatusFrom: string(t.StatusID), StatusTo: string(s.ID)}
	t.StatusID, t.Category = s.ID, s.Category
	return []parley.TicketEvent{e}
}

// unassignFormerMember unassigns a reopened ticket whose assignee has left the account since it was closed.
func unassignFormerMember(ctx context.Context, tx *store.DB, t *parley.Ticket,
	before parley.StatusCategory) ([]parley.TicketEvent, error) {
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

// storeChange stores a changed ticket with its events, and records them.
func (d *Service) storeChange(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent,
	by string, now time.Time) error {
	e, err := d.storeEvents(ctx, tx, t, events, by, now)
	if err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, now, e)
}

// storeEvents stores a changed ticket with its events, and returns the event to record. Events that do not say who did
// them get by.
func (d *Service) storeEvents(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent,
	by string, now time.Time) (store.NewEvent, error) {
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
	return store.NewEvent{Kind: "ticket.updated", AgentID: t.AgentID, ConversationID: t.ConversationID,
		Subject: string(t.ID), Payload: TicketUpdatedPayload{t.Number, kinds, by}}
}

// moveToCategory sets the ticket's status to the default of a category, adds an event to its messages and saves it. A
// ticket in that category stays as it is.
func (d *Service) moveToCategory(ctx context.Context, tx *store.DB, t *parley.Ticket, to parley.StatusCategory,
	by string, now time.Time) error {
	if t.Category == to {
		return nil
	}
	s, err := tx.DefaultStatus(ctx, t.AgentRef(), to)
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

// addEvent appends an event to the ticket's messages. A member who caused it is its author.
func (d *Service) addEvent(ctx context.Context, tx *store.DB, t *parley.Ticket, e parley.TicketEvent,
	now time.Time) error {
	m := &parley.TicketMessage{Type: store.MessageTypeEvent, Event: &e}
	// the id is not shown outside
	m.ID, m.ConversationID, m.Author, m.Parts, m.CreatedAt = parley.NewMessageID(), t.ConversationID,
		parley.AuthorSystem, []parley.Part{}, now
	if parley.IsUUID(e.DoneBy) {
		m.Author, m.AuthorID = parley.AuthorHuman, parley.UserID(e.DoneBy)
	}
	return tx.AddInternalMessage(ctx, t.AgentRef(), m)
}
