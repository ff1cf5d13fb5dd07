package access

import (
	"context"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Redemption is what somebody sends to use a link.
type Redemption struct {
	Token    string
	Name     string         // of a new person
	Email    string         // of the first person; others have the address of the link
	Company  string         // of the first person, where there is no account
	Password string         // or a passkey
	Passkey  *PasskeyAnswer // to a challenge of BeginPasskeyForLink
	By       *SignedIn      // who is signed in already; nil if nobody is
	Client   Client
}

// redemption is a Redemption with what it makes, so that a transaction that runs twice writes the same.
type redemption struct {
	Redemption
	user    parley.User // a new one
	token   string      // of the session
	session parley.WebSession
	hash    string          // of the password; empty if there is none
	passkey *parley.Passkey // nil if there is none
	codes   []string        // for recovery, where there is a passkey
	details map[string]string

	isAccepting bool // somebody who has signed in accepts an invitation
}

// method returns how the session begins. Whoever accepts an invitation has shown no more than in the session before.
func (r *redemption) method() string {
	s := parley.WebSession{Method: parley.MethodLink}
	if r.isAccepting {
		s.Method = parley.MethodInvitation
	}
	if r.passkey != nil || r.isAccepting && r.By.Session.HasUsedPasskey() {
		return s.MethodWithPasskey()
	}
	return s.Method
}

// Redeem uses a link and opens a session. Fails with AUTH_INVALID_LINK, VALIDATION_INVALID_BODY, AUTH_PASSKEY_FAILED,
// AUTH_SIGN_IN_REQUIRED where the invited address has a sign-in that must accept, or AUTH_OTHER_SIGN_IN_REQUIRED where
// that must be another one.
func (u *Users) Redeem(ctx context.Context, in Redemption) (*OpenedSession, error) {
	r := &redemption{Redemption: in, details: map[string]string{}}
	r.Name, r.Company = parley.TrimName(in.Name), parley.TrimName(in.Company)
	r.user = parley.User{ID: parley.UserID(parley.NewUUID()), Name: r.Name, Email: strings.TrimSpace(in.Email),
		CreatedAt: u.Now()}
	r.token, r.session = u.Sessions.newSession("", in.Client)
	setup, err := u.findSetup(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	if setup != nil {
		if err := u.prepareCredential(ctx, r); err != nil {
			return nil, err
		}
		checkNewUser(r)
		return u.redeemSetup(ctx, setup, r)
	}
	link, err := u.findLink(ctx, u.DB, in.Token)
	if err != nil {
		return nil, err
	}
	r.user.Email = link.Email
	switch link.Kind {
	case parley.LinkReset:
		return u.redeemReset(ctx, link, r)
	case parley.LinkSignIn:
		return u.redeemSignIn(ctx, link, r)
	case parley.LinkSetup, parley.LinkInvitation:
	}
	return u.redeemInvitation(ctx, link, r)
}

func (r *redemption) check() error { return parley.InvalidFields(r.details) }

// checkNewUser notes what is wrong with the name and the address of a new person.
func checkNewUser(r *redemption) {
	checkName(r.details, r.user.Name)
	if !isPlausibleEmail(r.user.Email) {
		r.details["email"] = "must be an e-mail address"
	}
}

// prepareCredential computes the hash of the password, or checks the passkey, by which a new person will sign in.
func (u *Users) prepareCredential(ctx context.Context, r *redemption) (err error) {
	if r.Passkey != nil {
		r.passkey, err = u.finishLinkPasskey(ctx, r.Token, *r.Passkey)
		if err == nil && r.passkey.UserID != "" {
			r.user.ID = r.passkey.UserID
		}
		r.codes = newRecoveryCodes()
		return err
	}
	checkNewPassword(r.details, r.Password, r.user.Email)
	if r.details["password"] != "" {
		return nil
	}
	r.hash, err = u.Passwords.Hash(ctx, r.Password)
	return err
}

// setCredential writes what prepareCredential has prepared.
func (u *Users) setCredential(ctx context.Context, tx *store.DB, user parley.UserID, r *redemption) error {
	if r.passkey != nil {
		if r.passkey.UserID != user {
			return parley.NewError(parley.CodePasskeyFailed) // the user was made meanwhile
		}
		if err := tx.CreatePasskey(ctx, r.passkey); err != nil {
			return err
		}
		return u.storeRecoveryCodes(ctx, tx, user, r.codes)
	}
	return u.setPassword(ctx, tx, user, r.hash, "")
}

// joinAs makes a user a member with the role. Who is a member already gets it too.
func (u *Users) joinAs(ctx context.Context, tx *store.DB, m *parley.Membership) error {
	existing, err := tx.MemberByEmail(ctx, m.AccountID, m.User.Email, parley.CodeMemberNotFound)
	if parley.IsCode(err, parley.CodeMemberNotFound) {
		return tx.AddMember(ctx, m)
	}
	if err != nil {
		return err
	}
	m.User = existing.User
	return tx.SetRole(ctx, m.AccountID, m.User.ID, m.Role, parley.CodeMemberNotFound)
}

// finishRedemption writes the session and the audit events of somebody who has joined an account.
func (u *Users) finishRedemption(ctx context.Context, tx *store.DB, m *parley.Membership, r *redemption) error {
	session := r.session
	session.UserID, session.AccountID = m.User.ID, m.AccountID
	if err := recordMember(ctx, tx, parley.EventMemberAdded, m, u.Now()); err != nil {
		return err
	}
	err := tx.AppendAuditEvent(ctx, m.AccountID, u.Now(), UserActor(m.User.ID), "member.add", string(m.User.ID),
		map[string]any{"email": m.User.Email, "role": m.Role})
	if err != nil {
		return err
	}
	return u.createSession(ctx, tx, &session, r.method())
}

// redeemInvitation makes somebody a member: a new person, or the user with the address, who signs in for it.
func (u *Users) redeemInvitation(ctx context.Context, link *parley.Invite, r *redemption) (*OpenedSession, error) {
	user, mustSignIn, err := invitedUser(ctx, u.DB, link)
	if err != nil {
		return nil, err
	}
	if mustSignIn {
		if r.By == nil || r.By.User.ID != user.User.ID {
			return nil, parley.NewErrorf(parley.CodeSignInRequired,
				"%s signs in here already. Sign in with it, then open the link again.", link.Email)
		}
		if err := r.By.checkReach(); err != nil { // the session of the link is good for all accounts
			return nil, err
		}
		r.isAccepting = true
	} else {
		if err := u.prepareCredential(ctx, r); err != nil {
			return nil, err
		}
		if user == nil {
			checkNewUser(r)
		}
		account, err := u.DB.Account(ctx, link.AccountID)
		if err != nil {
			return nil, err
		}
		if r.passkey == nil && u.refusesPasswords(account) {
			r.details["password"] = "is not taken by the company; add a passkey"
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return u.acceptInvitation(ctx, tx, link, mustSignIn, r)
	})
	return u.enterAs(ctx, r, err)
}

// enterAs returns the session of a link that was used, unless that failed.
func (u *Users) enterAs(ctx context.Context, r *redemption, err error) (*OpenedSession, error) {
	if err != nil {
		return nil, err
	}
	opened, err := u.enter(ctx, r.token)
	if err == nil {
		opened.RecoveryCodes = r.codes
	}
	return opened, err
}

// noteProof notes that whoever uses a link that was mailed reads the mail of its address; and that whoever sets a
// password by one that a member was shown may be somebody else.
func (u *Users) noteProof(ctx context.Context, tx *store.DB, link *parley.Invite, user parley.UserID,
	setsCredential bool) error {
	switch {
	case link.Mailed:
		return tx.NoteEmailProved(ctx, user, u.Now())
	case setsCredential && link.InvitedBy != operatorActor:
		return tx.ClearEmailProof(ctx, user)
	}
	return nil
}

func (u *Users) acceptInvitation(ctx context.Context, tx *store.DB, link *parley.Invite, mustSignIn bool,
	r *redemption) error {
	if _, err := tx.LockAccount(ctx, link.AccountID); err != nil {
		return err
	}
	if err := tx.UseInvite(ctx, link.ID, u.Now()); err != nil {
		return err
	}
	_, mustSignInNow, err := invitedUser(ctx, tx, link)
	if err != nil {
		return err
	}
	if mustSignInNow != mustSignIn { // they got a password or an account meanwhile
		return parley.NewError(parley.CodeSignInRequired)
	}
	m := parley.Membership{AccountID: link.AccountID, User: r.user, Role: link.Role, CreatedAt: r.session.CreatedAt}
	switch err := tx.AddMember(ctx, &m); {
	case parley.IsCode(err, parley.CodeAlreadyExists):
		return parley.NewError(parley.CodeInvalidLink) // added meanwhile, with a role that somebody chose
	case err != nil:
		return err
	}
	if !mustSignIn {
		if err := u.setCredential(ctx, tx, m.User.ID, r); err != nil {
			return err
		}
	} else if err := tx.RevokeWebSession(ctx, r.By.User.ID, r.By.Session.ID, u.Now()); err != nil {
		return err
	}
	if err := u.noteProof(ctx, tx, link, m.User.ID, !mustSignIn); err != nil {
		return err
	}
	return u.finishRedemption(ctx, tx, &m, r)
}

// redeemReset sets the password of a user and ends their sessions. Who has asked for the link themselves and has a
// second step takes it then: whoever reads their mail is not yet them.
func (u *Users) redeemReset(ctx context.Context, link *parley.Invite, r *redemption) (*OpenedSession, error) {
	r.Passkey = nil
	if err := u.prepareCredential(ctx, r); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	session := r.session
	session.UserID = link.UserID
	var keepsSecondStep bool
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		found, err := tx.LockUser(ctx, link.UserID)
		if err != nil {
			return err
		}
		if err := tx.UseInvite(ctx, link.ID, u.Now()); err != nil {
			return err
		}
		keepsSecondStep = found.SecondStep && link.InvitedBy == UserActor(link.UserID)
		if err := u.setResetPassword(ctx, tx, link, r.hash); err != nil {
			return err
		}
		if err := u.noteProof(ctx, tx, link, link.UserID, true); err != nil {
			return err
		}
		if err := u.audit(ctx, tx, link.UserID, "password.change", string(link.UserID), nil); err != nil {
			return err
		}
		if keepsSecondStep {
			return nil
		}
		return u.createSession(ctx, tx, &session, parley.MethodLink)
	})
	if err == nil && keepsSecondStep {
		u.Sessions.ClearCache()
		return u.beginSecondStep(ctx, link.UserID, r.Client)
	}
	return u.enterAs(ctx, r, err)
}

// setResetPassword sets a password by a link. With that of the operator it is then the only way in. Members cannot take
// the passkeys of each other away: with a link that a colleague has made, those stay, and the second step ends, which
// who has lost their passkeys could not take.
func (u *Users) setResetPassword(ctx context.Context, tx *store.DB, link *parley.Invite, hash string) error {
	if link.InvitedBy == operatorActor {
		return u.setOnlyPassword(ctx, tx, link.UserID, hash)
	}
	if err := u.setPassword(ctx, tx, link.UserID, hash, ""); err != nil || link.InvitedBy == UserActor(link.UserID) {
		return err
	}
	return tx.SetSecondStep(ctx, link.UserID, false)
}

// redeemSignIn opens a session and changes nothing else.
func (u *Users) redeemSignIn(ctx context.Context, link *parley.Invite, r *redemption) (*OpenedSession, error) {
	session := r.session
	session.UserID = link.UserID
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.UseInvite(ctx, link.ID, u.Now()); err != nil {
			return err
		}
		return u.createSession(ctx, tx, &session, parley.MethodLink)
	})
	return u.enterAs(ctx, r, err)
}
