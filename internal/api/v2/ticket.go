package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// TicketSummary is a ticket in a list (docs/interface/helpdesk.md#list-of-tickets).
type TicketSummary struct {
	TicketNumber   int64          `json:"ticketNumber" min:"1" doc:"Counted per agent."`
	Subject        *string        `json:"subject"`
	StatusCategory string         `json:"statusCategory" enum:"@statusCategory" name:"TicketCategory"`
	StatusID       string         `json:"statusId" format:"uuid"`
	AssigneeID     *string        `json:"assigneeId" format:"uuid"`
	Customer       TicketCustomer `json:"customer"`
	Channel        string         `json:"channel" enum:"@ticketChannel" name:"TicketChannel"`
	ConversationID *string        `json:"conversationId" format:"uuid" doc:"The conversation in which all is said."`
	TeamID         *string        `json:"teamId" format:"uuid"`
	Priority       string         `json:"priority" enum:"@priority" name:"TicketPriority"`
	CreatedAt      string         `json:"createdAt" format:"date-time"`
	UpdatedAt      string         `json:"updatedAt" format:"date-time"`
	LastMessageAt  *string        `json:"lastMessageAt" format:"date-time"`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketSummary) FieldDocs() map[string]string {
	return map[string]string{
		"statusCategory": "What the status comes down to: nobody has looked at it yet, the team is to act, the customer " +
			"is to answer, on hold, done, or given up.",
		"statusId":      "The status, by its id; its labels and color are in the list of statuses.",
		"assigneeId":    "The member of the account who has the ticket; null when nobody has.",
		"channel":       "Where the ticket came from.",
		"priority":      "none: nobody has judged it yet.",
		"lastMessageAt": "Of the latest message; null when there is none.",
	}
}

// Ticket is a customer's request that people work on (docs/interface/helpdesk.md#ticket).
type Ticket struct {
	TicketSummary
	Description *string                    `json:"description"`
	Metadata    map[string]json.RawMessage `json:"metadata" doc:"What else was captured."`
}

// TicketCustomer is the customer of a ticket; null is what is not known.
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
	return TicketSummary{TicketNumber: t.Number, Subject: textOrNull(t.Subject), StatusCategory: string(t.Category),
		StatusID: string(t.StatusID), AssigneeID: textOrNull(t.AssigneeID), Customer: newTicketCustomer(&t.Customer),
		Channel: string(t.Channel), ConversationID: textOrNull(t.ConversationID), TeamID: textOrNull(t.TeamID),
		Priority: t.Priority, CreatedAt: formatTime(t.CreatedAt), UpdatedAt: formatTime(t.UpdatedAt),
		LastMessageAt: formatTimeOrNull(t.LastMessageAt)}
}

func newTicketCustomer(p *parley.Person) TicketCustomer {
	return TicketCustomer{ID: string(p.ID), Name: textOrNull(p.Name), Email: textOrNull(p.Email),
		PhoneNumber: textOrNull(p.Phone)}
}

func newTicket(t *parley.Ticket) (*Ticket, error) {
	out := &Ticket{TicketSummary: newTicketSummary(t), Description: textOrNull(t.Description),
		Metadata: map[string]json.RawMessage{}}
	if len(t.Metadata) > 0 {
		if err := json.Unmarshal(t.Metadata, &out.Metadata); err != nil {
			return nil, fmt.Errorf("read a ticket's metadata: %w", err)
		}
	}
	return out, nil
}

func (s *server) getTicket(ctx context.Context, c *call, in *TicketRef) (*Ticket, error) {
	t, err := s.DB.Ticket(ctx, agentRef(c, in.AgentID), in.TicketNumber)
	if err != nil {
		return nil, fmt.Errorf("find ticket: %w", err)
	}
	return newTicket(t)
}

// NewTicketBody is the body of a new ticket.
type NewTicketBody struct {
	Subject     string      `json:"subject" min:"1" max:"500"`
	Description string      `json:"description" min:"1" max:"10000" doc:"Becomes the first message, from the customer."`
	Customer    NewCustomer `json:"customer"`
	TicketRouting
	TeamID   httpapi.Opt[string] `json:"teamId,omitzero" format:"uuid"`
	Priority string              `json:"priority,omitempty" enum:"@priority" name:"TicketPriority" default:"none"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewTicketBody) FieldDocs() map[string]string {
	return map[string]string{
		"teamId": "A team of the agent. Without an assignee field the team's strategy picks a member; with one, nobody is " +
			"picked.",
	}
}

// NewCustomer names the customer of a new ticket.
type NewCustomer struct {
	Email string              `json:"email" format:"mail" max:"320"`
	Name  httpapi.Opt[string] `json:"name,omitzero" max:"255"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewCustomer) FieldDocs() map[string]string {
	return map[string]string{
		"email": "Finds the agent's customer of this address, whatever its case, or makes one.",
		"name":  "Of a customer who is made; ignored where the address is known.",
	}
}

// TicketRouting sets the status of a ticket and its assignee: at most one field of each pair.
type TicketRouting struct {
	StatusID       httpapi.Opt[string] `json:"statusId,omitzero" format:"uuid"`
	StatusCategory httpapi.Opt[string] `json:"statusCategory,omitzero" enum:"@statusCategory" name:"TicketCategory"`
	AssigneeID     httpapi.Opt[string] `json:"assigneeId,omitzero" format:"uuid" nullable:"true"`
	AssigneeEmail  httpapi.Opt[string] `json:"assigneeEmail,omitzero" format:"mail" max:"320"`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketRouting) FieldDocs() map[string]string {
	return map[string]string{
		"statusId":       "A status of the agent. Not together with statusCategory.",
		"statusCategory": "Stands for the category's default status. Not together with statusId.",
		"assigneeId":     "A member of the account; null is nobody. Not together with assigneeEmail.",
		"assigneeEmail":  "A member of the account, by address in any case. Not together with assigneeId.",
	}
}

