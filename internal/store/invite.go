package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var inviteTable = newTable("invites", func(i *parley.Invite) []field {
	return []field{
		{"id", &i.ID},
		{"kind", &i.Kind},
		{"account_id", nullableText(&i.AccountID)},
		{"user_id", nullableText(&i.UserID)},
		{"email", &i.Email},
		{"role", nullableText(&i.Role)},
		{"hash", &i.Hash},
		{"invited_by", &i.InvitedBy},
		{"created_at", timeDest{&i.CreatedAt}},
		{"expires_at", timeDest{&i.ExpiresAt}},
		{"used_at", timePointerDest{&i.UsedAt}},
		{"mailed", &i.Mailed},
	}
})

// CreateInvite writes a new link.
func (db *DB) CreateInvite(ctx context.Context, i *parley.Invite) error {
	return inviteTable.insert(ctx, db, "", i)
}

// FindInvite finds the link with the hash, used and expired ones too. Fails with AUTH_INVALID_LINK.
func (db *DB) FindInvite(ctx context.Context, hash string) (*parley.Invite, error) {
	return inviteTable.find(ctx, db, parley.CodeInvalidLink, `where hash = ?`, hash)
}

// Invitations lists the invitations into an account that wait for an answer, the oldest first.
func (db *DB) Invitations(ctx context.Context, account parley.AccountID, now time.Time) ([]parley.Invite, error) {
	return inviteTable.list(ctx, db, `
		where account_id = ? and used_at is null and expires_at > ?
		order by created_at, id`, account, millis(now))
}

const invitationPage = `
	where account_id = ? and used_at is null and expires_at > ? and (created_at, id) > (?, ?)
	order by created_at, id
	limit ?`

// InvitationPage returns a page of the invitations into an account that wait for an answer and whose e-mail address has
// a text in it, the oldest first. An empty text is in all of them.
func (db *DB) InvitationPage(ctx context.Context, account parley.AccountID, text string, now time.Time,
	ask parley.PageRequest) (parley.Page[parley.Invite], error) {
	read := func(ask parley.PageRequest) (parley.Page[parley.Invite], error) {
		return db.invitationPage(ctx, account, now, ask)
	}
	if text == "" {
		return read(ask)
	}
	return searchPages(ask, read, func(i *parley.Invite) bool { return containsFold(i.Email, text) }, inviteCursor)
}

func (db *DB) invitationPage(ctx context.Context, account parley.AccountID, now time.Time,
	ask parley.PageRequest) (page parley.Page[parley.Invite], err error) {
	after := firstCursor(ask)
	list, err := inviteTable.list(ctx, db, invitationPage, account, millis(now), after.SortValue, after.ID, ask.Limit+1)
	page.Items, page.Next = cutPage(list, ask.Limit, inviteCursor)
	return page, err
}

func inviteCursor(i parley.Invite) parley.Cursor {
	return parley.Cursor{SortValue: millis(i.CreatedAt), ID: string(i.ID)}
}

// UseInvite uses a link up. Fails with AUTH_INVALID_LINK if it was used meanwhile.
func (db *DB) UseInvite(ctx context.Context, id parley.InviteID, now time.Time) error {
	return db.execFound(ctx, parley.CodeInvalidLink, `
		update invites set used_at = ?
		where id = ? and used_at is null`, millis(now), id)
}

// WithdrawInvitation ends an invitation into an account. Fails with NOT_FOUND.
func (db *DB) WithdrawInvitation(ctx context.Context, account parley.AccountID, id parley.InviteID,
	now time.Time) error {
	n, err := db.sql.Exec(ctx, `
		update invites set used_at = ?
		where id = ? and account_id = ? and used_at is null`, millis(now), id, account)
	if err == nil && n == 0 {
		return invitationNotFound()
	}
	return err
}

func invitationNotFound() error {
	return parley.NewErrorf(parley.CodeNotFound, "Invitation not found.")
}

// WithdrawInvitationsTo ends the invitations of an address into an account.
func (db *DB) WithdrawInvitationsTo(ctx context.Context, account parley.AccountID, email string, now time.Time) error {
	return db.exec(ctx, `
		update invites set used_at = ?
		where account_id = ? and email = ? and used_at is null`, millis(now), account, email)
}

// WithdrawResets ends the links by which a user may set a password.
func (db *DB) WithdrawResets(ctx context.Context, user parley.UserID, now time.Time) error {
	return db.exec(ctx, `
		update invites set used_at = ?
		where user_id = ? and used_at is null`, millis(now), user)
}

// Invite finds a link by its id, used and expired ones too. Fails with AUTH_INVALID_LINK.
func (db *DB) Invite(ctx context.Context, id parley.InviteID) (*parley.Invite, error) {
	return inviteTable.find(ctx, db, parley.CodeInvalidLink, `where id = ?`, id)
}

// RenewInvite sets the token, the time, the inviter and the way of a link that can still be used. Fails with
// AUTH_INVALID_LINK.
func (db *DB) RenewInvite(ctx context.Context, i *parley.Invite, now time.Time) error {
	return db.execFound(ctx, parley.CodeInvalidLink, `
		update invites set
		  hash = ?,
		  expires_at = ?,
		  invited_by = ?,
		  mailed = ?
		where id = ? and used_at is null and expires_at > ?`, i.Hash, millis(i.ExpiresAt), i.InvitedBy,
		boolToInt(i.Mailed), i.ID, millis(now))
}

// Invitation finds an invitation into an account that waits for an answer. Fails with NOT_FOUND.
func (db *DB) Invitation(ctx context.Context, account parley.AccountID, id parley.InviteID,
	now time.Time) (*parley.Invite, error) {
	i, err := inviteTable.one(ctx, db, `
		where id = ? and account_id = ? and used_at is null and expires_at > ?`, id, account, millis(now))
	if sqldb.IsNotFound(err) {
		return nil, invitationNotFound()
	}
	return &i, err
}

// WithdrawLinksBy ends what somebody has made in an account and others have not used: invitations, or only those of new
// owners, and links by which other members set a password.
func (db *DB) WithdrawLinksBy(ctx context.Context, account parley.AccountID, user parley.UserID, actor string,
	ownersOnly bool, now time.Time) error {
	return db.exec(ctx, `
		update invites set used_at = ?
		where invited_by = ? and used_at is null
		  and (account_id = ? and (? = 0 or role = 'owner')
		    or user_id <> ? and user_id in (select user_id from memberships where account_id = ?))`,
		millis(now), actor, account, boolToInt(ownersOnly), user, account)
}
