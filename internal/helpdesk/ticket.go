package helpdesk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// Open creates a ticket of channel api with its conversation, whose first message is the description, and finds its
// customer, its team and its assignee, all in one transaction. Fails with AGENT_NOT_FOUND, VALIDATION_INVALID_BODY with
// every fault in the details, TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND or TICKET_TEAM_MEMBER_NOT_FOUND; then
// nothing is stored, and no number is used up.
func (s *Service) Open(ctx context.Context, ref parley.AgentRef, n NewTicket) (*parley.Ticket, error) {
	n.Subject, n.Description, n.Name = parley.StorableText(n.Subject), parley.StorableText(n.Description),
		parley.StorableText(n.Name)
	if err := n.check(); err != nil {
		return nil, err
	}
	draft, message := n.ticket(ref, s.now()), parley.NewMessageID()
	var t parley.Ticket
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		t = *draft
		return s.newUpdate(tx, t.CreatedAt).openTicket(ctx, n, &t, message)
	})
	if err != nil {
		return nil, err
	}
	return &t, nil
}

func (u *update) openTicket(ctx context.Context, n NewTicket, t *parley.Ticket, message parley.MessageID) error {
	redacts, err := u.tx.LockAndTouchAgent(ctx, t.AgentRef(), u.now)
	if err != nil {
		return err
	}
	if err := u.assignNumber(ctx, t); err != nil { // from here on no other ticket can be opened
		return err
	}
	if n.StatusID != "" {
		status, err := u.findStatus(ctx, t, n.StatusID, "")
		if err != nil {
			return err
		}
		t.StatusID, t.Category = status.ID, status.Category
	}
	routed, err := u.routeTicket(ctx, t, n.Description, n.Assignee)
	if err != nil {
		return err
	}
	if redacts {
		redactTicket(t)
	}
	if err := u.addCustomer(ctx, &t.Customer); err != nil {
		return err
	}
	if err := createConversation(ctx, u.tx, t, message); err != nil {
		return err
	}
	if err := u.tx.CompleteClaim(ctx, fmt.Sprintf("ticket:%d", t.Number)); err != nil {
		return err
	}
	if err := u.markAssigned(ctx, t, ""); err != nil {
		return err
	}
	return u.insertTicket(ctx, t, nil, routed, messageCreated(t, message))
}

// assignNumber sets the ticket's number and the default status of its category, and locks the help desk, which is
// created if missing.
func (u *update) assignNumber(ctx context.Context, t *parley.Ticket) (err error) {
	t.Number, t.StatusID, err = u.tx.NextTicketNumber(ctx, t.AgentRef(), t.Category)
	if err != nil || t.Number > 0 {
		return err
	}
	if err := u.lockOrCreate(ctx, t.AgentRef()); err != nil {
		return err
	}
	t.Number, t.StatusID, err = u.tx.NextTicketNumber(ctx, t.AgentRef(), t.Category)
	return err
}

// findStatus returns the status for a ticket: the one with the id, unless it is archived, or the category's default.
// Fails with TICKET_INVALID_STATUS.
func (u *update) findStatus(ctx context.Context, t *parley.Ticket, id parley.StatusID,
	category parley.StatusCategory) (*parley.TicketStatus, error) {
	if id == "" {
		return u.tx.DefaultStatus(ctx, t.AgentRef(), category)
	}
	s, err := u.tx.Status(ctx, t.AgentRef(), lowerID(id))
	if err == nil && s.ArchivedAt != nil {
		return nil, parley.NewError(parley.CodeTicketStatus)
	}
	return s, err
}

// lowerID returns a UUID in lower case, as ids are stored; clients may send capitals.
func lowerID[ID ~string](id ID) ID { return ID(strings.ToLower(string(id))) }

// redactTicket masks personal data in a ticket, except the customer's address, which identifies the customer.
func redactTicket(t *parley.Ticket) {
	t.Subject, t.Description, t.Metadata = redact.Text(t.Subject), redact.Text(t.Description), redact.JSON(t.Metadata)
}

