package access

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// FinishOIDC opens a session for whoever the provider of single sign-on has sent back, with the parameters of the
// browser's request and what it has kept of the start; or it renews the session for which StartStepUp was called. Where
// StartConnecting was called it connects, and returns nil. Fails with an *OIDCError.
func (u *Users) FinishOIDC(ctx context.Context, query url.Values, cookie string, c Client) (*OpenedSession, error) {
	return u.finishOIDC(ctx, u.OIDC, query, cookie, c)
}

// FinishAccountOIDC is FinishOIDC for whoever the provider of an account has sent back.
func (u *Users) FinishAccountOIDC(ctx context.Context, account parley.AccountID, query url.Values, cookie string,
	c Client) (*OpenedSession, error) {
	provider, err := u.AccountOIDC(ctx, account, OIDCPurposeOf(cookie))
	if err != nil {
		return nil, err
	}
	return u.finishOIDC(ctx, provider, query, cookie, c)
}

func (u *Users) finishOIDC(ctx context.Context, o *OIDC, query url.Values, cookie string, c Client) (*OpenedSession,
	error) {
	identity, err := o.identify(ctx, query, cookie)
	switch {
	case err != nil:
		return nil, err
	case identity.User != "":
		return nil, u.connectOIDC(ctx, identity)
	case identity.Session != "":
		return u.stepUpByOIDC(ctx, identity)
	}
	return u.signInByOIDC(ctx, identity, c)
}

// stepUpByOIDC renews the token of a session whose person has shown again who they are. The session is found by what
// the browser has kept, since no browser sends a strict cookie along when the provider sends it back.
func (u *Users) stepUpByOIDC(ctx context.Context, i *oidcIdentity) (*OpenedSession, error) {
	token := newToken()
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		link, err := tx.FindSSOLink(ctx, i.Issuer, i.Subject)
		if err != nil {
			return err
		}
		if link == nil {
			return oidcFailure(OIDCOther, "the subject %q is nobody's", i.Subject)
		}
		s, err := u.attemptSession(ctx, tx, link.UserID, i)
		if err != nil {
			return err
		}
		if err := checkVoucher(ctx, tx, i, s); err != nil {
			return err
		}
		if err := tx.RenewWebSession(ctx, s, Hash(token), u.Now()); err != nil {
			return err
		}
		return u.noteStepUp(ctx, tx, s, i.method())
	})
	if err != nil {
		return nil, err
	}
	return u.enter(ctx, token)
}

// attemptSession returns the session of a user that the browser has named at the beginning.
func (u *Users) attemptSession(ctx context.Context, tx *store.DB, user parley.UserID,
	i *oidcIdentity) (*parley.WebSession, error) {
	s, err := tx.WebSession(ctx, user, i.Session)
	if err != nil {
		return nil, err
	}
	now := u.Now()
	if s == nil || s.RevokedAt != nil || !now.Before(s.ExpiresAt) || !now.Before(s.LastSeenAt.Add(u.Sessions.idle())) {
		return nil, oidcFailure(OIDCOther, "the session is not one of %q, or has ended", i.Subject)
	}
	return s, nil
}

// checkVoucher fails where a person who belongs to several accounts steps up a session that is good for more by the
// provider of one, or connects a provider by a session that is good for one account alone.
func checkVoucher(ctx context.Context, tx *store.DB, i *oidcIdentity, s *parley.WebSession) error {
	limit, own := i.From.Account, s.SSOAccount()
	if i.User != "" {
		limit = own
	}
	if limit == "" || own == i.From.Account {
		return nil
	}
	memberships, err := tx.AccountMemberships(ctx, s.UserID)
	isOther := func(m parley.AccountMembership) bool { return m.AccountID != limit }
	if err == nil && slices.ContainsFunc(memberships, isOther) {
		err = oidcFailure(OIDCForeign, "user %s belongs to other accounts than that of the provider", s.UserID)
	}
	return err
}

