package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

// NewKey asks for a key of an account.
type NewKey struct {
	AccountID string     `path:"accountId" json:"-"`
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
	ID string `path:"keyId"`
}

// RevokedKey names the key that was revoked.
type RevokedKey struct {
	ID string `json:"keyId"`
}

// AccountFilter narrows a list to an account; empty does not.
type AccountFilter struct {
	AccountID string `query:"accountId"`
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

// State returns in a word or two whether the key is in force.
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

func (s *Service) createKey(ctx context.Context, in NewKey) (CreatedKey, error) {
	request := access.NewKeyRequest{AccountID: parley.AccountID(in.AccountID), Name: in.Name, ExpiresAt: in.ExpiresAt}
	for _, s := range in.Scopes {
		request.Scopes = append(request.Scopes, parley.Scope(s))
	}
	k, key, err := s.Accounts.CreateKey(ctx, request)
	if err != nil {
		return CreatedKey{}, err
	}
	s.applyChange()
	return CreatedKey{string(k.ID), key}, nil
}

func (s *Service) revokeKey(ctx context.Context, in KeyRef) (RevokedKey, error) {
	_, err := s.Accounts.RevokeKey(ctx, parley.KeyID(in.ID))
	s.applyChange()
	return RevokedKey(in), err
}

func (s *Service) listKeys(ctx context.Context, in AccountFilter) ([]Key, error) {
	found, err := s.Accounts.Keys(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newKey), nil
}

func newKey(k *parley.APIKey) Key {
	return Key{
		ID:         string(k.ID),
		AccountID:  string(k.AccountID),
		Name:       k.Name,
		Hint:       k.Hint,
		Scopes:     scopeNames(k.Scopes),
		CreatedAt:  k.CreatedAt,
		ExpiresAt:  k.ExpiresAt,
		LastUsedAt: k.LastUsedAt,
		RevokedAt:  k.RevokedAt,
	}
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
