package access

import (
	"cmp"
	"context"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// newPasskey verifies the answer to a challenge that asks for a new passkey.
func (u *Users) newPasskey(person *passkeyUser, session *webauthn.SessionData,
	answer PasskeyAnswer) (*parley.Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer.Response)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	c, err := u.Passkeys.webauthn.CreateCredential(person, *session, parsed)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	k := &parley.Passkey{
		ID:           parley.PasskeyID(parley.NewUUID()),
		UserID:       person.user.ID,
		CredentialID: encodeBytes(c.ID),
		PublicKey:    encodeBytes(c.PublicKey),
		SignCount:    int64(c.Authenticator.SignCount),
		AAGUID:       encodeBytes(c.Authenticator.AAGUID),
		Flags:        int(c.Flags.MsgpByte()),
		Name:         parley.TrimName(answer.Name),
		CreatedAt:    u.Now(),
	}
	for _, t := range c.Transport {
		k.Transports = append(k.Transports, string(t))
	}
	if k.Name == "" {
		k.Name = defaultKeyName
	}
	details := map[string]string{}
	checkName(details, k.Name)
	return k, parley.InvalidFields(details)
}

// beginRegistration makes a challenge for a new passkey of the user.
func (u *Users) beginRegistration(ctx context.Context, person *passkeyUser, purpose string) (*PasskeyChallenge, error) {
	exclude := webauthn.Credentials(person.WebAuthnCredentials()).CredentialDescriptors()
	options, session, err := u.Passkeys.webauthn.BeginRegistration(person, webauthn.WithExclusions(exclude))
	if err != nil {
		return nil, err
	}
	return u.storeChallenge(ctx, person.user.ID, purpose, options, session)
}

// BeginPasskey makes a challenge for a new passkey of the person. Fails with AUTH_STEP_UP_REQUIRED,
// AUTH_OTHER_SIGN_IN_REQUIRED and AUTH_PASSKEY_REQUIRED.
func (u *Users) BeginPasskey(ctx context.Context, in *SignedIn) (*PasskeyChallenge, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	if err := cmp.Or(in.checkNewPasskey(), u.checkStepUp(in)); err != nil {
		return nil, err
	}
	person, err := u.findPasskeyUser(ctx, in.User.ID)
	if err != nil {
		return nil, err
	}
	if len(person.passkeys) >= maxPasskeys {
		return nil, parley.Invalid("passkey", "must not be more than twenty; remove one first")
	}
	return u.beginRegistration(ctx, person, purposeRegister)
}

// FinishPasskey adds the passkey that answers a challenge of BeginPasskey, which the person has shown by that. Fails
// with AUTH_PASSKEY_FAILED, AUTH_OTHER_SIGN_IN_REQUIRED, AUTH_PASSKEY_REQUIRED, RESOURCE_ALREADY_EXISTS or
// VALIDATION_INVALID_BODY.
func (u *Users) FinishPasskey(ctx context.Context, in *SignedIn, answer PasskeyAnswer) (*parley.Passkey, error) {
	if err := in.checkNewPasskey(); err != nil {
		return nil, err
	}
	session, err := u.takeChallenge(ctx, answer.ID, purposeRegister, in.User.ID)
	if err != nil {
		return nil, err
	}
	k, err := u.newPasskey(&passkeyUser{user: in.User}, session, answer)
	if err != nil {
		return nil, err
	}
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return firstError(
			func() error { return tx.CreatePasskey(ctx, k) },
			func() error { return tx.SetSessionMethod(ctx, &in.Session, in.Session.MethodWithPasskey()) },
			func() error {
				return u.audit(ctx, tx, in.User.ID, "passkey.create", string(k.ID), map[string]any{"name": k.Name})
			},
		)
	})
	u.Sessions.ClearCache()
	return k, err
}