func (u *Users) signInByOIDC(ctx context.Context, identity *oidcIdentity, c Client) (*OpenedSession, error) {
	token, session := u.Sessions.newSession("", c)
	newUser := parley.User{ID: parley.UserID(parley.NewUUID()), Name: identity.Name, Email: identity.Email,
		CreatedAt: u.Now()}
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		user, err := u.linkedUser(ctx, tx, identity, newUser)
		if err != nil {
			return err
		}
		own := session // the transaction may run twice
		own.UserID, own.AccountID = user, identity.From.Account
		return u.createSession(ctx, tx, &own, identity.method())
	})
	if err != nil {
		return nil, err
	}
	return u.enter(ctx, token)
}

// method is how sessions begin that the provider has vouched for.
func (i *oidcIdentity) method() string {
	if i.From.Account != "" {
		return parley.AccountSSO(i.From.Account)
	}
	return parley.MethodSSO
}

// linkedUser returns the member who an identity is. The first sign-in links it to the user with its e-mail address;
// from then on the provider's subject alone says who it is, whatever their address becomes.
func (u *Users) linkedUser(ctx context.Context, tx *store.DB, i *oidcIdentity,
	newUser parley.User) (parley.UserID, error) {
	link, err := tx.FindSSOLink(ctx, i.Issuer, i.Subject)
	if err != nil {
		return "", err
	}
	found, err := findIdentified(ctx, tx, i, link)
	if err != nil {
		return "", err
	}
	known := found
	if known == nil {
		known = &store.UserCredential{User: newUser}
	} else if known, err = tx.LockUser(ctx, found.User.ID); err != nil {
		return "", err
	}
	mayBeOther, err := hasUnprovedSignIn(ctx, tx, known)
	if err != nil {
		return "", err
	}
	user, err := u.requireMembership(ctx, tx, i, joining{known.User, found != nil, link != nil, mayBeOther})
	if err != nil {
		return "", err
	}
	if link != nil {
		return user, tx.NoteSSOLinkUse(ctx, i.Issuer, i.Subject, u.Now())
	}
	isOther, err := checkOtherSignIn(ctx, tx, i, known)
	if err != nil {
		return "", err
	}
	if err := u.linkIdentity(ctx, tx, i, user); err != nil {
		return "", err
	}
	return user, u.proveEmail(ctx, tx, user, known, isOther)
}

// checkOtherSignIn reports whether there is another way in that somebody else may have made, since nobody has shown yet
// that the address of the user is theirs. It fails unless the person has said that it may end, and of whoever is to
// enter an account without single sign-on.
func checkOtherSignIn(ctx context.Context, tx *store.DB, i *oidcIdentity, known *store.UserCredential) (bool, error) {
	isOther, err := hasUnprovedSignIn(ctx, tx, known)
	if err != nil || !isOther {
		return false, err
	}
	isExempt, err := tx.IsExemptOwner(ctx, known.User.ID)
	if err == nil && (isExempt || !i.Replaces) {
		err = oidcFailure(OIDCUnproved, "user %s has another way in", known.User.ID)
	}
	return true, err
}

// hasUnprovedSignIn reports whether there is a way in that somebody else than the user may have made.
func hasUnprovedSignIn(ctx context.Context, tx *store.DB, known *store.UserCredential) (bool, error) {
	if known.EmailProvedAt != nil {
		return false, nil
	}
	return tx.CanSignIn(ctx, known.User.ID)
}

// findIdentified returns the user whom an identity means, by its link or else by its address; nil if there is none.
func findIdentified(ctx context.Context, tx *store.DB, i *oidcIdentity,
	link *parley.SSOLink) (*store.UserCredential, error) {
	if link != nil {
		return tx.UserCredential(ctx, link.UserID)
	}
	return tx.FindUserByEmail(ctx, i.Email)
}

// proveEmail notes that the provider vouches for the address of a user. Where nobody had shown before that it is
// theirs, whoever has added or invited them may have made their sign-in: every other way in ends.
func (u *Users) proveEmail(ctx context.Context, tx *store.DB, user parley.UserID, known *store.UserCredential,
	isOther bool) error {
	if known.EmailProvedAt != nil {
		return nil
	}
	now := u.Now()
	return firstError(
		func() error { return tx.NoteEmailProved(ctx, user, now) },
		func() error { return tx.ClearPassword(ctx, user) },
		func() error { return tx.DeletePasskeys(ctx, user) },
		func() error { return tx.ReplaceRecoveryCodes(ctx, user, nil, now) },
		func() error { return tx.WithdrawResets(ctx, user, now) },
		func() error { _, err := tx.RevokeWebSessions(ctx, user, "", now); return err },
		func() error {
			if !isOther {
				return nil
			}
			return u.audit(ctx, tx, user, "sign-in.replace", string(user), nil)
		},
	)
}

