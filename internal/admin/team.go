package admin

import (
	"context"
	"strings"
	"time"

	"parley"
)

// Team is a team of an agent as the operator sees it.
type Team struct {
	ID       string         `json:"teamId"`
	Key      string         `json:"key,omitempty"`
	Name     string         `json:"name"`
	Default  bool           `json:"default"`
	Strategy string         `json:"strategy"`
	MaxOpen  *int           `json:"maxOpen"` // null is no limit
	Hours    []parley.Shift `json:"hours"`   // none is always
	Members  []TeamMember   `json:"members"`
}

// TeamMember is somebody in a team.
type TeamMember struct {
	UserID   string         `json:"userId"`
	Email    string         `json:"email"`
	Name     string         `json:"name"`
	MaxOpen  *int           `json:"maxOpen"` // null is the team's
	Hours    []parley.Shift `json:"hours"`   // none are the team's
	Away     bool           `json:"away"`
	JoinedAt time.Time      `json:"joinedAt"`
}

// NewTeam asks for a team.
type NewTeam struct {
	AgentID  string         `json:"agentId"`
	Key      string         `json:"key,omitempty"`
	Name     string         `json:"name"`
	Default  bool           `json:"default"`
	Strategy string         `json:"strategy,omitempty"` // empty is round_robin
	MaxOpen  *int           `json:"maxOpen,omitempty"`
	Hours    []parley.Shift `json:"hours,omitempty"`
}

// TeamChange says what a team is to be; nil stays.
type TeamChange struct {
	AgentID  string          `json:"agentId"`
	Team     string          `json:"team"` // id, key or name
	Name     *string         `json:"name,omitempty"`
	Default  bool            `json:"default"` // false leaves the default where it is
	Strategy *string         `json:"strategy,omitempty"`
	MaxOpen  *Limit          `json:"maxOpen,omitempty"`
	Hours    *[]parley.Shift `json:"hours,omitempty"`
}

// Limit is a number of open tickets; nil is none of one's own.
type Limit struct {
	Own *int `json:"own"`
}

// TeamRef names a team by id, key or name.
type TeamRef struct {
	AgentID string `json:"agentId"`
	Team    string `json:"team"`
}

// The verbs on teams.
var (
	ListTeams  = Verb[AgentID, []Team]{"team.list", false, (*Desk).teams}
	AddTeam    = Verb[NewTeam, Team]{"team.add", false, (*Desk).addTeam}
	ChangeTeam = Verb[TeamChange, Team]{"team.change", false, (*Desk).changeTeam}
	RemoveTeam = Verb[TeamRef, Nothing]{"team.remove", false, (*Desk).removeTeam}
)

func teamOf(t *parley.Team) Team {
	out := Team{ID: string(t.ID), Key: t.Key, Name: t.Name, Default: t.IsDefault, Strategy: string(t.Strategy), MaxOpen: t.MaxOpen, Hours: shifts(t.Hours), Members: []TeamMember{}}
	for _, m := range t.Members {
		out.Members = append(out.Members, TeamMember{UserID: string(m.User.ID), Email: m.User.Email, Name: m.User.Name, MaxOpen: m.MaxOpen, Hours: shifts(m.Hours),
			Away: m.Away, JoinedAt: m.JoinedAt})
	}
	return out
}

// shifts gives a list that is never null.
func shifts(list []parley.Shift) []parley.Shift { return append([]parley.Shift{}, list...) }

func (d *Desk) teams(ctx context.Context, in AgentID) ([]Team, error) {
	account, agent, err := d.agent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := d.Helpdesk.Teams(ctx, account, agent)
	list := make([]Team, len(found))
	for i := range found {
		list[i] = teamOf(&found[i])
	}
	return list, err
}

func (d *Desk) addTeam(ctx context.Context, in NewTeam) (Team, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	if err := checkKey(in.Key); err != nil {
		return Team{}, err
	}
	t, err := d.Helpdesk.AddTeam(ctx, account, agent, parley.Team{Key: in.Key, Name: in.Name, IsDefault: in.Default, Strategy: parley.Strategy(in.Strategy),
		MaxOpen: in.MaxOpen, Hours: in.Hours}, operator)
	if err != nil {
		return Team{}, err
	}
	return teamOf(t), nil
}

func (d *Desk) changeTeam(ctx context.Context, in TeamChange) (Team, error) {
	return d.onTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		_, err := d.Helpdesk.ChangeTeam(ctx, account, agent, t.ID, operator, func(t *parley.Team) {
			replace(&t.Name, in.Name)
			replace(&t.Strategy, (*parley.Strategy)(in.Strategy))
			replace(&t.Hours, in.Hours)
			if in.MaxOpen != nil {
				t.MaxOpen = in.MaxOpen.Own
			}
			t.IsDefault = t.IsDefault || in.Default
		})
		return err
	})
}

func (d *Desk) removeTeam(ctx context.Context, in TeamRef) (Nothing, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Nothing{}, err
	}
	t, err := d.team(ctx, account, agent, in.Team)
	if err != nil {
		return Nothing{}, err
	}
	return Nothing{}, d.Helpdesk.RemoveTeam(ctx, account, agent, t.ID, operator)
}

// onTeam does something to the team that is named, and tells how it is then.
func (d *Desk) onTeam(ctx context.Context, in TeamRef, do func(parley.AccountID, parley.AgentID, *parley.Team) error) (Team, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	t, err := d.team(ctx, account, agent, in.Team)
	if err != nil {
		return Team{}, err
	}
	if err := do(account, agent, t); err != nil {
		return Team{}, err
	}
	if t, err = d.team(ctx, account, agent, string(t.ID)); err != nil {
		return Team{}, err
	}
	return teamOf(t), nil
}

// team finds a team with its members by its id, its key or its name.
func (d *Desk) team(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (*parley.Team, error) {
	list, err := d.Helpdesk.Teams(ctx, account, agent)
	if err != nil {
		return nil, err
	}
	var called *parley.Team
	for i := range list {
		t := &list[i]
		if string(t.ID) == name || t.Key != "" && t.Key == name {
			return t, nil
		}
		if strings.EqualFold(t.Name, name) {
			called = t
		}
	}
	if called == nil {
		return nil, parley.Failf(parley.CodeTicketTeam, "The agent has no team %q.", name)
	}
	return called, nil
}
