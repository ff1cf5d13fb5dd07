package helpdesk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// Open makes a ticket of channel api with its conversation, whose first message is the description, and finds its customer, its team
// and its assignee, all in one transaction. Fails with AGENT_NOT_FOUND, VALIDATION_INVALID_BODY and every fault in the details,
// TICKET_INVALID_STATUS, TICKET_TEAM_NOT_FOUND or TICKET_TEAM_MEMBER_NOT_FOUND; then nothing is left of it, and no number is used up.
func (d *Service) Open(ctx context.Context, account parley.AccountID, agent parley.AgentID, in NewTicket) (*parley.Ticket, error) {
	in.Subject, in.Description, in.Name = stripNUL(in.Subject), stripNUL(in.Description), stripNUL(in.Name)
	if err := in.check(); err != nil {
		return nil, err
	}
	o := in.newDraft(account, agent, d.now())
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
	redacts, err := tx.LockAndTouchAgent(ctx, t.AccountID, t.AgentID, now)
	if err != nil {
		return err
	}
	if err := d.assignNumber(ctx, tx, t, now); err != nil { // from here on nobody else opens one
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
	return d.insertTicket(ctx, tx, t, nil, routed, now, store.NewEvent{Kind: "message.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(o.messageID)})
}

// assignNumber takes the ticket's number, with the default status of its category, and holds the helpdesk, which is made where there is none.
func (d *Service) assignNumber(ctx context.Context, tx *store.DB, t *parley.Ticket, now time.Time) (err error) {
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AccountID, t.AgentID, t.Category)
	if err != nil || t.Number > 0 {
		return err
	}
	if err := d.lockOrCreate(ctx, tx, t.AccountID, t.AgentID, now); err != nil {
		return err
	}
	t.Number, t.StatusID, err = tx.NextTicketNumber(ctx, t.AccountID, t.AgentID, t.Category)
	return err
}

// findStatus finds the status for a ticket: the one with the id, unless it is archived, or the category's default. Fails with
// TICKET_INVALID_STATUS.
func (d *Service) findStatus(ctx context.Context, tx *store.DB, t *parley.Ticket, id parley.StatusID, category parley.StatusCategory) (*parley.TicketStatus, error) {
	if id == "" {
		return tx.DefaultStatus(ctx, t.AccountID, t.AgentID, category)
	}
	s, err := tx.Status(ctx, t.AccountID, t.AgentID, lowerID(id))
	if err == nil && s.ArchivedAt != nil {
		return nil, parley.NewError(parley.CodeTicketStatus)
	}
	return s, err
}

// lowerID is a UUID as ids are written here; clients may write it in capitals.
func lowerID[ID ~string](id ID) ID { return ID(strings.ToLower(string(id))) }

// redactTicket takes personal data out of what is kept of a ticket; the customer's address is who they are and stays.
func redactTicket(t *parley.Ticket) {
	t.Subject, t.Description, t.Metadata = redact.Text(t.Subject), redact.Text(t.Description), redact.JSON(t.Metadata)
}

// createConversation writes the ticket's conversation, in the hands of people from the start, with the description as the customer's message.
func createConversation(ctx context.Context, tx *store.DB, t *parley.Ticket, message parley.MessageID) error {
	c := &parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, API: parley.APIV2, Channel: parley.ChannelUnspecified, Title: t.Subject,
		Status: parley.ConversationTakenOver, CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt}
	first := &parley.Message{ID: message, ConversationID: t.ConversationID, Author: parley.AuthorUser, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: t.Description}}, CreatedAt: t.CreatedAt}
	return tx.CreateTicketConversation(ctx, c, first, t.Customer.ID)
}

// insertTicket writes a ticket that is placed, under the next number where it has none yet, and records it behind the other events. Its
// customer and its conversation are there; said is what it is found by besides. What hangs on a ticket is found by the id of its conversation, so that it can still be
// erased when the ticket's row is gone. Call it last in a transaction: it holds the account's row until commit.
func (d *Service) insertTicket(ctx context.Context, tx *store.DB, t *parley.Ticket, said []string, routed routingRecord, now time.Time, events ...store.NewEvent) error {
	if t.Number == 0 {
		if err := d.assignNumber(ctx, tx, t, now); err != nil {
			return err
		}
	}
	t.ID = parley.TicketID(t.ConversationID)
	if err := tx.InsertTicket(ctx, t, routed.json()); err != nil {
		return err
	}
	if err := tx.AddTicketWords(ctx, t.AccountID, t.AgentID, t.ID, d.ticketWords(t, said...)); err != nil {
		return err
	}
	created := store.NewEvent{Kind: "ticket.created", AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(t.ID), Payload: TicketCreatedPayload{t.Number, t.Channel}}
	return tx.RecordEvents(ctx, t.AccountID, now, append(events, created)...)
}

// TicketCreatedPayload is the payload of the event ticket.created.
type TicketCreatedPayload struct {
	Number  int64                `json:"ticketNumber"`
	Channel parley.TicketChannel `json:"channel"`
}
