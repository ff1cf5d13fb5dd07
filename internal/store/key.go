package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const keyColumns = `
  k.id,
  k.account_id,
  k.name,
  k.hash,
  k.hint,
  k.source,
  k.scopes,
  k.created_at,
  k.expires_at,
  k.last_used_at,
  k.revoked_at`

func scanKey(scan sqldb.Scan) (k parley.APIKey, err error) {
	err = scan(
		&k.ID,
		&k.AccountID,
		&k.Name,
		&k.Hash,
		&k.Hint,
		&k.Source,
		jsonDest{&k.Scopes},
		timeDest{&k.CreatedAt},
		timePointerDest{&k.ExpiresAt},
		timePointerDest{&k.LastUsedAt},
		timePointerDest{&k.RevokedAt},
	)
	return k, err
}

// CreateKey writes the record of a new API key.
func (db *DB) CreateKey(ctx context.Context, k *parley.APIKey) error {
	var scopes any
	if k.Scopes != nil {
		scopes = toJSON(k.Scopes)
	}
	_, err := db.sql.Exec(ctx, `
		insert into api_keys (
		  id,
		  account_id,
		  name,
		  hash,
		  hint,
		  source,
		  scopes,
		  created_at,
		  expires_at
		)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		k.ID, k.AccountID, k.Name, k.Hash, k.Hint, k.Source, scopes, millis(k.CreatedAt), millisOrNil(k.ExpiresAt))
	return err
}

// Credential is a key with the account it opens.
type Credential struct {
	Key     parley.APIKey
	Account parley.Account
}

// Credential finds the key with the hash, revoked and expired ones too, and its account: this is how an owner becomes
// known, so it asks for none. Fails with KEY_NOT_FOUND.
func (db *DB) Credential(ctx context.Context, hash string) (_ *Credential, err error) {
	var c Credential
	row := db.sql.QueryRow(ctx, `select `+keyColumns+`, `+qualifiedColumns("a", accountColumns)+`
		from api_keys k
		join accounts a on a.id = k.account_id
		where k.hash = ?`, hash)
	c.Key, err = scanKey(func(keyDests ...any) error {
		c.Account, err = scanAccount(func(dests ...any) error { return row.Scan(append(keyDests, dests...)...) })
		return err
	})
	if err != nil {
		return nil, mapNotFound(err, parley.CodeKeyNotFound)
	}
	return &c, nil
}

// Keys lists an account's keys, oldest first; without an account, those of the whole installation, which is the
// operator's view.
func (db *DB) Keys(ctx context.Context, account parley.AccountID) ([]parley.APIKey, error) {
	return sqldb.All(ctx, db.sql, scanKey, `
		select `+keyColumns+`
		from api_keys k
		where k.account_id = ? or ? = ''
		order by k.created_at, k.id`, account, account)
}

// RevokeKey ends a key for good; revoking it again changes nothing. It is the operator's and asks for no account. Fails
// with KEY_NOT_FOUND.
func (db *DB) RevokeKey(ctx context.Context, id parley.KeyID, now time.Time) (*parley.APIKey, error) {
	var k parley.APIKey
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `update api_keys set revoked_at = coalesce(revoked_at, ?) where id = ?`, millis(now), id)
		if err := requireChanged(n, err, parley.CodeKeyNotFound); err != nil {
			return err
		}
		k, err = sqldb.One(ctx, tx.sql, scanKey, `select `+keyColumns+` from api_keys k where k.id = ?`, id)
		return err
	})
	return &k, err
}

// TouchKeys notes when keys were last used, at most 200 keys in a transaction. An earlier time never replaces a later
// one.
func (db *DB) TouchKeys(ctx context.Context, used map[parley.KeyID]time.Time) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(used)), 200) { // sorted: two servers never wait for each other
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
			for _, id := range ids {
				at := millis(used[id])
				if _, err := tx.sql.Exec(ctx, `
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
