package admin

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
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
	Channel        string     `json:"channel" enum:"@ticketChannel" name:"TicketChannel"`
	Customer       Customer   `json:"customer"`
	ConversationID string     `json:"conversationId,omitempty"`
	CreatedAt      time.Time  `json:"createdAt"`
	UpdatedAt      time.Time  `json:"updatedAt"`
	LastMessageAt  *time.Time `json:"lastMessageAt"`
	TicketSLA
}

// TicketSLA is how far a ticket is with the SLA targets of its helpdesk. What is absent is not due: there is no target,
// it is met, or the ticket waits for the customer or is closed.
type TicketSLA struct {
	DueAt                *time.Time `json:"dueAt,omitempty" doc:"The earlier of both: then it is overdue."`
	FirstReplyDueAt      *time.Time `json:"firstReplyDueAt,omitempty"`
	ResolutionDueAt      *time.Time `json:"resolutionDueAt,omitempty"`
	FirstReplyBreachedAt *time.Time `json:"firstReplyBreachedAt,omitempty" doc:"When it was seen that it was missed."`
	ResolutionBreachedAt *time.Time `json:"resolutionBreachedAt,omitempty" doc:"When it was seen that it was missed."`
}

// TicketRef names a ticket by its agent and its number.
type TicketRef struct {
	AgentID string `path:"agentId" json:"-"`
	Number  int64  `path:"ticketNumber" json:"-"`
}

// NewTicket asks for a ticket.
type NewTicket struct {
	AgentID     string `path:"agentId" json:"-"`
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

	BaseUpdatedAt *time.Time `json:"baseUpdatedAt,omitempty" doc:"When it was updated last, as you know it."`
}

// None stands for no assignee and for no team.
const None = "none"

func newAssignee(email string) helpdesk.Assignee {
	switch email {
	case "":
		return helpdesk.AutoAssign()
	case None:
		return helpdesk.Unassigned()
	}
	return helpdesk.AssignToEmail(email)
}

func (s *Service) openTicket(ctx context.Context, in NewTicket) (Ticket, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Ticket{}, err
	}
	if err := checkEmail(in.Email); err != nil {
		return Ticket{}, err
	}
	ticket := helpdesk.NewTicket{
		Subject:     in.Subject,
		Description: in.Description,
		Email:       in.Email,
		Name:        in.Name,
		Category:    parley.StatusCategory(in.Category),
		Assignee:    newAssignee(in.Assignee),
		Priority:    in.Priority,
	}
	if in.Status != "" {
		if ticket.StatusID, err = s.findStatus(ctx, ref, in.Status); err != nil {
			return Ticket{}, err
		}
	}
	if in.Team != "" {
		team, err := s.findTeam(ctx, ref, in.Team)
		if err != nil {
			return Ticket{}, err
		}
		ticket.TeamID = team.ID
	}
	t, err := s.Helpdesk.Open(ctx, ref, ticket)
	if err != nil {
		return Ticket{}, err
	}
	return s.newTicket(ctx, t)
}

// checkEmail checks a customer's address by the rule of REST v2.
func checkEmail(address string) error {
	text, err := json.Marshal(map[string]string{"email": address})
	if err != nil {
		return err
	}
	return httpapi.Decode(text, &struct {
		Email string `json:"email" format:"mail" max:"320"`
	}{})
}

func (s *Service) changeTicket(ctx context.Context, in TicketChange) (Ticket, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Ticket{}, err
	}
	change := helpdesk.Change{
		Category: parley.StatusCategory(in.Category),
		Assignee: newAssignee(in.Assignee),
		Priority: in.Priority,
		Base:     in.BaseUpdatedAt,
	}
	if in.Status != "" {
		if change.StatusID, err = s.findStatus(ctx, ref, in.Status); err != nil {
			return Ticket{}, err
		}
	}
	if change.TeamID, err = s.findTeamID(ctx, ref, in.Team); err != nil {
		return Ticket{}, err
	}
	t, err := s.Helpdesk.Change(ctx, ref, in.Number, change, s.author())
	if err != nil {
		return Ticket{}, err
	}
	return s.newTicket(ctx, t)
}

// TicketQuery asks for an agent's tickets, the one that changed last first; with a query those that it finds, the best
// first.
type TicketQuery struct {
	AgentID    string   `path:"agentId"`
	Categories []string `query:"statusCategories" max:"50" item:"enum=@statusCategory,name=TicketCategory"` // none is all
	Channels   []string `query:"channels" max:"50" item:"enum=@ticketChannel,name=TicketChannel"`
	Assignee   string   `query:"assignee"`                   // e-mail address, or none
	Team       string   `query:"team"`                       // id, key or name, or none
	Customer   string   `query:"customer"`                   // e-mail address
	Overdue    bool     `query:"overdue"`                    // what is overdue, the longest first
	Query      string   `query:"query"`                      // not beside the others
	Limit      int      `query:"limit" default:"50" min:"1"` // most of them
}