func (s *server) createTicket(ctx context.Context, c *call, in *AgentRequest[NewTicketBody]) (*Ticket, error) {
	if err := in.Body.checkExclusive(); err != nil {
		return nil, err
	}
	t, err := s.Helpdesk.Open(ctx, agentRef(c, in.AgentID), in.Body.helpdeskTicket())
	if err != nil {
		return nil, fmt.Errorf("open ticket: %w", err)
	}
	return newTicket(t)
}

func (b *NewTicketBody) helpdeskTicket() helpdesk.NewTicket {
	return helpdesk.NewTicket{Subject: b.Subject, Description: b.Description, Email: b.Customer.Email,
		Name: b.Customer.Name.Value, StatusID: parley.StatusID(b.StatusID.Value),
		Category: parley.StatusCategory(b.StatusCategory.Value), Assignee: b.helpdeskAssignee(),
		TeamID: parley.TeamID(b.TeamID.Value), Priority: b.Priority}
}

// helpdeskAssignee distinguishes absent (whoever the routing finds), null (nobody) and a value (that member).
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

// checkExclusive fails if both fields of a pair are set.
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
	return parley.InvalidFields(details)
}

func exclusiveMessage(other string) string { return "must not be sent together with " + other }

// TicketChange is the request that changes a ticket.
type TicketChange struct {
	TicketRef
	Body TicketChangeBody
}

// TicketChangeBody holds the fields to change; absent ones stay as they are
// (docs/interface/helpdesk.md#change-of-a-ticket).
type TicketChangeBody struct {
	TicketRouting
	TeamID   httpapi.Opt[string] `json:"teamId,omitzero" format:"uuid" nullable:"true"`
	Priority httpapi.Opt[string] `json:"priority,omitzero" enum:"@priority" name:"TicketPriority"`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketChangeBody) FieldDocs() map[string]string {
	return map[string]string{
		"teamId": "A team of the agent; null is none. The assignee stays.",
	}
}

func (s *server) changeTicket(ctx context.Context, c *call, in *TicketChange) (*Ticket, error) {
	if err := in.Body.checkExclusive(); err != nil {
		return nil, s.missingTicketOr(ctx, c, &in.TicketRef, err)
	}
	t, err := s.Helpdesk.Change(ctx, agentRef(c, in.AgentID), in.TicketNumber, in.Body.helpdeskChange(), "api")
	if err != nil {
		return nil, fmt.Errorf("change ticket: %w", err)
	}
	return newTicket(t)
}

func (b *TicketChangeBody) helpdeskChange() helpdesk.Change {
	in := helpdesk.Change{StatusID: parley.StatusID(b.StatusID.Value),
		Category: parley.StatusCategory(b.StatusCategory.Value), Assignee: b.helpdeskAssignee(), Priority: b.Priority.Value}
	if b.TeamID.Present {
		team := parley.TeamID(b.TeamID.Value) // empty for null
		in.TeamID = &team
	}
	return in
}

// missingTicketOr returns TICKET_NOT_FOUND if the ticket does not exist, which takes precedence over what is wrong
// with the request; otherwise invalid.
func (s *server) missingTicketOr(ctx context.Context, c *call, ref *TicketRef, invalid error) error {
	if _, err := s.getTicket(ctx, c, ref); err != nil {
		return err
	}
	return invalid
}

// Team is a team of an agent's helpdesk (docs/interface/helpdesk.md#teams).
type Team struct {
	ID          string `json:"id" format:"uuid"`
	Name        string `json:"name"`
	IsDefault   bool   `json:"isDefault" doc:"Of the team that gets what no routing rule takes."`
	MemberCount int    `json:"memberCount" min:"0"`
}

// listTeams lists the teams in the order of their creation.
func (s *server) listTeams(ctx context.Context, c *call, in *AgentRef) (*[]Team, error) {
	list, err := s.Helpdesk.Teams(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	out := httpapi.ConvertList(list, func(t *parley.Team) Team {
		return Team{ID: string(t.ID), Name: t.Name, IsDefault: t.IsDefault, MemberCount: len(t.Members)}
	})
	return &out, nil
}

// TicketStatus is one of an agent's ticket statuses (docs/interface/helpdesk.md#statuses).
type TicketStatus struct {
	ID            string  `json:"id" format:"uuid"`
	Category      string  `json:"category" enum:"@statusCategory" name:"TicketCategory"`
	ExternalLabel string  `json:"externalLabel" doc:"What customers read."`
	InternalLabel string  `json:"internalLabel" doc:"What the team reads."`
	Color         *string `json:"color" format:"color"`
	IsDefault     bool    `json:"isDefault" doc:"Each category has one default."`
	Position      int     `json:"position" doc:"Within the category."`
}

func newTicketStatus(s *parley.TicketStatus) TicketStatus {
	return TicketStatus{ID: string(s.ID), Category: string(s.Category), ExternalLabel: s.ExternalLabel,
		InternalLabel: s.InternalLabel, Color: textOrNull(s.Color), IsDefault: s.IsDefault, Position: s.Position}
}

// listStatuses lists the statuses by category and position, without archived ones.
func (s *server) listStatuses(ctx context.Context, c *call, in *AgentRef) (*[]TicketStatus, error) {
	list, err := s.Helpdesk.Statuses(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("list ticket statuses: %w", err)
	}
	out := httpapi.ConvertList(list, newTicketStatus)
	return &out, nil
}
