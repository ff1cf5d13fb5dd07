package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
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
	AgentID  string                `path:"agentId" json:"-"`
	Key      string                `json:"key,omitempty"`
	Name     string                `json:"name"`
	Default  bool                  `json:"default"`
	Strategy string                `json:"strategy,omitempty"` // empty is round_robin
	MaxOpen  *int                  `json:"maxOpen,omitempty"`
	Hours    []parley.WorkingHours `json:"hours,omitempty"`
}

// TeamChange says what a team is to be; what is absent stays.
type TeamChange struct {
	TeamRef
	Name     *string                `json:"name,omitempty"`
	Default  bool                   `json:"default"` // false leaves the default where it is
	Strategy *string                `json:"strategy,omitempty"`
	MaxOpen  httpapi.Opt[int]       `json:"maxOpen,omitzero" nullable:"true"` // null is no limit
	Hours    *[]parley.WorkingHours `json:"hours,omitempty"`
}

// TeamRef names a team by id, key or name.
type TeamRef struct {
	AgentID string `path:"agentId" json:"-"`
	Team    string `path:"team" json:"-"`
}

func newTeam(t *parley.Team) Team {
	out := Team{
		ID:       string(t.ID),
		Key:      t.Key,
		Name:     t.Name,
		Default:  t.IsDefault,
		Strategy: string(t.Strategy),
		MaxOpen:  t.MaxOpen,
		Hours:    nonNilHours(t.Hours),
		Members:  []TeamMember{},
	}
	for _, m := range t.Members {
		out.Members = append(out.Members, TeamMember{
			UserID:   string(m.User.ID),
			Email:    m.User.Email,
			Name:     m.User.Name,
			MaxOpen:  m.MaxOpen,
			Hours:    nonNilHours(m.Hours),
			Away:     m.IsAway,
			JoinedAt: m.JoinedAt,
		})
	}
	return out
}

// nonNilHours returns a list that is never null.
func nonNilHours(list []parley.WorkingHours) []parley.WorkingHours {
	return append([]parley.WorkingHours{}, list...)
}

func (s *Service) listTeams(ctx context.Context, in AgentRef) ([]Team, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := s.Helpdesk.Teams(ctx, ref)
	return httpapi.ConvertList(found, newTeam), err
}

func (s *Service) addTeam(ctx context.Context, in NewTeam) (Team, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	t, err := s.Helpdesk.AddTeam(ctx, ref, parley.Team{
		Key:       in.Key,
		Name:      in.Name,
		IsDefault: in.Default,
		Strategy:  parley.Strategy(in.Strategy),
		MaxOpen:   in.MaxOpen,
		Hours:     in.Hours,
	}, s.actor())
	if err != nil {
		return Team{}, err
	}
	return newTeam(t), nil
}

func (s *Service) changeTeam(ctx context.Context, in TeamChange) (Team, error) {
	return s.changeNamedTeam(ctx, in.TeamRef, func(ref parley.AgentRef, t *parley.Team) error {
		_, err := s.Helpdesk.ChangeTeam(ctx, ref, t.ID, s.actor(), func(t *parley.Team) {
			replaceIfSet(&t.Name, in.Name)
			replaceIfSet(&t.Strategy, (*parley.Strategy)(in.Strategy))
			replaceIfSet(&t.Hours, in.Hours)
			if in.MaxOpen.Present {
				t.MaxOpen = in.MaxOpen.Ptr()
			}
			t.IsDefault = t.IsDefault || in.Default
		})
		return err
	})
}

func (s *Service) removeTeam(ctx context.Context, in TeamRef) (NoOutput, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return NoOutput{}, err
	}
	t, err := s.findTeam(ctx, ref, in.Team)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Helpdesk.RemoveTeam(ctx, ref, t.ID, s.actor())
}

// changeNamedTeam changes the named team by change, and returns it as it is then.
func (s *Service) changeNamedTeam(
	ctx context.Context, in TeamRef, change func(parley.AgentRef, *parley.Team) error,
) (Team, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Team{}, err
	}
	t, err := s.findTeam(ctx, ref, in.Team)
	if err != nil {
		return Team{}, err
	}
	if err := change(ref, t); err != nil {
		return Team{}, err
	}
	if t, err = s.findTeam(ctx, ref, string(t.ID)); err != nil {
		return Team{}, err
	}
	return newTeam(t), nil
}

// findTeam finds a team with its members by its id, its key or its name.
func (s *Service) findTeam(ctx context.Context, ref parley.AgentRef, name string) (*parley.Team, error) {
	list, err := s.Helpdesk.Teams(ctx, ref)
	if err != nil {
		return nil, err
	}
	var match *parley.Team
	for i := range list {
		t := &list[i]
		if string(t.ID) == name || t.Key != "" && t.Key == name {
			return t, nil
		}
		if strings.EqualFold(t.Name, name) {
			match = t
		}
	}
	if match == nil {
		return nil, parley.NewErrorf(parley.CodeTicketTeam, "The agent has no team %q.", name)
	}
	return match, nil
}

// TeamMemberRef names a member of the account in a team.
type TeamMemberRef struct {
	TeamRef
	Member string `path:"member" json:"-"` // e-mail address
}

// TeamMembership says what a member is to be in a team; what is absent stays, and is the team's for one who joins.
type TeamMembership struct {
	TeamMemberRef
	MaxOpen httpapi.Opt[int]       `json:"maxOpen,omitzero" nullable:"true"` // null is the team's
	Hours   *[]parley.WorkingHours `json:"hours,omitempty"`
	Away    *bool                  `json:"away,omitempty"`
}

func (s *Service) joinTeam(ctx context.Context, in TeamMembership) (Team, error) {
	return s.changeNamedTeam(ctx, in.TeamRef, func(ref parley.AgentRef, t *parley.Team) error {
		user, err := s.findMember(ctx, ref.Account, in.Member, parley.CodeTicketMember)
		if err != nil {
			return err
		}
		m := parley.TeamMember{User: parley.User{ID: user}}
		for _, member := range t.Members {
			if member.User.ID == user {
				m = member
			}
		}
		replaceIfSet(&m.Hours, in.Hours)
		replaceIfSet(&m.IsAway, in.Away)
		if in.MaxOpen.Present {
			m.MaxOpen = in.MaxOpen.Ptr()
		}
		return s.Helpdesk.JoinTeam(ctx, ref, t.ID, m, s.actor())
	})
}

func (s *Service) leaveTeam(ctx context.Context, in TeamMemberRef) (Team, error) {
	return s.changeNamedTeam(ctx, in.TeamRef, func(ref parley.AgentRef, t *parley.Team) error {
		user, err := s.findMember(ctx, ref.Account, in.Member, parley.CodeTicketMember)
		if err != nil {
			return err
		}
		return s.Helpdesk.LeaveTeam(ctx, ref, t.ID, user, s.actor())
	})
}

// SLATargets says which targets a helpdesk is to have: one of a priority at most, and none of those that are absent.
type SLATargets struct {
	AgentID string             `path:"agentId" json:"-"`
	Targets []parley.SLATarget `json:"targets" max:"5"`
}

func (s *Service) listSLATargets(ctx context.Context, in AgentRef) ([]parley.SLATarget, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := s.Helpdesk.SLATargets(ctx, ref)
	return append([]parley.SLATarget{}, found...), err
}

func (s *Service) replaceSLATargets(ctx context.Context, in SLATargets) ([]parley.SLATarget, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	stored, err := s.Helpdesk.ReplaceSLATargets(ctx, ref, in.Targets, s.actor())
	return append([]parley.SLATarget{}, stored...), err
}
