package access

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

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
// be read again. Fails with AUTH_STEP_UP_REQUIRED.
func (u *Users) NewRecoveryCodes(ctx context.Context, in *SignedIn) ([]string, error) {
	if err := CheckStepUp(parley.Member{SteppedUpAt: in.Session.SteppedUpAt}, u.Now()); err != nil {
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
	if err == nil {
		attempt.Succeed()
	}
	return opened, err
}
