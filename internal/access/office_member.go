package access

import (
	"context"
	"net/mail"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// NewMember is what a membership is made from.
type NewMember struct {
	AccountID parley.AccountID
	Email     string
	Name      string      // 1 to 100 characters; a user who exists already keeps the old one
	Role      parley.Role // empty for agent
}

// AddMember makes a user a member of an account; one with that e-mail address, whatever its case, is found rather than
// made. Fails with ACCOUNT_NOT_FOUND, VALIDATION_INVALID_BODY or RESOURCE_ALREADY_EXISTS.
func (o *Accounts) AddMember(ctx context.Context, n NewMember) (*parley.Membership, error) {
	if n.Role == "" {
		n.Role = parley.RoleAgent
	}
	now := o.Now()
	user := parley.User{ID: parley.UserID(parley.NewUUID()), Email: strings.TrimSpace(n.Email), Name: strings.TrimSpace(n.Name), CreatedAt: now}
	if err := checkMember(user, n.Role); err != nil {
		return nil, err
	}
	var m parley.Membership
	err := o.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, n.AccountID); err != nil {
			return err
		}
		m = parley.Membership{AccountID: n.AccountID, User: user, Role: n.Role, CreatedAt: now}
		if err := tx.AddMember(ctx, &m); err != nil {
			return err
		}
		return o.audit(ctx, tx, n.AccountID, "member.add", string(m.User.ID), map[string]any{"email": m.User.Email, "role": m.Role})
	})
	if parley.IsCode(err, parley.CodeAlreadyExists) {
		err = o.alreadyMemberError(ctx, n.AccountID, user.Email)
	}
	return &m, err
}

// alreadyMemberError is the failure that names the member who is there already.
func (o *Accounts) alreadyMemberError(ctx context.Context, account parley.AccountID, email string) error {
	members, err := o.DB.Members(ctx, account)
	if err != nil {
		return err
	}
	for _, m := range members {
		if strings.EqualFold(m.User.Email, email) {
			return parley.NewErrorf(parley.CodeAlreadyExists, "%s is a member of this account already: %s, role %s, user %s.", m.User.Email, m.User.Name, m.Role, m.User.ID)
		}
	}
	return parley.NewError(parley.CodeAlreadyExists)
}

// Members lists an account's members, longest standing first; without an account, all.
func (o *Accounts) Members(ctx context.Context, account parley.AccountID) ([]parley.Membership, error) {
	if account != "" {
		if _, err := o.DB.Account(ctx, account); err != nil {
			return nil, err
		}
	}
	return o.DB.Members(ctx, account)
}

func checkMember(u parley.User, role parley.Role) error {
	details := map[string]string{}
	checkName(details, u.Name)
	if !isPlausibleEmail(u.Email) {
		details["email"] = "must be an e-mail address"
	}
	switch role {
	case parley.RoleOwner, parley.RoleAdmin, parley.RoleAgent:
	default:
		details["role"] = "must be one of: owner, admin, agent"
	}
	return invalid(details)
}

// isPlausibleEmail accepts a bare ASCII address with a dot in its domain. ASCII only: the two databases do not agree on the
// case of other letters, and an address must be found whatever its case.
func isPlausibleEmail(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	a, err := mail.ParseAddress(s)
	at := strings.LastIndexByte(s, '@')
	return err == nil && a.Address == s && a.Name == "" && len(s) <= 254 && strings.Contains(s[at+1:], ".")
}