func (s *Service) listTickets(ctx context.Context, in TicketQuery) ([]Ticket, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	if in.Query != "" {
		found, _, err := s.Helpdesk.Search(ctx, ref, in.Query, in.Limit)
		if err != nil {
			return nil, err
		}
		return s.newTickets(ctx, ref, found)
	}
	filter, err := s.ticketFilter(ctx, ref, in)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Tickets(ctx, ref, filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	return s.newTickets(ctx, ref, page.Items)
}

func (s *Service) ticketFilter(
	ctx context.Context, ref parley.AgentRef, in TicketQuery,
) (f store.TicketFilter, err error) {
	for _, name := range in.Categories {
		f.Categories = append(f.Categories, parley.StatusCategory(name))
	}
	for _, name := range in.Channels {
		f.Channels = append(f.Channels, parley.TicketChannel(name))
	}
	if in.Assignee != "" {
		user := parley.UserID("")
		if in.Assignee != None {
			if user, err = s.findMember(ctx, ref.Account, in.Assignee, parley.CodeTicketMember); err != nil {
				return f, err
			}
		}
		f.Assignee = &user
	}
	if in.Customer != "" {
		p, err := s.DB.PersonByEmail(ctx, ref, in.Customer)
		if parley.IsCode(err, parley.CodeNotFound) {
			err = parley.NewErrorf(parley.CodeNotFound,
				"The agent has no customer with the e-mail address %s.", in.Customer)
		}
		if err != nil {
			return f, err
		}
		f.Customer = p.ID
	}
	if in.Overdue {
		f.OverdueAt = new(s.Now())
	}
	f.Team, err = s.findTeamID(ctx, ref, in.Team)
	return f, err
}

// findTeamID finds a team for a filter or a change. It returns nil if none is named; an empty id stands for no team.
func (s *Service) findTeamID(ctx context.Context, ref parley.AgentRef, name string) (*parley.TeamID, error) {
	switch name {
	case "":
		return nil, nil
	case None:
		return new(parley.TeamID), nil
	}
	t, err := s.findTeam(ctx, ref, name)
	if err != nil {
		return nil, err
	}
	return &t.ID, nil
}

// newTickets returns tickets with the names behind their ids.
func (s *Service) newTickets(ctx context.Context, ref parley.AgentRef, found []parley.Ticket) ([]Ticket, error) {
	names, err := s.loadNames(ctx, ref)
	if err != nil {
		return nil, err
	}
	statuses, err := s.Helpdesk.AllStatuses(ctx, ref)
	if err != nil {
		return nil, err
	}
	labels := map[parley.StatusID]string{}
	for _, status := range statuses {
		labels[status.ID] = status.InternalLabel
	}
	return httpapi.ConvertList(found, func(t *parley.Ticket) Ticket {
		row := newTicketRow(t)
		row.Status, row.Team = labels[t.StatusID], names.teams[t.TeamID]
		row.Assignee = names.members[t.AssigneeID].Email
		return row
	}), nil
}

// newTicketRow returns a ticket without the names behind its ids.
func newTicketRow(t *parley.Ticket) Ticket {
	return Ticket{
		Number:         t.Number,
		AgentID:        string(t.AgentID),
		Subject:        t.Subject,
		Description:    t.Description,
		Category:       string(t.Category),
		StatusID:       string(t.StatusID),
		AssigneeID:     string(t.AssigneeID),
		TeamID:         string(t.TeamID),
		Priority:       t.Priority,
		Channel:        string(t.Channel),
		Customer:       newCustomer(&t.Customer),
		ConversationID: string(t.ConversationID),
		CreatedAt:      t.CreatedAt,
		UpdatedAt:      t.UpdatedAt,
		LastMessageAt:  t.LastMessageAt,
		TicketSLA: TicketSLA{t.SLA.DueAt(), t.SLA.FirstReplyDueAt, t.SLA.ResolutionDueAt,
			t.SLA.FirstReplyBreachedAt, t.SLA.ResolutionBreachedAt},
	}
}

// newTicket returns one ticket as newTickets does.
func (s *Service) newTicket(ctx context.Context, t *parley.Ticket) (Ticket, error) {
	list, err := s.newTickets(ctx, t.AgentRef(), []parley.Ticket{*t})
	if err != nil {
		return Ticket{}, err
	}
	return list[0], nil
}

// CustomerQuery asks for an agent's customers, newest first.
type CustomerQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Customer is somebody whom an agent's tickets are about.
type Customer struct {
	ID         string    `json:"customerId"`
	Email      string    `json:"email,omitempty"`
	Name       string    `json:"name,omitempty"`
	Phone      string    `json:"phoneNumber,omitempty"`
	ExternalID string    `json:"userId,omitempty"` // the client's own id
	CreatedAt  time.Time `json:"createdAt"`
}

func newCustomer(p *parley.Person) Customer {
	return Customer{
		ID:         string(p.ID),
		Email:      p.Email,
		Name:       p.Name,
		Phone:      p.Phone,
		ExternalID: p.ExternalID,
		CreatedAt:  p.CreatedAt,
	}
}

func (s *Service) listCustomers(ctx context.Context, in CustomerQuery) ([]Customer, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.People(ctx, ref, "", parley.PageRequest{Limit: in.Limit})
	return httpapi.ConvertList(page.Items, newCustomer), err
}

// CustomerRef names a customer of an agent.
type CustomerRef struct {
	AgentID string `path:"agentId"`
	ID      string `path:"customerId"`
}

// CustomerDetails is a customer with what is known of them and what they wrote about.
type CustomerDetails struct {
	Customer
	Attributes    []CustomerAttribute `json:"attributes"`
	Conversations []Conversation      `json:"conversations" doc:"The newest 50."`
	Tickets       []Ticket            `json:"tickets" doc:"The 50 that changed last."`
}

// CustomerAttribute is a custom property of a customer.
type CustomerAttribute struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Value string `json:"value" doc:"Texts as they are, and anything else as JSON."`
}

