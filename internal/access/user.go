package access

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/limits"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Users signs people in to the console, and keeps how they do it. What a person does is recorded in the audit chains of
// all their accounts, with the person as the actor.
type Users struct {
	DB         *store.DB
	Accounts   *Accounts // whose plans and names are checked
	Sessions   *WebSessions
	Passwords  *Passwords
	Throttle   *SignInThrottle
	Passkeys   *PasskeyVerifier // nil where the console has no domain
	Mail       *LinkMail        // nil where the server sends no mail
	OIDC       *OIDC            // nil where there is no single sign-on
	Challenges *limits.Limiter  // of challenges for passkeys, by network; nil for no limit
	Now        func() time.Time
	ConsoleURL string       // begins every link, such as https://parley.example/console
	Logger     *slog.Logger // nil for slog.Default()
}

// OpenedSession is a session with its new token, which replaces any that the browser has.
type OpenedSession struct {
	Token  string
	Person *SignedIn

	RecoveryCodes []string          // of a new person with a passkey, shown once
	SecondStep    *PasskeyChallenge // what must be answered first: then there is no session yet; else nil
}

// SignIn opens a session for a password, or begins the second step of who has chosen one. Fails with
// AUTH_SIGN_IN_FAILED, for unknown addresses as for wrong passwords and after the same time, with
// RATE_LIMIT_TOO_MANY_REQUESTS, and for the right password as open does.
func (u *Users) SignIn(ctx context.Context, email, password string, c Client) (*OpenedSession, error) {
	attempt, err := u.Throttle.Begin(email, c.Address, u.Now())
	if err != nil {
		return nil, err
	}
	found, err := u.DB.FindUserByEmail(ctx, strings.TrimSpace(email))
	if err != nil {
		attempt.Cancel()
		return nil, err
	}
	if found == nil {
		found = &store.UserCredential{}
	}
	ok, isOutdated, err := u.Passwords.Check(ctx, found.PasswordHash, password)
	switch {
	case err != nil:
		attempt.Cancel()
		return nil, err
	case !ok:
		u.logger().Info("a sign-in failed", "address", c.Address)
		u.noteRefusal(ctx, found.User.ID, "password")
		return nil, parley.NewError(parley.CodeSignInFailed)
	}
	if isOutdated {
		found.PasswordHash = u.rehash(ctx, found, password)
	}
	if err := u.checkWayIn(ctx, u.DB, found.User.ID); err != nil {
		attempt.Cancel()
		return nil, err
	}
	if found.SecondStep {
		attempt.Cancel() // the failures with codes stay counted
		return u.beginSecondStep(ctx, found.User.ID, c)
	}
	attempt.Succeed()
	return u.open(ctx, found.User.ID, c, "password", func(tx *store.DB) error {
		return requirePassword(ctx, tx, found, parley.CodeSignInFailed)
	})
}

// rehash computes the hash of a right password again with the present costs, and returns the hash that is in force.
func (u *Users) rehash(ctx context.Context, found *store.UserCredential, password string) string {
	hash, err := u.Passwords.Hash(ctx, password)
	if err == nil {
		err = u.DB.ReplacePasswordHash(ctx, found.User.ID, found.PasswordHash, hash)
	}
	if err != nil {
		u.logger().Warn("the hash of a password was not renewed", "error", err)
		return found.PasswordHash
	}
	return hash
}

// requirePassword locks the user and fails with the code where the password, or what it needs beside it, was changed
// since it was checked.
func requirePassword(ctx context.Context, tx *store.DB, checked *store.UserCredential, code parley.Code) error {
	now, err := tx.LockUser(ctx, checked.User.ID)
	if err == nil && (now.PasswordHash != checked.PasswordHash || now.SecondStep != checked.SecondStep) {
		err = parley.NewError(code)
	}
	return err
}

// open opens a session in one transaction with what before does. Fails with AUTH_SINGLE_SIGN_ON_REQUIRED of who enters
// every account by single sign-on alone.
func (u *Users) open(ctx context.Context, user parley.UserID, c Client, method string,
	before func(tx *store.DB) error) (*OpenedSession, error) {
	token, session := u.Sessions.newSession(user, c)
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := before(tx); err != nil {
			return err
		}
		if err := u.checkWayIn(ctx, tx, user); err != nil {
			return err
		}
		return u.createSession(ctx, tx, &session, method)
	})
	if err != nil {
		return nil, err
	}
	return u.enter(ctx, token)
}

