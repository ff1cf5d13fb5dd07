package store

import (
	"context"
	"time"

	"parley"
)

var ssoProviderTable = newTable("sso_providers", func(p *parley.SSOProvider) []field {
	return []field{
		{"account_id", &p.AccountID},
		{"issuer", &p.Issuer},
		{"client_id", &p.ClientID},
		{"sealed_secret", nullableText(&p.SealedSecret)},
		{"name", &p.Name},
		{"join_role", nullableText(&p.JoinRole)},
		{"tested_at", timePointerDest{&p.TestedAt}},
		{"created_at", timeDest{&p.CreatedAt}},
		{"updated_at", timeDest{&p.UpdatedAt}},
	}
})

// FindSSOProvider finds the provider that an account has set; nil if there is none.
func (db *DB) FindSSOProvider(ctx context.Context, account parley.AccountID) (*parley.SSOProvider, error) {
	return ssoProviderTable.findOrNil(ctx, db, `where account_id = ?`, account)
}

// FindSSOProviderOfDomain finds the tested provider of the account that has proved a domain; nil if there is none.
func (db *DB) FindSSOProviderOfDomain(ctx context.Context, domain string) (*parley.SSOProvider, error) {
	return ssoProviderTable.findOrNil(ctx, db, `
		where tested_at is not null and account_id in (
		  select account_id
		  from sso_domains
		  where domain = ? and proved_at is not null)`, domain)
}

// SSOProvidersOfUser lists the tested providers of a user's accounts, the oldest first.
func (db *DB) SSOProvidersOfUser(ctx context.Context, user parley.UserID) ([]parley.SSOProvider, error) {
	return ssoProviderTable.list(ctx, db, `
		where tested_at is not null and account_id in (select account_id from memberships where user_id = ?)
		order by created_at, account_id`, user)
}

// HasSSOProviders reports whether any account has a tested provider.
func (db *DB) HasSSOProviders(ctx context.Context) (bool, error) {
	return db.hasRow(ctx, `select 1 from sso_providers where tested_at is not null limit 1`)
}

// SaveSSOProvider writes the provider of an account in place of an earlier one. It must be called in a transaction that
// has locked the account.
func (db *DB) SaveSSOProvider(ctx context.Context, p *parley.SSOProvider) error {
	if err := db.DeleteSSOProvider(ctx, p.AccountID); err != nil {
		return err
	}
	return ssoProviderTable.insert(ctx, db, "", p)
}

// NoteSSOProviderTest notes that an owner has signed in by the provider of an account, unless it was tested before.
func (db *DB) NoteSSOProviderTest(ctx context.Context, account parley.AccountID, now time.Time) error {
	return db.exec(ctx, `update sso_providers set tested_at = ? where account_id = ? and tested_at is null`, millis(now),
		account)
}

// DeleteSSOProvider deletes the provider of an account, if it has one.
func (db *DB) DeleteSSOProvider(ctx context.Context, account parley.AccountID) error {
	return db.exec(ctx, `delete from sso_providers where account_id = ?`, account)
}

var ssoDomainTable = newTable("sso_domains", func(d *parley.SSODomain) []field {
	return []field{
		{"account_id", &d.AccountID},
		{"domain", &d.Domain},
		{"token", &d.Token},
		{"proved_at", timePointerDest{&d.ProvedAt}},
		{"created_at", timeDest{&d.CreatedAt}},
		{"by_operator", boolDest{&d.ByOperator}},
	}
})

// SSODomains lists the domains that an account names, in the order of the alphabet.
func (db *DB) SSODomains(ctx context.Context, account parley.AccountID) ([]parley.SSODomain, error) {
	return ssoDomainTable.list(ctx, db, `
		where account_id = ?
		order by domain`, account)
}

// CreateSSODomain writes a domain. Fails with RESOURCE_ALREADY_EXISTS where the account names it already.
func (db *DB) CreateSSODomain(ctx context.Context, d *parley.SSODomain) error {
	query, args := ssoDomainTable.insertion(` on conflict do nothing`, d)
	return db.execFound(ctx, parley.CodeAlreadyExists, query, args...)
}

// IsSSODomainTaken reports whether another account than this one has proved a domain.
func (db *DB) IsSSODomainTaken(ctx context.Context, account parley.AccountID, domain string) (bool, error) {
	return db.hasRow(ctx, `
		select 1
		from sso_domains
		where domain = ? and proved_at is not null and account_id <> ?`, domain, account)
}

// NoteSSODomainProof notes that a domain is the account's, by its record or by the operator's word. Fails with
// NOT_FOUND.
func (db *DB) NoteSSODomainProof(ctx context.Context, account parley.AccountID, domain string, byOperator bool,
	now time.Time) error {
	return db.execFound(ctx, parley.CodeNotFound, `
		update sso_domains set
		  proved_at = ?,
		  by_operator = ?
		where account_id = ? and domain = ?`, millis(now), boolToInt(byOperator), account, domain)
}

// DeleteSSODomain deletes a domain. Fails with NOT_FOUND.
func (db *DB) DeleteSSODomain(ctx context.Context, account parley.AccountID, domain string) error {
	return db.execFound(ctx, parley.CodeNotFound, `delete from sso_domains where account_id = ? and domain = ?`, account,
		domain)
}
