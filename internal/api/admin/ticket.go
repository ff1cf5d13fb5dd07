package admin

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// Ticket is a ticket as the operator sees it.
type Ticket struct {
	Number         int64      `json:"ticketNumber"`
	AgentID        string     `json:"agentId"`
	Subject        string     `json:"subject"`
	Description    string     `json:"description,omitempty"`
	Category       string     `json:"statusCategory"`
	Status         string     `json:"status"` // label
	StatusID       string     `json:"statusId"`
	Assignee       string     `json:"assignee,omitempty"` // e-mail address
	AssigneeID     string     `json:"assigneeId,omitempty"`
	Team           string     `json:"team,omitempty"` // name
	TeamID         string     `json:"teamId,omitempty"`
	Priority       string     `json:"priority"`
	Channel        string     `json:"channel"`
	Customer       Customer   `json:"customer"`
	ConversationID string     `json:"conversationId,omitempty"`
	CreatedAt      time.Time  `json:"createdAt"`
	UpdatedAt      time.Time  `json:"updatedAt"`
	LastMessageAt  *time.Time `json:"lastMessageAt"`
}

// TicketRef names a ticket by its agent and its number.
type TicketRef struct {
	AgentID string `json:"agentId"`
	Number  int64  `json:"ticketNumber"`
}

// NewTicket asks for a ticket.
type NewTicket struct {
	AgentID     string `json:"agentId"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
	Email       string `json:"email"` // customer's
	Name        string `json:"name,omitempty"`
	Category    string `json:"statusCategory,omitempty"`
	Status      string `json:"status,omitempty"`   // id, key or label
	Assignee    string `json:"assignee,omitempty"` // e-mail address, or none; empty leaves it to the rules
	Team        string `json:"team,omitempty"`     // id, key or name; empty leaves it to the rules
	Priority    string `json:"priority,omitempty"`
}

// TicketChange says what a ticket is to be; empty stays.
type TicketChange struct {
	TicketRef
	Category string `json:"statusCategory,omitempty"`
	Status   string `json:"status,omitempty"`   // id, key or label
	Assignee string `json:"assignee,omitempty"` // e-mail address, or none
	Team     string `json:"team,omitempty"`     // id, key or name, or none
	Priority string `json:"priority,omitempty"`
}

// None stands for no assignee and for no team.
const None = "none"

// The verbs on tickets.
var (
	OpenTicket   = Command[NewTicket, Ticket]{"ticket.open", false, (*Service).openTicket}
	ChangeTicket = Command[TicketChange, Ticket]{"ticket.change", false, (*Service).changeTicket}
)

func newAssignee(email string) helpdesk.Assignee {
	switch email {
	case "":
		return helpdesk.AutoAssign()
	case None:
		return helpdesk.Unassigned()
	}
	return helpdesk.AssignToEmail(email)
}

func (d *Service) openTicket(ctx context.Context, in NewTicket) (Ticket, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Ticket{}, err
	}
	if err := checkEmail(in.Email); err != nil {
		return Ticket{}, err
	}
	ask := helpdesk.NewTicket{Subject: in.Subject, Description: in.Description, Email: in.Email, Name: in.Name, Category: parley.StatusCategory(in.Category),
		Assignee: newAssignee(in.Assignee), Priority: in.Priority}
	if in.Status != "" {
		if ask.StatusID, err = d.findStatus(ctx, account, agent, in.Status); err != nil {
			return Ticket{}, err
		}
	}
	if in.Team != "" {
		team, err := d.findTeam(ctx, account, agent, in.Team)
		if err != nil {
			return Ticket{}, err
		}
		ask.TeamID = team.ID
	}
	t, err := d.Helpdesk.Open(ctx, account, agent, ask)
	if err != nil {
		return Ticket{}, err
	}
	return d.newTicket(ctx, t)
}

// checkEmail holds a customer's address to the rule of the public interface.
func checkEmail(address string) error {
	text, err := json.Marshal(map[string]string{"email": address})
	if err != nil {
		return err
	}
	return httpapi.Decode(text, &struct {
		Email string `json:"email" format:"mail" max:"320"`
	}{})
}

func (d *Service) changeTicket(ctx context.Context, in TicketChange) (Ticket, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Ticket{}, err
	}
	change := helpdesk.Change{Category: parley.StatusCategory(in.Category), Assignee: newAssignee(in.Assignee), Priority: in.Priority}
	if in.Status != "" {
		if change.StatusID, err = d.findStatus(ctx, account, agent, in.Status); err != nil {
			return Ticket{}, err
		}
	}
	if change.TeamID, err = d.findTeamID(ctx, account, agent, in.Team); err != nil {
		return Ticket{}, err
	}
	t, err := d.Helpdesk.Change(ctx, account, agent, in.Number, change, operatorName)
	if err != nil {
		return Ticket{}, err
	}
	return d.newTicket(ctx, t)
}
