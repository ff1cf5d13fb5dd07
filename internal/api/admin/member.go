package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// NewMember asks for a member of an account's team.
type NewMember struct {
	AccountID string `path:"accountId" json:"-"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Role      string `json:"role"`
}

// AddedMember names the member.
type AddedMember struct {
	UserID string `json:"userId"`
	Email  string `json:"email"`
}

// Member is somebody in an account's team.
type Member struct {
	UserID    string    `json:"userId"`
	AccountID string    `json:"accountId"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	CreatedAt time.Time `json:"createdAt"`
}

func (s *Service) addMember(ctx context.Context, in NewMember) (AddedMember, error) {
	m, err := s.Accounts.AddMember(ctx, access.NewMember{
		AccountID: parley.AccountID(in.AccountID),
		Email:     in.Email,
		Name:      in.Name,
		Role:      parley.Role(in.Role),
	})
	if err != nil {
		return AddedMember{}, err
	}
	return AddedMember{string(m.User.ID), m.User.Email}, nil
}

func (s *Service) listMembers(ctx context.Context, in AccountFilter) ([]Member, error) {
	found, err := s.Accounts.Members(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newMember), nil
}

func newMember(m *parley.Membership) Member {
	return Member{
		UserID:    string(m.User.ID),
		AccountID: string(m.AccountID),
		Email:     m.User.Email,
		Name:      m.User.Name,
		Role:      string(m.Role),
		CreatedAt: m.CreatedAt,
	}
}

// MemberRef names a member of an account by exactly one of user id and e-mail address.
type MemberRef struct {
	AccountID string `path:"accountId" json:"-"`
	UserID    string `query:"userId" json:"-"`
	Email     string `query:"email" json:"-"`
}

func (r MemberRef) accessRef() access.MemberRef {
	return access.MemberRef{AccountID: parley.AccountID(r.AccountID), UserID: parley.UserID(r.UserID), Email: r.Email}
}

// MemberChange changes the role of a member.
type MemberChange struct {
	MemberRef
	Role string `json:"role"`
}

// MemberRemoval asks for the end of a membership.
type MemberRemoval struct {
	MemberRef
	Reassign bool `query:"reassign"` // their open tickets go to whom their teams pick
}

// MemberRemovalResult says what became of the work of a member who was removed.
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

func (s *Service) changeMember(ctx context.Context, in MemberChange) (Member, error) {
	m, err := s.Accounts.ChangeMember(ctx, in.accessRef(), parley.Role(in.Role))
	if err != nil {
		return Member{}, err
	}
	return newMember(m), nil
}

func (s *Service) removeMember(ctx context.Context, in MemberRemoval) (MemberRemovalResult, error) {
	var result helpdesk.DepartureResult
	departure := helpdesk.Departure{
		AccountID: parley.AccountID(in.AccountID),
		Reassign:  in.Reassign,
		By:        operatorName,
		At:        s.Now(),
	}
	cleanUp := func(tx *store.DB, user parley.UserID) (facts map[string]any, err error) {
		departure.UserID = user
		result, err = s.Helpdesk.RemoveMemberTx(ctx, tx, departure)
		return map[string]any{
			"teams":      result.Teams,
			"unassigned": result.Unassigned,
			"reassigned": result.Reassigned,
		}, err
	}
	m, err := s.Accounts.RemoveMember(ctx, in.accessRef(), cleanUp)
	if err != nil {
		return MemberRemovalResult{}, err
	}
	out := MemberRemovalResult{
		UserID:     string(m.User.ID),
		Email:      m.User.Email,
		Teams:      result.Teams,
		Unassigned: result.Unassigned,
		Reassigned: result.Reassigned,
		Rules:      []RuleNamingMember{},
	}
	for _, r := range result.Rules {
		out.Rules = append(out.Rules, RuleNamingMember{string(r.AgentID), r.Key})
	}
	return out, nil
}
