package access

import (
	"cmp"
	"context"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// NewInvitation describes somebody to invite into an account.
type NewInvitation struct {
	AccountID parley.AccountID
	Email     string
	Role      parley.Role
	By        string // actor; empty for the operator
	Mail      bool   // mails the link of the operator too, which is shown otherwise
}

// Invite makes a link by which somebody becomes a member of an account. It replaces an earlier one for the address.
// That of a member is mailed where the server sends mail. Fails with ACCOUNT_NOT_FOUND, VALIDATION_INVALID_BODY,
// RESOURCE_ALREADY_EXISTS of a member, or AUTH_INSUFFICIENT_PERMISSIONS where only an owner may invite owners.
func (u *Users) Invite(ctx context.Context, n NewInvitation) (*IssuedLink, error) {
	n.Email = strings.ToLower(strings.TrimSpace(n.Email))
	err := cmp.Or(checkMember(parley.User{Name: "invited", Email: n.Email}, n.Role), u.Accounts.checkOwnerChange(n.Role))
	if err != nil {
		return nil, err
	}
	link := u.newLink(parley.Invite{Kind: parley.LinkInvitation, AccountID: n.AccountID, Email: n.Email, Role: n.Role,
		InvitedBy: n.By}, invitationDuration)
	isMailed, err := u.isMailed(link.InvitedBy, n.Mail)
	if err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, n.AccountID); err != nil {
			return err
		}
		switch m, err := tx.MemberByEmail(ctx, n.AccountID, n.Email, parley.CodeMemberNotFound); {
		case err == nil:
			return parley.NewErrorf(parley.CodeAlreadyExists, "%s is a member of this account already; a link for signing "+
				"in is made for a member, not an invitation.", m.User.Email)
		case !parley.IsCode(err, parley.CodeMemberNotFound):
			return err
		}
		if err := tx.WithdrawInvitationsTo(ctx, n.AccountID, n.Email, link.CreatedAt); err != nil {
			return err
		}
		if err := u.createLink(ctx, tx, link, isMailed); err != nil {
			return err
		}
		return tx.AppendAuditEvent(ctx, n.AccountID, u.Now(), link.InvitedBy, "invitation.create", string(link.ID),
			map[string]any{"email": n.Email, "role": n.Role})
	})
	return link, err
}

// Invitations lists the invitations into an account that wait for an answer, the oldest first. Fails with
// ACCOUNT_NOT_FOUND.
func (u *Users) Invitations(ctx context.Context, account parley.AccountID) ([]parley.Invite, error) {
	if _, err := u.DB.Account(ctx, account); err != nil {
		return nil, err
	}
	return u.DB.Invitations(ctx, account, u.Now())
}

// InvitationRef names an invitation into an account.
type InvitationRef struct {
	AccountID parley.AccountID
	ID        parley.InviteID
	By        string // actor; empty for the operator
	Mail      bool   // mails a link of the operator too, which is shown otherwise
}

// find fails with NOT_FOUND, and with AUTH_INSUFFICIENT_PERMISSIONS where the invitation is that of an owner and only
// owners may make some.
func (r InvitationRef) find(ctx context.Context, tx *store.DB, ac *Accounts) (*parley.Invite, error) {
	if _, err := tx.LockAccount(ctx, r.AccountID); err != nil {
		return nil, err
	}
	i, err := tx.Invitation(ctx, r.AccountID, r.ID, ac.Now())
	if err != nil {
		return nil, err
	}
	return i, ac.checkOwnerChange(i.Role)
}

// WithdrawInvitation ends an invitation. Fails with ACCOUNT_NOT_FOUND, NOT_FOUND or AUTH_INSUFFICIENT_PERMISSIONS.
func (u *Users) WithdrawInvitation(ctx context.Context, r InvitationRef) (withdrawn *parley.Invite, err error) {
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if withdrawn, err = r.find(ctx, tx, u.Accounts); err != nil {
			return err
		}
		if err := tx.WithdrawInvitation(ctx, r.AccountID, r.ID, u.Now()); err != nil {
			return err
		}
		return tx.AppendAuditEvent(ctx, r.AccountID, u.Now(), cmp.Or(r.By, operatorActor), "invitation.withdraw",
			string(r.ID), map[string]any{"email": withdrawn.Email})
	})
	return withdrawn, err
}

// RenewInvitation makes a new link of an invitation, in place of the one before, with as much time as a new one. It is
// shown or mailed as that of Invite is. Fails with ACCOUNT_NOT_FOUND, NOT_FOUND, VALIDATION_INVALID_BODY or
// AUTH_INSUFFICIENT_PERMISSIONS.
func (u *Users) RenewInvitation(ctx context.Context, r InvitationRef) (*IssuedLink, error) {
	fresh := u.newLink(parley.Invite{InvitedBy: r.By}, invitationDuration)
	isMailed, err := u.isMailed(fresh.InvitedBy, r.Mail)
	if err != nil {
		return nil, err
	}
	var link *IssuedLink
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		i, err := r.find(ctx, tx, u.Accounts)
		if err != nil {
			return err
		}
		i.Hash, i.InvitedBy, i.ExpiresAt, i.Mailed = fresh.Hash, fresh.InvitedBy, fresh.ExpiresAt, false
		link = &IssuedLink{Invite: *i, URL: fresh.URL}
		if err := tx.RenewInvite(ctx, i, u.Now()); err != nil {
			return err
		}
		if isMailed {
			if err := u.enqueueMail(ctx, tx, link); err != nil {
				return err
			}
		}
		return tx.AppendAuditEvent(ctx, r.AccountID, u.Now(), i.InvitedBy, "invitation.renew", string(i.ID),
			map[string]any{"email": i.Email})
	})
	return link, err
}
