package store

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// UserCredential is a user with the hash of their password.
type UserCredential struct {
	User         parley.User
	PasswordHash string // empty if they have no password

	EmailProvedAt *time.Time // when they showed that they read the mail of their address; nil if they have not
	SecondStep    bool       // their password needs a passkey or a recovery code beside it
}

var userCredentialTable = newTable("users", func(c *UserCredential) []field {
	return append(userFields(&c.User),
		field{"password_hash", nullableText(&c.PasswordHash)},
		field{"email_proved_at", timePointerDest{&c.EmailProvedAt}},
		field{"second_step", boolDest{&c.SecondStep}})
})

// FindUserByEmail finds a user by their e-mail address, whatever its case; nil if there is none.
func (db *DB) FindUserByEmail(ctx context.Context, email string) (*UserCredential, error) {
	return userCredentialTable.findOrNil(ctx, db, `where lower(email) = lower(?)`, normalizeEmail(email))
}

// UserCredential finds a user by their id. Fails with NOT_FOUND.
func (db *DB) UserCredential(ctx context.Context, id parley.UserID) (*UserCredential, error) {
	return userCredentialTable.find(ctx, db, parley.CodeNotFound, `where id = ?`, id)
}

// LockUser is UserCredential that keeps every other writer of the user's row out until the transaction ends.
func (db *DB) LockUser(ctx context.Context, id parley.UserID) (*UserCredential, error) {
	return userCredentialTable.find(ctx, db, parley.CodeNotFound, `where id = ?`+db.sql.ForUpdate(), id)
}

// SetPasswordHash sets the hash of a user's password. Fails with NOT_FOUND.
func (db *DB) SetPasswordHash(ctx context.Context, id parley.UserID, hash string) error {
	return db.execFound(ctx, parley.CodeNotFound, `update users set password_hash = ? where id = ?`, hash, id)
}

// ClearPassword takes a user's password away, and its second step.
func (db *DB) ClearPassword(ctx context.Context, id parley.UserID) error {
	return db.exec(ctx, `update users set password_hash = null, second_step = 0 where id = ?`, id)
}

// SetSecondStep sets whether the password of a user needs a passkey or a recovery code beside it. Fails with NOT_FOUND.
func (db *DB) SetSecondStep(ctx context.Context, id parley.UserID, isRequired bool) error {
	return db.execFound(ctx, parley.CodeNotFound, `update users set second_step = ? where id = ?`, boolToInt(isRequired),
		id)
}

// NoteEmailProved notes that a user reads the mail of their address.
func (db *DB) NoteEmailProved(ctx context.Context, id parley.UserID, now time.Time) error {
	return db.exec(ctx, `update users set email_proved_at = ? where id = ?`, millis(now), id)
}

// ClearEmailProof forgets that a user reads the mail of their address.
func (db *DB) ClearEmailProof(ctx context.Context, id parley.UserID) error {
	return db.exec(ctx, `update users set email_proved_at = null where id = ?`, id)
}

// ReplacePasswordHash sets the hash of a user's password unless the password was changed meanwhile.
func (db *DB) ReplacePasswordHash(ctx context.Context, id parley.UserID, before, hash string) error {
	return db.exec(ctx, `update users set password_hash = ? where id = ? and password_hash = ?`, hash, id, before)
}

// CanAnybodySignIn reports whether there is a user with a password, a passkey or single sign-on.
func (db *DB) CanAnybodySignIn(ctx context.Context) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		where exists (select 1 from users where password_hash is not null)
		  or exists (select 1 from passkeys)
		  or exists (select 1 from sso_links)`)
}

// CanSignIn reports whether the user has a password, a passkey or single sign-on.
func (db *DB) CanSignIn(ctx context.Context, id parley.UserID) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		where exists (select 1 from users where id = ? and password_hash is not null)
		  or exists (select 1 from passkeys where user_id = ?)
		  or exists (select 1 from sso_links where user_id = ?)`, id, id, id)
}

