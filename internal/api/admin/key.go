package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
)

// NewKey asks for a key of an account.
type NewKey struct {
	AccountID string     `json:"accountId"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes,omitempty"` // nil for all
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// CreatedKey names the new key and shows it, this once.
type CreatedKey struct {
	KeyID  string `json:"keyId"`
	APIKey string `json:"apiKey"`
}

// KeyRef names a key.
type KeyRef struct {
	ID string `json:"keyId"`
}

// AccountFilter narrows a list to an account; empty does not.
type AccountFilter struct {
	AccountID string `json:"accountId,omitempty"`
}

// Key is the record of a key.
type Key struct {
	ID         string     `json:"keyId"`
	AccountID  string     `json:"accountId"`
	Name       string     `json:"name"`
	Hint       string     `json:"begins"`
	Scopes     []string   `json:"scopes"` // null for all
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
}

// State says in a word or two whether the key opens anything.
func (k *Key) State(now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt == nil:
		return "active"
	case k.ExpiresAt.After(now):
		return "active until " + k.ExpiresAt.UTC().Format("2006-01-02 15:04 MST")
	}
	return "expired"
}

// The verbs on keys.
var (
	CreateKey = Command[NewKey, CreatedKey]{"key.create", false, (*Service).createKey}
	RevokeKey = Command[KeyRef, KeyRef]{"key.revoke", false, (*Service).revokeKey}
	ListKeys  = Command[AccountFilter, []Key]{"key.list", false, (*Service).listKeys}
)

func (d *Service) createKey(ctx context.Context, in NewKey) (CreatedKey, error) {
	ask := access.NewKeyRequest{AccountID: parley.AccountID(in.AccountID), Name: in.Name, ExpiresAt: in.ExpiresAt}
	for _, s := range in.Scopes {
		ask.Scopes = append(ask.Scopes, parley.Scope(s))
	}
	k, key, err := d.Accounts.CreateKey(ctx, ask)
	if err != nil {
		return CreatedKey{}, err
	}
	d.applyChange()
	return CreatedKey{string(k.ID), key}, nil
}

func (d *Service) revokeKey(ctx context.Context, in KeyRef) (KeyRef, error) {
	_, err := d.Accounts.RevokeKey(ctx, parley.KeyID(in.ID))
	d.applyChange()
	return in, err
}

func (d *Service) listKeys(ctx context.Context, in AccountFilter) ([]Key, error) {
	found, err := d.Accounts.Keys(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	list := make([]Key, len(found))
	for i, k := range found {
		list[i] = Key{ID: string(k.ID), AccountID: string(k.AccountID), Name: k.Name, Hint: k.Hint, Scopes: scopeNames(k.Scopes),
			CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, LastUsedAt: k.LastUsedAt, RevokedAt: k.RevokedAt}
	}
	return list, nil
}

func scopeNames(scopes []parley.Scope) []string {
	if scopes == nil {
		return nil
	}
	list := make([]string, len(scopes))
	for i, s := range scopes {
		list[i] = string(s)
	}
	return list
}
