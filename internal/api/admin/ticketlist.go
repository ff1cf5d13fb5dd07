package admin

import (
	"context"
	"slices"

	"parley"
	"parley/internal/store"
)

// TicketQuery asks for an agent's tickets, the one that changed last first; with a query those that it finds, the best first.
type TicketQuery struct {
	AgentID    string   `json:"agentId"`
	Categories []string `json:"statusCategories,omitempty"` // any of them; none is all
	Channels   []string `json:"channels,omitempty"`
	Assignee   string   `json:"assignee,omitempty"` // e-mail address, or none
	Team       string   `json:"team,omitempty"`     // id, key or name, or none
	Customer   string   `json:"customer,omitempty"` // e-mail address
	Query      string   `json:"query,omitempty"`    // not beside the others
	Limit      int      `json:"limit"`              // most of them
}

// ListTickets lists an agent's tickets, or finds them.
var ListTickets = Command[TicketQuery, []Ticket]{"ticket.list", false, (*Service).listTickets}

func (d *Service) listTickets(ctx context.Context, in TicketQuery) ([]Ticket, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	if in.Query != "" {
		found, _, err := d.Helpdesk.Search(ctx, account, agent, in.Query, in.Limit)
		if err != nil {
			return nil, err
		}
		return d.newTickets(ctx, account, agent, found)
	}
	filter, err := d.ticketFilter(ctx, account, agent, in)
	if err != nil {
		return nil, err
	}
	page, err := d.DB.Tickets(ctx, account, agent, filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	return d.newTickets(ctx, account, agent, page.Items)
}

func (d *Service) ticketFilter(ctx context.Context, account parley.AccountID, agent parley.AgentID, in TicketQuery) (f store.TicketFilter, err error) {
	for _, name := range in.Categories {
		c := parley.StatusCategory(name)
		if !slices.Contains(parley.StatusCategories(), c) {
			return f, parley.NewErrorf(parley.CodeInvalidBody, "%q is no category of statuses.", name)
		}
		f.Categories = append(f.Categories, c)
	}
	for _, name := range in.Channels {
		c := parley.TicketChannel(name)
		if !slices.Contains(parley.TicketChannels(), c) {
			return f, parley.NewErrorf(parley.CodeInvalidBody, "%q is no channel of tickets.", name)
		}
		f.Channels = append(f.Channels, c)
	}
	if in.Assignee != "" {
		user := parley.UserID("")
		if in.Assignee != None {
			if user, err = d.findMember(ctx, account, in.Assignee); err != nil {
				return f, err
			}
		}
		f.Assignee = &user
	}
	if in.Customer != "" {
		p, err := d.DB.PersonByEmail(ctx, account, agent, in.Customer)
		if parley.IsCode(err, parley.CodeNotFound) {
			err = parley.NewErrorf(parley.CodeNotFound, "The agent has no customer with the e-mail address %s.", in.Customer)
		}
		if err != nil {
			return f, err
		}
		f.Customer = p.ID
	}
	f.Team, err = d.findTeamID(ctx, account, agent, in.Team)
	return f, err
}

// findTeamID finds a team for a filter or a change; nil is none named, and an empty id stands for no team.
func (d *Service) findTeamID(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (*parley.TeamID, error) {
	switch name {
	case "":
		return nil, nil
	case None:
		return new(parley.TeamID), nil
	}
	t, err := d.findTeam(ctx, account, agent, name)
	if err != nil {
		return nil, err
	}
	return &t.ID, nil
}

// newTickets returns tickets with the names behind their ids.
func (d *Service) newTickets(ctx context.Context, account parley.AccountID, agent parley.AgentID, found []parley.Ticket) ([]Ticket, error) {
	who, err := d.loadNames(ctx, account, agent)
	if err != nil {
		return nil, err
	}
	statuses, err := d.Helpdesk.AllStatuses(ctx, account, agent)
	if err != nil {
		return nil, err
	}
	labels := map[parley.StatusID]string{}
	for _, s := range statuses {
		labels[s.ID] = s.InternalLabel
	}
	list := make([]Ticket, len(found))
	for i, t := range found {
		list[i] = Ticket{Number: t.Number, AgentID: string(t.AgentID), Subject: t.Subject, Description: t.Description, Category: string(t.Category), Status: labels[t.StatusID],
			StatusID: string(t.StatusID), Assignee: who.members[t.AssigneeID].Email, AssigneeID: string(t.AssigneeID), Team: who.teams[t.TeamID], TeamID: string(t.TeamID),
			Priority: t.Priority, Channel: string(t.Channel), Customer: newCustomer(&t.Customer), ConversationID: string(t.ConversationID), CreatedAt: t.CreatedAt,
			UpdatedAt: t.UpdatedAt, LastMessageAt: t.LastMessageAt}
	}
	return list, nil
}

// newTicket is ticketsOf one.
func (d *Service) newTicket(ctx context.Context, t *parley.Ticket) (Ticket, error) {
	list, err := d.newTickets(ctx, t.AccountID, t.AgentID, []parley.Ticket{*t})
	if err != nil {
		return Ticket{}, err
	}
	return list[0], nil
}