// linkIdentity links an identity to a user, who must not be another subject of the same provider: an address that was
// given to somebody else must not let them in as its former owner.
func (u *Users) linkIdentity(ctx context.Context, tx *store.DB, i *oidcIdentity, user parley.UserID) error {
	links, err := tx.SSOLinks(ctx, user)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(links, func(l parley.SSOLink) bool { return l.Issuer == i.Issuer }) {
		return oidcFailure(OIDCConflict, "user %s is linked to another subject than %q", user, i.Subject)
	}
	now := u.Now()
	return tx.CreateSSOLink(ctx, &parley.SSOLink{Issuer: i.Issuer, Subject: i.Subject, UserID: user, CreatedAt: now,
		LastUsedAt: &now})
}

// joining is a user who comes from a provider.
type joining struct {
	user     parley.User
	isKnown  bool // the user is there
	isLinked bool // the provider's subject means the user

	mayBeOther bool // there is a way in that somebody else may have made
}

// requireMembership makes who is no member one where a role for that is set and there is one account, or the provider
// is that of an account, and otherwise fails.
func (u *Users) requireMembership(ctx context.Context, tx *store.DB, i *oidcIdentity, j joining) (parley.UserID,
	error) {
	var memberships []parley.AccountMembership
	if j.isKnown {
		var err error
		if memberships, err = tx.AccountMemberships(ctx, j.user.ID); err != nil {
			return "", err
		}
	}
	if i.From.Account != "" {
		return u.requireOwnMembership(ctx, tx, i, j, memberships)
	}
	if len(memberships) > 0 {
		return j.user.ID, nil
	}
	if i.From.JoinRole == "" {
		return "", oidcFailure(OIDCNoMember, "somebody is no member")
	}
	// The first to sign in would end the link of the first person, and leave an account without an owner.
	if canSignIn, err := tx.CanAnybodySignIn(ctx); err != nil || !canSignIn {
		return "", cmp.Or(err, oidcFailure(OIDCSetup, "nobody has set the server up yet"))
	}
	accounts, err := tx.OldestAccounts(ctx, 2)
	if err != nil {
		return "", err
	}
	if len(accounts) != 1 {
		return "", oidcFailure(OIDCNoMember, "somebody is no member, and there is not exactly one account")
	}
	return u.join(ctx, tx, accounts[0].ID, i.From.JoinRole, j.user)
}

// requireOwnMembership makes who is no member of the account whose provider it is one where a role for that is set. An
// account's provider speaks for its domains alone. It changes nothing of those who belong to other accounts too:
// whoever is no member here, or has a way in that would have to end, connects it themselves before they sign in by it.
func (u *Users) requireOwnMembership(ctx context.Context, tx *store.DB, i *oidcIdentity, j joining,
	memberships []parley.AccountMembership) (parley.UserID, error) {
	isMember := slices.ContainsFunc(memberships,
		func(m parley.AccountMembership) bool { return m.AccountID == i.From.Account })
	isOnlyHere := len(memberships) == 0 || isMember && len(memberships) == 1
	isUntouched := isMember && !j.mayBeOther
	switch {
	case j.isKnown && !i.From.allowsDomain(j.user.Email):
		return "", oidcFailure(OIDCDomain, "the domain of user %s is not the account's", j.user.ID)
	case !j.isLinked && !isOnlyHere && !isUntouched:
		return "", oidcFailure(OIDCForeign, "user %s belongs to other accounts and has not connected it", j.user.ID)
	case isMember:
		return j.user.ID, nil
	case i.From.JoinRole == "":
		return "", oidcFailure(OIDCNoMember, "somebody is no member")
	}
	return u.join(ctx, tx, i.From.Account, i.From.JoinRole, j.user)
}

