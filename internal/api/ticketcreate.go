package api

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/wire"
)

// NewTicket opens a ticket.
type NewTicket struct {
	AgentRef
	Body NewTicketBody
}

// NewTicketBody is the body of a new ticket (interface 4.2).
type NewTicketBody struct {
	Subject     string      `json:"subject" min:"1" max:"500"`
	Description string      `json:"description" min:"1" max:"10000" doc:"Becomes the first message, from the customer."`
	Customer    NewCustomer `json:"customer"`
	TicketRouting
	TeamID   wire.Opt[string] `json:"teamId,omitzero" format:"uuid" doc:"A team of the agent. Without an assignee field the team's strategy picks a member; with one, nobody is picked."`
	Priority string           `json:"priority,omitempty" enum:"none,low,normal,high,urgent" name:"TicketPriority" default:"none"`
}

// NewCustomer names the customer of a new ticket.
type NewCustomer struct {
	Email string           `json:"email" format:"mail" max:"320" doc:"Finds the agent's customer of this address, whatever its case, or makes one."`
	Name  wire.Opt[string] `json:"name,omitzero" max:"255" doc:"Of a customer who is made; ignored where the address is known."`
}

// TicketRouting is what says the status of a ticket and who has it: at most one of each pair.
type TicketRouting struct {
	StatusID       wire.Opt[string] `json:"statusId,omitzero" format:"uuid" doc:"A status of the agent. Not together with statusCategory."`
	StatusCategory wire.Opt[string] `json:"statusCategory,omitzero" enum:"new,on_you,on_customer,on_hold,closed,cancelled" name:"TicketCategory" doc:"Stands for the category's default status. Not together with statusId."`
	AssigneeID     wire.Opt[string] `json:"assigneeId,omitzero" format:"uuid" nullable:"true" doc:"A member of the account; null is nobody. Not together with assigneeEmail."`
	AssigneeEmail  wire.Opt[string] `json:"assigneeEmail,omitzero" format:"mail" max:"320" doc:"A member of the account, by address in any case. Not together with assigneeId."`
}

func (s *server) createTicket(ctx context.Context, c *wire.Call, in *NewTicket) (*Ticket, error) {
	if err := in.Body.wrong(); err != nil {
		return nil, s.unlessGone(ctx, c, in.AgentID, err)
	}
	t, err := s.Helpdesk.Open(ctx, caller(c).Account.ID, parley.AgentID(in.AgentID), in.Body.asked())
	if err != nil {
		return nil, fmt.Errorf("open ticket: %w", err)
	}
	return ticketOf(t)
}

func (b *NewTicketBody) asked() helpdesk.NewTicket {
	return helpdesk.NewTicket{
		Subject: b.Subject, Description: b.Description, Email: b.Customer.Email, Name: b.Customer.Name.Value,
		StatusID: parley.StatusID(b.StatusID.Value), Category: parley.StatusCategory(b.StatusCategory.Value),
		Assignee: b.assignee(), TeamID: parley.TeamID(b.TeamID.Value), Priority: b.Priority,
	}
}

// assignee tells absent, null and value apart: whoever the routing finds, nobody, and that member.
func (r *TicketRouting) assignee() helpdesk.Assignee {
	switch {
	case r.AssigneeEmail.Set:
		return helpdesk.ToEmail(r.AssigneeEmail.Value)
	case r.AssigneeID.Null:
		return helpdesk.Nobody()
	case r.AssigneeID.Set:
		return helpdesk.To(parley.UserID(r.AssigneeID.Value))
	}
	return helpdesk.Auto()
}

// wrong refuses both of a pair (interface 4.2, rules 1 and 2).
func (r *TicketRouting) wrong() error {
	details := map[string]string{}
	for _, pair := range []struct {
		both         bool
		first, other string
	}{
		{r.StatusID.Set && r.StatusCategory.Set, "statusId", "statusCategory"},
		{r.AssigneeID.Set && r.AssigneeEmail.Set, "assigneeId", "assigneeEmail"},
	} {
		if pair.both {
			details[pair.first], details[pair.other] = notWith(pair.other), notWith(pair.first)
		}
	}
	return invalid(details)
}

func notWith(other string) string { return "must not be sent together with " + other }
