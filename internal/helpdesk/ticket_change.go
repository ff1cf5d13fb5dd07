package helpdesk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

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
	Base     *time.Time            // the update that the change rests on; nil is any
}

func (c *Change) check() error {
	faults := map[string]string{}
	checkStatusAndPriority(faults, c.StatusID, c.Category, c.Priority)
	return parley.InvalidFields(faults)
}

func checkStatusAndPriority(faults map[string]string, id parley.StatusID, category parley.StatusCategory,
	priority string) {
	if id != "" && category != "" {
		faults["statusId"] = "must not be sent with statusCategory"
		faults["statusCategory"] = "must not be sent with statusId"
	}
	if category != "" && !slices.Contains(parley.StatusCategories(), category) {
		faults["statusCategory"] = "is not a category of statuses"
	}
	if priority != "" && !slices.Contains(parley.Priorities(), priority) {
		faults["priority"] = "must be one of: " + strings.Join(parley.Priorities(), ", ")
	}
}

// Change changes a ticket; by is the id of a member, or "api", "operator" or "system". Each difference adds an event to
// the ticket's messages; without any, nothing is written. Another team does not change the assignee. Fails with
// TICKET_NOT_FOUND, TICKET_CHANGED if the ticket was updated since the base, TICKET_INVALID_STATUS,
// TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and VALIDATION_INVALID_BODY.
func (s *Service) Change(ctx context.Context, ref parley.AgentRef, number int64, c Change,
	by string) (t *parley.Ticket, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	now := s.now()
	err = s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) (err error) {
		u := s.newUpdate(tx, now)
		if t, _, err = u.lockTicket(ctx, ref, number); err != nil {
			return err
		}
		if c.Base != nil && !c.Base.Equal(t.UpdatedAt) {
			return parley.NewError(parley.CodeTicketChanged)
		}
		events, err := u.applyChange(ctx, t, c)
		if err != nil || len(events) == 0 {
			return err
		}
		e, err := u.storeEvents(ctx, t, events, by)
		if err != nil {
			return err
		}
		return u.recordEvents(ctx, t.AccountID, e)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// lockTicket locks a ticket and its conversation until the transaction ends: the conversation first, as everywhere.
// Fails with TICKET_NOT_FOUND.
func (u *update) lockTicket(ctx context.Context, ref parley.AgentRef,
	number int64) (*parley.Ticket, *parley.Conversation, error) {
	t, err := u.tx.Ticket(ctx, ref, number)
	if err != nil {
		return nil, nil, err
	}
	c, err := u.tx.LockConversation(ctx, t.ConversationRef())
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeTicketNotFound)
	}
	if err != nil {
		return nil, nil, err
	}
	t, err = u.tx.LockTicket(ctx, ref, number)
	return t, c, err
}

// applyChange changes the ticket in memory and returns an event for each difference.
func (u *update) applyChange(ctx context.Context, t *parley.Ticket, c Change) (events []parley.TicketEvent, err error) {
	before := t.Category
	if c.StatusID != "" || c.Category != "" {
		s, err := u.findStatus(ctx, t, c.StatusID, c.Category)
		if err != nil {
			return nil, err
		}
		events = append(events, setStatus(t, s)...)
	}
	if c.Assignee.isSet {
		to, err := c.Assignee.resolve(ctx, u.tx, t.AccountID)
		if err != nil {
			return nil, err
		}
		if to != t.AssigneeID {
			events = append(events,
				parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), AssignedTo: string(to)})
		}
		t.AssigneeID = to
	}
	if c.TeamID != nil && lowerID(*c.TeamID) != t.TeamID {
		to := lowerID(*c.TeamID)
		if to != "" {
			if err := u.tx.LockTeam(ctx, t.AgentRef(), to); err != nil {
				return nil, err
			}
		}
		events = append(events, parley.TicketEvent{Kind: "team_change", From: string(t.TeamID), To: string(to)})
		t.TeamID = to
	}
	if c.Priority != "" && c.Priority != t.Priority {
		events = append(events, parley.TicketEvent{Kind: "priority_change", From: t.Priority, To: c.Priority})
		t.Priority = c.Priority
	}
	free, err := u.unassignFormerMember(ctx, t, before)
	return append(events, free...), err
}

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
func (u *update) unassignFormerMember(ctx context.Context, t *parley.Ticket,
	before parley.StatusCategory) ([]parley.TicketEvent, error) {
	if t.AssigneeID == "" || before.IsOpen() || !t.Category.IsOpen() {
		return nil, nil
	}
	_, err := u.tx.ShareLockMember(ctx, t.AccountID, t.AssigneeID, parley.CodeTicketMember)
	if !parley.IsCode(err, parley.CodeTicketMember) {
		return nil, err
	}
	e := parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), DoneBy: "system"}
	t.AssigneeID = ""
	return []parley.TicketEvent{e}, nil
}

