package store

import (
	"context"
	"time"

	"parley"
)

var ssoLinkTable = newTable("sso_links", func(l *parley.SSOLink) []field {
	return []field{
		{"issuer", &l.Issuer},
		{"subject", &l.Subject},
		{"user_id", &l.UserID},
		{"created_at", timeDest{&l.CreatedAt}},
		{"last_used_at", timePointerDest{&l.LastUsedAt}},
	}
})

// FindSSOLink finds whom an issuer means by a subject; nil if it is nobody yet.
func (db *DB) FindSSOLink(ctx context.Context, issuer, subject string) (*parley.SSOLink, error) {
	return ssoLinkTable.findOrNil(ctx, db, `where issuer = ? and subject = ?`, issuer, subject)
}

// SSOLinks lists the subjects that mean a user, the oldest first.
func (db *DB) SSOLinks(ctx context.Context, user parley.UserID) ([]parley.SSOLink, error) {
	return ssoLinkTable.list(ctx, db, `
		where user_id = ?
		order by created_at, subject`, user)
}

// CreateSSOLink writes a link. Fails with RESOURCE_ALREADY_EXISTS where the subject means somebody.
func (db *DB) CreateSSOLink(ctx context.Context, l *parley.SSOLink) error {
	query, args := ssoLinkTable.insertion(` on conflict do nothing`, l)
	return db.execFound(ctx, parley.CodeAlreadyExists, query, args...)
}

// NoteSSOLinkUse notes the use of a link.
func (db *DB) NoteSSOLinkUse(ctx context.Context, issuer, subject string, now time.Time) error {
	return db.exec(ctx, `update sso_links set last_used_at = ? where issuer = ? and subject = ?`, millis(now), issuer,
		subject)
}

// DeleteSSOLink deletes the link of a user to an issuer. Fails with NOT_FOUND.
func (db *DB) DeleteSSOLink(ctx context.Context, user parley.UserID, issuer string) error {
	return db.execFound(ctx, parley.CodeNotFound, `delete from sso_links where user_id = ? and issuer = ?`, user, issuer)
}

// DeleteSSOLinks deletes the links of a user: they are made again by the next sign-in.
func (db *DB) DeleteSSOLinks(ctx context.Context, user parley.UserID) error {
	return db.exec(ctx, `delete from sso_links where user_id = ?`, user)
}
