package helpdesk

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Change is what is to change of a ticket. The zero value changes nothing.
type Change struct {
	StatusID parley.StatusID       // empty stays
	Category parley.StatusCategory // takes its default status; empty stays; not beside StatusID
	Assignee Assignee              // Auto stays
	TeamID   *parley.TeamID        // nil stays; an empty one takes the ticket out of its team
	Priority string                // empty stays
}

func (in *Change) check() error {
	faults := map[string]string{}
	if in.StatusID != "" && in.Category != "" {
		faults["statusId"], faults["statusCategory"] = "must not be sent with statusCategory", "must not be sent with statusId"
	}
	if in.Category != "" && !slices.Contains(parley.StatusCategories(), in.Category) {
		faults["statusCategory"] = "is not a category of statuses"
	}
	if in.Priority != "" && !slices.Contains(parley.Priorities(), in.Priority) {
		faults["priority"] = "must be one of: " + strings.Join(parley.Priorities(), ", ")
	}
	return invalid(faults)
}

// Change changes a ticket; by is the id of a member, or "api", "operator" or "system". Each thing that does change leaves an event among
// the ticket's messages; when none does, nothing is written. Another team does not mean another assignee. Fails with TICKET_NOT_FOUND,
// TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and VALIDATION_INVALID_BODY.
func (d *Desk) Change(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64, in Change, by string) (*parley.Ticket, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	now := d.now()
	var changed *parley.Ticket
	err := d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		t, _, err := d.hold(ctx, tx, account, agent, number)
		if err != nil {
			return err
		}
		changed = t
		events, err := d.apply(ctx, tx, t, in)
		if err != nil || len(events) == 0 {
			return err
		}
		return d.note(ctx, tx, t, events, by, now)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// hold finds a ticket and its conversation, and keeps every other writer out of both until the transaction ends. The conversation comes
// first, as wherever both are held. Fails with TICKET_NOT_FOUND.
func (d *Desk) hold(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, number int64) (*parley.Ticket, *parley.Conversation, error) {
	t, err := tx.Ticket(ctx, account, agent, number)
	if err != nil {
		return nil, nil, err
	}
	c, err := tx.LockConversation(ctx, account, agent, t.ConversationID)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.Fail(parley.CodeTicketNotFound)
	}
	if err != nil {
		return nil, nil, err
	}
	t, err = tx.LockTicket(ctx, account, agent, number)
	return t, c, err
}

// apply changes the ticket in memory and tells what has become different.
func (d *Desk) apply(ctx context.Context, tx *store.DB, t *parley.Ticket, in Change) (events []parley.TicketEvent, err error) {
	if in.StatusID != "" || in.Category != "" {
		s, err := d.status(ctx, tx, t, in.StatusID, in.Category)
		if err != nil {
			return nil, err
		}
		events = append(events, turned(t, s)...)
	}
	if in.Assignee.set {
		to, err := in.Assignee.find(ctx, tx, t.AccountID)
		if err != nil {
			return nil, err
		}
		if to != t.AssigneeID {
			events = append(events, parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), AssignedTo: string(to)})
		}
		t.AssigneeID = to
	}
	if to := in.TeamID; to != nil && *to != t.TeamID {
		if *to != "" {
			if _, err := tx.Team(ctx, t.AccountID, t.AgentID, *to); err != nil {
				return nil, err
			}
		}
		events = append(events, parley.TicketEvent{Kind: "team_change", From: string(t.TeamID), To: string(*to)})
		t.TeamID = *to
	}
	if in.Priority != "" && in.Priority != t.Priority {
		events = append(events, parley.TicketEvent{Kind: "priority_change", From: t.Priority, To: in.Priority})
		t.Priority = in.Priority
	}
	return events, nil
}

// turned gives the ticket another status.
func turned(t *parley.Ticket, s *parley.TicketStatus) []parley.TicketEvent {
	if s.ID == t.StatusID {
		return nil
	}
	e := parley.TicketEvent{Kind: "status_change", StatusFrom: string(t.StatusID), StatusTo: string(s.ID)}
	t.StatusID, t.Category = s.ID, s.Category
	return []parley.TicketEvent{e}
}

// note writes a changed ticket with what has happened to it, and records that.
func (d *Desk) note(ctx context.Context, tx *store.DB, t *parley.Ticket, events []parley.TicketEvent, by string, now time.Time) error {
	kinds := make([]string, len(events))
	for i, e := range events {
		e.DoneBy, kinds[i] = by, e.Kind
		if err := d.event(ctx, tx, t, e, now); err != nil {
			return err
		}
	}
	t.UpdatedAt = now
	if err := tx.SaveTicket(ctx, t); err != nil {
		return err
	}
	return tx.Record(ctx, t.AccountID, now, updated(t, by, kinds...))
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
	for _, e := range turned(t, s) {
		e.DoneBy = by
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
