package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const keyColumns = `k.id, k.account_id, k.name, k.hash, k.hint, k.source, k.scopes, k.created_at, k.expires_at, k.last_used_at, k.revoked_at`

type keyRow struct {
	key                        parley.APIKey
	scopes                     sql.NullString
	created                    int64
	expires, lastUsed, revoked sql.NullInt64
}

func (r *keyRow) columns() []any {
	k := &r.key
	return []any{&k.ID, &k.AccountID, &k.Name, &k.Hash, &k.Hint, &k.Source, &r.scopes, &r.created, &r.expires, &r.lastUsed, &r.revoked}
}

func (r *keyRow) apiKey() (parley.APIKey, error) {
	k := &r.key
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt, k.RevokedAt = timeFromMillis(r.created), timeOrNil(r.expires), timeOrNil(r.lastUsed), timeOrNil(r.revoked)
	err := fromJSON(r.scopes, &k.Scopes)
	return *k, err
}

func scanKey(scan sqldb.Scan) (parley.APIKey, error) {
	var r keyRow
	if err := scan(r.columns()...); err != nil {
		return r.key, err
	}
	return r.apiKey()
}

// CreateKey writes the record of a new API key.
func (db *DB) CreateKey(ctx context.Context, k *parley.APIKey) error {
	var scopes any
	if k.Scopes != nil {
		scopes = toJSON(k.Scopes)
	}
	_, err := db.sql.Exec(ctx, `insert into api_keys (id, account_id, name, hash, hint, source, scopes, created_at, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
func (db *DB) Credential(ctx context.Context, hash string) (*Credential, error) {
	var r keyRow
	var a parley.Account
	var credits sql.NullInt64
	var created int64
	columns := append(r.columns(), &a.ID, &a.Name, &a.Plan, &credits, &a.HIPAA, &created)
	err := db.sql.QueryRow(ctx, `select `+keyColumns+`, a.id, a.name, a.plan, a.credits, a.hipaa, a.created_at
		from api_keys k join accounts a on a.id = k.account_id where k.hash = ?`, hash).Scan(columns...)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeKeyNotFound)
	}
	a.Credits, a.CreatedAt = creditsOrNil(credits), timeFromMillis(created)
	key, err := r.apiKey()
	if err != nil {
		return nil, err
	}
	return &Credential{key, a}, nil
}

// Keys lists an account's keys, oldest first; without an account, those of the whole installation, which is the
// operator's view.
func (db *DB) Keys(ctx context.Context, account parley.AccountID) ([]parley.APIKey, error) {
	return sqldb.All(ctx, db.sql, scanKey, `select `+keyColumns+` from api_keys k where k.account_id = ? or ? = '' order by k.created_at, k.id`, account, account)
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

// TouchKeys notes when keys were last used, at most 200 keys in a transaction. An earlier time never replaces a later one.
func (db *DB) TouchKeys(ctx context.Context, used map[parley.KeyID]time.Time) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(used)), 200) { // sorted: two servers never wait for each other
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
			for _, id := range ids {
				at := millis(used[id])
				if _, err := tx.sql.Exec(ctx, `update api_keys set last_used_at = ? where id = ? and coalesce(last_used_at, 0) < ?`, at, id, at); err != nil {
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