const customerHistory = 50 // conversations and tickets of one customer

func (s *Service) getCustomer(ctx context.Context, in CustomerRef) (out CustomerDetails, err error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return out, err
	}
	p, err := s.DB.Person(ctx, ref, parley.PersonID(in.ID))
	if err != nil {
		return out, err
	}
	out.Customer = newCustomer(p)
	ask := parley.PageRequest{Limit: customerHistory}
	conversations, err := s.DB.Conversations(ctx, ref, store.ConversationFilter{Customer: p}, ask)
	if err != nil {
		return out, err
	}
	out.Conversations = httpapi.ConvertList(conversations.Items, newConversation)
	tickets, err := s.DB.Tickets(ctx, ref, store.TicketFilter{Customer: p.ID}, ask)
	if err != nil {
		return out, err
	}
	if out.Tickets, err = s.newTickets(ctx, ref, tickets.Items); err != nil {
		return out, err
	}
	attributes, err := s.DB.Attributes(ctx, ref)
	out.Attributes = newCustomerAttributes(p, attributes)
	return out, err
}

// NewMerge makes one customer of two.
type NewMerge struct {
	AgentID string `path:"agentId" json:"-"`
	ID      string `path:"customerId" json:"-"`
	From    string `json:"from" doc:"The other customer, by id, who is no more afterwards."`
}

func (s *Service) mergeCustomers(ctx context.Context, in NewMerge) (Customer, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Customer{}, err
	}
	p, err := s.Helpdesk.MergeCustomers(ctx, ref, parley.PersonID(in.ID), parley.PersonID(in.From))
	if err != nil {
		return Customer{}, err
	}
	return newCustomer(p), nil
}

// newCustomerAttributes returns the values that a customer has of an agent's attributes.
func newCustomerAttributes(p *parley.Person, attributes []parley.Attribute) []CustomerAttribute {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(p.Attributes, &values) // an object, or nothing
	list := []CustomerAttribute{}
	for _, a := range attributes {
		if value := showAttribute(values[a.Name]); value != "" {
			list = append(list, CustomerAttribute{a.Name, a.Label, value})
		}
	}
	return list
}

// showAttribute returns a value as people read it; empty for none.
func showAttribute(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// Lead is contact details that a customer has left.
type Lead struct {
	ID             string      `json:"leadId"`
	ConversationID string      `json:"conversationId,omitempty"`
	Name           string      `json:"name,omitempty"`
	Email          string      `json:"email,omitempty"`
	Phone          string      `json:"phoneNumber,omitempty"`
	Fields         []LeadField `json:"fields"` // further ones of the form, by name
	CreatedAt      time.Time   `json:"createdAt"`
}

// LeadField is what a customer wrote into a further field of a form.
type LeadField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newLead(l *parley.Lead) Lead {
	fields := []LeadField{}
	for _, name := range slices.Sorted(maps.Keys(l.Fields)) {
		fields = append(fields, LeadField{name, l.Fields[name]})
	}
	return Lead{
		ID:             l.ID,
		ConversationID: string(l.ConversationID),
		Name:           l.Name,
		Email:          l.Email,
		Phone:          l.Phone,
		Fields:         fields,
		CreatedAt:      l.CreatedAt,
	}
}
