// Package pairingapi is what command lines call to get an API key (docs/interface/authentication.md#pairing): they ask
// for codes, fetch their key once somebody has approved it in the console, and give it back.
package pairingapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/pairing"
)

// Base is the path of the API.
const Base = "/api/cli-pairing"

// Config holds what the API needs.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter
	Limits        *limits.Shared // may be nil
	Accounts      *access.Accounts
	Pairings      *pairing.Service
	ApprovalURL   string // of the page of the console where codes are entered
	TrustProxy    bool   // take the caller's address from X-Forwarded-For

	Now      func() time.Time
	Logger   *slog.Logger
	Observer *httpapi.Observer // may be nil
}

// The limits of an address, besides that of requests: a person begins a few times, and waits.
const (
	beginLimit    = 10
	beginWindow   = time.Minute
	exchangeLimit = 60
)

type server struct {
	Config
	begins    *limits.Limiter // by network
	exchanges *limits.Limiter // by network
}

type call = httpapi.Call

// New returns the handler of everything below Base.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg,
		begins:    &limits.Limiter{Name: "pairings", Limit: beginLimit, Window: beginWindow, Shared: cfg.Limits},
		exchanges: &limits.Limiter{Name: "exchanges", Limit: exchangeLimit, Window: beginWindow, Shared: cfg.Limits}}
	admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now,
		TrustProxy: cfg.TrustProxy}
	api := httpapi.New(httpapi.Config{
		BasePath:    Base,
		Admit:       admission.Admit,
		RenderError: httpapi.RenderEnvelope,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
	})
	s.addRoutes(api)
	return api
}

// addRoutes adds the operations. This is the one list of them.
func (s *server) addRoutes(api *httpapi.API) {
	g := api.Groups("Pairing", "").Account
	httpapi.Add(g, "POST /create", httpapi.Operation{
		Name:    "createPairing",
		Summary: "Begin to pair a command line",
		Public:  true,
	}, s.create)
	httpapi.Add(g, "POST /exchange", httpapi.Operation{
		Name:    "exchangePairing",
		Summary: "Fetch the key of a command line, once",
		Public:  true,
		Errors: []parley.Code{parley.CodePairingPending, parley.CodePairingSlowDown, parley.CodePairingDenied,
			parley.CodePairingExpired},
	}, s.exchange)
	httpapi.Add(g, "GET /me", httpapi.Operation{
		Name:    "getPairedKey",
		Summary: "Describe the key that is used",
	}, s.describe)
	httpapi.Add(g, "DELETE /me", httpapi.Operation{
		Name:    "revokePairedKey",
		Summary: "Give the key of a paired command line back",
	}, s.revoke)
}

// NewPairing asks for the codes of a command line.
type NewPairing struct {
	Body NewPairingBody
}

// NewPairingBody says who asks.
type NewPairingBody struct {
	DeviceName httpapi.Opt[string] `json:"device_name,omitzero" nullable:"true" doc:"The name of the machine."`
}

// Codes are what a command line goes on with, as RFC 8628 names them.
type Codes struct {
	DeviceCode  string `json:"device_code"`
	UserCode    string `json:"user_code"`
	Address     string `json:"verification_uri"`
	FullAddress string `json:"verification_uri_complete"`
	ExpiresIn   int    `json:"expires_in"`
	Interval    int    `json:"interval"`
}

func (s *server) create(ctx context.Context, c *call, in *NewPairing) (*Codes, error) {
	address := httpapi.ClientAddress(c.Request, s.TrustProxy)
	if err := s.begins.Take(access.NetworkOf(address), s.Now()).Err(); err != nil {
		return nil, err
	}
	codes, err := s.Pairings.Begin(ctx, in.Body.DeviceName.Value, address)
	if err != nil {
		return nil, err
	}
	return &Codes{DeviceCode: codes.Device, UserCode: codes.User, Address: s.ApprovalURL,
		FullAddress: s.ApprovalURL + "?code=" + url.QueryEscape(codes.User),
		ExpiresIn:   int(pairing.Lifetime / time.Second), Interval: int(pairing.Interval / time.Second)}, nil
}

// Exchange asks for the key of a command line.
type Exchange struct {
	Body ExchangeBody
}

// ExchangeBody holds the code that the command line has kept to itself.
type ExchangeBody struct {
	DeviceCode string `json:"device_code" min:"1" max:"200"`
}

// PairedKey is the key of a command line, with the account that it opens.
type PairedKey struct {
	Key       string    `json:"api_key"`
	Workspace Workspace `json:"workspace"`
}

// Workspace is an account.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *server) exchange(ctx context.Context, c *call, in *Exchange) (*PairedKey, error) {
	network := access.NetworkOf(httpapi.ClientAddress(c.Request, s.TrustProxy))
	if err := s.exchanges.Take(network, s.Now()).Err(); err != nil {
		return nil, err
	}
	grant, err := s.Pairings.Exchange(ctx, in.Body.DeviceCode)
	if err != nil {
		return nil, err
	}
	return &PairedKey{grant.Key, Workspace{string(grant.Account.ID), grant.Account.Name}}, nil
}

// Me is who calls, as REST v2 says it.
type Me struct {
	Workspace  Workspace  `json:"workspace"`
	Plan       string     `json:"plan"`
	Credential Credential `json:"credential"`
}

// Credential is the key that was used.
type Credential struct {
	Source      *string        `json:"source"`
	ExpiresAt   *string        `json:"expiresAt" format:"date-time"`
	Permissions []parley.Scope `json:"permissions" nullable:"true"`
}

const timeLayout = "2006-01-02T15:04:05.000Z"

func (s *server) describe(_ context.Context, c *call, _ *httpapi.NoInput) (*Me, error) {
	caller := c.Caller.(*access.Caller)
	out := &Me{Workspace: Workspace{string(caller.Account.ID), caller.Account.Name}, Plan: caller.Account.Plan,
		Credential: Credential{Permissions: caller.Key.Scopes}}
	if caller.Key.Source != "" {
		out.Credential.Source = &caller.Key.Source
	}
	if caller.Key.ExpiresAt != nil {
		text := caller.Key.ExpiresAt.UTC().Format(timeLayout)
		out.Credential.ExpiresAt = &text
	}
	return out, nil
}

// Revoked says that the key is not good any more.
type Revoked struct {
	Success bool `json:"success"`
}

// revoke ends the key that the request has. A key that somebody has made in the console is not a command line's to end:
// others may use it.
func (s *server) revoke(ctx context.Context, c *call, _ *httpapi.NoInput) (*Revoked, error) {
	key := c.Caller.(*access.Caller).Key
	if key.Source != parley.KeySourceCLI {
		return nil, parley.NewErrorf(parley.CodeInsufficientScope,
			"Only the key of a paired command line is revoked here. Revoke this one in the console.")
	}
	accounts := *s.Accounts
	accounts.Actor = access.KeyActor(key.ID)
	_, err := accounts.RevokeKey(ctx, key.AccountID, key.ID)
	s.Authenticator.ClearCache()
	return &Revoked{Success: err == nil}, err
}