func (u *Users) join(ctx context.Context, tx *store.DB, account parley.AccountID, role parley.Role,
	user parley.User) (parley.UserID, error) {
	m := parley.Membership{AccountID: account, User: user, Role: role, CreatedAt: u.Now()}
	if _, err := tx.LockAccount(ctx, m.AccountID); err != nil {
		return "", err
	}
	if err := tx.AddMember(ctx, &m); err != nil {
		return "", err
	}
	return m.User.ID, tx.AppendAuditEvent(ctx, m.AccountID, u.Now(), UserActor(m.User.ID), "member.add",
		string(m.User.ID), map[string]any{"email": m.User.Email, "role": m.Role})
}

// connectOIDC links an identity to the person whose browser has begun it, and who has shown of late who they are: to
// the provider since then, or here. The provider vouches for their address, so that nothing else has to end.
func (u *Users) connectOIDC(ctx context.Context, i *oidcIdentity) error {
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		s, err := u.attemptSession(ctx, tx, i.User, i)
		if err != nil {
			return err
		}
		if err := checkVoucher(ctx, tx, i, s); err != nil {
			return err
		}
		if !i.IsAsked && CheckStepUp(parley.Member{SteppedUpAt: s.SteppedUpAt}, u.Now()) != nil {
			return oidcFailure(OIDCStale, "neither the provider nor this server has asked who it is")
		}
		found, err := tx.LockUser(ctx, i.User)
		if err != nil {
			return err
		}
		// Whether somebody else here has the address is not told.
		if found.User.Email != i.Email {
			return oidcFailure(OIDCAddress, "the address of %q is not that of user %s", i.Subject, i.User)
		}
		if err := u.connectFound(ctx, tx, i); err != nil || i.From.Account == "" {
			return err
		}
		return u.noteProviderTest(ctx, tx, i)
	})
}

// noteProviderTest lets the provider of an account count once an owner has come back from it. Others connect themselves
// with one that counts.
func (u *Users) noteProviderTest(ctx context.Context, tx *store.DB, i *oidcIdentity) error {
	m, err := tx.Member(ctx, i.From.Account, i.User, parley.CodeMemberNotFound)
	switch {
	case parley.IsCode(err, parley.CodeMemberNotFound), err == nil && !i.From.isTested && m.Role != parley.RoleOwner:
		return oidcFailure(OIDCNoMember, "user %s may not try the provider", i.User)
	case err != nil || i.From.isTested:
		return err
	}
	return firstError(
		func() error { return tx.NoteSSOProviderTest(ctx, i.From.Account, u.Now()) },
		func() error {
			return tx.AppendAuditEvent(ctx, i.From.Account, u.Now(), UserActor(i.User), "single-sign-on.test",
				string(i.From.Account), nil)
		},
	)
}

// connectFound links an identity to its user, who is locked. To connect once more changes nothing.
func (u *Users) connectFound(ctx context.Context, tx *store.DB, i *oidcIdentity) error {
	link, err := tx.FindSSOLink(ctx, i.Issuer, i.Subject)
	switch {
	case err != nil:
		return err
	case link != nil && link.UserID == i.User:
		return nil
	case link != nil:
		return oidcFailure(OIDCConflict, "the subject %q means another user than %s", i.Subject, i.User)
	}
	return firstError(
		func() error { return u.linkIdentity(ctx, tx, i, i.User) },
		func() error { return tx.NoteEmailProved(ctx, i.User, u.Now()) },
		func() error { return u.audit(ctx, tx, i.User, "single-sign-on.connect", string(i.User), nil) },
	)
}

// Identity is a provider of single sign-on by which a person may sign in, and what connects them with it.
type Identity struct {
	Account     parley.AccountID // whose own provider it is; empty of that of the server
	AccountName string           // likewise
	Name        string           // of the provider, for people
	ConnectedAt *time.Time       // nil where they are not connected
	LastUsedAt  *time.Time

	issuer string
}

// Identities lists the providers by which a person may sign in: that of the server, and those of their accounts that
// count.
func (u *Users) Identities(ctx context.Context, in *SignedIn) ([]Identity, error) {
	return u.identities(ctx, u.DB, in)
}

