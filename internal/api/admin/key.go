package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/pairing"
)

// NewKey asks for a key of an account.
type NewKey struct {
	AccountID string     `path:"accountId" json:"-"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes,omitempty" max:"100"` // nil for all
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
	Scopes     []string   `json:"scopes"`              // null for all
	Source     string     `json:"source,omitempty"`    // cli for that of a paired command line
	CreatedBy  string     `json:"createdBy,omitempty"` // e-mail address, or operator; empty if nobody knows
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
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return CreatedKey{}, err
	}
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
	_, err := s.Accounts.RevokeKey(ctx, s.ownAccount(), parley.KeyID(in.ID))
	s.applyChange()
	return RevokedKey(in), err
}

func (s *Service) listKeys(ctx context.Context, in AccountFilter) ([]Key, error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	found, err := s.Accounts.Keys(ctx, account)
	if err != nil {
		return nil, err
	}
	return s.newKeys(ctx, found)
}

// KeyPageQuery asks for a page of an account's keys.
type KeyPageQuery struct {
	AccountID string `query:"accountId"`
	Revoked   bool   `query:"revoked" doc:"Those that are revoked; otherwise the others."`
	Paging
}

func (s *Service) listKeyPage(ctx context.Context, in KeyPageQuery) (Page[Key], error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if err != nil {
		return Page[Key]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.APIKey], error) {
		return s.DB.KeyPage(ctx, account, in.Revoked, p)
	}
	purpose := []string{"keys"}
	if in.Revoked {
		purpose = append(purpose, "revoked")
	}
	return readPage(s, in.Paging, purpose, read, func(list []parley.APIKey) ([]Key, error) {
		return s.newKeys(ctx, list)
	})
}

// newKeys converts keys, with who has made them.
func (s *Service) newKeys(ctx context.Context, list []parley.APIKey) ([]Key, error) {
	actors := make([]string, len(list))
	for i := range list {
		actors[i] = list[i].CreatedBy
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return nil, err
	}
	out := httpapi.ConvertList(list, newKey)
	for i := range out {
		out[i].CreatedBy = people.emailOf(list[i].CreatedBy)
	}
	return out, nil
}

func newKey(k *parley.APIKey) Key {
	return Key{
		ID:         string(k.ID),
		AccountID:  string(k.AccountID),
		Name:       k.Name,
		Hint:       k.Hint,
		Scopes:     scopeNames(k.Scopes),
		Source:     k.Source,
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

// PairingRef names a command line that asks for a key of an account.
type PairingRef struct {
	AccountID string `path:"accountId" json:"-"`
	Code      string `path:"code" json:"-"`
}

// Pairing is a command line that asks for a key.
type Pairing struct {
	Code       string    `json:"code" doc:"As the command line shows it."`
	DeviceName string    `json:"deviceName" doc:"What the command line calls its machine. Nobody has checked that."`
	Address    string    `json:"address" doc:"From where it asks."`
	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	KeyDays    int       `json:"keyDays" doc:"How many days its key will be good for."`
}

// PairingApproval lets a command line have a key.
type PairingApproval struct {
	AccountID string   `path:"accountId" json:"-"`
	Code      string   `path:"code" json:"-"`
	Scopes    []string `json:"scopes,omitempty" max:"100" doc:"Of the key; left out for all."`
}

func (s *Service) getPairing(ctx context.Context, in PairingRef) (Pairing, error) {
	if _, err := s.findDecider(ctx, in.AccountID); err != nil {
		return Pairing{}, err
	}
	p, err := s.Pairings.Find(ctx, in.Code)
	if err != nil {
		return Pairing{}, err
	}
	return Pairing{Code: pairing.FormatCode(p.UserCode), DeviceName: p.DeviceName, Address: p.Address,
		CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, KeyDays: int(pairing.KeyLifetime / (24 * time.Hour))}, nil
}

func (s *Service) approvePairing(ctx context.Context, in PairingApproval) (NoOutput, error) {
	by, err := s.findDecider(ctx, in.AccountID)
	if err != nil {
		return NoOutput{}, err
	}
	var scopes []parley.Scope
	for _, name := range in.Scopes {
		scopes = append(scopes, parley.Scope(name))
	}
	return NoOutput{}, s.Pairings.Approve(ctx, in.Code, by, scopes)
}

func (s *Service) denyPairing(ctx context.Context, in PairingRef) (NoOutput, error) {
	by, err := s.findDecider(ctx, in.AccountID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Pairings.Deny(ctx, in.Code, by)
}

// findDecider returns who decides on a command line. Fails with ACCOUNT_NOT_FOUND.
func (s *Service) findDecider(ctx context.Context, account string) (pairing.Decider, error) {
	by := pairing.Decider{Account: parley.AccountID(account)}
	if s.member != nil {
		by.User = s.member.User
		return by, s.checkAccount(by.Account)
	}
	_, err := s.DB.Account(ctx, by.Account)
	return by, err
}
