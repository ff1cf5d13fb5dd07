package store

import (
	"context"
	"time"

	"parley"
)

// ReplaceRecoveryCodes writes the hashes of a user's recovery codes in place of the earlier ones.
func (db *DB) ReplaceRecoveryCodes(ctx context.Context, user parley.UserID, hashes []string, now time.Time) error {
	if err := db.exec(ctx, `delete from recovery_codes where user_id = ?`, user); err != nil {
		return err
	}
	for _, hash := range hashes {
		err := db.insert(ctx, "recovery_codes", "", field{"user_id", user}, field{"hash", hash},
			field{"created_at", millis(now)})
		if err != nil {
			return err
		}
	}
	return nil
}

// UseRecoveryCode uses a code up. Fails with AUTH_SIGN_IN_FAILED if the user has no such code any more.
func (db *DB) UseRecoveryCode(ctx context.Context, user parley.UserID, hash string, now time.Time) error {
	return db.execFound(ctx, parley.CodeSignInFailed, `
		update recovery_codes set used_at = ?
		where user_id = ? and hash = ? and used_at is null`, millis(now), user, hash)
}

// CountRecoveryCodes counts the codes that a user has not used.
func (db *DB) CountRecoveryCodes(ctx context.Context, user parley.UserID) (int, error) {
	return db.count(ctx, `from recovery_codes where user_id = ? and used_at is null`, user)
}
