package admin

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// TicketDetailsQuery asks for a ticket with a part of its messages and events.
type TicketDetailsQuery struct {
	TicketRef
	Before int64 `query:"before" min:"0" doc:"The number of the first message that is known; 0 asks for the newest."`
	Limit  int   `query:"limit" min:"1" max:"200" default:"100" doc:"Most messages."`
}

// TicketDetails is a ticket with its newest messages and events, or with those before one of them.
type TicketDetails struct {
	Ticket
	HasEarlier bool            `json:"hasEarlier"`
	Messages   []TicketMessage `json:"messages" doc:"The oldest first."`
}

// TicketMessage is one entry of a ticket.
type TicketMessage struct {
	ID        string              `json:"messageId"`
	Seq       int64               `json:"seq"`
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

func (s *Service) showTicket(ctx context.Context, in TicketDetailsQuery) (TicketDetails, error) {
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
	request := store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: in.Limit}, Descending: true,
		SkipsTotal: true}
	if in.Before > 0 {
		request.After = &parley.Cursor{SortValue: in.Before}
	}
	page, err := s.Helpdesk.Messages(ctx, ref, in.Number, request)
	if err != nil {
		return out, err
	}
	out.HasEarlier = page.Next != nil
	for i := range slices.Backward(page.Items) {
		out.Messages = append(out.Messages, s.newTicketMessage(&page.Items[i]))
	}
	return out, nil
}

func (s *Service) newTicketMessage(m *parley.TicketMessage) TicketMessage {
	_, text := helpdesk.RenderMessage(m)
	out := TicketMessage{
		ID:        string(m.ID),
		Seq:       m.Seq,
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
