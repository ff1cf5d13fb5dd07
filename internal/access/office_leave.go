package access

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// MemberRef names a member of an account by exactly one of id and e-mail address, whatever the case of the address.
type MemberRef struct {
	AccountID parley.AccountID
	UserID    parley.UserID
	Email     string
}

// find fails with ACCOUNT_NOT_FOUND, VALIDATION_INVALID_BODY or TEAM_MEMBER_NOT_FOUND.
func (r MemberRef) find(ctx context.Context, tx *store.DB) (m *parley.Membership, err error) {
	if (r.UserID == "") == (r.Email == "") {
		return nil, invalid(map[string]string{"member": "must be named by its user id or its e-mail address"})
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

// MemberCleanup takes from a member, in the transaction that ends the membership, what only members have. It gives what the audit chain is to
// tell of that.
type MemberCleanup func(tx *store.DB, user parley.UserID) (map[string]any, error)

// RemoveMember ends a membership; leave is called first. The user stays, as the author of what they wrote. Fails with
// ACCOUNT_NOT_FOUND, TEAM_MEMBER_NOT_FOUND, and with VALIDATION_INVALID_BODY of the account's only owner.
func (o *Accounts) RemoveMember(ctx context.Context, ref MemberRef, cleanUp MemberCleanup) (*parley.Membership, error) {
	var removed *parley.Membership
	err := o.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
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
		if err := requireOwner(ctx, tx, removed); err != nil {
			return err
		}
		facts["email"], facts["role"] = removed.User.Email, removed.Role
		return o.audit(ctx, tx, ref.AccountID, "member.remove", string(removed.User.ID), facts)
	})
	return removed, err
}

// ChangeMember returns a member another role. Fails as RemoveMember does.
func (o *Accounts) ChangeMember(ctx context.Context, ref MemberRef, role parley.Role) (*parley.Membership, error) {
	var changed *parley.Membership
	err := o.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		m, err := ref.find(ctx, tx)
		if err != nil {
			return err
		}
		if err := checkMember(m.User, role); err != nil {
			return err
		}
		before, err := tx.LockMember(ctx, ref.AccountID, m.User.ID, parley.CodeMemberNotFound)
		if err != nil {
			return err
		}
		if err := tx.SetRole(ctx, ref.AccountID, m.User.ID, role, parley.CodeMemberNotFound); err != nil {
			return err
		}
		if err := requireOwner(ctx, tx, before); err != nil {
			return err
		}
		after := *before
		after.Role = role
		changed = &after
		return o.audit(ctx, tx, ref.AccountID, "member.change", string(m.User.ID), map[string]any{"email": m.User.Email, "role": role})
	})
	return changed, err
}

// requireOwner refuses to leave the account of a former owner without any. It holds the account's row, so that two owners who go at once do not
// overlook each other.
func requireOwner(ctx context.Context, tx *store.DB, before *parley.Membership) error {
	if _, err := tx.LockAccount(ctx, before.AccountID); err != nil || before.Role != parley.RoleOwner {
		return err
	}
	n, err := tx.CountOwners(ctx, before.AccountID)
	if err == nil && n == 0 {
		err = parley.NewErrorf(parley.CodeInvalidBody, "%s is the account's only owner. Make somebody else an owner first.", before.User.Email)
	}
	return err
}