func (u *Users) identities(ctx context.Context, tx *store.DB, in *SignedIn) (list []Identity, err error) {
	if u.OIDC != nil {
		list = append(list, Identity{Name: u.OIDC.Name, issuer: u.OIDC.Issuer})
	}
	providers, err := tx.SSOProvidersOfUser(ctx, in.User.ID)
	if err != nil {
		return nil, err
	}
	for i := range providers {
		p := &providers[i]
		list = append(list, Identity{Account: p.AccountID, AccountName: in.accountName(p.AccountID), Name: p.Name,
			issuer: p.Issuer})
	}
	links, err := tx.SSOLinks(ctx, in.User.ID)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].connect(links)
	}
	return list, nil
}

// connect notes which of the links is with the provider. Two accounts may have the same one.
func (i *Identity) connect(links []parley.SSOLink) {
	at := slices.IndexFunc(links, func(l parley.SSOLink) bool { return l.Issuer == i.issuer })
	if at >= 0 {
		i.ConnectedAt, i.LastUsedAt = &links[at].CreatedAt, links[at].LastUsedAt
	}
}

func (s *SignedIn) accountName(id parley.AccountID) string {
	if i := s.membershipIndex(id); i >= 0 {
		return s.Memberships[i].AccountName
	}
	return ""
}

// DisconnectOIDC ends what connects the person with the provider of an account, or of the server if the account is
// empty. Their sessions stay. Fails with AUTH_STEP_UP_REQUIRED, AUTH_OTHER_SIGN_IN_REQUIRED, NOT_FOUND where nothing is
// connected, and VALIDATION_INVALID_BODY of the only way in which they can sign in.
func (u *Users) DisconnectOIDC(ctx context.Context, in *SignedIn, account parley.AccountID) error {
	if err := u.checkOwnWays(in); err != nil {
		return err
	}
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockUser(ctx, in.User.ID); err != nil {
			return err
		}
		list, err := u.identities(ctx, tx, in)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(one Identity) bool { return one.Account == account && one.ConnectedAt != nil })
		if i < 0 {
			return parley.NewError(parley.CodeNotFound)
		}
		return u.disconnect(ctx, tx, in.User.ID, &list[i])
	})
}

func (u *Users) disconnect(ctx context.Context, tx *store.DB, user parley.UserID, i *Identity) error {
	closed, err := tx.CountClosedAccounts(ctx, user)
	if err != nil {
		return err
	}
	return firstError(
		func() error { return tx.DeleteSSOLink(ctx, user, i.issuer) },
		func() error { return u.checkWaysLeft(ctx, tx, user, closed) },
		func() error {
			return u.audit(ctx, tx, user, "single-sign-on.disconnect", string(user), map[string]any{"provider": i.Name})
		},
	)
}

// checkWaysLeft fails where a user can sign in no more, or is shut out of more accounts than the closed ones before.
func (u *Users) checkWaysLeft(ctx context.Context, tx *store.DB, user parley.UserID, closed int) error {
	switch isLeft, err := u.hasWayLeft(ctx, tx, user); {
	case err != nil:
		return err
	case !isLeft:
		return parley.Invalid("singleSignOn", "is the only way in which you sign in; set a password or add a passkey first")
	}
	now, err := tx.CountClosedAccounts(ctx, user)
	if err == nil && now > closed && u.Passkeys != nil {
		return parley.Invalid("singleSignOn", "opens a company of yours that takes no passwords; add a passkey first")
	}
	return err
}

// hasWayLeft reports whether a user can still sign in: with a password, a passkey, or by a provider that there is now.
func (u *Users) hasWayLeft(ctx context.Context, tx *store.DB, user parley.UserID) (bool, error) {
	if canSignIn, err := tx.CanSignInAlone(ctx, user); err != nil || canSignIn {
		return canSignIn, err
	}
	list, err := u.identities(ctx, tx, &SignedIn{User: parley.User{ID: user}})
	return slices.ContainsFunc(list, func(i Identity) bool { return i.ConnectedAt != nil }), err
}
