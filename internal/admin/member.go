package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
)

// NewMember asks for a member of an account's team.
type NewMember struct {
	AccountID string `json:"accountId"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Role      string `json:"role"`
}

// MemberAdded names the member.
type MemberAdded struct {
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

// The verbs on members.
var (
	AddMember   = Verb[NewMember, MemberAdded]{"member.add", false, (*Desk).addMember}
	ListMembers = Verb[OfAccount, []Member]{"member.list", false, (*Desk).members}
	// ChangeMember gives a member another role.
	ChangeMember = Verb[MemberChange, Member]{"member.change", false, (*Desk).changeMember}
	// RemoveMember ends a membership.
	RemoveMember = Verb[MemberRemoval, MemberRemoved]{"member.remove", false, (*Desk).removeMember}
)

func (d *Desk) addMember(ctx context.Context, in NewMember) (MemberAdded, error) {
	m, err := d.Office.AddMember(ctx, access.NewMember{AccountID: parley.AccountID(in.AccountID), Email: in.Email, Name: in.Name, Role: parley.Role(in.Role)})
	if err != nil {
		return MemberAdded{}, err
	}
	return MemberAdded{string(m.User.ID), m.User.Email}, nil
}

func (d *Desk) members(ctx context.Context, in OfAccount) ([]Member, error) {
	found, err := d.Office.Members(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	list := make([]Member, len(found))
	for i := range found {
		list[i] = memberOf(&found[i])
	}
	return list, nil
}

func memberOf(m *parley.Membership) Member {
	return Member{UserID: string(m.User.ID), AccountID: string(m.AccountID), Email: m.User.Email, Name: m.User.Name, Role: string(m.Role), CreatedAt: m.CreatedAt}
}
