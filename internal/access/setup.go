package access

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// setupRecord is the link for the first person, in the settings of the installation.
type setupRecord struct {
	Hash      string    `json:"hash"`
	ExpiresAt time.Time `json:"expiresAt"`

	stored string
}

const setupSettingName = "setup-link"

// SetUpLink makes the link by which the first person gets in, in place of an earlier one, and returns its address; the
// empty text where somebody can sign in. token is one that the operator has chosen; empty for a random one.
func (u *Users) SetUpLink(ctx context.Context, token string) (string, error) {
	needed, err := u.NeedsSetup(ctx)
	if err != nil || !needed {
		return "", err
	}
	if token == "" {
		token = newToken()
	}
	text, err := json.Marshal(setupRecord{Hash: Hash(token), ExpiresAt: u.Now().Add(setupDuration)})
	if err != nil {
		return "", err
	}
	return u.ConsoleURL + setupPage + token, u.DB.SetSetting(ctx, setupSettingName, string(text))
}

// DemoLink makes a link by which the member of a demo signs in at once, in place of earlier ones, and returns its
// address; the empty text where somebody has a sign-in of their own.
func (u *Users) DemoLink(ctx context.Context, user parley.User) (string, error) {
	needed, err := u.NeedsSetup(ctx)
	if err != nil || !needed {
		return "", err
	}
	link := u.newLink(parley.Invite{Kind: parley.LinkSignIn, UserID: user.ID, Email: user.Email}, setupDuration)
	return link.URL, u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.WithdrawResets(ctx, user.ID, link.CreatedAt); err != nil {
			return err
		}
		return tx.CreateInvite(ctx, &link.Invite)
	})
}

// NeedsSetup reports whether nobody can sign in.
func (u *Users) NeedsSetup(ctx context.Context) (bool, error) {
	canSignIn, err := u.DB.CanAnybodySignIn(ctx)
	return !canSignIn, err
}

// findSetup returns the link for the first person if it has the token, else nil. Fails with AUTH_INVALID_LINK where it
// has expired.
func (u *Users) findSetup(ctx context.Context, token string) (*setupRecord, error) {
	text, err := u.DB.FindSetting(ctx, setupSettingName)
	if err != nil || text == "" {
		return nil, err
	}
	r := setupRecord{stored: text}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(r.Hash), []byte(Hash(token))) != 1 {
		return nil, nil
	}
	if !u.Now().Before(r.ExpiresAt) {
		return nil, parley.NewError(parley.CodeInvalidLink)
	}
	return &r, nil
}

func (u *Users) setupState(ctx context.Context, setup *setupRecord, err error) (*LinkState, error) {
	if err != nil {
		return nil, err
	}
	s := &LinkState{Kind: parley.LinkSetup, Role: parley.RoleOwner, NeedsName: true, ExpiresAt: setup.ExpiresAt}
	accounts, err := u.DB.OldestAccounts(ctx, 2)
	if s.NeedsCompany = len(accounts) != 1; !s.NeedsCompany {
		s.AccountName = accounts[0].Name
	}
	return s, err
}

// redeemSetup makes the first person, the owner of the only account or of a new one.
func (u *Users) redeemSetup(ctx context.Context, setup *setupRecord, r *redemption) (*OpenedSession, error) {
	accounts, err := u.DB.OldestAccounts(ctx, 2)
	if err != nil {
		return nil, err
	}
	account, isNew, err := u.setupAccount(accounts, r)
	if err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := u.takeSetup(ctx, tx, setup); err != nil {
			return err
		}
		if isNew {
			if err := tx.CreateAccount(ctx, account); err != nil {
				return err
			}
		}
		m := parley.Membership{AccountID: account.ID, User: r.user, Role: parley.RoleOwner, CreatedAt: r.session.CreatedAt}
		if err := u.joinAs(ctx, tx, &m); err != nil {
			return err
		}
		if err := u.setCredential(ctx, tx, m.User.ID, r); err != nil {
			return err
		}
		if err := tx.NoteEmailProved(ctx, m.User.ID, u.Now()); err != nil { // the operator's word
			return err
		}
		if isNew {
			err := tx.AppendAuditEvent(ctx, account.ID, u.Now(), UserActor(m.User.ID), "account.create", string(account.ID),
				accountDetails(account))
			if err != nil {
				return err
			}
		}
		return u.finishRedemption(ctx, tx, &m, r)
	})
	return u.enterAs(ctx, r, err)
}

// setupAccount returns the account of the first person, and whether it is to be made.
func (u *Users) setupAccount(accounts []parley.Account, r *redemption) (a *parley.Account, isNew bool, err error) {
	if len(accounts) == 1 {
		return &accounts[0], false, r.check()
	}
	a = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: r.Company, Plan: DefaultPlan,
		CreatedAt: r.session.CreatedAt}
	if reason := nameFault(a.Name); reason != "" {
		r.details["company"] = reason
	}
	if err := r.check(); err != nil {
		return nil, true, err
	}
	return a, true, u.Accounts.Plans.checkAccount(a)
}

// takeSetup uses the link up. Fails with AUTH_INVALID_LINK where it was used or replaced, or where somebody can sign
// in.
func (u *Users) takeSetup(ctx context.Context, tx *store.DB, setup *setupRecord) error {
	taken, err := tx.TakeSetting(ctx, setupSettingName, setup.stored)
	if err != nil {
		return err
	}
	canSignIn, err := tx.CanAnybodySignIn(ctx)
	if err == nil && (!taken || canSignIn) {
		err = parley.NewError(parley.CodeInvalidLink)
	}
	return err
}