// checkWayIn fails with AUTH_SINGLE_SIGN_ON_REQUIRED, and names the way that works, where single sign-on alone leads
// into every account of a user: a password or a passkey would open nothing. The owner who needs it not gets in.
func (u *Users) checkWayIn(ctx context.Context, tx *store.DB, user parley.UserID) error {
	memberships, err := tx.AccountMemberships(ctx, user)
	isOpen := func(m parley.AccountMembership) bool { return !m.NeedsSSO }
	if err != nil || len(memberships) == 0 || slices.ContainsFunc(memberships, isOpen) {
		return err
	}
	m := memberships[0]
	if i := slices.IndexFunc(memberships, hasOwnProvider); i >= 0 {
		m = memberships[i]
	}
	return u.ssoRequired(&m)
}

func hasOwnProvider(m parley.AccountMembership) bool { return m.SSOName != "" }

// ssoRequired returns the failure that says by which provider an account is entered.
func (u *Users) ssoRequired(m *parley.AccountMembership) error {
	details := map[string]string{"company": m.AccountName, "provider": m.SSOName}
	switch {
	case m.SSOName != "":
		details["accountId"] = string(m.AccountID)
	case u.OIDC != nil:
		details["provider"] = u.OIDC.Name
	default:
		return parley.NewErrorf(parley.CodeSSORequired, "The members of %s sign in by single sign-on alone, which is not "+
			"set up any more: ask an owner.", m.AccountName)
	}
	err := parley.NewErrorf(parley.CodeSSORequired, "The members of %s sign in by single sign-on alone: continue with %s.",
		m.AccountName, details["provider"])
	err.Details = details
	return err
}

func (u *Users) createSession(ctx context.Context, tx *store.DB, s *parley.WebSession, method string) error {
	s.Method = method
	if err := tx.CreateWebSession(ctx, s); err != nil {
		return err
	}
	return u.audit(ctx, tx, s.UserID, "session.create", string(s.ID), map[string]any{"method": method})
}

// enter returns the session of a new token.
func (u *Users) enter(ctx context.Context, token string) (*OpenedSession, error) {
	u.Sessions.ClearCache()
	person, err := u.Sessions.Authenticate(ctx, token)
	if err != nil {
		return nil, err
	}
	return &OpenedSession{Token: token, Person: person}, nil
}

// SignOut ends the person's own session.
func (u *Users) SignOut(ctx context.Context, in *SignedIn) error {
	return u.EndSession(ctx, in, in.Session.ID)
}

// EndSession ends a session of the person. Fails with NOT_FOUND.
func (u *Users) EndSession(ctx context.Context, in *SignedIn, id parley.WebSessionID) error {
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.RevokeWebSession(ctx, in.User.ID, id, u.Now()); err != nil {
			return err
		}
		return u.audit(ctx, tx, in.User.ID, "session.end", string(id), nil)
	})
	u.Sessions.ClearCache()
	return err
}

// StepUp notes that the person has shown their password again, and renews the token of their session. Fails with
// AUTH_SIGN_IN_FAILED and RATE_LIMIT_TOO_MANY_REQUESTS, and with AUTH_SECOND_STEP_REQUIRED where the password alone is
// not enough.
func (u *Users) StepUp(ctx context.Context, in *SignedIn, password string, c Client) (*OpenedSession, error) {
	found, err := u.checkOwnPassword(ctx, in, password, c)
	if err != nil {
		return nil, err
	}
	if found.SecondStep {
		return nil, parley.NewErrorf(parley.CodeSecondStep, "Confirm with your passkey: the password alone is not enough.")
	}
	return u.renew(ctx, in, func(tx *store.DB) error { return u.noteStepUp(ctx, tx, &in.Session, "password") })
}

// noteStepUp records that the person of a session has shown again who they are.
func (u *Users) noteStepUp(ctx context.Context, tx *store.DB, s *parley.WebSession, method string) error {
	return u.audit(ctx, tx, s.UserID, "session.step_up", string(s.ID), map[string]any{"method": method})
}

