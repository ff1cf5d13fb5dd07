package access

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"strings"

	"github.com/go-webauthn/webauthn/webauthn"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const purposeSecondStep = "second-step"

// SecondStepAnswer is what somebody shows after their password: a passkey or a recovery code.
type SecondStepAnswer struct {
	ID       string          // of the challenge
	Response json.RawMessage // of the passkey; empty with a code
	Code     string
}

// beginSecondStep makes a challenge for who has shown their password, in place of a session. The options of the
// challenge are null where a recovery code alone can answer it.
func (u *Users) beginSecondStep(ctx context.Context, user parley.UserID, c Client) (*OpenedSession, error) {
	if err := u.countChallenge(c); err != nil {
		return nil, err
	}
	options, session, err := u.secondStepOptions(ctx, user)
	if err != nil {
		return nil, err
	}
	challenge, err := u.storeChallenge(ctx, user, purposeSecondStep, options, session)
	return &OpenedSession{SecondStep: challenge}, err
}

// secondStepOptions returns what the passkeys of a user are asked; nil where the console has no passkeys.
func (u *Users) secondStepOptions(ctx context.Context, user parley.UserID) (any, *webauthn.SessionData, error) {
	if u.Passkeys == nil {
		return nil, nil, nil
	}
	person, err := u.findPasskeyUser(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	return u.Passkeys.webauthn.BeginLogin(person)
}

// FinishSecondStep opens a session for who has shown their password and now shows a passkey or a recovery code, which
// is used up. A challenge can be answered with a passkey once, and with codes until one is right. Fails with
// AUTH_PASSKEY_FAILED, also where the challenge is too old, and with a code as SignIn does.
func (u *Users) FinishSecondStep(ctx context.Context, a SecondStepAnswer, c Client) (*OpenedSession, error) {
	if len(a.Response) == 0 {
		return u.finishWithCode(ctx, a, c)
	}
	session, err := u.takeChallenge(ctx, a.ID, purposeSecondStep, "")
	if err != nil {
		return nil, err
	}
	user := parley.UserID(session.UserID)
	used, err := u.checkPasskey(ctx, user, session, a.Response)
	if parley.IsCode(err, parley.CodePasskeyFailed) {
		u.noteRefusal(ctx, user, "password+passkey")
	}
	if err != nil {
		return nil, err
	}
	return u.open(ctx, user, c, "password+passkey", func(tx *store.DB) error {
		return tx.NotePasskeyUse(ctx, used, u.Now())
	})
}

func (u *Users) finishWithCode(ctx context.Context, a SecondStepAnswer, c Client) (*OpenedSession, error) {
	challenge, err := u.DB.PasskeyChallenge(ctx, a.ID, purposeSecondStep)
	if err != nil {
		return nil, err
	}
	if !u.Now().Before(challenge.ExpiresAt) {
		return nil, parley.NewError(parley.CodePasskeyFailed)
	}
	found, err := u.DB.UserCredential(ctx, challenge.UserID)
	if err != nil {
		return nil, err
	}
	attempt, err := u.Throttle.Begin(found.User.Email, c.Address, u.Now())
	if err != nil {
		return nil, err
	}
	opened, err := u.open(ctx, found.User.ID, c, "password+recovery-code", func(tx *store.DB) error {
		if _, err := tx.TakePasskeyChallenge(ctx, a.ID, purposeSecondStep); err != nil {
			return err
		}
		return tx.UseRecoveryCode(ctx, found.User.ID, hashRecoveryCode(found.User.ID, a.Code), u.Now())
	})
	attempt.settle(err)
	if parley.IsCode(err, parley.CodeSignInFailed) {
		u.noteRefusal(ctx, found.User.ID, "password+recovery-code")
	}
	return opened, err
}

// SetSecondStep sets whether the password of the person needs a passkey or a recovery code beside it. Who has no
// recovery code left gets new ones. Fails with AUTH_STEP_UP_REQUIRED, AUTH_OTHER_SIGN_IN_REQUIRED,
// AUTH_PASSKEY_REQUIRED, NOT_FOUND where the console has no passkeys, and VALIDATION_INVALID_BODY of who has no
// password or no passkey.
func (u *Users) SetSecondStep(ctx context.Context, in *SignedIn, isRequired bool) (codes []string, err error) {
	if err := u.checkOwnWays(in); err != nil {
		return nil, err
	}
	fresh, action := newRecoveryCodes(), "second-step.end"
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		codes = nil
		found, err := tx.LockUser(ctx, in.User.ID)
		if err != nil {
			return err
		}
		if isRequired {
			action = "second-step.require"
			if codes, err = u.prepareSecondStep(ctx, tx, found, fresh); err != nil {
				return err
			}
		}
		if err := tx.SetSecondStep(ctx, in.User.ID, isRequired); err != nil {
			return err
		}
		return u.audit(ctx, tx, in.User.ID, action, string(in.User.ID), nil)
	})
	return codes, err
}

