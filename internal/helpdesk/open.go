package helpdesk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/prose"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Open makes a ticket of channel api with its conversation, whose first message is the description, and finds its customer, its team
// and its assignee, all in one transaction. Fails with AGENT_NOT_FOUND, VALIDATION_INVALID_BODY and every fault in the details,
// TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND or TICKET_TEAM_MEMBER_NOT_FOUND; then nothing is left of it, and no number is used up.
func (d *Desk) Open(ctx context.Context, account parley.AccountID, agent parley.AgentID, in NewTicket) (*parley.Ticket, error) {
	in.Subject, in.Description, in.Name = storable(in.Subject), storable(in.Description), storable(in.Name)
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
	return d.insert(ctx, tx, t, nil, routed, now, store.Event{Kind: "message.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(o.message)})
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
	s, err := tx.Status(ctx, t.AccountID, t.AgentID, lower(id))
	if err == nil && s.ArchivedAt != nil {
		return nil, parley.Fail(parley.CodeTicketStatus)
	}
	return s, err
}

// lower is a UUID as ids are written here; clients may write it in capitals.
func lower[ID ~string](id ID) ID { return ID(strings.ToLower(string(id))) }

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
// customer and its conversation are there; said is what it is found by besides. What hangs on a ticket is found by the id of its conversation, so that it can still be
// erased when the ticket's row is gone. Call it last in a transaction: it holds the account's row until commit.
func (d *Desk) insert(ctx context.Context, tx *store.DB, t *parley.Ticket, said []string, routed routing, now time.Time, events ...store.Event) error {
	if t.Number == 0 {
		if err := d.number(ctx, tx, t, now); err != nil {
			return err
		}
	}
	t.ID = parley.TicketID(t.ConversationID)
	if err := tx.InsertTicket(ctx, t, routed.json()); err != nil {
		return err
	}
	if err := tx.AddTicketWords(ctx, t.AccountID, t.AgentID, t.ID, d.words(t, said...)); err != nil {
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
