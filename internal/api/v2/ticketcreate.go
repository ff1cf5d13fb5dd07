package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
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
	TeamID   httpapi.Opt[string] `json:"teamId,omitzero" format:"uuid" doc:"A team of the agent. Without an assignee field the team's strategy picks a member; with one, nobody is picked."`
	Priority string              `json:"priority,omitempty" enum:"none,low,normal,high,urgent" name:"TicketPriority" default:"none"`
}

// NewCustomer names the customer of a new ticket.
type NewCustomer struct {
	Email string              `json:"email" format:"mail" max:"320" doc:"Finds the agent's customer of this address, whatever its case, or makes one."`
	Name  httpapi.Opt[string] `json:"name,omitzero" max:"255" doc:"Of a customer who is made; ignored where the address is known."`
}

// TicketRouting is what says the status of a ticket and who has it: at most one of each pair.
type TicketRouting struct {
	StatusID       httpapi.Opt[string] `json:"statusId,omitzero" format:"uuid" doc:"A status of the agent. Not together with statusCategory."`
	StatusCategory httpapi.Opt[string] `json:"statusCategory,omitzero" enum:"new,on_you,on_customer,on_hold,closed,cancelled" name:"TicketCategory" doc:"Stands for the category's default status. Not together with statusId."`
	AssigneeID     httpapi.Opt[string] `json:"assigneeId,omitzero" format:"uuid" nullable:"true" doc:"A member of the account; null is nobody. Not together with assigneeEmail."`
	AssigneeEmail  httpapi.Opt[string] `json:"assigneeEmail,omitzero" format:"mail" max:"320" doc:"A member of the account, by address in any case. Not together with assigneeId."`
}

func (s *server) createTicket(ctx context.Context, c *httpapi.Call, in *NewTicket) (*Ticket, error) {
	if err := in.Body.checkExclusive(); err != nil {
		return nil, s.errorUnlessNoAgent(ctx, c, in.AgentID, err)
	}
	t, err := s.Helpdesk.Open(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.Body.helpdeskTicket())
	if err != nil {
		return nil, fmt.Errorf("open ticket: %w", err)
	}
	return newTicket(t)
}

func (b *NewTicketBody) helpdeskTicket() helpdesk.NewTicket {
	return helpdesk.NewTicket{
		Subject: b.Subject, Description: b.Description, Email: b.Customer.Email, Name: b.Customer.Name.Value,
		StatusID: parley.StatusID(b.StatusID.Value), Category: parley.StatusCategory(b.StatusCategory.Value),
		Assignee: b.helpdeskAssignee(), TeamID: parley.TeamID(b.TeamID.Value), Priority: b.Priority,
	}
}

// helpdeskAssignee tells absent, null and value apart: whoever the routing finds, nobody, and that member.
func (r *TicketRouting) helpdeskAssignee() helpdesk.Assignee {
	switch {
	case r.AssigneeEmail.Present:
		return helpdesk.AssignToEmail(r.AssigneeEmail.Value)
	case r.AssigneeID.Null:
		return helpdesk.Unassigned()
	case r.AssigneeID.Present:
		return helpdesk.AssignTo(parley.UserID(r.AssigneeID.Value))
	}
	return helpdesk.AutoAssign()
}

// checkExclusive refuses both of a pair (interface 4.2, rules 1 and 2).
func (r *TicketRouting) checkExclusive() error {
	details := map[string]string{}
	for _, pair := range []struct {
		both         bool
		first, other string
	}{
		{r.StatusID.Present && r.StatusCategory.Present, "statusId", "statusCategory"},
		{r.AssigneeID.Present && r.AssigneeEmail.Present, "assigneeId", "assigneeEmail"},
	} {
		if pair.both {
			details[pair.first], details[pair.other] = exclusiveMessage(pair.other), exclusiveMessage(pair.first)
		}
	}
	return newInvalidBodyError(details)
}

func exclusiveMessage(other string) string { return "must not be sent together with " + other }
