package helpdesk

import (
	"cmp"
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
func (s *Service) StatusChanged(ctx context.Context, tx *store.DB, c *parley.Conversation, _ parley.ConversationStatus,
	by, reason string, now time.Time) error {
	u := s.newUpdate(tx, now)
	event := parley.TicketEvent{Kind: "handed_back", DoneBy: by}
	switch c.Status {
	case parley.ConversationTakenOver:
		event.Kind, event.Reason = "escalated", reason
		return u.openOrReopen(ctx, c, event)
	case parley.ConversationEnded:
		event.Kind = "ended"
	case parley.ConversationOngoing:
	}
	t, err := u.lockTicketOf(ctx, c)
	if err != nil || t == nil {
		return err
	}
	to := t.Category
	if to.IsOpen() {
		to = parley.TicketClosed
	}
	return u.recordEvent(ctx, t, event, to)
}

// Assigned makes the member who has got a conversation the assignee of its ticket; nobody, where nobody has it. The
// conversation must be locked. Fails with TEAM_MEMBER_NOT_FOUND. It implements chat.HandoverObserver.
func (s *Service) Assigned(ctx context.Context, tx *store.DB, c *parley.Conversation, by string, now time.Time) error {
	u := s.newUpdate(tx, now)
	t, err := u.lockTicketOf(ctx, c)
	if err != nil || t == nil || t.AssigneeID == c.ClaimedBy {
		return err
	}
	if err := u.keepClaimer(ctx, c); err != nil {
		return err
	}
	assigned := parley.TicketEvent{Kind: "assign", AssignedFrom: string(t.AssigneeID), AssignedTo: string(c.ClaimedBy)}
	t.AssigneeID = c.ClaimedBy
	event, err := u.storeEvents(ctx, t, []parley.TicketEvent{assigned}, by)
	if err != nil {
		return err
	}
	return u.recordEvents(ctx, t.AccountID, event)
}

// keepClaimer keeps the member who has a conversation in the account until the transaction ends: whoever leaves it
// leaves their tickets, and must not get this one afterwards. The ticket or the help desk must be locked before. Fails
// with TEAM_MEMBER_NOT_FOUND.
func (u *update) keepClaimer(ctx context.Context, c *parley.Conversation) error {
	if c.ClaimedBy == "" {
		return nil
	}
	_, err := u.tx.ShareLockMember(ctx, c.AccountID, c.ClaimedBy, parley.CodeMemberNotFound)
	return err
}

// MessageWritten updates the ticket of a conversation after a message that was written outside the help desk. The
// conversation must be locked. It implements chat.HandoverObserver.
func (s *Service) MessageWritten(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error {
	u := s.newUpdate(tx, m.CreatedAt)
	t, err := u.lockTicketOf(ctx, c)
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
	if err := u.applyMessage(ctx, t, reply); err != nil {
		return err
	}
	return u.recordMessage(ctx, t, reply)
}

func (u *update) openOrReopen(ctx context.Context, c *parley.Conversation, event parley.TicketEvent) error {
	redacts, err := u.tx.AgentRedacts(ctx, c.AgentRef())
	if err != nil {
		return err
	}
	if redacts {
		event.Reason = redact.Text(event.Reason)
	}
	t, err := u.lockTicketOf(ctx, c)
	switch {
	case err != nil:
		return err
	case t == nil:
		return u.openFromConversation(ctx, c, event, redacts)
	}
	texts, err := transcript(ctx, u.tx, c)
	if err != nil {
		return err
	}
	if err := u.indexWords(ctx, t, texts...); err != nil {
		return err
	}
	t.LastMessageAt = &c.UpdatedAt
	return u.recordEvent(ctx, t, event, parley.TicketOnYou)
}

// recordEvent adds an event to a ticket, and sets the default status of a category unless the ticket is in it already.
func (u *update) recordEvent(ctx context.Context, t *parley.Ticket, event parley.TicketEvent,
	to parley.StatusCategory) error {
	kinds := []string{event.Kind}
	if to != t.Category {
		kinds = append(kinds, "status_change")
	}
	if err := u.addEvent(ctx, t, event); err != nil {
		return err
	}
	if err := u.saveInCategory(ctx, t, to, event.DoneBy); err != nil {
		return err
	}
	return u.recordEvents(ctx, t.AccountID, ticketUpdated(t, event.DoneBy, kinds...))
}

// lockTicketOf locks and returns the ticket of a conversation; nil if it has none.
func (u *update) lockTicketOf(ctx context.Context, c *parley.Conversation) (*parley.Ticket, error) {
	t, err := u.tx.LockTicketOfConversation(ctx, c.Ref())
	if parley.IsCode(err, parley.CodeTicketNotFound) {
		return nil, nil
	}
	return t, err
}

func (u *update) openFromConversation(ctx context.Context, c *parley.Conversation, event parley.TicketEvent,
	redacts bool) error {
	t, err := u.newTicketFrom(ctx, c, event.Reason)
	if err != nil {
		return err
	}
	if redacts {
		redactTicket(t)
	}
	if err := u.assignNumber(ctx, t); err != nil { // from here on no other ticket can be opened
		return err
	}
	if err := u.storeCustomer(ctx, &t.Customer); err != nil {
		return err
	}
	if err := u.tx.SetConversationCustomer(ctx, c.Ref(), t.Customer.ID); err != nil {
		return err
	}
	routed, err := u.routeTicket(ctx, t, t.Description, AutoAssign())
	if err != nil {
		return err
	}
	if err := u.keepClaimer(ctx, c); err != nil {
		return err
	}
	if c.ClaimedBy != "" { // it was given to a member, or a member has taken it
		t.AssigneeID, routed.Assignee, routed.Reason = c.ClaimedBy, c.ClaimedBy, "given"
	}
	if err := u.addEvent(ctx, t, event); err != nil {
		return err
	}
	if err := u.markAssigned(ctx, t, event.DoneBy); err != nil {
		return err
	}
	texts, err := transcript(ctx, u.tx, c)
	if err != nil {
		return err
	}
	return u.insertTicket(ctx, t, texts, routed)
}

const maxTitleRunes = 100 // characters of a subject that is cut from a message

// newTicketFrom returns a ticket for a conversation. Its messages are masked already where the agent masks personal
// data.
func (u *update) newTicketFrom(ctx context.Context, c *parley.Conversation, reason string) (*parley.Ticket, error) {
	first, last, err := firstAndLastUserText(ctx, u.tx, c)
	if err != nil {
		return nil, err
	}
	t := &parley.Ticket{AccountID: c.AccountID, AgentID: c.AgentID, Description: parley.ClipText(last, MaxDescription),
		Subject: parley.ClipText(cmp.Or(c.Title, headline(first)), MaxSubject), Metadata: json.RawMessage("{}"),
		Channel: channelOf(c.Channel), ConversationID: c.ID, Category: parley.TicketNew,
		Priority: parley.Priorities()[0], CreatedAt: u.now, UpdatedAt: u.now, LastMessageAt: &c.UpdatedAt}
	if t.Customer, err = u.customerOf(ctx, c); err != nil {
		return nil, err
	}
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

var ticketChannels = map[parley.Channel]parley.TicketChannel{
	parley.ChannelAPI:         parley.TicketAPI,
	parley.ChannelWidget:      parley.TicketIframe,
	parley.ChannelIframe:      parley.TicketIframe,
	parley.ChannelEmail:       parley.TicketEmail,
	parley.ChannelWhatsApp:    parley.TicketWhatsApp,
	parley.ChannelMessenger:   parley.TicketMessenger,
	parley.ChannelInstagram:   parley.TicketInstagram,
	parley.ChannelCenterStage: parley.TicketCenterStage,
	parley.ChannelPhone:       parley.TicketPhone,
}

func channelOf(c parley.Channel) parley.TicketChannel {
	return cmp.Or(ticketChannels[c], parley.TicketHelpdesk)
}

// customerOf returns the customer of a conversation as far as known: who was told before, or else the lead in it, or
// else the user id that the client has set. Of the last two it is not stored yet.
func (u *update) customerOf(ctx context.Context, c *parley.Conversation) (parley.Person, error) {
	p := parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: c.AccountID, AgentID: c.AgentID,
		CreatedAt: u.now, UpdatedAt: u.now}
	known, err := u.tx.CustomerOfConversation(ctx, c.Ref())
	if err != nil || known != nil {
		return *cmp.Or(known, &p), err
	}
	lead, err := u.tx.LeadOfConversation(ctx, c.Ref())
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
