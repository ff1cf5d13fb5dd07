package v2

import (
	"context"

	"parley"
	"parley/internal/httpapi"
)

// Me describes whom the API key belongs to (docs/interface/README.md#routes).
type Me struct {
	Workspace  Workspace  `json:"workspace"`
	Plan       string     `json:"plan"`
	Credential Credential `json:"credential"`
}

// Workspace is the account.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Credential is the key that was used.
type Credential struct {
	Source      *string        `json:"source" doc:"cli for the key of a paired command line."`
	ExpiresAt   *string        `json:"expiresAt" format:"date-time"`
	Permissions []parley.Scope `json:"permissions" nullable:"true" doc:"The key's scopes; null for full access."`
}

func (s *server) getIdentity(_ context.Context, c *call, _ *httpapi.NoInput) (*Me, error) {
	caller := callerOf(c)
	return &Me{
		Workspace: Workspace{ID: string(caller.Account.ID), Name: caller.Account.Name},
		Plan:      caller.Account.Plan,
		Credential: Credential{
			Source:      textOrNull(caller.Key.Source),
			ExpiresAt:   formatTimeOrNull(caller.Key.ExpiresAt),
			Permissions: caller.Key.Scopes,
		},
	}, nil
}

// Health is the reply of a server that is up.
type Health struct {
	Status    string `json:"status" enum:"ok"`
	Timestamp int64  `json:"timestamp" doc:"Epoch seconds."`
}

func (s *server) getHealth(context.Context, *call, *httpapi.NoInput) (*Health, error) {
	return &Health{Status: "ok", Timestamp: s.Now().Unix()}, nil
}
