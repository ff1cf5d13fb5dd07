package store

import (
	"context"
	"time"

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
		return tx.execFound(ctx, parley.CodeAlreadyExists, `
			insert into memberships (account_id, user_id, role, created_at)
			values (?, ?, ?, ?)
			on conflict do nothing`,
			m.AccountID, user.ID, m.Role, millis(m.CreatedAt))
	})
	if err == nil {
		m.User = user
	}
	return err
}

// MakeOwner makes a user who is there an owner of an account, whether they belong to it or not.
func (db *DB) MakeOwner(ctx context.Context, account parley.AccountID, user parley.UserID, now time.Time) error {
	return db.exec(ctx, `
		insert into memberships (account_id, user_id, role, created_at)
		values (?, ?, ?, ?)
		on conflict (account_id, user_id) do update set role = excluded.role`,
		account, user, parley.RoleOwner, millis(now))
}

// OwnsEveryAccount reports whether a user is an owner of each account of the installation.
func (db *DB) OwnsEveryAccount(ctx context.Context, user parley.UserID) (bool, error) {
	isMissing, err := db.exists(ctx, `
		from accounts a
		where not exists (select 1 from memberships m where m.account_id = a.id and m.user_id = ? and m.role = ?)`,
		user, parley.RoleOwner)
	return !isMissing, err
}

func (db *DB) findOrCreateUser(ctx context.Context, u parley.User) (parley.User, error) {
	u.Email = normalizeEmail(u.Email)
	if err := userTable.insert(ctx, db, ` on conflict do nothing`, &u); err != nil {
		return u, err
	}
	return userTable.one(ctx, db, `where lower(email) = lower(?)`, u.Email)
}

var userTable = newTable("users", userFields)

func userFields(u *parley.User) []field {
	return []field{
		{"id", &u.ID},
		{"email", &u.Email},
		{"name", &u.Name},
		{"created_at", timeDest{&u.CreatedAt}},
	}
}

// Members lists an account's members, longest standing first; without an account, those of the whole installation,
// which is the operator's view.
func (db *DB) Members(ctx context.Context, account parley.AccountID) ([]parley.Membership, error) {
	if account == "" {
		return memberTable.list(ctx, db, "order by m.created_at, m.user_id")
	}
	return memberTable.list(ctx, db, `
		where m.account_id = ?
		order by m.created_at, m.user_id`, account)
}

// MemberEmails returns the e-mail addresses of those among some users who are members of an account.
func (db *DB) MemberEmails(ctx context.Context, account parley.AccountID, ids []string) (map[parley.UserID]string,
	error) {
	emails := map[parley.UserID]string{}
	if len(ids) == 0 {
		return emails, nil
	}
	args := []any{account}
	for _, id := range ids {
		args = append(args, id)
	}
	users, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (u parley.User, err error) {
		err = scan(&u.ID, &u.Email)
		return u, err
	}, `
		select u.id, u.email
		from memberships m join users u on u.id = m.user_id
		where m.account_id = ? and m.user_id in `+placeholders(len(ids)), args...)
	for i := range users {
		emails[users[i].ID] = users[i].Email
	}
	return emails, err
}

var memberTable = newTable("memberships m join users u on u.id = m.user_id", func(m *parley.Membership) []field {
	return append([]field{
		{"m.account_id", &m.AccountID},
		{"m.role", &m.Role},
		{"m.created_at", timeDest{&m.CreatedAt}},
	}, withAlias("u", userFields(&m.User))...)
})

var accountMemberTable = newTable(memberTable.name, func(m *parley.AccountMember) []field {
	return append(memberTable.fields(&m.Membership),
		field{"m.last_seen_at", timePointerDest{&m.LastSeenAt}},
		field{"case when u.password_hash is null then 0 else 1 end", boolDest{&m.HasPassword}},
		field{"u.second_step", boolDest{&m.SecondStep}},
		field{"(select count(*) from passkeys p where p.user_id = u.id)", &m.Passkeys},
		field{"case when exists (select 1 from sso_links l where l.user_id = u.id and l.issuer = ?) then 1 else 0 end",
			boolDest{&m.HasSSO}},
	)
})

