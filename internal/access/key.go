package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// A key is "pk_", 43 random characters (256 bits) and a checksum of 6, all of 0-9 A-Z a-z. The fixed beginning lets
// scanners find keys that were committed by mistake; the checksum makes it possible to refuse a typo without the
// database.
const (
	keyPrefix         = "pk_"
	keyRandomLength   = 43
	keyChecksumLength = 6
	keyLength         = len(keyPrefix) + keyRandomLength + keyChecksumLength
	keyHintLength     = len(keyPrefix) + 6

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewKey returns a new API key. Only its Hash is stored.
func NewKey() string {
	body := keyPrefix + random62(keyRandomLength)
	return body + checksum(body)
}

// Hash returns the form in which a key is stored: SHA-256, hex. A key holds 256 random bits, so a plain hash cannot be
// guessed back.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// isWellFormed reports whether the key may be one of ours.
func isWellFormed(key string) bool {
	if len(key) != keyLength || !strings.HasPrefix(key, keyPrefix) {
		return false
	}
	body := key[:keyLength-keyChecksumLength]
	return key[len(body):] == checksum(body)
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	var out [keyChecksumLength]byte
	for i := range out {
		out[keyChecksumLength-1-i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

func random62(n int) string {
	out := make([]byte, 0, n)
	var pool [64]byte
	for len(out) < n {
		_, _ = rand.Read(pool[:]) // never fails: crypto/rand aborts the program instead
		for _, b := range pool {
			if b < 62*4 && len(out) < n { // larger bytes would make some characters more likely
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}

// NewKeyRequest describes a key to create.
type NewKeyRequest struct {
	AccountID parley.AccountID
	Name      string         // empty for "key"
	Scopes    []parley.Scope // nil for full access
	ExpiresAt *time.Time     // nil for never
	Source    string         // of the key; empty for one that a person makes
}

// CreateKey creates an API key and returns its record and the key itself, which cannot be read again. Fails with
// ACCOUNT_NOT_FOUND or VALIDATION_INVALID_BODY.
func (ac *Accounts) CreateKey(ctx context.Context, n NewKeyRequest) (*parley.APIKey, string, error) {
	key, record := ac.newKey(n.AccountID, cmp.Or(parley.TrimName(n.Name), "key"))
	record.ExpiresAt, record.Scopes, record.Source = n.ExpiresAt, normalizeScopes(n.Scopes), n.Source
	if err := checkKey(record, n.Scopes); err != nil {
		return nil, "", err
	}
	err := ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, n.AccountID); err != nil {
			return err
		}
		return ac.storeKey(ctx, tx, record)
	})
	return record, key, err
}

// RevokeKey ends a key of an account for good; without an account, one of any. Fails with KEY_NOT_FOUND.
func (ac *Accounts) RevokeKey(ctx context.Context, account parley.AccountID,
	id parley.KeyID) (k *parley.APIKey, err error) {
	err = ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) (err error) {
		revoked, isNew, err := tx.RevokeKey(ctx, account, id, ac.Now())
		if k = &revoked; err != nil || !isNew {
			return err
		}
		return ac.audit(ctx, tx, k.AccountID, "key.revoke", string(id), nil)
	})
	return k, err
}

// Keys lists an account's keys, oldest first; without an account, all.
func (ac *Accounts) Keys(ctx context.Context, account parley.AccountID) ([]parley.APIKey, error) {
	if err := ac.checkExists(ctx, account); err != nil {
		return nil, err
	}
	return ac.DB.Keys(ctx, account)
}

func (ac *Accounts) newKey(account parley.AccountID, name string) (string, *parley.APIKey) {
	key := NewKey()
	return key, &parley.APIKey{ID: parley.KeyID(parley.NewUUID()), AccountID: account, Name: name, Hash: Hash(key),
		Hint: key[:keyHintLength], CreatedBy: cmp.Or(ac.Actor, operatorActor), CreatedAt: ac.Now()}
}

func (ac *Accounts) storeKey(ctx context.Context, tx *store.DB, k *parley.APIKey) error {
	if err := tx.CreateKey(ctx, k); err != nil {
		return err
	}
	facts := map[string]any{"name": k.Name, "scopes": k.Scopes}
	if k.ExpiresAt != nil {
		facts["expiresAt"] = k.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return ac.audit(ctx, tx, k.AccountID, "key.create", string(k.ID), facts)
}

// CheckScopes fails with VALIDATION_INVALID_BODY of scopes that no key can have. Nil is full access.
func CheckScopes(scopes []parley.Scope) error {
	details := map[string]string{}
	checkScopes(details, scopes)
	return parley.InvalidFields(details)
}

func checkScopes(details map[string]string, scopes []parley.Scope) {
	if scopes != nil && len(scopes) == 0 {
		details["scopes"] = "must name at least one scope; leave it out for full access"
	}
	for _, s := range scopes {
		if !slices.Contains(parley.Scopes(), s) {
			details["scopes"] = string(s) + " is not a scope; there are " + joinScopes(parley.Scopes())
		}
	}
}

func checkKey(k *parley.APIKey, scopes []parley.Scope) error {
	details := map[string]string{}
	checkName(details, k.Name)
	checkScopes(details, scopes)
	if k.ExpiresAt != nil && !k.ExpiresAt.After(k.CreatedAt) {
		details["expires"] = "must lie in the future"
	}
	return parley.InvalidFields(details)
}

// normalizeScopes returns the scopes in their usual order, each once.
func normalizeScopes(requested []parley.Scope) []parley.Scope {
	if requested == nil {
		return nil
	}
	return slices.DeleteFunc(parley.Scopes(), func(s parley.Scope) bool { return !slices.Contains(requested, s) })
}

func joinScopes(scopes []parley.Scope) string {
	var list []string
	for _, s := range scopes {
		list = append(list, string(s))
	}
	return strings.Join(list, ", ")
}
