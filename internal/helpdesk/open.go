package helpdesk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/prose"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// NewTicket is what a ticket is made from (interface 4.2).
type NewTicket struct {
	Subject     string                // 1 to 500 characters
	Description string                // 1 to 10,000 characters; the first message
	Email       string                // of the customer, who is found or made by it
	Name        string                // of a customer who is made; at most 255 characters
	StatusID    parley.StatusID       // empty takes the category's default
	Category    parley.StatusCategory // empty is new; not beside StatusID
	Assignee    Assignee
	TeamID      parley.TeamID   // empty for none given
	Priority    string          // empty for none
	Metadata    json.RawMessage // object; nil for {}
}

// The most characters of what a ticket is made from (interface 8).
const (
	MostSubject     = 500
	MostDescription = 10_000
	MostName        = 255
)

// check names every fault. It knows the rules of interface 4.2 but for the form of e-mail addresses and ids, which is the faces'.
func (in *NewTicket) check() error {
	faults := map[string]string{}
	for _, text := range []struct {
		field, text string
		least, most int
	}{{"subject", in.Subject, 1, MostSubject}, {"description", in.Description, 1, MostDescription}, {"customer.name", in.Name, 0, MostName}} {
		if n := utf8.RuneCountInString(text.text); n < text.least || n > text.most {
			faults[text.field] = fmt.Sprintf("must have %d to %d characters", text.least, text.most)
		}
	}
	if in.Email == "" {
		faults["customer.email"] = "is required"
	}
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

// invalid makes the failure that names what is wrong with each field, or nil when nothing is.
func invalid(faults map[string]string) error {
	if len(faults) == 0 {
		return nil
	}
	e := parley.Fail(parley.CodeInvalidBody)
	e.Details = faults
	return e
}

// opening is a ticket being made, with all that does not come from the database.
type opening struct {
	NewTicket
	ticket  parley.Ticket
	message parley.MessageID
}

func (in NewTicket) opening(account parley.AccountID, agent parley.AgentID, now time.Time) *opening {
	o := &opening{NewTicket: in, message: parley.NewMessageID()}
	o.ticket = parley.Ticket{AccountID: account, AgentID: agent, Subject: in.Subject, Description: in.Description, Metadata: in.Metadata, Channel: parley.TicketAPI,
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), Category: in.Category, TeamID: in.TeamID, Priority: in.Priority, CreatedAt: now, UpdatedAt: now, LastMessageAt: &now,
		Customer: parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: account, AgentID: agent, Email: in.Email, Name: in.Name, CreatedAt: now, UpdatedAt: now}}
	if o.ticket.Priority == "" {
		o.ticket.Priority = parley.Priorities()[0]
	}
	if o.ticket.Metadata == nil {
		o.ticket.Metadata = json.RawMessage("{}")
	}
	if o.ticket.Category == "" {
		o.ticket.Category = parley.TicketNew
	}
	return o
}

