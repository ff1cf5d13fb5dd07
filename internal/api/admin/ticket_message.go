package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// TicketDetails is a ticket with its messages and events.
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
	Files     []ThreadFile        `json:"files,omitempty"`
	CreatedAt time.Time           `json:"createdAt"`
}

// NewTicketMessage is what a member writes to a ticket.
type NewTicketMessage struct {
	TicketRef
	Type   string `json:"type"`   // reply or note
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`   // Markdown

	FileIDs []string `json:"fileIds,omitempty" max:"5" doc:"Uploaded before. Beside them the text may be empty."`
}

// ticketPageSize is how many messages are read at a time.
const ticketPageSize = 100

func (s *Service) showTicket(ctx context.Context, in TicketRef) (TicketDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return TicketDetails{}, err
	}
	t, err := s.DB.Ticket(ctx, ref, in.Number)
	if err != nil {
		return TicketDetails{}, err
	}
	out := TicketDetails{Messages: []TicketMessage{}}
	if out.Ticket, err = s.newTicket(ctx, t); err != nil {
		return out, err
	}
	request := store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: ticketPageSize}, SkipsTotal: true}
	for {
		page, err := s.Helpdesk.Messages(ctx, ref, in.Number, request)
		if err != nil {
			return out, err
		}
		for i := range page.Items {
			out.Messages = append(out.Messages, s.newTicketMessage(&page.Items[i]))
		}
		if request.After = page.Next; request.After == nil {
			return out, nil
		}
	}
}

func (s *Service) newTicketMessage(m *parley.TicketMessage) TicketMessage {
	_, text := helpdesk.RenderMessage(m)
	out := TicketMessage{
		ID:        string(m.ID),
		Type:      m.Type,
		From:      m.Sender.Type,
		Name:      m.Sender.Name,
		Email:     m.Sender.Email,
		Text:      text,
		Event:     m.Event,
		CreatedAt: m.CreatedAt,
	}
	for i := range m.Attachments {
		out.Files = append(out.Files, s.newThreadFile(&m.Attachments[i]))
	}
	return out
}

func (s *Service) writeTicket(ctx context.Context, in NewTicketMessage) (MessageRef, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return MessageRef{}, err
	}
	if s.member != nil {
		if _, err := s.findAuthor(ctx, ref.Account, in.Member); err != nil {
			return MessageRef{}, err
		}
	}
	files, err := s.findMemberFiles(ctx, ref, in.FileIDs)
	if err != nil {
		return MessageRef{}, err
	}
	reply := helpdesk.NewReply{Type: in.Type, Content: in.Text, AuthorEmail: in.Member, Uploaded: files}
	m, err := s.Helpdesk.Reply(ctx, ref, in.Number, reply)
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}