// prepareSecondStep checks that a user can take the second step, and stores codes for who has none left.
func (u *Users) prepareSecondStep(ctx context.Context, tx *store.DB, found *store.UserCredential,
	fresh []string) ([]string, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	passkeys, err := tx.Passkeys(ctx, found.User.ID)
	switch {
	case err != nil:
		return nil, err
	case found.PasswordHash == "":
		return nil, parley.Invalid("required", "needs a password; set one first")
	case len(passkeys) == 0:
		return nil, parley.Invalid("required", "needs a passkey; add one first")
	}
	left, err := tx.CountRecoveryCodes(ctx, found.User.ID)
	if err != nil || left > 0 {
		return nil, err
	}
	return fresh, u.storeRecoveryCodes(ctx, tx, found.User.ID, fresh)
}

// unknownUser is the id of no user.
const unknownUser parley.UserID = "00000000-0000-0000-0000-000000000000"

const (
	recoveryCodes     = 10
	recoveryCodeBytes = 10 // 80 bits, 16 characters
)

// recoveryEncoding leaves out letters that are taken for digits.
var recoveryEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRecoveryCode returns a code of 16 characters in groups of four.
func newRecoveryCode() string {
	var b [recoveryCodeBytes]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	text := recoveryEncoding.EncodeToString(b[:])
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// hashRecoveryCode returns the form in which a user's code is stored, however it was typed.
func hashRecoveryCode(user parley.UserID, code string) string {
	code = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1").Replace(strings.ToLower(code))
	return Hash(string(user) + ":" + code)
}

// NewRecoveryCodes makes ten codes, each of which signs the person in once, in place of the earlier ones. They cannot
// be read again. Fails with AUTH_STEP_UP_REQUIRED, AUTH_OTHER_SIGN_IN_REQUIRED and AUTH_PASSKEY_REQUIRED.
func (u *Users) NewRecoveryCodes(ctx context.Context, in *SignedIn) ([]string, error) {
	if err := u.checkOwnWays(in); err != nil {
		return nil, err
	}
	codes := newRecoveryCodes()
	err := u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockUser(ctx, in.User.ID); err != nil {
			return err
		}
		return u.storeRecoveryCodes(ctx, tx, in.User.ID, codes)
	})
	return codes, err
}

func newRecoveryCodes() []string {
	codes := make([]string, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
	}
	return codes
}

// storeRecoveryCodes writes the hashes of codes in place of those of the user's earlier ones.
func (u *Users) storeRecoveryCodes(ctx context.Context, tx *store.DB, user parley.UserID, codes []string) error {
	hashes := make([]string, len(codes))
	for i, code := range codes {
		hashes[i] = hashRecoveryCode(user, code)
	}
	if err := tx.ReplaceRecoveryCodes(ctx, user, hashes, u.Now()); err != nil {
		return err
	}
	return u.audit(ctx, tx, user, "recovery-codes.create", string(user), nil)
}

// SignInWithCode opens a session for a recovery code, which is used up. Fails as SignIn does: with an unknown address
// it does what it does with a wrong code, so that the time tells nothing. Where the code is right and needs a password
// before it, it fails with AUTH_SECOND_STEP_REQUIRED and the code stays.
func (u *Users) SignInWithCode(ctx context.Context, email, code string, c Client) (*OpenedSession, error) {
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
		found = &store.UserCredential{User: parley.User{ID: unknownUser}}
	}
	opened, err := u.open(ctx, found.User.ID, c, "recovery-code", func(tx *store.DB) error {
		err := tx.UseRecoveryCode(ctx, found.User.ID, hashRecoveryCode(found.User.ID, code), u.Now())
		if err != nil {
			return err
		}
		now, err := tx.LockUser(ctx, found.User.ID)
		if err == nil && now.SecondStep {
			err = parley.NewErrorf(parley.CodeSecondStep, "Sign in with your password first; then you are asked for the code.")
		}
		return err
	})
	attempt.settle(err)
	if parley.IsCode(err, parley.CodeSignInFailed) {
		u.noteRefusal(ctx, found.User.ID, "recovery-code")
	}
	return opened, err
}
