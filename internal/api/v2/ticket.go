package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// TicketSummary is a ticket as lists show it (facts 4.2b).
type TicketSummary struct {
	TicketNumber   int64          `json:"ticketNumber" min:"1" doc:"Counted per agent."`
	Subject        *string        `json:"subject"`
	StatusCategory string         `json:"statusCategory" enum:"new,on_you,on_customer,on_hold,closed,cancelled" name:"TicketCategory" doc:"What the status comes down to: nobody has looked at it yet, the team is to act, the customer is to answer, on hold, done, or given up."`
	StatusID       string         `json:"statusId" format:"uuid" doc:"The status, by its id; its labels and color are in the list of statuses."`
	AssigneeID     *string        `json:"assigneeId" format:"uuid" doc:"The member of the account who has the ticket; null when nobody has."`
	Customer       TicketCustomer `json:"customer"`
	Channel        string         `json:"channel" enum:"helpdesk,iframe,email,whatsapp,api,messenger,instagram,center_stage,phone,instagram_comment,facebook_comment" name:"TicketChannel" doc:"Where the ticket came from."`
	ConversationID *string        `json:"conversationId" format:"uuid" doc:"The conversation in which all is said."`
	TeamID         *string        `json:"teamId" format:"uuid"`
	Priority       string         `json:"priority" enum:"none,low,normal,high,urgent" name:"TicketPriority" doc:"none: nobody has judged it yet."`
	CreatedAt      string         `json:"createdAt" format:"date-time"`
	UpdatedAt      string         `json:"updatedAt" format:"date-time"`
	LastMessageAt  *string        `json:"lastMessageAt" format:"date-time" doc:"Of the latest message; null when there is none."`
}

// Ticket is a customer's request that people work on (interface 2.2).
type Ticket struct {
	TicketSummary
	Description *string                    `json:"description"`
	Metadata    map[string]json.RawMessage `json:"metadata" doc:"What else was captured."`
}

// TicketCustomer is who asks for help; null is what nobody has told.
type TicketCustomer struct {
	ID          string  `json:"id"`
	Name        *string `json:"name"`
	Email       *string `json:"email"`
	PhoneNumber *string `json:"phoneNumber"`
}

// TicketRef names the ticket in a path.
type TicketRef struct {
	AgentID      string `path:"agentId"`
	TicketNumber int64  `path:"ticketNumber" min:"1"`
}

func newTicketSummary(t *parley.Ticket) TicketSummary {
	return TicketSummary{
		TicketNumber: t.Number, Subject: textOrNull(t.Subject), StatusCategory: string(t.Category), StatusID: string(t.StatusID),
		AssigneeID: textOrNull(t.AssigneeID), Customer: newTicketCustomer(&t.Customer), Channel: string(t.Channel), ConversationID: textOrNull(t.ConversationID),
		TeamID: textOrNull(t.TeamID), Priority: t.Priority, CreatedAt: formatTime(t.CreatedAt), UpdatedAt: formatTime(t.UpdatedAt), LastMessageAt: formatTimeOrNull(t.LastMessageAt),
	}
}

func newTicketCustomer(p *parley.Person) TicketCustomer {
	return TicketCustomer{ID: string(p.ID), Name: textOrNull(p.Name), Email: textOrNull(p.Email), PhoneNumber: textOrNull(p.Phone)}
}

func newTicket(t *parley.Ticket) (*Ticket, error) {
	out := &Ticket{TicketSummary: newTicketSummary(t), Description: textOrNull(t.Description), Metadata: map[string]json.RawMessage{}}
	if len(t.Metadata) > 0 {
		if err := json.Unmarshal(t.Metadata, &out.Metadata); err != nil {
			return nil, fmt.Errorf("read a ticket's metadata: %w", err)
		}
	}
	return out, nil
}

func (s *server) getTicket(ctx context.Context, c *httpapi.Call, in *TicketRef) (*Ticket, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	t, err := s.DB.Ticket(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.TicketNumber)
	if err != nil {
		return nil, fmt.Errorf("find ticket: %w", err)
	}
	return newTicket(t)
}