// renew replaces the token of a session in one transaction with what before does.
func (u *Users) renew(ctx context.Context, in *SignedIn, before func(tx *store.DB) error) (*OpenedSession, error) {
	token, now := newToken(), u.Now()
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := before(tx); err != nil {
			return err
		}
		return tx.RenewWebSession(ctx, &in.Session, Hash(token), now)
	})
	if err != nil {
		return nil, err
	}
	return u.enter(ctx, token)
}

// checkOwnPassword fails unless the password is the person's own.
func (u *Users) checkOwnPassword(ctx context.Context, in *SignedIn, password string,
	c Client) (*store.UserCredential, error) {
	attempt, err := u.Throttle.Begin(in.User.Email, c.Address, u.Now())
	if err != nil {
		return nil, err
	}
	found, err := u.DB.UserCredential(ctx, in.User.ID)
	if err != nil {
		attempt.Cancel()
		return nil, err
	}
	ok, _, err := u.Passwords.Check(ctx, found.PasswordHash, password)
	switch {
	case err != nil:
		attempt.Cancel()
		return nil, err
	case !ok:
		u.noteRefusal(ctx, in.User.ID, "password")
		return nil, parley.NewErrorf(parley.CodeSignInFailed, "The password is not right.")
	}
	attempt.Succeed()
	return found, nil
}

// ChangePassword sets a password, renews the token of the person's session and ends all other sessions. Who has no
// password yet, but another sign-in, must have stepped up instead of telling the present one. Fails with
// AUTH_SIGN_IN_FAILED, AUTH_STEP_UP_REQUIRED, AUTH_OTHER_SIGN_IN_REQUIRED, AUTH_PASSKEY_REQUIRED,
// RATE_LIMIT_TOO_MANY_REQUESTS or VALIDATION_INVALID_BODY.
func (u *Users) ChangePassword(ctx context.Context, in *SignedIn, present, wanted string,
	c Client) (*OpenedSession, error) {
	details := map[string]string{}
	checkNewPassword(details, wanted, in.User.Email)
	if err := cmp.Or(parley.InvalidFields(details), in.checkUnlocked()); err != nil {
		return nil, err
	}
	found, err := u.DB.UserCredential(ctx, in.User.ID)
	if err != nil {
		return nil, err
	}
	if found.PasswordHash != "" {
		found, err = u.checkOwnPassword(ctx, in, present, c)
	} else {
		err = u.checkFirstPassword(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	hash, err := u.Passwords.Hash(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return u.renew(ctx, in, func(tx *store.DB) error {
		if err := requirePassword(ctx, tx, found, parley.CodeSignInFailed); err != nil {
			return err
		}
		if err := u.setPassword(ctx, tx, in.User.ID, hash, in.Session.ID); err != nil {
			return err
		}
		return u.audit(ctx, tx, in.User.ID, "password.change", string(in.User.ID), nil)
	})
}

// checkFirstPassword fails with AUTH_STEP_UP_REQUIRED unless the person has shown who they are. Who has no sign-in at
// all, such as the person of a demo, has nothing to show it with.
func (u *Users) checkFirstPassword(ctx context.Context, in *SignedIn) error {
	canSignIn, err := u.DB.CanSignIn(ctx, in.User.ID)
	if err != nil || !canSignIn {
		return err
	}
	return u.checkStepUp(in)
}

// setPassword sets a password, and ends the links that could set another, what the old one has begun, and all sessions
// but one, which may be empty.
func (u *Users) setPassword(ctx context.Context, tx *store.DB, user parley.UserID, hash string,
	but parley.WebSessionID) error {
	now := u.Now()
	if err := tx.SetPasswordHash(ctx, user, hash); err != nil {
		return err
	}
	if err := tx.WithdrawResets(ctx, user, now); err != nil {
		return err
	}
	if err := tx.DeletePasskeyChallenges(ctx, user, purposeSecondStep); err != nil {
		return err
	}
	_, err := tx.RevokeWebSessions(ctx, user, but, now)
	return err
}

// setOnlyPassword sets a password and ends every other way in: whoever has used the account of the person before, or
// has made it in their name, must not come back with a passkey of their own. A link to single sign-on is made again by
// the next one.
func (u *Users) setOnlyPassword(ctx context.Context, tx *store.DB, user parley.UserID, hash string) error {
	return firstError(
		func() error { return u.setPassword(ctx, tx, user, hash, "") },
		func() error { return tx.SetSecondStep(ctx, user, false) },
		func() error { return tx.DeletePasskeys(ctx, user) },
		func() error { return tx.ReplaceRecoveryCodes(ctx, user, nil, u.Now()) },
		func() error { return tx.DeleteSSOLinks(ctx, user) },
	)
}

// firstError runs steps up to the first that fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// SetMemberPassword sets the password of a member for the operator, which is then the only way in, and ends their
// sessions. Fails with ACCOUNT_NOT_FOUND, TEAM_MEMBER_NOT_FOUND or VALIDATION_INVALID_BODY.
func (u *Users) SetMemberPassword(ctx context.Context, ref MemberRef, password string) (*parley.Membership, error) {
	m, err := ref.find(ctx, u.DB)
	if err != nil {
		return nil, err
	}
	details := map[string]string{}
	checkNewPassword(details, password, m.User.Email)
	if err := parley.InvalidFields(details); err != nil {
		return nil, err
	}
	hash, err := u.Passwords.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := u.setOnlyPassword(ctx, tx, m.User.ID, hash); err != nil {
			return err
		}
		return u.auditAs(ctx, tx, operatorActor, m.User.ID, "password.change", string(m.User.ID), nil)
	})
	u.Sessions.ClearCache()
	return m, err
}

// ProfileChange describes the change of a profile; nil fields stay.
type ProfileChange struct {
	Name          *string
	Locale        *string
	Theme         *string
	Notifications map[string]bool
}

// UpdateProfile changes what a person may change of themselves. Fails with VALIDATION_INVALID_BODY.
func (u *Users) UpdateProfile(ctx context.Context, user parley.UserID, c ProfileChange) (p *parley.Profile, err error) {
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockUser(ctx, user); err != nil {
			return err
		}
		if p, err = tx.Profile(ctx, user); err != nil {
			return err
		}
		if err := c.apply(p); err != nil {
			return err
		}
		if err := tx.UpdateProfile(ctx, p); err != nil {
			return err
		}
		return u.audit(ctx, tx, user, "profile.update", string(user), nil)
	})
	u.Sessions.ClearCache()
	return p, err
}

