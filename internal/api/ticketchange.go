package api

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/wire"
)

// TicketChange changes a ticket.
type TicketChange struct {
	TicketRef
	Body TicketChangeBody
}

// TicketChangeBody holds what is to change; what is absent stays (facts 4.2b).
type TicketChangeBody struct {
	TicketRouting
	TeamID   wire.Opt[string] `json:"teamId,omitzero" format:"uuid" nullable:"true" doc:"A team of the agent; null is none. The assignee stays."`
	Priority wire.Opt[string] `json:"priority,omitzero" enum:"none,low,normal,high,urgent" name:"TicketPriority"`
}

func (s *server) changeTicket(ctx context.Context, c *wire.Call, in *TicketChange) (*Ticket, error) {
	if err := in.Body.wrong(); err != nil {
		return nil, s.unlessNoTicket(ctx, c, &in.TicketRef, err)
	}
	if _, err := s.agent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	t, err := s.Helpdesk.Change(ctx, caller(c).Account.ID, parley.AgentID(in.AgentID), in.TicketNumber, in.Body.asked(), "api")
	if err != nil {
		return nil, fmt.Errorf("change ticket: %w", err)
	}
	return ticketOf(t)
}

func (b *TicketChangeBody) asked() helpdesk.Change {
	in := helpdesk.Change{StatusID: parley.StatusID(b.StatusID.Value), Category: parley.StatusCategory(b.StatusCategory.Value), Assignee: b.assignee(), Priority: b.Priority.Value}
	if b.TeamID.Set {
		team := parley.TeamID(b.TeamID.Value) // of null it is empty
		in.TeamID = &team
	}
	return in
}