// createConversation creates the ticket's conversation, taken over from the start, with the description as the
// customer's message.
func createConversation(ctx context.Context, tx *store.DB, t *parley.Ticket, message parley.MessageID) error {
	c := &parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, API: parley.APIV2,
		Channel: parley.ChannelUnspecified, Title: t.Subject, Status: parley.ConversationTakenOver,
		CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt}
	first := &parley.Message{ID: message, ConversationID: t.ConversationID, Author: parley.AuthorUser,
		State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: t.Description}},
		CreatedAt: t.CreatedAt}
	return tx.CreateTicketConversation(ctx, c, first, t.Customer.ID)
}

// insertTicket stores a routed ticket that has its number, and records it after the other events. Its customer and its
// conversation are stored already; the ticket is also found by the words of texts. The ticket's id is that of its
// conversation, so that what belongs to it can be erased when its row is deleted. Call it last in a transaction: it
// locks the account's row.
func (u *update) insertTicket(ctx context.Context, t *parley.Ticket, texts []string, routed routingRecord,
	events ...store.NewEvent) error {
	t.ID = parley.TicketID(t.ConversationID)
	if err := u.applySLA(ctx, t, t.TeamID); err != nil {
		return err
	}
	if err := u.tx.InsertTicket(ctx, t, routed.json()); err != nil {
		return err
	}
	if err := u.tx.AddTicketWords(ctx, t.AgentRef(), t.ID, ticketWords(t, texts...)); err != nil {
		return err
	}
	created := newEvent(t, parley.EventTicketCreated, TicketCreatedPayload{t.Number, t.Channel})
	return u.recordEvents(ctx, t.AccountID, append(events, created)...)
}

// TicketCreatedPayload is the payload of the event ticket.created.
type TicketCreatedPayload struct {
	Number  int64                `json:"ticketNumber"`
	Channel parley.TicketChannel `json:"channel"`
}

// NewTicket describes a ticket to open.
type NewTicket struct {
	Subject     string                // 1 to 500 characters
	Description string                // 1 to 10,000 characters; the first message
	Email       string                // of the customer, who is found by it or created
	Name        string                // of a new customer; at most 255 characters
	StatusID    parley.StatusID       // empty takes the category's default
	Category    parley.StatusCategory // empty is new; not beside StatusID
	Assignee    Assignee
	TeamID      parley.TeamID   // empty for none given
	Priority    string          // empty for none
	Metadata    json.RawMessage // object; nil for {}
}

// The most characters of a ticket's texts.
const (
	MaxSubject     = 500
	MaxDescription = 10_000
	MaxName        = 255
)

// check returns all faults, except in the form of e-mail addresses and ids, which the APIs check.
func (n *NewTicket) check() error {
	faults := map[string]string{}
	for _, text := range []struct {
		field, text      string
		minimum, maximum int
	}{
		{"subject", n.Subject, 1, MaxSubject},
		{"description", n.Description, 1, MaxDescription},
		{"customer.name", n.Name, 0, MaxName},
	} {
		if size := utf8.RuneCountInString(text.text); size < text.minimum || size > text.maximum {
			faults[text.field] = fmt.Sprintf("must have %d to %d characters", text.minimum, text.maximum)
		}
	}
	if n.Email == "" {
		faults["customer.email"] = "is required"
	}
	checkStatusAndPriority(faults, n.StatusID, n.Category, n.Priority)
	return parley.InvalidFields(faults)
}

// ticket returns the ticket to open, with all that does not come from the database.
func (n *NewTicket) ticket(ref parley.AgentRef, now time.Time) *parley.Ticket {
	t := &parley.Ticket{AccountID: ref.Account, AgentID: ref.Agent, Subject: n.Subject, Description: n.Description,
		Metadata: n.Metadata, Channel: parley.TicketAPI, Category: cmp.Or(n.Category, parley.TicketNew),
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), TeamID: lowerID(n.TeamID),
		Priority: cmp.Or(n.Priority, parley.Priorities()[0]), CreatedAt: now, UpdatedAt: now, LastMessageAt: &now,
		Customer: parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent,
			Email: n.Email, Name: n.Name, CreatedAt: now, UpdatedAt: now}}
	if t.Metadata == nil {
		t.Metadata = json.RawMessage("{}")
	}
	return t
}
