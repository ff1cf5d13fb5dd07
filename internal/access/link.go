package access

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// How long links are valid.
const (
	setupDuration      = 24 * time.Hour
	invitationDuration = 7 * 24 * time.Hour
	resetDuration      = time.Hour
)

// The pages of the console that links lead to. The token is behind "#", where no server and no proxy sees it.
const (
	setupPage  = "/setup#"
	redeemPage = "/redeem#"
)

// IssuedLink is a link with its address, which is shown once or mailed.
type IssuedLink struct {
	parley.Invite
	URL      string // empty of one that is mailed
	IsMailed bool
}

// newLink returns a link with a new token.
func (u *Users) newLink(i parley.Invite, valid time.Duration) *IssuedLink {
	token := newToken()
	i.ID, i.Hash = parley.InviteID(parley.NewUUID()), Hash(token)
	i.CreatedAt = u.Now()
	i.ExpiresAt = i.CreatedAt.Add(valid)
	if i.InvitedBy == "" {
		i.InvitedBy = operatorActor
	}
	return &IssuedLink{Invite: i, URL: u.ConsoleURL + redeemPage + token}
}

// createLink writes a link, and has it mailed or not.
func (u *Users) createLink(ctx context.Context, tx *store.DB, link *IssuedLink, isMailed bool) error {
	if err := tx.CreateInvite(ctx, &link.Invite); err != nil || !isMailed {
		return err
	}
	return u.enqueueMail(ctx, tx, link)
}

// ResetRequest asks for a link by which a member sets a password.
type ResetRequest struct {
	MemberRef
	By   string // actor; empty for the operator
	Mail bool   // mails the link of the operator too, which is shown otherwise
}

// ResetLink makes a link by which a member sets a password. It replaces an earlier one. That of a member is mailed
// where the server sends mail. Fails with ACCOUNT_NOT_FOUND or TEAM_MEMBER_NOT_FOUND, with
// AUTH_INSUFFICIENT_PERMISSIONS where only an owner may have it made for an owner, and with VALIDATION_INVALID_BODY
// where it is shown to somebody else than the operator and the member belongs to other accounts too: whoever has the
// link gets into those. The failure does not say so.
func (u *Users) ResetLink(ctx context.Context, r ResetRequest) (*IssuedLink, error) {
	ref := r.MemberRef
	link := u.newLink(parley.Invite{Kind: parley.LinkReset, InvitedBy: r.By}, resetDuration)
	isMailed, err := u.isMailed(link.InvitedBy, r.Mail)
	if err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		m, err := ref.find(ctx, tx)
		if err != nil {
			return err
		}
		link.UserID, link.Email = m.User.ID, m.User.Email
		if err := u.Accounts.checkOwnerChange(m.Role); err != nil {
			return err
		}
		if !isMailed {
			if err := checkSoleAccount(ctx, tx, m, link.InvitedBy); err != nil {
				return err
			}
		}
		if err := tx.WithdrawResets(ctx, m.User.ID, link.CreatedAt); err != nil {
			return err
		}
		if err := u.createLink(ctx, tx, link, isMailed); err != nil {
			return err
		}
		return tx.AppendAuditEvent(ctx, ref.AccountID, u.Now(), link.InvitedBy, "link.create", string(link.ID),
			map[string]any{"email": m.User.Email})
	})
	return link, err
}

func checkSoleAccount(ctx context.Context, tx *store.DB, m *parley.Membership, by string) error {
	if by == operatorActor {
		return nil
	}
	memberships, err := tx.AccountMemberships(ctx, m.User.ID)
	if err == nil && len(memberships) > 1 {
		err = parley.Invalid("member", "a link for "+m.User.Email+" can be made by the operator of the server alone")
	}
	return err
}

// LinkState is what a page may say of a link before it is used.
type LinkState struct {
	Kind         parley.LinkKind
	Email        string // empty of a setup
	AccountName  string // of an invitation, and of a setup that takes the only account
	Role         parley.Role
	MustSignIn   bool // the address has a sign-in, which alone may accept the invitation
	NeedsName    bool
	NeedsCompany bool
	NoPasswords  bool // whoever is new adds a passkey
	ExpiresAt    time.Time
}

// CheckLink returns what a link is for. Fails with AUTH_INVALID_LINK.
func (u *Users) CheckLink(ctx context.Context, token string) (*LinkState, error) {
	setup, err := u.findSetup(ctx, token)
	if err != nil || setup != nil {
		return u.setupState(ctx, setup, err)
	}
	i, err := u.findLink(ctx, u.DB, token)
	if err != nil {
		return nil, err
	}
	s := &LinkState{Kind: i.Kind, Email: i.Email, Role: i.Role, ExpiresAt: i.ExpiresAt}
	if i.Kind != parley.LinkInvitation {
		return s, nil
	}
	account, err := u.DB.Account(ctx, i.AccountID)
	if err != nil {
		return nil, err
	}
	user, mustSignIn, err := invitedUser(ctx, u.DB, i)
	s.AccountName, s.MustSignIn, s.NeedsName = account.Name, mustSignIn, user == nil
	s.NoPasswords = u.refusesPasswords(account)
	return s, err
}

// refusesPasswords reports whether members enter an account without passwords. Where the console has no passkeys nobody
// does.
func (u *Users) refusesPasswords(a *parley.Account) bool {
	return a.NoPasswords && u.Passkeys != nil && !u.Sessions.NoPasskeys
}

// findLink returns the link with the token. Fails with AUTH_INVALID_LINK, also of one that was used or has expired.
func (u *Users) findLink(ctx context.Context, tx *store.DB, token string) (*parley.Invite, error) {
	i, err := tx.FindInvite(ctx, Hash(token))
	if err == nil && (i.UsedAt != nil || !u.Now().Before(i.ExpiresAt)) {
		err = parley.NewError(parley.CodeInvalidLink)
	}
	return i, err
}

// invitedUser returns the user with the address of an invitation, nil if there is none, and whether they must sign in
// to accept it. Otherwise whoever invites an address, and sees the link, could get into the other accounts of that
// user.
func invitedUser(ctx context.Context, tx *store.DB, i *parley.Invite) (user *store.UserCredential, mustSignIn bool,
	err error) {
	if user, err = tx.FindUserByEmail(ctx, i.Email); err != nil || user == nil {
		return nil, false, err
	}
	if canSignIn, err := tx.CanSignIn(ctx, user.User.ID); err != nil || canSignIn {
		return user, true, err
	}
	if i.InvitedBy == operatorActor {
		return user, false, nil
	}
	memberships, err := tx.AccountMemberships(ctx, user.User.ID)
	isElsewhere := slices.ContainsFunc(memberships, func(m parley.AccountMembership) bool {
		return m.AccountID != i.AccountID
	})
	return user, isElsewhere, err
}
