package helpdesk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
func (d *Service) Open(ctx context.Context, ref parley.AgentRef, in NewTicket) (*parley.Ticket, error) {
	in.Subject, in.Description, in.Name = parley.StorableText(in.Subject), parley.StorableText(in.Description),
		parley.StorableText(in.Name)
	if err := in.check(); err != nil {
		return nil, err
	}
	o := in.newDraft(ref, d.now())
	var opened *parley.Ticket
	err := d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		t := o.ticket
		opened = &t
		return d.openTicket(ctx, tx, o, &t)
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (d *Service) openTicket(ctx context.Context, tx *store.DB, o *ticketDraft, t *parley.Ticket) error {
	now := t.CreatedAt
	redacts, err := tx.LockAndTouchAgent(ctx, t.AgentRef(), now)
	if err != nil {
		return err
	}
	if err := d.assignNumber(ctx, tx, t, now); err != nil { // from here on no other ticket can be opened
		return err
	}
	if o.StatusID != "" {
		status, err := d.findStatus(ctx, tx, t, o.StatusID, "")
		if err != nil {
			return err
		}
		t.StatusID, t.Category = status.ID, status.Category
	}
	routed, err := d.routeTicket(ctx, tx, t, o.Description, o.Assignee, now)
	if err != nil {
		return err
	}
	if redacts {
		redactTicket(t)
	}
	if err := tx.AddPerson(ctx, &t.Customer); err != nil {
		return err
	}
	if err := createConversation(ctx, tx, t, o.messageID); err != nil {
		return err
	}
	if err := tx.CompleteClaim(ctx, fmt.Sprintf("ticket:%d", t.Number)); err != nil {
		return err
	}
	return d.insertTicket(ctx, tx, t, nil, routed, now, store.NewEvent{Kind: "message.created", AgentID: t.AgentID,
		ConversationID: t.ConversationID, Subject: string(o.messageID)})
}

// assignNumber sets the ticket's number and the default status of its category, and locks the help desk, which is
// created if missing.
func (d *Service) assignNumber(ctx context.Context, tx *store.DB, t *parley.Ticket, now time.Time) (err error) {
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AgentRef(), t.Category)
	if err != nil || t.Number > 0 {
		return err
	}
	if err := d.lockOrCreate(ctx, tx, t.AgentRef(), now); err != nil {
		return err
	}
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AgentRef(), t.Category)
	return err
}

// findStatus returns the status for a ticket: the one with the id, unless it is archived, or the category's default.
// Fails with TICKET_INVALID_STATUS.
func (d *Service) findStatus(ctx context.Context, tx *store.DB, t *parley.Ticket, id parley.StatusID,
	category parley.StatusCategory) (*parley.TicketStatus, error) {
	if id == "" {
		return tx.DefaultStatus(ctx, t.AgentRef(), category)
	}
	s, err := tx.Status(ctx, t.AgentRef(), lowerID(id))
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
		Channel: parley.ChannelUnspecified, Title: t.Subject,
		Status: parley.ConversationTakenOver, CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt}
	first := &parley.Message{ID: message, ConversationID: t.ConversationID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: t.Description}}, CreatedAt: t.CreatedAt}
	return tx.CreateTicketConversation(ctx, c, first, t.Customer.ID)
}

// insertTicket stores a routed ticket, under the next number where it has none yet, and records it after the other
// events. Its customer and its conversation are stored already; the ticket is also found by the words of texts. The
// ticket's id is that of its conversation, so that what belongs to it can be erased when its row is deleted. Call it
// last in a transaction: it locks the account's row.
func (d *Service) insertTicket(ctx context.Context, tx *store.DB, t *parley.Ticket, texts []string,
	routed routingRecord, now time.Time, events ...store.NewEvent) error {
	if t.Number == 0 {
		if err := d.assignNumber(ctx, tx, t, now); err != nil {
			return err
		}
	}
	t.ID = parley.TicketID(t.ConversationID)
	if err := tx.InsertTicket(ctx, t, routed.json()); err != nil {
		return err
	}
	if err := tx.AddTicketWords(ctx, t.AgentRef(), t.ID, d.ticketWords(t, texts...)); err != nil {
		return err
	}
	created := store.NewEvent{Kind: "ticket.created", AgentID: t.AgentID, ConversationID: t.ConversationID,
		Subject: string(t.ID), Payload: TicketCreatedPayload{t.Number, t.Channel}}
	return tx.RecordEvents(ctx, t.AccountID, now, append(events, created)...)
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
func (in *NewTicket) check() error {
	faults := map[string]string{}
	for _, text := range []struct {
		field, text string
		least, most int
	}{{"subject", in.Subject, 1, MaxSubject}, {"description", in.Description, 1, MaxDescription},
		{"customer.name", in.Name, 0, MaxName}} {
		if n := utf8.RuneCountInString(text.text); n < text.least || n > text.most {
			faults[text.field] = fmt.Sprintf("must have %d to %d characters", text.least, text.most)
		}
	}
	if in.Email == "" {
		faults["customer.email"] = "is required"
	}
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

// ticketDraft is a ticket to open, with all that does not come from the database.
type ticketDraft struct {
	NewTicket
	ticket    parley.Ticket
	messageID parley.MessageID
}

func (in *NewTicket) newDraft(ref parley.AgentRef, now time.Time) *ticketDraft {
	o := &ticketDraft{NewTicket: *in, messageID: parley.NewMessageID()}
	o.ticket = parley.Ticket{AccountID: ref.Account, AgentID: ref.Agent, Subject: in.Subject,
		Description: in.Description, Metadata: in.Metadata, Channel: parley.TicketAPI,
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), Category: cmp.Or(in.Category, parley.TicketNew),
		TeamID: lowerID(in.TeamID), Priority: cmp.Or(in.Priority, parley.Priorities()[0]), CreatedAt: now,
		UpdatedAt: now, LastMessageAt: &now,
		Customer: parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent,
			Email: in.Email, Name: in.Name, CreatedAt: now, UpdatedAt: now}}
	if o.ticket.Metadata == nil {
		o.ticket.Metadata = json.RawMessage("{}")
	}
	return o
}
