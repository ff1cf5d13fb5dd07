package helpdesk

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// StatusChanged opens a ticket when a person takes a conversation over, or makes its ticket wait for the team again,
// and closes the ticket when the conversation is handed back or has ended. The conversation must be locked. It
// implements chat.HandoverObserver.
func (d *Service) StatusChanged(ctx context.Context, tx *store.DB, c *parley.Conversation, _ parley.ConversationStatus,
	by, reason string, now time.Time) error {
	what := parley.TicketEvent{Kind: "handed_back", DoneBy: by}
	switch c.Status {
	case parley.ConversationTakenOver:
		what.Kind, what.Reason = "escalated", reason
		return d.openOrReopen(ctx, tx, c, what, now)
	case parley.ConversationEnded:
		what.Kind = "ended"
	case parley.ConversationOngoing:
	}
	t, err := lockTicketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	to := t.Category
	if to.IsOpen() {
		to = parley.TicketClosed
	}
	return d.recordEvent(ctx, tx, t, what, to, now)
}

// MessageWritten updates the ticket of a conversation after a message that was written outside the help desk. The
// conversation must be locked. It implements chat.HandoverObserver.
func (d *Service) MessageWritten(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error {
	t, err := lockTicketOf(ctx, tx, c)
	if err != nil || t == nil {
		return err
	}
	reply := &parley.TicketMessage{Type: store.MessageTypeReply, Message: *m, Sender: parley.Sender{Type: "customer"}}
	switch m.Author {
	case parley.AuthorHuman:
		reply.Sender.Type = "agent"
	case parley.AuthorAssistant, parley.AuthorSystem:
		reply.Sender.Type = "system"
	case parley.AuthorUser:
	}
	if err := d.applyMessage(ctx, tx, t, reply); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, m.CreatedAt, store.NewEvent{Kind: "ticket.message", AgentID: t.AgentID,
		ConversationID: t.ConversationID, Subject: string(t.ID),
		Payload: TicketMessagePayload{t.Number, m.ID, reply.Type, reply.Sender.Type}})
}

// openOrReopen opens a ticket for a conversation, or makes the one that it has wait for the team again.
func (d *Service) openOrReopen(ctx context.Context, tx *store.DB, c *parley.Conversation, what parley.TicketEvent,
	now time.Time) error {
	redacts, err := tx.AgentRedacts(ctx, c.AgentRef())
	if err != nil {
		return err
	}
	if redacts {
		what.Reason = redact.Text(what.Reason)
	}
	t, err := lockTicketOf(ctx, tx, c)
	switch {
	case err != nil:
		return err
	case t == nil:
		return d.openFromConversation(ctx, tx, c, what, redacts, now)
	}
	transcriptTexts, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	if err := d.indexWords(ctx, tx, t, transcriptTexts...); err != nil {
		return err
	}
	t.LastMessageAt = &c.UpdatedAt
	return d.recordEvent(ctx, tx, t, what, parley.TicketOnYou, now)
}

// recordEvent adds an event to a ticket, and sets the default status of a category unless the ticket is in it already.
func (d *Service) recordEvent(ctx context.Context, tx *store.DB, t *parley.Ticket, what parley.TicketEvent,
	to parley.StatusCategory, now time.Time) error {
	kinds := []string{what.Kind}
	if to != t.Category {
		kinds = append(kinds, "status_change")
	}
	if err := d.addEvent(ctx, tx, t, what, now); err != nil {
		return err
	}
	if err := d.moveToCategory(ctx, tx, t, to, what.DoneBy, now); err != nil {
		return err
	}
	t.UpdatedAt = now
	if err := tx.SaveTicket(ctx, t); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, now, updatedEvent(t, what.DoneBy, kinds...))
}

// lockTicketOf locks and returns the ticket of a conversation; nil where it has none.
func lockTicketOf(ctx context.Context, tx *store.DB, c *parley.Conversation) (*parley.Ticket, error) {
	t, err := tx.LockTicketOfConversation(ctx, c.Ref())
	if parley.IsCode(err, parley.CodeTicketNotFound) {
		return nil, nil
	}
	return t, err
}

