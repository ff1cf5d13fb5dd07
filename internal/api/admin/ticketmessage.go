package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// TicketDetails is a ticket with all that was said in it and that happened to it.
type TicketDetails struct {
	Ticket
	Messages []TicketMessage `json:"messages"`
}

// TicketMessage is one entry of a ticket.
type TicketMessage struct {
	ID        string              `json:"messageId"`
	Type      string              `json:"type"`            // reply, note or event
	From      string              `json:"from"`            // customer, agent (a member) or system
	Name      string              `json:"name,omitempty"`  // of who wrote it
	Email     string              `json:"email,omitempty"` // the same
	Text      string              `json:"text,omitempty"`
	Event     *parley.TicketEvent `json:"event,omitempty"`
	Files     []string            `json:"files,omitempty"` // names
	CreatedAt time.Time           `json:"createdAt"`
}

// NewTicketMessage is what a member writes to a ticket.
type NewTicketMessage struct {
	TicketRef
	Type   string `json:"type"`   // reply or note
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`   // Markdown
}

// The verbs on what is said in tickets.
var (
	ShowTicket  = Command[TicketRef, TicketDetails]{"ticket.show", false, (*Service).showTicket}
	WriteTicket = Command[NewTicketMessage, MessageRef]{"ticket.write", false, (*Service).writeTicket}
)

// ticketPageSize is how many messages are read at a time.
const ticketPageSize = 100

func (d *Service) showTicket(ctx context.Context, in TicketRef) (TicketDetails, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return TicketDetails{}, err
	}
	t, err := d.DB.Ticket(ctx, account, agent, in.Number)
	if err != nil {
		return TicketDetails{}, err
	}
	out := TicketDetails{Messages: []TicketMessage{}}
	if out.Ticket, err = d.newTicket(ctx, t); err != nil {
		return out, err
	}
	ask := store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: ticketPageSize}}
	for {
		page, err := d.Helpdesk.Messages(ctx, account, agent, in.Number, ask)
		if err != nil {
			return out, err
		}
		for i := range page.Items {
			out.Messages = append(out.Messages, newTicketMessage(&page.Items[i]))
		}
		if ask.After = page.Next; ask.After == nil {
			return out, nil
		}
	}
}

func newTicketMessage(m *parley.TicketMessage) TicketMessage {
	_, text := helpdesk.RenderMessage(m)
	out := TicketMessage{ID: string(m.ID), Type: m.Type, From: m.Sender.Type, Name: m.Sender.Name, Email: m.Sender.Email, Text: text, Event: m.Event, CreatedAt: m.CreatedAt}
	for _, a := range m.Attachments {
		out.Files = append(out.Files, a.Name)
	}
	return out
}

func (d *Service) writeTicket(ctx context.Context, in NewTicketMessage) (MessageRef, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := d.Helpdesk.Reply(ctx, account, agent, in.Number, helpdesk.NewReply{Type: in.Type, Content: in.Text, AuthorEmail: in.Member})
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}
