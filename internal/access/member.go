package access

import (
	"cmp"
	"context"
	"net/mail"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// NewMember describes a membership to create.
type NewMember struct {
	AccountID parley.AccountID
	Email     string
	Name      string      // 1 to 100 characters; a user who exists already keeps the old one
	Role      parley.Role // empty for agent
}

// AddMember makes a user a member of an account. A user with that e-mail address, in any case, is found, otherwise
// created. Fails with ACCOUNT_NOT_FOUND, VALIDATION_INVALID_BODY or RESOURCE_ALREADY_EXISTS.
func (ac *Accounts) AddMember(ctx context.Context, n NewMember) (*parley.Membership, error) {
	role, now := cmp.Or(n.Role, parley.RoleAgent), ac.Now()
	user := parley.User{ID: parley.UserID(parley.NewUUID()), Email: strings.TrimSpace(n.Email),
		Name: parley.TrimName(n.Name), CreatedAt: now}
	if err := cmp.Or(checkMember(user, role), ac.checkOwnerChange(role)); err != nil {
		return nil, err
	}
	var m parley.Membership
	err := ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, n.AccountID); err != nil {
			return err
		}
		m = parley.Membership{AccountID: n.AccountID, User: user, Role: role, CreatedAt: now}
		if err := tx.AddMember(ctx, &m); err != nil {
			return err
		}
		if err := recordMember(ctx, tx, parley.EventMemberAdded, &m, now); err != nil {
			return err
		}
		return ac.audit(ctx, tx, n.AccountID, "member.add", string(m.User.ID),
			map[string]any{"email": m.User.Email, "role": m.Role})
	})
	if parley.IsCode(err, parley.CodeAlreadyExists) {
		err = ac.alreadyMemberError(ctx, n.AccountID, user.Email)
	}
	return &m, err
}

func (ac *Accounts) alreadyMemberError(ctx context.Context, account parley.AccountID, email string) error {
	m, err := ac.DB.MemberByEmail(ctx, account, email, parley.CodeAlreadyExists)
	if err != nil {
		return err // one who has just left
	}
	return parley.NewErrorf(parley.CodeAlreadyExists, "%s is a member of this account already: %s, role %s, user %s.",
		m.User.Email, m.User.Name, m.Role, m.User.ID)
}

// Members returns an account's members, oldest first; without an account, all.
func (ac *Accounts) Members(ctx context.Context, account parley.AccountID) ([]parley.Membership, error) {
	if err := ac.checkExists(ctx, account); err != nil {
		return nil, err
	}
	return ac.DB.Members(ctx, account)
}

// checkExists fails with ACCOUNT_NOT_FOUND where an account is named and there is none.
func (ac *Accounts) checkExists(ctx context.Context, account parley.AccountID) error {
	if account == "" {
		return nil
	}
	_, err := ac.DB.Account(ctx, account)
	return err
}

func checkMember(u parley.User, role parley.Role) error {
	details := map[string]string{}
	checkName(details, u.Name)
	if !isPlausibleEmail(u.Email) {
		details["email"] = "must be an e-mail address"
	}
	if !slices.Contains(parley.Roles(), role) {
		details["role"] = "must be one of: owner, admin, agent, viewer"
	}
	return parley.InvalidFields(details)
}

// isPlausibleEmail accepts a bare ASCII address with a dot in its domain. ASCII only: the two databases do not agree on
// the case of other letters, and an address must be found whatever its case.
func isPlausibleEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	at := strings.LastIndexByte(s, '@')
	return err == nil && a.Address == s && a.Name == "" && len(s) <= 254 && strings.Contains(s[at+1:], ".") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// MemberRef names a member of an account by exactly one of id and e-mail address, whatever the case of the address.
type MemberRef struct {
	AccountID parley.AccountID
	UserID    parley.UserID
	Email     string
}

// find fails with ACCOUNT_NOT_FOUND, VALIDATION_INVALID_BODY or TEAM_MEMBER_NOT_FOUND.
func (r MemberRef) find(ctx context.Context, tx *store.DB) (m *parley.Membership, err error) {
	if (r.UserID == "") == (r.Email == "") {
		return nil, parley.Invalid("member", "must be named by its user id or its e-mail address")
	}
	if _, err := tx.Account(ctx, r.AccountID); err != nil {
		return nil, err
	}
	if r.UserID != "" {
		m, err = tx.Member(ctx, r.AccountID, r.UserID, parley.CodeMemberNotFound)
	} else {
		m, err = tx.MemberByEmail(ctx, r.AccountID, r.Email, parley.CodeMemberNotFound)
	}
	if parley.IsCode(err, parley.CodeMemberNotFound) {
		err = parley.NewErrorf(parley.CodeMemberNotFound, "%s%s is not a member of this account.", r.UserID, r.Email)
	}
	return m, err
}

// MemberCleanup removes what only members have, in the transaction that ends the membership. It returns the facts for
// the audit chain.
type MemberCleanup func(tx *store.DB, user parley.UserID) (map[string]any, error)

