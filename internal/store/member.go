package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// AddMember joins a user to an account. When a user with that e-mail address, whatever its case, exists already, m.User
// becomes that one; else m.User is written. Fails with RESOURCE_ALREADY_EXISTS when the two are joined already.
func (db *DB) AddMember(ctx context.Context, m *parley.Membership) error {
	var user parley.User
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		var err error
		if user, err = tx.findOrCreateUser(ctx, m.User); err != nil {
			return err
		}
		n, err := tx.sql.Exec(ctx, `
			insert into memberships (account_id, user_id, role, created_at)
			values (?, ?, ?, ?)
			on conflict do nothing`,
			m.AccountID, user.ID, m.Role, millis(m.CreatedAt))
		return requireChanged(n, err, parley.CodeAlreadyExists)
	})
	if err == nil {
		m.User = user
	}
	return err
}

func (db *DB) findOrCreateUser(ctx context.Context, u parley.User) (parley.User, error) {
	_, err := db.sql.Exec(ctx, `
		insert into users (id, email, name, created_at)
		values (?, ?, ?, ?)
		on conflict do nothing`, u.ID, normalizeEmail(u.Email), u.Name, millis(u.CreatedAt))
	if err != nil {
		return u, err
	}
	var created int64
	err = db.sql.QueryRow(ctx, `
		select id, email, name, created_at
		from users
		where lower(email) = lower(?)`, normalizeEmail(u.Email)).Scan(&u.ID, &u.Email, &u.Name, &created)
	u.CreatedAt = timeFromMillis(created)
	return u, err
}

// Members lists an account's members, longest standing first; without an account, those of the whole installation,
// which is the operator's view.
func (db *DB) Members(ctx context.Context, account parley.AccountID) ([]parley.Membership, error) {
	return sqldb.All(ctx, db.sql, scanMember, `
		select
		  m.account_id,
		  m.role,
		  m.created_at,
		  u.id,
		  u.email,
		  u.name,
		  u.created_at
		from memberships m
		join users u on u.id = m.user_id
		where m.account_id = ? or ? = ''
		order by m.created_at, u.id`, account, account)
}

func scanMember(scan sqldb.Scan) (m parley.Membership, err error) {
	err = scan(
		&m.AccountID,
		&m.Role,
		timeDest{&m.CreatedAt},
		&m.User.ID,
		&m.User.Email,
		&m.User.Name,
		timeDest{&m.User.CreatedAt},
	)
	return m, err
}

// Member finds a member of the account by their id. Fails with the code.
func (db *DB) Member(ctx context.Context, account parley.AccountID, user parley.UserID,
	otherwise parley.Code) (*parley.Membership, error) {
	return db.memberWhere(ctx, account, `u.id = ?`, user, "", otherwise)
}

// ShareLockMember is Member that keeps them in the account until the transaction ends. Keep who is to get a ticket
// behind the ticket. Fails with the code.
func (db *DB) ShareLockMember(ctx context.Context, account parley.AccountID, user parley.UserID,
	otherwise parley.Code) (*parley.Membership, error) {
	lock := ""
	if db.sql.Dialect() == sqldb.Postgres {
		lock = ` for share of m`
	}
	return db.memberWhere(ctx, account, `u.id = ?`, user, lock, otherwise)
}

// LockMember is Member that waits for everybody who keeps them in the account, and lets nobody else do so until the
// transaction ends. Fails with the code.
func (db *DB) LockMember(ctx context.Context, account parley.AccountID, user parley.UserID,
	otherwise parley.Code) (*parley.Membership, error) {
	lock := db.sql.ForUpdate()
	if lock != "" {
		lock += ` of m`
	}
	return db.memberWhere(ctx, account, `u.id = ?`, user, lock, otherwise)
}

// MemberByEmail finds a member of the account by their e-mail address, whatever its case. Fails with the code.
func (db *DB) MemberByEmail(ctx context.Context, account parley.AccountID, email string,
	otherwise parley.Code) (*parley.Membership, error) {
	return db.memberWhere(ctx, account, `lower(u.email) = lower(?)`, normalizeEmail(email), "", otherwise)
}

func (db *DB) memberWhere(ctx context.Context, account parley.AccountID, which string, value any, lock string,
	otherwise parley.Code) (*parley.Membership, error) {
	m, err := sqldb.One(ctx, db.sql, scanMember, `
		select
		  m.account_id,
		  m.role,
		  m.created_at,
		  u.id,
		  u.email,
		  u.name,
		  u.created_at
		from memberships m
		join users u on u.id = m.user_id
		where m.account_id = ? and `+which+lock, account, value)
	if err != nil {
		return nil, mapNotFound(err, otherwise)
	}
	return &m, nil
}

// MemberIDs lists who belongs to the account.
func (db *DB) MemberIDs(ctx context.Context, account parley.AccountID) ([]parley.UserID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.UserID], `
		select user_id
		from memberships
		where account_id = ?`, account)
}

// SetRole sets the role of a member in the account. Fails with the code.
func (db *DB) SetRole(ctx context.Context, account parley.AccountID, user parley.UserID, role parley.Role,
	otherwise parley.Code) error {
	n, err := db.sql.Exec(ctx, `update memberships set role = ? where account_id = ? and user_id = ?`, role, account, user)
	return requireChanged(n, err, otherwise)
}

// DropMember ends a membership. The user stays, as the author of what they wrote. Fails with the code.
func (db *DB) DropMember(ctx context.Context, account parley.AccountID, user parley.UserID,
	otherwise parley.Code) error {
	n, err := db.sql.Exec(ctx, `delete from memberships where account_id = ? and user_id = ?`, account, user)
	return requireChanged(n, err, otherwise)
}

// CountOwners counts the account's owners.
func (db *DB) CountOwners(ctx context.Context, account parley.AccountID) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from memberships
		where account_id = ? and role = ?`, account, parley.RoleOwner)
}
