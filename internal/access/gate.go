// Package access knows who is calling and what they may do: API keys, scopes, plans, rate limits, and the operator's verbs
// on accounts, keys and members.
package access

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/store"
)

// Caller is who is calling.
type Caller struct {
	Account parley.Account
	Key     parley.APIKey
	Plan    parley.Plan
}

// May fails with SUBSCRIPTION_API_RESTRICTED_PLAN when the plan has no API access, then with AUTH_INSUFFICIENT_PERMISSIONS
// when the key lacks the scope (decision 1: plan before scope).
func (c *Caller) May(scope parley.Scope) error {
	if !c.Plan.API {
		return parley.Fail(parley.CodePlanWithoutAPI)
	}
	if !c.Key.Allows(scope) {
		return parley.Failf(parley.CodeInsufficientScope, "The API key lacks the scope %s.", scope)
	}
	return nil
}

// Gate tells callers by their keys. It remembers each answer for half a second, so a revoked key or a changed plan is in
// force everywhere within that time, and on this server at once after Forget.
type Gate struct {
	DB     *store.DB
	Plans  *Plans
	Now    func() time.Time
	Logger *slog.Logger // nil for slog.Default()

	known   memory[entry]
	unknown memory[struct{}] // apart, so that a flood of wrong keys does not push out the right ones
	used    usage

	maintenance maintenance
}

type entry struct {
	caller *Caller
	noted  *atomic.Int64 // milliseconds of the use noted last
}

// Caller gives the caller that an Authorization header names. It does not ask for plan or scope: that is May. Fails with
// AUTH_MISSING_API_KEY, AUTH_INVALID_API_KEY (also for a header that is not Bearer, decision 1) or AUTH_EXPIRED_API_KEY.
func (g *Gate) Caller(ctx context.Context, authorization string) (*Caller, error) {
	if strings.TrimSpace(authorization) == "" {
		return nil, parley.Fail(parley.CodeMissingKey)
	}
	key, ok := bearer(authorization)
	if !ok || !wellFormed(key) {
		return nil, parley.Fail(parley.CodeInvalidKey)
	}
	now := g.Now()
	e, err := g.find(ctx, Hash(key), now)
	if err != nil {
		return nil, err
	}
	if at := e.caller.Key.ExpiresAt; at != nil && !now.Before(*at) {
		return nil, parley.Fail(parley.CodeExpiredKey)
	}
	g.used.note(e, now)
	return e.caller, nil
}

// Forget drops what the gate remembers, after an operator has changed something.
func (g *Gate) Forget() {
	g.known.forget()
	g.unknown.forget()
}

// Presented gives the key that a request came with, for what signs with it; keys are kept nowhere.
func Presented(r *http.Request) string {
	key, _ := bearer(r.Header.Get("Authorization"))
	return key
}

func bearer(authorization string) (key string, ok bool) {
	scheme, key, ok := strings.Cut(strings.TrimSpace(authorization), " ")
	return strings.TrimSpace(key), ok && strings.EqualFold(scheme, "Bearer")
}

func (g *Gate) find(ctx context.Context, hash string, now time.Time) (entry, error) {
	if e, ok := g.known.get(hash, now); ok {
		return e, nil
	}
	if _, ok := g.unknown.get(hash, now); ok {
		return entry{}, parley.Fail(parley.CodeInvalidKey)
	}
	known, unknown := g.known.generation(), g.unknown.generation()
	found, err := g.DB.Credential(ctx, hash)
	switch {
	case parley.IsCode(err, parley.CodeKeyNotFound):
		g.unknown.put(hash, struct{}{}, now, unknown)
		return entry{}, parley.Fail(parley.CodeInvalidKey)
	case err != nil:
		return entry{}, err
	case found.Key.RevokedAt != nil || subtle.ConstantTimeCompare([]byte(found.Key.Hash), []byte(hash)) != 1:
		g.unknown.put(hash, struct{}{}, now, unknown)
		return entry{}, parley.Fail(parley.CodeInvalidKey)
	}
	e := entry{&Caller{Account: found.Account, Key: found.Key, Plan: g.plan(&found.Account)}, new(atomic.Int64)}
	if at := found.Key.LastUsedAt; at != nil {
		e.noted.Store(at.UnixMilli())
	}
	g.known.put(hash, e, now, known)
	return e, nil
}

// plan gives the account's plan. A plan that the operator has taken out of the file allows nothing.
func (g *Gate) plan(a *parley.Account) parley.Plan {
	if p, ok := g.Plans.Plan(a.Plan); ok {
		return p
	}
	g.logger().Error("the account's plan does not exist any more: its requests are refused", "account", a.ID, "plan", a.Plan)
	return parley.Plan{Name: a.Plan}
}

func (g *Gate) logger() *slog.Logger {
	if g.Logger == nil {
		return slog.Default()
	}
	return g.Logger
}
