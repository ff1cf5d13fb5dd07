package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var keyTable = newTable("api_keys", func(k *parley.APIKey) []field {
	return []field{
		{"id", &k.ID},
		{"account_id", &k.AccountID},
		{"name", &k.Name},
		{"hash", &k.Hash},
		{"hint", &k.Hint},
		{"source", &k.Source},
		{"created_by", &k.CreatedBy},
		{"scopes", jsonOr(&k.Scopes, nil)},
		{"created_at", timeDest{&k.CreatedAt}},
		{"expires_at", timePointerDest{&k.ExpiresAt}},
		{"last_used_at", timePointerDest{&k.LastUsedAt}},
		{"revoked_at", timePointerDest{&k.RevokedAt}},
	}
})

// CreateKey writes the record of a new API key.
func (db *DB) CreateKey(ctx context.Context, k *parley.APIKey) error {
	return keyTable.insert(ctx, db, "", k)
}

// Credential is a key with the account it opens.
type Credential struct {
	Key     parley.APIKey
	Account parley.Account
}

// Credential finds the key with the hash, revoked and expired ones too, and its account: this is how an owner becomes
// known, so it asks for none. Fails with KEY_NOT_FOUND.
func (db *DB) Credential(ctx context.Context, hash string) (*Credential, error) {
	return credentialTable.find(ctx, db, parley.CodeKeyNotFound, `where k.hash = ?`, hash)
}

var credentialTable = newTable("api_keys k join accounts a on a.id = k.account_id", func(c *Credential) []field {
	return append(withAlias("k", keyTable.fields(&c.Key)), withAlias("a", accountTable.fields(&c.Account))...)
})

// Keys lists an account's keys, oldest first; without an account, those of the whole installation, which is the
// operator's view.
func (db *DB) Keys(ctx context.Context, account parley.AccountID) ([]parley.APIKey, error) {
	return keyTable.list(ctx, db, `
		where account_id = ? or ? = ''
		order by created_at, id`, account, account)
}

// The conditions by which keys that are in force and those that are revoked are told apart, as their indexes have them.
const (
	keysInForce = `account_id = ? and revoked_at is null`
	keysRevoked = `account_id = ? and revoked_at is not null`
)

// KeyPage returns a page of an account's keys, the newest first: those that are revoked, or the others.
func (db *DB) KeyPage(ctx context.Context, account parley.AccountID, areRevoked bool,
	ask parley.PageRequest) (page parley.Page[parley.APIKey], err error) {
	where := keysInForce
	if areRevoked {
		where = keysRevoked
	}
	page.Items, page.Next, err = keyTable.pageItems(ctx, db, ask, func(k parley.APIKey) parley.Cursor {
		return parley.Cursor{SortValue: millis(k.CreatedAt), ID: string(k.ID)}
	}, where, account)
	return page, err
}

// RevokeKey ends a key of an account for good. It reports whether it has: revoking a key again changes nothing. Without
// an account it is the operator's and not limited to one. Fails with KEY_NOT_FOUND.
func (db *DB) RevokeKey(ctx context.Context, account parley.AccountID, id parley.KeyID,
	now time.Time) (k parley.APIKey, isNew bool, err error) {
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) (err error) {
		k, err = keyTable.oneFrom(ctx, tx, `
			update api_keys set revoked_at = ?
			where id = ? and (account_id = ? or ? = '') and revoked_at is null
			returning `+keyTable.columns, millis(now), id, account, account)
		if isNew = err == nil; sqldb.IsNotFound(err) {
			k, err = keyTable.one(ctx, tx, `
				where id = ? and (account_id = ? or ? = '')`, id, account, account)
		}
		return mapNotFound(err, parley.CodeKeyNotFound)
	})
	return k, isNew, err
}

// TouchKeys notes when keys were last used, at most 200 keys in a transaction. An earlier time never replaces a later
// one.
func (db *DB) TouchKeys(ctx context.Context, used map[parley.KeyID]time.Time) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(used)), 200) { // sorted: two servers never wait for each other
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
			for _, id := range ids {
				at := millis(used[id])
				if err := tx.exec(ctx, `
					update api_keys set last_used_at = ?
					where id = ? and coalesce(last_used_at, 0) < ?`, at, id, at); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