// RemoveMember ends a membership; cleanUp is called first. The user stays, as the author of what they wrote. Fails with
// ACCOUNT_NOT_FOUND, TEAM_MEMBER_NOT_FOUND, and with VALIDATION_INVALID_BODY of the account's only owner.
func (ac *Accounts) RemoveMember(ctx context.Context, ref MemberRef,
	cleanUp MemberCleanup) (removed *parley.Membership, err error) {
	err = ac.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		m, err := ref.find(ctx, tx)
		if err != nil {
			return err
		}
		facts, err := cleanUp(tx, m.User.ID)
		if err != nil {
			return err
		}
		if removed, err = tx.LockMember(ctx, ref.AccountID, m.User.ID, parley.CodeMemberNotFound); err != nil {
			return err
		}
		if err := tx.DropMember(ctx, ref.AccountID, m.User.ID, parley.CodeMemberNotFound); err != nil {
			return err
		}
		if err := cmp.Or(ac.checkOwnerChange(removed.Role), ac.requireOwner(ctx, tx, removed)); err != nil {
			return err
		}
		if err := ac.endLinks(ctx, tx, removed, ""); err != nil {
			return err
		}
		if err := recordMember(ctx, tx, parley.EventMemberRemoved, removed, ac.Now()); err != nil {
			return err
		}
		facts["email"], facts["role"] = removed.User.Email, removed.Role
		return ac.audit(ctx, tx, ref.AccountID, "member.remove", string(removed.User.ID), facts)
	})
	return removed, err
}

// ChangeMember changes the role of a member. Fails as RemoveMember does.
func (ac *Accounts) ChangeMember(ctx context.Context, ref MemberRef,
	role parley.Role) (changed *parley.Membership, err error) {
	err = ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		m, err := ref.find(ctx, tx)
		if err != nil {
			return err
		}
		if err := checkMember(m.User, role); err != nil {
			return err
		}
		if changed, err = tx.LockMember(ctx, ref.AccountID, m.User.ID, parley.CodeMemberNotFound); err != nil {
			return err
		}
		if err := tx.SetRole(ctx, ref.AccountID, m.User.ID, role, parley.CodeMemberNotFound); err != nil {
			return err
		}
		if err := cmp.Or(ac.checkOwnerChange(changed.Role, role), ac.requireOwner(ctx, tx, changed)); err != nil {
			return err
		}
		if err := ac.endLinks(ctx, tx, changed, role); err != nil {
			return err
		}
		changed.Role = role
		if err := recordMember(ctx, tx, parley.EventMemberChanged, changed, ac.Now()); err != nil {
			return err
		}
		return ac.audit(ctx, tx, ref.AccountID, "member.change", string(m.User.ID),
			map[string]any{"email": m.User.Email, "role": role})
	})
	return changed, err
}

// endLinks ends the links that a member has made and may not make any more with the role that they get, which is empty
// of one who leaves: they may have seen them.
func (ac *Accounts) endLinks(ctx context.Context, tx *store.DB, before *parley.Membership, role parley.Role) error {
	lost := func(p parley.Permission) bool { return May(before.Role, p) && !May(role, p) }
	if !lost(parley.PermissionMembersWrite) && !lost(parley.PermissionOwnersManage) {
		return nil
	}
	return tx.WithdrawLinksBy(ctx, before.AccountID, before.User.ID, UserActor(before.User.ID),
		!lost(parley.PermissionMembersWrite), ac.Now())
}

// recordMember records that a membership has changed. It locks the account's row.
func recordMember(ctx context.Context, tx *store.DB, kind parley.EventKind, m *parley.Membership, now time.Time) error {
	return tx.RecordEvents(ctx, m.AccountID, now, store.NewEvent{Kind: kind, Subject: string(m.User.ID)})
}

// requireOwner fails where the account of a former owner has no owner left, or for members none who can sign in. It
// locks the account's row, so that two owners cannot leave at the same time.
func (ac *Accounts) requireOwner(ctx context.Context, tx *store.DB, before *parley.Membership) error {
	a, err := tx.LockAccount(ctx, before.AccountID)
	if err != nil || before.Role != parley.RoleOwner {
		return err
	}
	n, err := tx.CountOwners(ctx, before.AccountID)
	if err == nil && n == 0 {
		return parley.Invalid("member", before.User.Email+" is the account's only owner; make somebody else an owner first")
	}
	if err != nil || !ac.KeepWaysIn {
		return err // the operator can always make a link for an owner
	}
	if err := requireExempt(ctx, tx, a, before); err != nil {
		return err
	}
	if canSignIn, err := tx.CanSignIn(ctx, before.User.ID); err != nil || !canSignIn {
		return err // nobody loses the way in
	}
	left, err := tx.OwnersWhoSignIn(ctx, before.AccountID)
	if err == nil && len(left) == 0 {
		err = parley.Invalid("member", before.User.Email+" is the account's only owner who can sign in; "+
			"another owner must have signed in first")
	}
	return err
}

// requireExempt fails where the one who enters an account without single sign-on is no owner any more.
func requireExempt(ctx context.Context, tx *store.DB, a *parley.Account, before *parley.Membership) error {
	if !a.OnlySSO || a.ExemptOwner != before.User.ID {
		return nil
	}
	m, err := tx.Member(ctx, a.ID, a.ExemptOwner, parley.CodeMemberNotFound)
	if err == nil && m.Role == parley.RoleOwner || err != nil && !parley.IsCode(err, parley.CodeMemberNotFound) {
		return err
	}
	return parley.Invalid("member", before.User.Email+" is the owner who needs no single sign-on; "+
		"choose another one first")
}
