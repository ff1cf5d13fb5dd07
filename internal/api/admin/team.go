package admin

import (
	"context"
	"strings"
	"time"

	"parley"
)

// Team is a team of an agent as the operator sees it.
type Team struct {
	ID       string                `json:"teamId"`
	Key      string                `json:"key,omitempty"`
	Name     string                `json:"name"`
	Default  bool                  `json:"default"`
	Strategy string                `json:"strategy"`
	MaxOpen  *int                  `json:"maxOpen"` // null is no limit
	Hours    []parley.WorkingHours `json:"hours"`   // none is always
	Members  []TeamMember          `json:"members"`
}

// TeamMember is somebody in a team.
type TeamMember struct {
	UserID   string                `json:"userId"`
	Email    string                `json:"email"`
	Name     string                `json:"name"`
	MaxOpen  *int                  `json:"maxOpen"` // null is the team's
	Hours    []parley.WorkingHours `json:"hours"`   // none are the team's
	Away     bool                  `json:"away"`
	JoinedAt time.Time             `json:"joinedAt"`
}

// NewTeam asks for a team.
type NewTeam struct {
	AgentID  string                `json:"agentId"`
	Key      string                `json:"key,omitempty"`
	Name     string                `json:"name"`
	Default  bool                  `json:"default"`
	Strategy string                `json:"strategy,omitempty"` // empty is round_robin
	MaxOpen  *int                  `json:"maxOpen,omitempty"`
	Hours    []parley.WorkingHours `json:"hours,omitempty"`
}

// TeamChange says what a team is to be; nil stays.
type TeamChange struct {
	AgentID  string                 `json:"agentId"`
	Team     string                 `json:"team"` // id, key or name
	Name     *string                `json:"name,omitempty"`
	Default  bool                   `json:"default"` // false leaves the default where it is
	Strategy *string                `json:"strategy,omitempty"`
	MaxOpen  *Limit                 `json:"maxOpen,omitempty"`
	Hours    *[]parley.WorkingHours `json:"hours,omitempty"`
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
	ListTeams  = Command[AgentID, []Team]{"team.list", false, (*Service).listTeams}
	AddTeam    = Command[NewTeam, Team]{"team.add", false, (*Service).addTeam}
	ChangeTeam = Command[TeamChange, Team]{"team.change", false, (*Service).changeTeam}
	RemoveTeam = Command[TeamRef, Empty]{"team.remove", false, (*Service).removeTeam}
)

func newTeam(t *parley.Team) Team {
	out := Team{ID: string(t.ID), Key: t.Key, Name: t.Name, Default: t.IsDefault, Strategy: string(t.Strategy), MaxOpen: t.MaxOpen, Hours: nonNilShifts(t.Hours), Members: []TeamMember{}}
	for _, m := range t.Members {
		out.Members = append(out.Members, TeamMember{UserID: string(m.User.ID), Email: m.User.Email, Name: m.User.Name, MaxOpen: m.MaxOpen, Hours: nonNilShifts(m.Hours),
			Away: m.IsAway, JoinedAt: m.JoinedAt})
	}
	return out
}

// nonNilShifts returns a list that is never null.
func nonNilShifts(list []parley.WorkingHours) []parley.WorkingHours {
	return append([]parley.WorkingHours{}, list...)
}

func (d *Service) listTeams(ctx context.Context, in AgentID) ([]Team, error) {
	account, agent, err := d.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := d.Helpdesk.Teams(ctx, account, agent)
	list := make([]Team, len(found))
	for i := range found {
		list[i] = newTeam(&found[i])
	}
	return list, err
}

func (d *Service) addTeam(ctx context.Context, in NewTeam) (Team, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	if err := checkKey(in.Key); err != nil {
		return Team{}, err
	}
	t, err := d.Helpdesk.AddTeam(ctx, account, agent, parley.Team{Key: in.Key, Name: in.Name, IsDefault: in.Default, Strategy: parley.Strategy(in.Strategy),
		MaxOpen: in.MaxOpen, Hours: in.Hours}, operatorName)
	if err != nil {
		return Team{}, err
	}
	return newTeam(t), nil
}

func (d *Service) changeTeam(ctx context.Context, in TeamChange) (Team, error) {
	return d.changeNamedTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		_, err := d.Helpdesk.ChangeTeam(ctx, account, agent, t.ID, operatorName, func(t *parley.Team) {
			replaceIfSet(&t.Name, in.Name)
			replaceIfSet(&t.Strategy, (*parley.Strategy)(in.Strategy))
			replaceIfSet(&t.Hours, in.Hours)
			if in.MaxOpen != nil {
				t.MaxOpen = in.MaxOpen.Own
			}
			t.IsDefault = t.IsDefault || in.Default
		})
		return err
	})
}

func (d *Service) removeTeam(ctx context.Context, in TeamRef) (Empty, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Empty{}, err
	}
	t, err := d.findTeam(ctx, account, agent, in.Team)
	if err != nil {
		return Empty{}, err
	}
	return Empty{}, d.Helpdesk.RemoveTeam(ctx, account, agent, t.ID, operatorName)
}

// changeNamedTeam does something to the team that is named, and tells how it is then.
func (d *Service) changeNamedTeam(ctx context.Context, in TeamRef, do func(parley.AccountID, parley.AgentID, *parley.Team) error) (Team, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	t, err := d.findTeam(ctx, account, agent, in.Team)
	if err != nil {
		return Team{}, err
	}
	if err := do(account, agent, t); err != nil {
		return Team{}, err
	}
	if t, err = d.findTeam(ctx, account, agent, string(t.ID)); err != nil {
		return Team{}, err
	}
	return newTeam(t), nil
}

// findTeam finds a team with its members by its id, its key or its name.
func (d *Service) findTeam(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (*parley.Team, error) {
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
		return nil, parley.NewErrorf(parley.CodeTicketTeam, "The agent has no team %q.", name)
	}
	return called, nil
}
