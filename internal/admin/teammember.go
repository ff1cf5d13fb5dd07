package admin

import (
	"context"

	"parley"
)

// Membership is what somebody is to be in a team; nil stays, and is the team's for one who joins.
type Membership struct {
	AgentID string          `json:"agentId"`
	Team    string          `json:"team"`
	Member  string          `json:"member"` // e-mail address
	MaxOpen *Limit          `json:"maxOpen,omitempty"`
	Hours   *[]parley.Shift `json:"hours,omitempty"`
	Away    *bool           `json:"away,omitempty"`
}

// The verbs on the members of teams.
var (
	JoinTeam  = Verb[Membership, Team]{"team.join", false, (*Desk).joinTeam}
	LeaveTeam = Verb[Membership, Team]{"team.leave", false, (*Desk).leaveTeam}
)

func (d *Desk) joinTeam(ctx context.Context, in Membership) (Team, error) {
	return d.onTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		user, err := d.member(ctx, account, in.Member)
		if err != nil {
			return err
		}
		m := parley.TeamMember{User: parley.User{ID: user}}
		for _, there := range t.Members {
			if there.User.ID == user {
				m = there
			}
		}
		replace(&m.Hours, in.Hours)
		replace(&m.Away, in.Away)
		if in.MaxOpen != nil {
			m.MaxOpen = in.MaxOpen.Own
		}
		return d.Helpdesk.JoinTeam(ctx, account, agent, t.ID, m, operator)
	})
}

func (d *Desk) leaveTeam(ctx context.Context, in Membership) (Team, error) {
	return d.onTeam(ctx, TeamRef{in.AgentID, in.Team}, func(account parley.AccountID, agent parley.AgentID, t *parley.Team) error {
		user, err := d.member(ctx, account, in.Member)
		if err != nil {
			return err
		}
		return d.Helpdesk.LeaveTeam(ctx, account, agent, t.ID, user, operator)
	})
}