const maxNotifications = 50

func (c ProfileChange) apply(p *parley.Profile) error {
	details := map[string]string{}
	if c.Name != nil {
		p.Name = parley.TrimName(*c.Name)
		checkName(details, p.Name)
	}
	if c.Locale != nil {
		if p.Locale = *c.Locale; !slices.Contains(parley.ConsoleLocales(), p.Locale) {
			details["locale"] = "must be a language of the console, such as de or pt-BR, or empty"
		}
	}
	if c.Theme != nil {
		if p.Theme = *c.Theme; !slices.Contains(parley.Themes(), p.Theme) {
			details["theme"] = "must be light, dark or empty"
		}
	}
	if c.Notifications != nil {
		if p.Notifications = c.Notifications; len(p.Notifications) > maxNotifications {
			details["notifications"] = "must not have more than 50 entries"
		}
	}
	return parley.InvalidFields(details)
}

// The names in audit chains of the operator, and of whoever has not shown who they are.
const (
	operatorActor = "operator"
	unknownActor  = "unknown"
)

// audit records what a person did in the chains of all their accounts. Call it last in its transaction.
func (u *Users) audit(ctx context.Context, tx *store.DB, user parley.UserID, action, subject string,
	facts map[string]any) error {
	return u.auditAs(ctx, tx, UserActor(user), user, action, subject, facts)
}

func (u *Users) auditAs(ctx context.Context, tx *store.DB, actor string, user parley.UserID, action, subject string,
	facts map[string]any) error {
	memberships, err := tx.AccountMemberships(ctx, user)
	if err != nil {
		return err
	}
	// Every transaction locks accounts in this order, so that no two wait for each other.
	slices.SortFunc(memberships, func(a, b parley.AccountMembership) int { return cmp.Compare(a.AccountID, b.AccountID) })
	for _, m := range memberships {
		if err := tx.AppendAuditEvent(ctx, m.AccountID, u.Now(), actor, action, subject, facts); err != nil {
			return err
		}
	}
	return nil
}

func (u *Users) logger() *slog.Logger { return cmp.Or(u.Logger, slog.Default()) }