// BeginPasskeyForLink makes a challenge for the passkey of the person who will use a link. The e-mail address counts
// for the first person only; others have that of the link. Fails with AUTH_INVALID_LINK, or AUTH_SIGN_IN_REQUIRED where
// the address has a sign-in.
func (u *Users) BeginPasskeyForLink(ctx context.Context, token, email, name string) (*PasskeyChallenge, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	state, err := u.CheckLink(ctx, token)
	if err != nil {
		return nil, err
	}
	switch {
	case state.Kind == parley.LinkReset:
		return nil, parley.Invalid("passkey", "cannot be set with this link; set a password, then add a passkey")
	case state.MustSignIn:
		return nil, parley.NewError(parley.CodeSignInRequired)
	case state.Kind == parley.LinkInvitation:
		email = state.Email
	}
	person := &passkeyUser{user: parley.User{ID: parley.UserID(parley.NewUUID()), Email: strings.TrimSpace(email),
		Name: parley.TrimName(name)}}
	existing, err := u.DB.FindUserByEmail(ctx, person.user.Email)
	if err != nil {
		return nil, err
	}
	if existing != nil {
		person.user = existing.User
	}
	return u.beginRegistration(ctx, person, purposeLink+Hash(token))
}

// finishLinkPasskey returns the passkey that answers a challenge of BeginPasskeyForLink, with the id of its user.
func (u *Users) finishLinkPasskey(ctx context.Context, token string, answer PasskeyAnswer) (*parley.Passkey, error) {
	session, err := u.takeChallenge(ctx, answer.ID, purposeLink+Hash(token), "")
	if err != nil {
		return nil, err
	}
	return u.newPasskey(&passkeyUser{user: parley.User{ID: parley.UserID(session.UserID)}}, session, answer)
}

// RenamePasskey names a passkey of the person. Fails with NOT_FOUND or VALIDATION_INVALID_BODY.
func (u *Users) RenamePasskey(ctx context.Context, in *SignedIn, id parley.PasskeyID, name string) error {
	name = parley.TrimName(name)
	details := map[string]string{}
	checkName(details, name)
	if err := parley.InvalidFields(details); err != nil {
		return err
	}
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.RenamePasskey(ctx, in.User.ID, id, name); err != nil {
			return err
		}
		return u.audit(ctx, tx, in.User.ID, "passkey.rename", string(id), map[string]any{"name": name})
	})
}

// DeletePasskey deletes a passkey of the person. Fails with NOT_FOUND, AUTH_OTHER_SIGN_IN_REQUIRED,
// AUTH_PASSKEY_REQUIRED, and with VALIDATION_INVALID_BODY of the only way in which they can sign in, take their second
// step, or enter an account that asks for a passkey.
func (u *Users) DeletePasskey(ctx context.Context, in *SignedIn, id parley.PasskeyID) error {
	if err := in.checkUnlocked(); err != nil {
		return err
	}
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		found, err := tx.LockUser(ctx, in.User.ID)
		if err != nil {
			return err
		}
		if err := tx.DeletePasskey(ctx, in.User.ID, id); err != nil {
			return err
		}
		if err := u.checkPasskeysLeft(ctx, tx, found); err != nil {
			return err
		}
		return u.audit(ctx, tx, in.User.ID, "passkey.delete", string(id), nil)
	})
}

// checkExemption fails where a user is to enter an account without single sign-on and cannot any more.
func checkExemption(ctx context.Context, tx *store.DB, user parley.UserID) error {
	canSignIn, err := tx.CanSignInAlone(ctx, user)
	if err != nil || canSignIn {
		return err
	}
	isExempt, err := tx.IsExemptOwner(ctx, user)
	if err == nil && isExempt {
		err = parley.Invalid("passkey", "is needed where others need single sign-on; set a password or add another first")
	}
	return err
}

// checkPasskeysLeft fails where a user cannot sign in any more.
func (u *Users) checkPasskeysLeft(ctx context.Context, tx *store.DB, found *store.UserCredential) error {
	canSignIn, err := u.hasWayLeft(ctx, tx, found.User.ID)
	if err != nil {
		return err
	}
	if !canSignIn {
		return parley.Invalid("passkey", "is the only way in which you sign in; set a password or add another first")
	}
	if err := checkExemption(ctx, tx, found.User.ID); err != nil {
		return err
	}
	left, err := tx.Passkeys(ctx, found.User.ID)
	switch {
	case err != nil || len(left) > 0:
		return err
	case found.SecondStep:
		return parley.Invalid("passkey", "is asked for after your password; add another or turn that off first")
	}
	isAsked, err := tx.IsAskedForPasskey(ctx, found.User.ID)
	if err == nil && isAsked && u.Passkeys != nil {
		err = parley.Invalid("passkey", "is asked for by a company of yours; add another first")
	}
	return err
}