const accountMemberPage = `
	where m.account_id = ? and (m.created_at, m.user_id) > (?, ?)
	order by m.created_at, m.user_id
	limit ?`

// AccountMembers returns a page of those of an account's members whose name or e-mail address has a text in it, the
// longest standing first. An empty text is in all of them. issuer is the provider of single sign-on; empty if there is
// none.
func (db *DB) AccountMembers(ctx context.Context, account parley.AccountID, issuer, text string,
	ask parley.PageRequest) (parley.Page[parley.AccountMember], error) {
	read := func(ask parley.PageRequest) (parley.Page[parley.AccountMember], error) {
		return db.accountMembers(ctx, account, issuer, ask)
	}
	if text == "" {
		return read(ask)
	}
	return searchPages(ask, read, func(m *parley.AccountMember) bool {
		return containsFold(m.User.Name, text) || containsFold(m.User.Email, text)
	}, accountMemberCursor)
}

func (db *DB) accountMembers(ctx context.Context, account parley.AccountID, issuer string,
	ask parley.PageRequest) (page parley.Page[parley.AccountMember], err error) {
	after := firstCursor(ask)
	list, err := accountMemberTable.list(ctx, db, accountMemberPage, issuer, account, after.SortValue, after.ID,
		ask.Limit+1)
	page.Items, page.Next = cutPage(list, ask.Limit, accountMemberCursor)
	return page, err
}

func accountMemberCursor(m parley.AccountMember) parley.Cursor {
	return parley.Cursor{SortValue: millis(m.CreatedAt), ID: string(m.User.ID)}
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

func (db *DB) memberWhere(ctx context.Context, account parley.AccountID, condition string, value any, lock string,
	otherwise parley.Code) (*parley.Membership, error) {
	return memberTable.find(ctx, db, otherwise, `where m.account_id = ? and `+condition+lock, account, value)
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
	return db.execFound(ctx, otherwise, `update memberships set role = ? where account_id = ? and user_id = ?`, role,
		account, user)
}

// DropMember ends a membership. The user stays, as the author of what they wrote. Fails with the code.
func (db *DB) DropMember(ctx context.Context, account parley.AccountID, user parley.UserID,
	otherwise parley.Code) error {
	return db.execFound(ctx, otherwise, `delete from memberships where account_id = ? and user_id = ?`, account, user)
}

// OwnersWhoSignIn lists up to two owners of an account who have a way of signing in: more than one is enough to know.
// The provider of another account is none, since it opens that one alone; nor is a password where the account refuses
// them, but for the owner who is exempt from single sign-on.
func (db *DB) OwnersWhoSignIn(ctx context.Context, account parley.AccountID) ([]parley.UserID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.UserID], `
		select m.user_id
		from memberships m
		  join users u on u.id = m.user_id
		  join accounts a on a.id = m.account_id
		where m.account_id = ? and m.role = ?
		  and (u.password_hash is not null and (a.no_passwords = 0 or coalesce(a.exempt_owner, '') = u.id)
		    or `+signsInWithoutPassword+`)
		limit 2`, account, parley.RoleOwner)
}

// signsInWithoutPassword is whether the user of a membership m enters its account with a passkey or by single sign-on.
const signsInWithoutPassword = `(exists (select 1 from passkeys p where p.user_id = m.user_id)
  or exists (
    select 1
    from sso_links l
    where l.user_id = m.user_id
      and (l.issuer not in (select issuer from sso_providers)
        or l.issuer in (select issuer from sso_providers where account_id = m.account_id))))`

// HasOwnerWithoutPassword reports whether an owner of an account signs in with a passkey or by single sign-on.
func (db *DB) HasOwnerWithoutPassword(ctx context.Context, account parley.AccountID) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		from memberships m
		where m.account_id = ? and m.role = ? and `+signsInWithoutPassword, account, parley.RoleOwner)
}

// CountOwners counts the account's owners.
func (db *DB) CountOwners(ctx context.Context, account parley.AccountID) (int, error) {
	return db.count(ctx, `from memberships where account_id = ? and role = ?`, account, parley.RoleOwner)
}