// openFromConversation opens the ticket of a conversation, whose messages are the transcript.
func (d *Service) openFromConversation(ctx context.Context, tx *store.DB, c *parley.Conversation,
	what parley.TicketEvent, redacts bool, now time.Time) error {
	t, err := newTicketFrom(ctx, tx, c, what.Reason, now)
	if err != nil {
		return err
	}
	if redacts {
		redactTicket(t)
	}
	if err := d.assignNumber(ctx, tx, t, now); err != nil { // from here on no other ticket can be opened
		return err
	}
	status, err := tx.DefaultStatus(ctx, t.AgentRef(), parley.TicketNew)
	if err != nil {
		return err
	}
	t.StatusID, t.Category = status.ID, status.Category
	if err := tx.AddPerson(ctx, &t.Customer); err != nil {
		return err
	}
	if err := tx.SetConversationCustomer(ctx, t.AgentRef().ConversationRef(c.ID), t.Customer.ID); err != nil {
		return err
	}
	routed, err := d.routeTicket(ctx, tx, t, t.Description, AutoAssign(), now)
	if err != nil {
		return err
	}
	if err := d.addEvent(ctx, tx, t, what, now); err != nil {
		return err
	}
	transcriptTexts, err := transcript(ctx, tx, c)
	if err != nil {
		return err
	}
	return d.insertTicket(ctx, tx, t, transcriptTexts, routed, now)
}

const maxTitleRunes = 100 // characters of a subject that is cut from a message

// newTicketFrom returns a ticket for a conversation. Its messages are masked already where the agent masks personal
// data.
func newTicketFrom(ctx context.Context, tx *store.DB, c *parley.Conversation, reason string,
	now time.Time) (*parley.Ticket, error) {
	first, last, err := firstAndLastUserText(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	t := &parley.Ticket{AccountID: c.AccountID, AgentID: c.AgentID, Subject: c.Title,
		Description: parley.ClipText(last, MaxDescription), Metadata: json.RawMessage("{}"),
		Channel: channelOf(c.Channel), ConversationID: c.ID, Priority: parley.Priorities()[0], CreatedAt: now,
		UpdatedAt: now, LastMessageAt: &c.UpdatedAt}
	if t.Customer, err = customerOf(ctx, tx, c, now); err != nil {
		return nil, err
	}
	if t.Subject == "" {
		t.Subject = headline(first)
	}
	t.Subject = parley.ClipText(t.Subject, MaxSubject)
	if reason != "" {
		t.Metadata, err = json.Marshal(map[string]string{"reason": reason})
	}
	return t, err
}

// firstAndLastUserText returns the customer's first and newest message.
func firstAndLastUserText(ctx context.Context, tx *store.DB, c *parley.Conversation) (first, last string, err error) {
	begun, err := tx.FirstUserMessage(ctx, c.Ref())
	if err != nil || begun == nil {
		return "", "", err
	}
	newest, err := tx.LastUserMessage(ctx, c.Ref())
	if err != nil || newest == nil {
		return "", "", err
	}
	return begun.Text(), newest.Text(), nil
}

// headline returns a text in one line, cut between words where it is long.
func headline(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	short := parley.ClipText(line, maxTitleRunes)
	if end := strings.LastIndexByte(short, ' '); len(short) < len(line) && line[len(short)] != ' ' && end > 0 {
		short = short[:end]
	}
	return strings.TrimSpace(short)
}

// channelOf returns the ticket channel for the channel of a conversation.
func channelOf(c parley.Channel) parley.TicketChannel {
	switch c {
	case parley.ChannelAPI:
		return parley.TicketAPI
	case parley.ChannelWidget, parley.ChannelIframe:
		return parley.TicketIframe
	case parley.ChannelEmail:
		return parley.TicketEmail
	case parley.ChannelWhatsApp:
		return parley.TicketWhatsApp
	case parley.ChannelMessenger:
		return parley.TicketMessenger
	case parley.ChannelInstagram:
		return parley.TicketInstagram
	case parley.ChannelCenterStage:
		return parley.TicketCenterStage
	case parley.ChannelPhone:
		return parley.TicketPhone
	default:
		return parley.TicketHelpdesk
	}
}

// customerOf returns the customer of a conversation as far as known: the lead in it, or else the user id that the
// client has set. It is not stored yet.
func customerOf(ctx context.Context, tx *store.DB, c *parley.Conversation, now time.Time) (parley.Person, error) {
	p := parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: c.AccountID, AgentID: c.AgentID,
		CreatedAt: now, UpdatedAt: now}
	lead, err := tx.LeadOfConversation(ctx, c.Ref())
	switch {
	case err != nil:
		return p, err
	case lead != nil:
		p.Email, p.Name, p.Phone = lead.Email, parley.ClipText(lead.Name, MaxName), lead.Phone
	case c.UserID != "":
		p.ExternalID = string(c.UserID)
	}
	return p, nil
}
