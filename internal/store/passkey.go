package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var passkeyTable = newTable("passkeys", func(p *parley.Passkey) []field {
	return []field{
		{"id", &p.ID},
		{"user_id", &p.UserID},
		{"credential_id", &p.CredentialID},
		{"public_key", &p.PublicKey},
		{"sign_count", &p.SignCount},
		{"aaguid", &p.AAGUID},
		{"transports", nullableList(&p.Transports)},
		{"flags", &p.Flags},
		{"name", &p.Name},
		{"created_at", timeDest{&p.CreatedAt}},
		{"last_used_at", timePointerDest{&p.LastUsedAt}},
	}
})

// CreatePasskey writes a new passkey. Fails with RESOURCE_ALREADY_EXISTS where somebody has it.
func (db *DB) CreatePasskey(ctx context.Context, p *parley.Passkey) error {
	query, args := passkeyTable.insertion(` on conflict do nothing`, p)
	return db.execFound(ctx, parley.CodeAlreadyExists, query, args...)
}

// Passkeys lists the passkeys of a user, the oldest first.
func (db *DB) Passkeys(ctx context.Context, user parley.UserID) ([]parley.Passkey, error) {
	return passkeyTable.list(ctx, db, `
		where user_id = ?
		order by created_at, id`, user)
}

// NotePasskeyUse notes the use of a passkey with the sign count and the flags that came with it.
func (db *DB) NotePasskeyUse(ctx context.Context, p *parley.Passkey, now time.Time) error {
	return db.execFound(ctx, parley.CodePasskeyFailed, `
		update passkeys set
		  sign_count = ?,
		  flags = ?,
		  last_used_at = ?
		where id = ? and user_id = ?`, p.SignCount, p.Flags, millis(now), p.ID, p.UserID)
}

// RenamePasskey sets the name of a passkey. Fails with NOT_FOUND.
func (db *DB) RenamePasskey(ctx context.Context, user parley.UserID, id parley.PasskeyID, name string) error {
	return db.execFound(ctx, parley.CodeNotFound, `update passkeys set name = ? where id = ? and user_id = ?`, name, id,
		user)
}

// DeletePasskey deletes a passkey. Fails with NOT_FOUND.
func (db *DB) DeletePasskey(ctx context.Context, user parley.UserID, id parley.PasskeyID) error {
	return db.execFound(ctx, parley.CodeNotFound, `delete from passkeys where id = ? and user_id = ?`, id, user)
}

// DeletePasskeys deletes all passkeys of a user.
func (db *DB) DeletePasskeys(ctx context.Context, user parley.UserID) error {
	return db.exec(ctx, `delete from passkeys where user_id = ?`, user)
}

// PasskeyChallenge is what a browser was asked to sign, until the answer comes.
type PasskeyChallenge struct {
	ID        string
	UserID    parley.UserID // empty where anybody may answer
	Purpose   string
	Data      string
	ExpiresAt time.Time
}

var passkeyChallengeTable = newTable("passkey_challenges", func(c *PasskeyChallenge) []field {
	return []field{
		{"id", &c.ID},
		{"user_id", nullableText(&c.UserID)},
		{"purpose", &c.Purpose},
		{"data", &c.Data},
		{"expires_at", timeDest{&c.ExpiresAt}},
	}
})

// CreatePasskeyChallenge writes a challenge, and deletes those that nobody has answered in time.
func (db *DB) CreatePasskeyChallenge(ctx context.Context, c *PasskeyChallenge, now time.Time) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if err := tx.exec(ctx, `delete from passkey_challenges where expires_at <= ?`, millis(now)); err != nil {
			return err
		}
		return passkeyChallengeTable.insert(ctx, tx, "", c)
	})
}

// PasskeyChallenge finds a challenge. Fails with AUTH_PASSKEY_FAILED.
func (db *DB) PasskeyChallenge(ctx context.Context, id, purpose string) (*PasskeyChallenge, error) {
	return passkeyChallengeTable.find(ctx, db, parley.CodePasskeyFailed, `where id = ? and purpose = ?`, id, purpose)
}

// DeletePasskeyChallenges deletes the challenges of a user for a purpose.
func (db *DB) DeletePasskeyChallenges(ctx context.Context, user parley.UserID, purpose string) error {
	return db.exec(ctx, `delete from passkey_challenges where user_id = ? and purpose = ?`, user, purpose)
}

// TakePasskeyChallenge deletes a challenge and returns it: it can be answered once. Fails with AUTH_PASSKEY_FAILED.
func (db *DB) TakePasskeyChallenge(ctx context.Context, id, purpose string) (*PasskeyChallenge, error) {
	var c PasskeyChallenge
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) (err error) {
		c, err = passkeyChallengeTable.oneFrom(ctx, tx, `
			delete from passkey_challenges
			where id = ? and purpose = ?
			returning `+passkeyChallengeTable.columns, id, purpose)
		return mapNotFound(err, parley.CodePasskeyFailed)
	})
	return &c, err
}
