package admin

import (
	"context"

	"parley"
)

// Membership is what somebody is to be in a team; nil stays, and is the team's for one who joins.
type Membership struct {
	AgentID string                 `json:"agentId"`
	Team    string                 `json:"team"`
	Member  string                 `json:"member"` // e-mail address
	MaxOpen *Limit                 `json:"maxOpen,omitempty"`
	Hours   *[]parley.WorkingHours `json:"hours,omitempty"`
	Away    *bool                  `json:"away,omitempty"`
}

// The verbs on the members of teams.
var (
	JoinTeam  = Command[Membership, Team]{"team.join", false, (*Service).joinTeam}
	LeaveTeam = Command[Membership, Team]{"team.leave", false, (*Service).leaveTeam}
)

func (d *Service) joinTeam(ctx context.Context, in Membership) (Team, error) {
	return d.changeNamedTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		user, err := d.findMember(ctx, account, in.Member)
		if err != nil {
			return err
		}
		m := parley.TeamMember{User: parley.User{ID: user}}
		for _, there := range t.Members {
			if there.User.ID == user {
				m = there
			}
		}
		replaceIfSet(&m.Hours, in.Hours)
		replaceIfSet(&m.IsAway, in.Away)
		if in.MaxOpen != nil {
			m.MaxOpen = in.MaxOpen.Own
		}
		return d.Helpdesk.JoinTeam(ctx, account, agent, t.ID, m, operatorName)
	})
}

func (d *Service) leaveTeam(ctx context.Context, in Membership) (Team, error) {
	return d.changeNamedTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		user, err := d.findMember(ctx, account, in.Member)
		if err != nil {
			return err
		}
		return d.Helpdesk.LeaveTeam(ctx, account, agent, t.ID, user, operatorName)
	})
}
