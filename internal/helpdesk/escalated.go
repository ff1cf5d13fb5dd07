package helpdesk

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

const maxTitleRunes = 100 // characters of a subject that is cut from a message

// newTicketFrom makes a ticket of what a conversation holds. What was said in it is masked already where the agent masks.
func newTicketFrom(ctx context.Context, tx *store.DB, c *parley.Conversation, reason string, now time.Time) (*parley.Ticket, error) {
	first, last, err := firstAndLastUserText(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	t := &parley.Ticket{AccountID: c.AccountID, AgentID: c.AgentID, Subject: c.Title, Description: truncate(last, MaxDescription), Metadata: json.RawMessage("{}"),
		Channel: channelOf(c.Channel), ConversationID: c.ID, Priority: parley.Priorities()[0], CreatedAt: now, UpdatedAt: now, LastMessageAt: &c.UpdatedAt}
	if t.Customer, err = customerOf(ctx, tx, c, now); err != nil {
		return nil, err
	}
	if t.Subject == "" {
		t.Subject = headline(first)
	}
	t.Subject = truncate(t.Subject, MaxSubject)
	if reason != "" {
		t.Metadata, err = json.Marshal(map[string]string{"reason": reason})
	}
	return t, err
}

// firstAndLastUserText returns the customer's first message and the newest.
func firstAndLastUserText(ctx context.Context, tx *store.DB, c *parley.Conversation) (first, last string, err error) {
	begun, err := tx.FirstUserMessage(ctx, c.AccountID, c.AgentID, c.ID)
	if err != nil || begun == nil {
		return "", "", err
	}
	newest, err := tx.LastUserMessage(ctx, c.AccountID, c.AgentID, c.ID)
	if err != nil || newest == nil {
		return "", "", err
	}
	return begun.Text(), newest.Text(), nil
}

// headline makes one line of a text, cut between words where it is long.
func headline(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	short := truncate(line, maxTitleRunes)
	if end := strings.LastIndexByte(short, ' '); len(short) < len(line) && line[len(short)] != ' ' && end > 0 {
		short = short[:end]
	}
	return strings.TrimSpace(short)
}

// truncate shortens a text to so many characters.
func truncate(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i]
		}
	}
	return text
}

// channelOf is how tickets call the origin of a conversation (interface 2.2).
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

// customerOf tells whose conversation it is, as far as it is known: who left an e-mail address in it, or else whom the client knows by the
// conversation's user id. It is not written yet.
func customerOf(ctx context.Context, tx *store.DB, c *parley.Conversation, now time.Time) (parley.Person, error) {
	p := parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: c.AccountID, AgentID: c.AgentID, CreatedAt: now, UpdatedAt: now}
	lead, err := tx.LeadOfConversation(ctx, c.AccountID, c.AgentID, c.ID)
	switch {
	case err != nil:
		return p, err
	case lead != nil:
		p.Email, p.Name, p.Phone = lead.Email, truncate(lead.Name, MaxName), lead.Phone
	case c.UserID != "":
		p.ExternalID = string(c.UserID)
	}
	return p, nil
}
