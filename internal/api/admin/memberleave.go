package admin

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// MemberRef names a member of an account by exactly one of user id and e-mail address.
type MemberRef struct {
	AccountID string `json:"accountId"`
	UserID    string `json:"userId,omitempty"`
	Email     string `json:"email,omitempty"`
}

func (r MemberRef) accessRef() access.MemberRef {
	return access.MemberRef{AccountID: parley.AccountID(r.AccountID), UserID: parley.UserID(r.UserID), Email: r.Email}
}

// MemberChange returns a member another role.
type MemberChange struct {
	MemberRef
	Role string `json:"role"`
}

// MemberRemoval asks for the end of a membership.
type MemberRemoval struct {
	MemberRef
	Reassign bool `json:"reassign"` // their open tickets go to whom their teams pick
}

// MemberRemovalResult tells what became of somebody's work.
type MemberRemovalResult struct {
	UserID     string             `json:"userId"`
	Email      string             `json:"email"`
	Teams      int                `json:"teams"`      // that they were in
	Unassigned int                `json:"unassigned"` // open tickets that nobody has now
	Reassigned int                `json:"reassigned"` // open tickets that somebody else has now
	Rules      []RuleNamingMember `json:"rules"`      // that name them; they go on with their teams
}

// RuleNamingMember is a routing rule that names somebody who has left.
type RuleNamingMember struct {
	AgentID string `json:"agentId"`
	Key     string `json:"key"`
}

func (d *Service) changeMember(ctx context.Context, in MemberChange) (Member, error) {
	m, err := d.Accounts.ChangeMember(ctx, in.accessRef(), parley.Role(in.Role))
	if err != nil {
		return Member{}, err
	}
	return newMember(m), nil
}

func (d *Service) removeMember(ctx context.Context, in MemberRemoval) (MemberRemovalResult, error) {
	var left helpdesk.DepartureResult
	now := d.Now()
	m, err := d.Accounts.RemoveMember(ctx, in.accessRef(), func(tx *store.DB, user parley.UserID) (facts map[string]any, err error) {
		left, err = d.Helpdesk.RemoveMemberTx(ctx, tx, helpdesk.Departure{AccountID: parley.AccountID(in.AccountID), UserID: user, Reassign: in.Reassign, By: operatorName, At: now})
		return map[string]any{"teams": left.Teams, "unassigned": left.Unassigned, "reassigned": left.Reassigned}, err
	})
	if err != nil {
		return MemberRemovalResult{}, err
	}
	out := MemberRemovalResult{UserID: string(m.User.ID), Email: m.User.Email, Teams: left.Teams, Unassigned: left.Unassigned, Reassigned: left.Reassigned, Rules: []RuleNamingMember{}}
	for _, r := range left.Rules {
		out.Rules = append(out.Rules, RuleNamingMember{string(r.AgentID), r.Key})
	}
	return out, nil
}
