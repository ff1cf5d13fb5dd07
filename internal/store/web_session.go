package store

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var webSessionTable = newTable("web_sessions", func(s *parley.WebSession) []field {
	return []field{
		{"id", &s.ID},
		{"user_id", &s.UserID},
		{"hash", &s.Hash},
		{"method", &s.Method},
		{"account_id", nullableText(&s.AccountID)},
		{"user_agent", &s.UserAgent},
		{"address", &s.Address},
		{"created_at", timeDest{&s.CreatedAt}},
		{"last_seen_at", timeDest{&s.LastSeenAt}},
		{"expires_at", timeDest{&s.ExpiresAt}},
		{"stepped_up_at", timeDest{&s.SteppedUpAt}},
		{"revoked_at", timePointerDest{&s.RevokedAt}},
	}
})

// CreateWebSession writes a new session.
func (db *DB) CreateWebSession(ctx context.Context, s *parley.WebSession) error {
	return webSessionTable.insert(ctx, db, "", s)
}

// UserSession is a session with the person whose it is.
type UserSession struct {
	Session parley.WebSession
	User    parley.User
}

var userSessionTable = newTable("web_sessions s join users u on u.id = s.user_id", func(s *UserSession) []field {
	return append(withAlias("s", webSessionTable.fields(&s.Session)), withAlias("u", userFields(&s.User))...)
})

// FindWebSession finds the session with the hash, revoked and expired ones too; nil if there is none. This is how a
// person becomes known, so it asks for no owner.
func (db *DB) FindWebSession(ctx context.Context, hash string) (*UserSession, error) {
	return userSessionTable.findOrNil(ctx, db, `where s.hash = ?`, hash)
}

// WebSession finds a session of a user, revoked and expired ones too; nil if there is none.
func (db *DB) WebSession(ctx context.Context, user parley.UserID, id parley.WebSessionID) (*parley.WebSession, error) {
	return webSessionTable.findOrNil(ctx, db, `where id = ? and user_id = ?`, id, user)
}

// WebSessions lists the sessions of a user that have not ended, the newest first: those that were used after idleSince.
func (db *DB) WebSessions(ctx context.Context, user parley.UserID, idleSince, now time.Time) ([]parley.WebSession,
	error) {
	return webSessionTable.list(ctx, db, `
		where user_id = ? and revoked_at is null and expires_at > ? and last_seen_at > ?
		order by created_at desc, id desc`, user, millis(now), millis(idleSince))
}

// SessionRole is the role in an account of the person whose session it is.
type SessionRole struct {
	SessionID parley.WebSessionID
	AccountID parley.AccountID
	Role      parley.Role
}

// ownSSOMethod is before the id of the account whose own provider has vouched for a session.
var ownSSOMethod = parley.AccountSSO("")

// SessionRoles lists the roles of the people of sessions, in all of their accounts and in no order. Sessions that have
// ended, or were last used before idleSince, have none, and in accounts that they must enter by single sign-on only
// those that have begun with it. One that the provider of an account has vouched for has one in that account alone.
// Where asksPasskeys, those in which a passkey must be shown first have none in the account that asks for it. There
// must be at least one session.
func (db *DB) SessionRoles(ctx context.Context, sessions []parley.WebSessionID, asksPasskeys bool,
	idleSince, now time.Time) ([]SessionRole, error) {
	mayEnter := needsNoSSO
	if asksPasskeys {
		mayEnter += " and (" + needsNoPasskey + " or s.method like '%" + parley.MethodPasskey + "%')"
	}
	args := make([]any, 0, len(sessions)+3)
	args = append(args, parley.MethodSSO)
	for _, id := range sessions {
		args = append(args, id)
	}
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r SessionRole, err error) {
		err = scan(&r.SessionID, &r.AccountID, &r.Role)
		return r, err
	}, `
		select s.id, m.account_id, m.role
		from web_sessions s
		  join memberships m on m.user_id = s.user_id
		  join accounts a on a.id = m.account_id
		where (s.method = ? or s.method = '`+ownSSOMethod+`' || m.account_id
		    or s.method not like '`+ownSSOMethod+`%' and `+mayEnter+`)
		  and s.id in `+placeholders(len(sessions))+`
		  and s.revoked_at is null and s.expires_at > ? and s.last_seen_at > ?`,
		append(args, millis(now), millis(idleSince))...)
}

// RenewWebSession replaces the token of a session and notes that the person has shown who they are. Fails with
// AUTH_SIGN_IN_REQUIRED where the token was replaced or the session has ended meanwhile.
func (db *DB) RenewWebSession(ctx context.Context, s *parley.WebSession, hash string, now time.Time) error {
	return db.execFound(ctx, parley.CodeSignInRequired, `
		update web_sessions set
		  hash = ?,
		  stepped_up_at = ?,
		  last_seen_at = ?
		where id = ? and hash = ? and revoked_at is null`, hash, millis(now), millis(now), s.ID, s.Hash)
}

// SetSessionMethod notes in which way the person of a session has shown who they are.
func (db *DB) SetSessionMethod(ctx context.Context, s *parley.WebSession, method string) error {
	return db.exec(ctx, `update web_sessions set method = ? where id = ? and user_id = ?`, method, s.ID, s.UserID)
}

// TouchWebSession notes that a session was used. An earlier time never replaces a later one.
func (db *DB) TouchWebSession(ctx context.Context, s *parley.WebSession, now time.Time) error {
	return db.exec(ctx, `
		update web_sessions set
		  last_seen_at = ?
		where id = ? and last_seen_at <= ?`, millis(now), s.ID, millis(now))
}

// TouchMember notes that a member was seen in an account. An earlier time never replaces a later one.
func (db *DB) TouchMember(ctx context.Context, account parley.AccountID, user parley.UserID, now time.Time) error {
	return db.exec(ctx, `
		update memberships set last_seen_at = ?
		where account_id = ? and user_id = ? and coalesce(last_seen_at, 0) < ?`, millis(now), account, user, millis(now))
}

// RevokeWebSession ends a session of a user for good. Fails with NOT_FOUND, also of one that has ended.
func (db *DB) RevokeWebSession(ctx context.Context, user parley.UserID, id parley.WebSessionID, now time.Time) error {
	return db.execFound(ctx, parley.CodeNotFound, `
		update web_sessions set revoked_at = ?
		where id = ? and user_id = ? and revoked_at is null`, millis(now), id, user)
}

// RevokeWebSessions ends all sessions of a user but one, which may be empty, and returns their number.
func (db *DB) RevokeWebSessions(ctx context.Context, user parley.UserID, but parley.WebSessionID,
	now time.Time) (int64, error) {
	return db.sql.Exec(ctx, `
		update web_sessions set revoked_at = ?
		where user_id = ? and id <> ? and revoked_at is null and expires_at > ?`, millis(now), user, but, millis(now))
}

// DeleteEndedSignIns deletes what is of no use any more: sessions and challenges that have expired, and links a month
// after they have.
func (db *DB) DeleteEndedSignIns(ctx context.Context, now time.Time) error {
	return errors.Join(
		db.exec(ctx, `delete from web_sessions where expires_at <= ?`, millis(now)),
		db.exec(ctx, `delete from passkey_challenges where expires_at <= ?`, millis(now)),
		db.exec(ctx, `delete from invites where expires_at <= ?`, millis(now.AddDate(0, -1, 0))),
	)
}
