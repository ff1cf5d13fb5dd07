package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// TicketShown is a ticket with all that was said in it and that happened to it.
type TicketShown struct {
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

// TicketText is what a member writes to a ticket.
type TicketText struct {
	TicketRef
	Type   string `json:"type"`   // reply or note
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`   // Markdown
}

// The verbs on what is said in tickets.
var (
	ShowTicket  = Verb[TicketRef, TicketShown]{"ticket.show", false, (*Desk).showTicket}
	WriteTicket = Verb[TicketText, MessageRef]{"ticket.write", false, (*Desk).writeTicket}
)

// ticketPage is how many messages are read at a time.
const ticketPage = 100

func (d *Desk) showTicket(ctx context.Context, in TicketRef) (TicketShown, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return TicketShown{}, err
	}
	t, err := d.DB.Ticket(ctx, account, agent, in.Number)
	if err != nil {
		return TicketShown{}, err
	}
	out := TicketShown{Messages: []TicketMessage{}}
	if out.Ticket, err = d.ticketOf(ctx, t); err != nil {
		return out, err
	}
	ask := store.MessagesAsk{PageAsk: parley.PageAsk{Limit: ticketPage}}
	for {
		page, err := d.Helpdesk.Messages(ctx, account, agent, in.Number, ask)
		if err != nil {
			return out, err
		}
		for i := range page.Items {
			out.Messages = append(out.Messages, ticketMessageOf(&page.Items[i]))
		}
		if ask.After = page.Next; ask.After == nil {
			return out, nil
		}
	}
}

func ticketMessageOf(m *parley.TicketMessage) TicketMessage {
	_, text := helpdesk.Shown(m)
	out := TicketMessage{ID: string(m.ID), Type: m.Type, From: m.Sender.Type, Name: m.Sender.Name, Email: m.Sender.Email, Text: text, Event: m.Event, CreatedAt: m.CreatedAt}
	for _, a := range m.Attachments {
		out.Files = append(out.Files, a.Name)
	}
	return out
}

func (d *Desk) writeTicket(ctx context.Context, in TicketText) (MessageRef, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := d.Helpdesk.Reply(ctx, account, agent, in.Number, helpdesk.NewReply{Type: in.Type, Content: in.Text, AuthorEmail: in.Member})
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}