// Open makes a ticket of channel api with its conversation, whose first message is the description, and finds its customer, its team
// and its assignee, all in one transaction. Fails with AGENT_NOT_FOUND, VALIDATION_INVALID_BODY and every fault in the details,
// TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND or TICKET_TEAM_MEMBER_NOT_FOUND; then nothing is left of it, and no number is used up.
func (d *Desk) Open(ctx context.Context, account parley.AccountID, agent parley.AgentID, in NewTicket) (*parley.Ticket, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	o := in.opening(account, agent, d.now())
	var opened *parley.Ticket
	err := d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		t := o.ticket
		opened = &t
		return d.open(ctx, tx, o, &t)
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (d *Desk) open(ctx context.Context, tx *store.DB, o *opening, t *parley.Ticket) error {
	now := t.CreatedAt
	redacts, err := tx.AgentHears(ctx, t.AccountID, t.AgentID, now)
	if err != nil {
		return err
	}
	if err := d.number(ctx, tx, t, now); err != nil { // from here on nobody else opens one
		return err
	}
	if o.StatusID != "" {
		status, err := d.status(ctx, tx, t, o.StatusID, "")
		if err != nil {
			return err
		}
		t.StatusID, t.Category = status.ID, status.Category
	}
	routed, err := d.place(ctx, tx, t, o.Description, o.Assignee, now)
	if err != nil {
		return err
	}
	if redacts {
		mask(t)
	}
	if err := tx.AddPerson(ctx, &t.Customer); err != nil {
		return err
	}
	if err := begin(ctx, tx, t, o.message); err != nil {
		return err
	}
	if err := tx.Did(ctx, fmt.Sprintf("ticket:%d", t.Number)); err != nil {
		return err
	}
	return d.insert(ctx, tx, t, routed, now, store.Event{Kind: "message.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(o.message)})
}

// number takes the ticket's number, with the default status of its category, and holds the helpdesk, which is made where there is none.
func (d *Desk) number(ctx context.Context, tx *store.DB, t *parley.Ticket, now time.Time) (err error) {
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AccountID, t.AgentID, t.Category)
	if err != nil || t.Number > 0 {
		return err
	}
	if err := d.ready(ctx, tx, t.AccountID, t.AgentID, now); err != nil {
		return err
	}
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AccountID, t.AgentID, t.Category)
	return err
}

// status finds the status for a ticket: the one with the id, unless it is archived, or the category's default. Fails with
// TICKET_INVALID_STATUS.
func (d *Desk) status(ctx context.Context, tx *store.DB, t *parley.Ticket, id parley.StatusID, category parley.StatusCategory) (*parley.TicketStatus, error) {
	if id == "" {
		return tx.DefaultStatus(ctx, t.AccountID, t.AgentID, category)
	}
	s, err := tx.Status(ctx, t.AccountID, t.AgentID, id)
	if err == nil && s.ArchivedAt != nil {
		return nil, parley.Fail(parley.CodeTicketStatus)
	}
	return s, err
}

// mask takes personal data out of what is kept of a ticket; the customer's address is who they are and stays.
func mask(t *parley.Ticket) {
	t.Subject, t.Description, t.Metadata = prose.Redact(t.Subject), prose.Redact(t.Description), prose.RedactJSON(t.Metadata)
}

// begin writes the ticket's conversation, in the hands of people from the start, with the description as the customer's message.
func begin(ctx context.Context, tx *store.DB, t *parley.Ticket, message parley.MessageID) error {
	c := &parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, Face: parley.FaceV2, Channel: parley.ChannelUnspecified, Title: t.Subject,
		Status: parley.TakenOver, CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt}
	first := &parley.Message{ID: message, ConversationID: t.ConversationID, Author: parley.ByUser, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: t.Description}}, CreatedAt: t.CreatedAt}
	return tx.CreateTicketConversation(ctx, c, first, t.Customer.ID)
}

// insert writes a ticket that is placed, under the next number where it has none yet, and records it behind the other events. Its
// customer and its conversation are there. What hangs on a ticket is found by the id of its conversation, so that it can still be
// erased when the ticket's row is gone. Call it last in a transaction: it holds the account's row until commit.
func (d *Desk) insert(ctx context.Context, tx *store.DB, t *parley.Ticket, routed routing, now time.Time, events ...store.Event) error {
	if t.Number == 0 {
		if err := d.number(ctx, tx, t, now); err != nil {
			return err
		}
	}
	t.ID = parley.TicketID(t.ConversationID)
	if err := tx.InsertTicket(ctx, t, routed.json()); err != nil {
		return err
	}
	if err := tx.AddTicketWords(ctx, t.AccountID, t.AgentID, t.ID, d.words(t)); err != nil {
		return err
	}
	created := store.Event{Kind: "ticket.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID), Payload: TicketCreated{t.Number, t.Channel}}
	return tx.Record(ctx, t.AccountID, now, append(events, created)...)
}

// TicketCreated is the payload of the event ticket.created.
type TicketCreated struct {
	Number  int64                `json:"ticketNumber"`
	Channel parley.TicketChannel `json:"channel"`
}
