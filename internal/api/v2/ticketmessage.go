package v2

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// WrittenMessage is an entry of a ticket as its writer is told of it (facts 4.2b).
type WrittenMessage struct {
	ID          string  `json:"id"`
	Type        string  `json:"type" enum:"reply,note,event" name:"TicketMessageType" doc:"What the customer and the team say to each other, what the team tells itself, or what has happened to the ticket."`
	Sender      *Sender `json:"sender"`
	Content     *string `json:"content" doc:"Safe HTML."`
	ContentText *string `json:"contentText" doc:"The same as plain text."`
	CreatedAt   string  `json:"createdAt" format:"date-time"`
}

// TicketMessage is an entry of a ticket (facts 2.10).
type TicketMessage struct {
	WrittenMessage
	Attachments []Attachment                    `json:"attachments"`
	Metadata    httpapi.Opt[parley.TicketEvent] `json:"metadata,omitzero" doc:"Of an event: what has happened."`
}

// Sender is who has written an entry.
type Sender struct {
	Type  string  `json:"type" enum:"customer,agent,system" doc:"agent is a member of the team; system is the AI agent, or the server."`
	ID    *string `json:"id"`
	Name  *string `json:"name"`
	Email *string `json:"email"`
}

func newWrittenMessage(m *parley.TicketMessage) WrittenMessage {
	html, plain := helpdesk.RenderMessage(m)
	out := WrittenMessage{ID: string(m.ID), Type: m.Type, Content: textOrNull(html), ContentText: textOrNull(plain), CreatedAt: formatTime(m.CreatedAt)}
	if by := m.Sender; by.Type != "" {
		out.Sender = &Sender{Type: by.Type, ID: textOrNull(by.ID), Name: textOrNull(by.Name), Email: textOrNull(by.Email)}
	}
	return out
}

func (s *server) newTicketMessage(m *parley.TicketMessage) TicketMessage {
	out := TicketMessage{WrittenMessage: newWrittenMessage(m), Attachments: s.newAttachments(m.Attachments)}
	if m.Event != nil {
		out.Metadata = httpapi.Some(*m.Event)
	}
	return out
}

// TicketMessageQuery asks for a page of a ticket's messages.
type TicketMessageQuery struct {
	TicketRef
	Paging
	Types []string `query:"types" item:"enum=reply|note|event,name=TicketMessageType" doc:"Comma-separated; reply and note where nothing is said."`
	Order string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"asc" doc:"asc: the oldest first."`
}

func (s *server) listTicketMessages(ctx context.Context, c *httpapi.Call, in *TicketMessageQuery) (*Page[TicketMessage], error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	if len(in.Types) == 0 {
		in.Types = []string{store.MessageTypeReply, store.MessageTypeNote}
	}
	purpose := fmt.Sprintf("ticket %s %d %s %s", in.AgentID, in.TicketNumber, strings.Join(in.Types, ","), in.Order)
	ask, err := s.pageRequest(in.Paging, purpose)
	if err != nil {
		return nil, err
	}
	page, err := s.Helpdesk.Messages(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.TicketNumber,
		store.TicketMessagesRequest{PageRequest: ask, Types: in.Types, Descending: in.Order == "desc"})
	if err != nil {
		return nil, fmt.Errorf("list a ticket's messages: %w", err)
	}
	return newPage(s, page, purpose, s.newTicketMessage), nil
}
