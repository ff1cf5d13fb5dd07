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

// The verbs on members.
var (
	AddMember   = Command[NewMember, AddedMember]{"member.add", false, (*Service).addMember}
	ListMembers = Command[AccountFilter, []Member]{"member.list", false, (*Service).listMembers}
	// ChangeMember returns a member another role.
	ChangeMember = Command[MemberChange, Member]{"member.change", false, (*Service).changeMember}
	// RemoveMember ends a membership.
	RemoveMember = Command[MemberRemoval, MemberRemovalResult]{"member.remove", false, (*Service).removeMember}
)

func (d *Service) addMember(ctx context.Context, in NewMember) (AddedMember, error) {
	m, err := d.Accounts.AddMember(ctx, access.NewMember{AccountID: parley.AccountID(in.AccountID), Email: in.Email, Name: in.Name, Role: parley.Role(in.Role)})
	if err != nil {
		return AddedMember{}, err
	}
	return AddedMember{string(m.User.ID), m.User.Email}, nil
}

func (d *Service) listMembers(ctx context.Context, in AccountFilter) ([]Member, error) {
	found, err := d.Accounts.Members(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	list := make([]Member, len(found))
	for i := range found {
		list[i] = newMember(&found[i])
	}
	return list, nil
}

func newMember(m *parley.Membership) Member {
	return Member{UserID: string(m.User.ID), AccountID: string(m.AccountID), Email: m.User.Email, Name: m.User.Name, Role: string(m.Role), CreatedAt: m.CreatedAt}
}
