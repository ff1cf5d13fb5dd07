package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// TicketChange changes a ticket.
type TicketChange struct {
	TicketRef
	Body TicketChangeBody
}

// TicketChangeBody holds what is to change; what is absent stays (facts 4.2b).
type TicketChangeBody struct {
	TicketRouting
	TeamID   httpapi.Opt[string] `json:"teamId,omitzero" format:"uuid" nullable:"true" doc:"A team of the agent; null is none. The assignee stays."`
	Priority httpapi.Opt[string] `json:"priority,omitzero" enum:"none,low,normal,high,urgent" name:"TicketPriority"`
}

func (s *server) changeTicket(ctx context.Context, c *httpapi.Call, in *TicketChange) (*Ticket, error) {
	if err := in.Body.checkExclusive(); err != nil {
		return nil, s.errorUnlessNoTicket(ctx, c, &in.TicketRef, err)
	}
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	t, err := s.Helpdesk.Change(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.TicketNumber, in.Body.helpdeskChange(), "api")
	if err != nil {
		return nil, fmt.Errorf("change ticket: %w", err)
	}
	return newTicket(t)
}

func (b *TicketChangeBody) helpdeskChange() helpdesk.Change {
	in := helpdesk.Change{StatusID: parley.StatusID(b.StatusID.Value), Category: parley.StatusCategory(b.StatusCategory.Value), Assignee: b.helpdeskAssignee(), Priority: b.Priority.Value}
	if b.TeamID.Present {
		team := parley.TeamID(b.TeamID.Value) // of null it is empty
		in.TeamID = &team
	}
	return in
}
