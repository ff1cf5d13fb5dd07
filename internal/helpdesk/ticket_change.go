package helpdesk

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Change describes the change of a ticket. The zero value changes nothing.
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
		faults["statusId"], faults["statusCategory"] = "must not be sent with statusCategory",
			"must not be sent with statusId"
	}
	if in.Category != "" && !slices.Contains(parley.StatusCategories(), in.Category) {
		faults["statusCategory"] = "is not a category of statuses"
	}
	if in.Priority != "" && !slices.Contains(parley.Priorities(), in.Priority) {
		faults["priority"] = "must be one of: " + strings.Join(parley.Priorities(), ", ")
	}
	return parley.InvalidFields(faults)
}

// Change changes a ticket; by is the id of a member, or "api", "operator" or "system". Each difference adds an event to
// the ticket's messages; without any, nothing is written. Another team does not change the assignee. Fails with
// TICKET_NOT_FOUND, TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and
// VALIDATION_INVALID_BODY.
func (d *Service) Change(ctx context.Context, ref parley.AgentRef, number int64, in Change, by string) (*parley.Ticket,
	error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	now := d.now()
	var changed *parley.Ticket
	err := d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		t, _, err := d.lockTicket(ctx, tx, ref, number)
		if err != nil {
			return err
		}
		changed = t
		events, err := d.applyChange(ctx, tx, t, in)
		if err != nil || len(events) == 0 {
			return err
		}
		return d.storeChange(ctx, tx, t, events, by, now)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lockTicket locks a ticket and its conversation until the transaction ends: the conversation first, as everywhere.
// Fails with TICKET_NOT_FOUND.
func (d *Service) lockTicket(ctx context.Context, tx *store.DB, ref parley.AgentRef, number int64) (*parley.Ticket,
	*parley.Conversation, error) {
	t, err := tx.Ticket(ctx, ref, number)
	if err != nil {
		return nil, nil, err
	}
	c, err := tx.LockConversation(ctx, ref.ConversationRef(t.ConversationID))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeTicketNotFound)
	}
	if err != nil {
		return nil, nil, err
	}
	t, err = tx.LockTicket(ctx, ref, number)
	return t, c, err
}

// applyChange changes the ticket in memory and returns an event for each difference.
func (d *Service) applyChange(ctx context.Context, tx *store.DB, t *parley.Ticket,
	in Change) (events []parley.TicketEvent, err error) {
	before := t.Category
	if in.StatusID != "" || in.Category != "" {
		s, err := d.findStatus(ctx, tx, t, in.StatusID, in.Category)
		if err != nil {
			return nil, err
		}
		events = append(events, setStatus(t, s)...)
	}
	if in.Assignee.isSet {
		to, err := in.Assignee.resolve(ctx, tx, t.AccountID)
		if err != nil {
			return nil, err
		}
		if to != t.AssigneeID {
			events = append(events,
				parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), AssignedTo: string(to)})
		}
		t.AssigneeID = to
	}
	if in.TeamID != nil && lowerID(*in.TeamID) != t.TeamID {
		to := lowerID(*in.TeamID)
		if to != "" {
			if err := tx.LockTeam(ctx, t.AgentRef(), to); err != nil {
				return nil, err
			}
		}
		events = append(events, parley.TicketEvent{Kind: "team_change", From: string(t.TeamID), To: string(to)})
		t.TeamID = to
	}
	if in.Priority != "" && in.Priority != t.Priority {
		events = append(events, parley.TicketEvent{Kind: "priority_change", From: t.Priority, To: in.Priority})
		t.Priority = in.Priority
	}
	free, err := unassignFormerMember(ctx, tx, t, before)
	return append(events, free...), err
}