// saveInCategory saves a ticket with the default status of a category, and adds an event to its messages. A ticket in
// that category keeps its status.
func (u *update) saveInCategory(ctx context.Context, t *parley.Ticket, to parley.StatusCategory, by string) error {
	var events []parley.TicketEvent
	if before := t.Category; before != to {
		s, err := u.tx.DefaultStatus(ctx, t.AgentRef(), to)
		if err != nil {
			return err
		}
		events = setStatus(t, s)
		free, err := u.unassignFormerMember(ctx, t, before)
		if err != nil {
			return err
		}
		events = append(events, free...)
	}
	_, err := u.storeEvents(ctx, t, events, by)
	return err
}

// storeEvents stores a changed ticket with its events, and returns the event to record. Events that do not say who did
// them get by.
func (u *update) storeEvents(ctx context.Context, t *parley.Ticket, events []parley.TicketEvent,
	by string) (store.NewEvent, error) {
	kinds, team := make([]string, len(events)), t.TeamID
	for i, e := range events {
		e.DoneBy, kinds[i] = cmp.Or(e.DoneBy, by), e.Kind
		if e.Kind == "team_change" {
			team = parley.TeamID(e.From)
		}
		if err := u.addEvent(ctx, t, e); err != nil {
			return store.NewEvent{}, err
		}
		if e.Kind == "assign" {
			if err := u.markAssigned(ctx, t, e.DoneBy); err != nil {
				return store.NewEvent{}, err
			}
		}
	}
	if err := u.applySLA(ctx, t, team); err != nil {
		return store.NewEvent{}, err
	}
	t.UpdatedAt = u.now
	return ticketUpdated(t, by, kinds...), u.tx.SaveTicket(ctx, t)
}

// markAssigned marks an open ticket as unread for the member who has been given it by somebody else.
func (u *update) markAssigned(ctx context.Context, t *parley.Ticket, by string) error {
	if t.AssigneeID == "" || string(t.AssigneeID) == by || !t.Category.IsOpen() {
		return nil
	}
	return u.tx.MarkUnread(ctx, t.ConversationRef(), t.AssigneeID, u.now)
}

// addEvent appends an event to the ticket's messages. A member who caused it is its author.
func (u *update) addEvent(ctx context.Context, t *parley.Ticket, e parley.TicketEvent) error {
	m := &parley.TicketMessage{Type: store.MessageTypeEvent, Event: &e}
	// the id is not shown outside
	m.ID, m.ConversationID, m.Author, m.Parts, m.CreatedAt = parley.NewMessageID(), t.ConversationID,
		parley.AuthorSystem, []parley.Part{}, u.now
	if parley.IsUUID(e.DoneBy) {
		m.Author, m.AuthorID = parley.AuthorHuman, parley.UserID(e.DoneBy)
	}
	return u.tx.AddInternalMessage(ctx, t.AgentRef(), m)
}

// TicketUpdatedPayload is the payload of the event ticket.updated.
type TicketUpdatedPayload struct {
	Number int64    `json:"ticketNumber"`
	Kinds  []string `json:"what"` // kinds of the ticket's events
	DoneBy string   `json:"doneBy"`
}

func ticketUpdated(t *parley.Ticket, by string, kinds ...string) store.NewEvent {
	return newEvent(t, parley.EventTicketUpdated, TicketUpdatedPayload{t.Number, kinds, by})
}