// CanSignInAlone reports whether the user has a password or a passkey, so that they need no single sign-on.
func (db *DB) CanSignInAlone(ctx context.Context, id parley.UserID) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		where exists (select 1 from users where id = ? and password_hash is not null)
		  or exists (select 1 from passkeys where user_id = ?)`, id, id)
}

// HasPasskey reports whether the user has a passkey.
func (db *DB) HasPasskey(ctx context.Context, id parley.UserID) (bool, error) {
	return db.hasRow(ctx, `select 1 from passkeys where user_id = ?`, id)
}

// IsExemptOwner reports whether the user enters an account without single sign-on that others enter by it alone.
func (db *DB) IsExemptOwner(ctx context.Context, id parley.UserID) (bool, error) {
	return db.hasRow(ctx, `select 1 from accounts where only_sso = 1 and exempt_owner = ?`, id)
}

// CountClosedAccounts counts the accounts of a user that they cannot enter: those refuse passwords, and the user has
// neither a passkey nor single sign-on.
func (db *DB) CountClosedAccounts(ctx context.Context, id parley.UserID) (int, error) {
	return db.count(ctx, `
		from memberships m
		  join accounts a on a.id = m.account_id
		where m.user_id = ? and a.no_passwords = 1 and coalesce(a.exempt_owner, '') != m.user_id
		  and not `+signsInWithoutPassword, id)
}

// IsAskedForPasskey reports whether an account that the user enters without single sign-on asks them for a passkey.
func (db *DB) IsAskedForPasskey(ctx context.Context, id parley.UserID) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		from memberships m
		  join accounts a on a.id = m.account_id
		where m.user_id = ? and not `+needsNoPasskey+` and `+needsNoSSO, id)
}

func (db *DB) hasRow(ctx context.Context, query string, args ...any) (bool, error) {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], query, args...)
	if sqldb.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

var profileTable = newTable("users", func(p *parley.Profile) []field {
	return append(userFields(&p.User),
		field{"locale", &p.Locale},
		field{"theme", &p.Theme},
		field{"notifications", jsonOr(&p.Notifications, nil)},
		field{"case when password_hash is null then 0 else 1 end", boolDest{&p.HasPassword}},
		field{"second_step", boolDest{&p.SecondStep}},
	)
})

// Profile finds what a user sees of themselves. Fails with NOT_FOUND.
func (db *DB) Profile(ctx context.Context, id parley.UserID) (*parley.Profile, error) {
	return profileTable.find(ctx, db, parley.CodeNotFound, `where id = ?`, id)
}

// UpdateProfile writes the name and the preferences of a user. Fails with NOT_FOUND.
func (db *DB) UpdateProfile(ctx context.Context, p *parley.Profile) error {
	var notifications any
	if p.Notifications != nil {
		text, err := json.Marshal(p.Notifications)
		if err != nil {
			return err
		}
		notifications = string(text)
	}
	return db.execFound(ctx, parley.CodeNotFound, `
		update users set
		  name = ?,
		  locale = ?,
		  theme = ?,
		  notifications = ?
		where id = ?`, p.Name, p.Locale, p.Theme, notifications, p.ID)
}

var accountMembershipTable = newTable("memberships m join accounts a on a.id = m.account_id",
	func(m *parley.AccountMembership) []field {
		return []field{
			{"m.account_id", &m.AccountID},
			{"a.name", &m.AccountName},
			{"m.role", &m.Role},
			{"m.last_seen_at", timePointerDest{&m.LastSeenAt}},
			{"a.viewers_see_personal_data", &m.ViewersSeePersonalData},
			{"case when " + needsNoSSO + " then 0 else 1 end", boolDest{&m.NeedsSSO}},
			{ownSSOName, &m.SSOName},
			{"case when " + needsNoPasskey + " then 0 else 1 end", boolDest{&m.NeedsPasskey}},
			{hasPasskey, boolDest{&m.HasPasskey}},
			{"a.no_passwords", &m.NoPasswords},
		}
	})

// ownSSOName is the name of the provider that an account a has set and tested; empty without one.
const ownSSOName = "coalesce((select p.name from sso_providers p where p.account_id = a.id " +
	"and p.tested_at is not null), '')"

// needsNoSSO is whether a membership m lets its user enter its account a without single sign-on.
const needsNoSSO = "(a.only_sso = 0 or coalesce(a.exempt_owner, '') = m.user_id)"

// needsNoPasskey is whether a membership m lets its user enter its account a without a passkey. The owner who is exempt
// from single sign-on is so from this too.
const needsNoPasskey = "(a.no_passwords = 0 and (a.admins_need_passkey = 0 or m.role not in ('owner', 'admin')) " +
	"or coalesce(a.exempt_owner, '') = m.user_id)"

// hasPasskey is whether the user of a membership m has a passkey.
const hasPasskey = "case when exists (select 1 from passkeys k where k.user_id = m.user_id) then 1 else 0 end"

// AccountMemberships lists the accounts that a user is a member of, the longest standing first.
func (db *DB) AccountMemberships(ctx context.Context, user parley.UserID) ([]parley.AccountMembership, error) {
	return accountMembershipTable.list(ctx, db, `
		where m.user_id = ?
		order by m.created_at, m.account_id`, user)
}
