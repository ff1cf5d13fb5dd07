// Package access authenticates callers and checks what they may do: API keys, scopes, plans and rate limits. It also
// holds the operator's operations on accounts, keys and members.
package access

import (
	"cmp"
	"context"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/store"
)

// Caller is who is calling.
type Caller struct {
	parley.Caller
	Key    parley.APIKey
	Member *parley.Member // who is signed in to the console; nil of a caller with a key

	// who talks to an agent in an app, and reaches nothing but the own conversations; nil of all other callers
	Visitor *parley.Visitor
	Channel parley.Channel // of a visitor's new conversations
}

// CheckScope fails with SUBSCRIPTION_API_RESTRICTED_PLAN when the plan has no API access, then with
// AUTH_INSUFFICIENT_PERMISSIONS when the key lacks the scope: the plan is checked before the scope. Members need no API
// access: every plan has a console.
func (c *Caller) CheckScope(scope parley.Scope) error {
	if c.Member != nil {
		return c.checkRole(scope)
	}
	if !c.Plan.API {
		return parley.NewError(parley.CodePlanWithoutAPI)
	}
	if !c.Key.Allows(scope) {
		return parley.NewErrorf(parley.CodeInsufficientScope, "The API key lacks the scope %s.", scope)
	}
	return nil
}

func (c *Caller) checkRole(scope parley.Scope) error {
	if !slices.Contains(Scopes(c.Member.Role), scope) && scope != "" {
		return parley.NewErrorf(parley.CodeInsufficientScope, "The role %s may not do this.", c.Member.Role)
	}
	return nil
}

// Authenticator finds callers by their keys. It caches each result for half a second, so a revoked key or a changed
// plan takes effect everywhere within that time, and on this server at once after ClearCache.
type Authenticator struct {
	DB     *store.DB
	Plans  *Plans
	Now    func() time.Time
	Logger *slog.Logger // nil for slog.Default()
	Bus    *bus.Bus     // tells that maintenance was switched on another server; may be nil

	callers     ttlCache[cachedCaller]
	unknownKeys ttlCache[struct{}] // separate, so that a flood of wrong keys does not evict the right ones
	keyUsage    usage

	maintenance maintenance
}

type cachedCaller struct {
	caller    *Caller
	lastNoted *atomic.Int64 // time of the last noted use, in milliseconds
}

// Authenticate returns the caller of an Authorization header. It checks neither plan nor scope: see CheckScope. Fails
// with AUTH_MISSING_API_KEY, AUTH_INVALID_API_KEY (also for a header that is not Bearer) or AUTH_EXPIRED_API_KEY.
func (a *Authenticator) Authenticate(ctx context.Context, authorization string) (*Caller, error) {
	if strings.TrimSpace(authorization) == "" {
		return nil, parley.NewError(parley.CodeMissingKey)
	}
	key, ok := bearer(authorization)
	if !ok || !isWellFormed(key) {
		return nil, parley.NewError(parley.CodeInvalidKey)
	}
	now := a.Now()
	e, err := a.lookup(ctx, Hash(key), now)
	if err != nil {
		return nil, err
	}
	if at := e.caller.Key.ExpiresAt; at != nil && !now.Before(*at) {
		return nil, parley.NewError(parley.CodeExpiredKey)
	}
	a.keyUsage.noteUse(e, now)
	return e.caller, nil
}

// ClearCache drops all cached results, after an operator has changed something.
func (a *Authenticator) ClearCache() {
	a.callers.clear()
	a.unknownKeys.clear()
}

// RequestKey returns the key of a request, for what is signed with it; keys are not stored.
func RequestKey(r *http.Request) string {
	key, _ := bearer(r.Header.Get("Authorization"))
	return key
}

func bearer(authorization string) (key string, ok bool) {
	scheme, key, ok := strings.Cut(strings.TrimSpace(authorization), " ")
	return strings.TrimSpace(key), ok && strings.EqualFold(scheme, "Bearer")
}

func (a *Authenticator) lookup(ctx context.Context, hash string, now time.Time) (cachedCaller, error) {
	if e, ok := a.callers.get(hash, now); ok {
		return e, nil
	}
	if _, ok := a.unknownKeys.get(hash, now); ok {
		return cachedCaller{}, parley.NewError(parley.CodeInvalidKey)
	}
	callersGeneration, unknownGeneration := a.callers.generation(), a.unknownKeys.generation()
	credential, err := a.DB.Credential(ctx, hash)
	switch {
	case err != nil && !parley.IsCode(err, parley.CodeKeyNotFound):
		return cachedCaller{}, err
	case err != nil, credential.Key.RevokedAt != nil,
		subtle.ConstantTimeCompare([]byte(credential.Key.Hash), []byte(hash)) != 1:
		a.unknownKeys.put(hash, struct{}{}, now, unknownGeneration)
		return cachedCaller{}, parley.NewError(parley.CodeInvalidKey)
	}
	e := cachedCaller{&Caller{Key: credential.Key,
		Caller: parley.Caller{Account: credential.Account, Plan: a.plan(&credential.Account)}},
		new(atomic.Int64)}
	if at := credential.Key.LastUsedAt; at != nil {
		e.lastNoted.Store(at.UnixMilli())
	}
	a.callers.put(hash, e, now, callersGeneration)
	return e, nil
}

// MemberCaller returns a signed-in member as a caller of REST v2, with the scopes of their role.
func (a *Authenticator) MemberCaller(ctx context.Context, m parley.Member) (*Caller, error) {
	account, err := a.DB.Account(ctx, m.Account)
	if err != nil {
		return nil, err
	}
	return &Caller{
		Caller: parley.Caller{Account: *account, Plan: a.plan(account)},
		Key:    parley.APIKey{AccountID: m.Account, Scopes: Scopes(m.Role)},
		Member: &m,
	}, nil
}

// plan returns the account's plan. A plan that is no longer in the operator's file allows nothing.
func (a *Authenticator) plan(account *parley.Account) parley.Plan {
	if p, ok := a.Plans.Plan(account.Plan); ok {
		return p
	}
	a.logger().Error("the account's plan does not exist any more: its requests are refused", "account", account.ID,
		"plan", account.Plan)
	return parley.Plan{Name: account.Plan}
}

func (a *Authenticator) logger() *slog.Logger { return cmp.Or(a.Logger, slog.Default()) }

const (
	cacheTTL      = 500 * time.Millisecond // how long a change by another server may stay unseen
	maxCacheItems = 4096
)

// ttlCache caches results of the database for half a second. Its zero value is ready to use.
type ttlCache[T any] struct {
	mu     sync.RWMutex
	items  map[string]cacheItem[T]
	clears int // counts calls of clear: a result that was read before one is not stored after it
}

type cacheItem[T any] struct {
	value     T
	expiresAt time.Time
}

func (c *ttlCache[T]) get(key string, now time.Time) (value T, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, ok := c.items[key]
	if !ok || !now.Before(k.expiresAt) {
		return value, false
	}
	return k.value, true
}

func (c *ttlCache[T]) generation() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.clears
}

// put stores a result that was requested at askedAt, in that generation.
func (c *ttlCache[T]) put(key string, value T, askedAt time.Time, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.clears {
		return
	}
	if c.items == nil || len(c.items) >= maxCacheItems {
		c.items = map[string]cacheItem[T]{}
	}
	c.items[key] = cacheItem[T]{value, askedAt.Add(cacheTTL)}
}

func (c *ttlCache[T]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items = nil
	c.clears++
}

const (
	noteInterval  = time.Minute      // a key's last use is written at most this often
	writeInterval = 10 * time.Second // how long a noted use waits to be written
)

// usage collects when keys were last used: requests note it, Run writes it.
type usage struct {
	mu      sync.Mutex
	pending map[parley.KeyID]time.Time
}

func (u *usage) noteUse(e cachedCaller, now time.Time) {
	last, at := e.lastNoted.Load(), now.UnixMilli()
	if at-last < noteInterval.Milliseconds() || !e.lastNoted.CompareAndSwap(last, at) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending == nil {
		u.pending = map[parley.KeyID]time.Time{}
	}
	if _, ok := u.pending[e.caller.Key.ID]; !ok {
		u.pending[e.caller.Key.ID] = now
	}
}

func (u *usage) drain() map[parley.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = nil
	return taken
}

// FlushUsage writes the noted uses of keys.
func (a *Authenticator) FlushUsage(ctx context.Context) error {
	used := a.keyUsage.drain()
	if len(used) == 0 {
		return nil
	}
	return a.DB.TouchKeys(ctx, used)
}

// Run writes the uses of keys now and then until ctx is done, and once more then. A use that cannot be written is lost:
// it is informational. It also checks for the beginning and the end of maintenance.
func (a *Authenticator) Run(ctx context.Context) error {
	flush, check := time.NewTicker(writeInterval), time.NewTicker(maintenanceInterval)
	defer flush.Stop()
	defer check.Stop()
	changed, unwatch := a.Bus.Watch(bus.Settings)
	defer unwatch()
	pace := bus.Pace{Bus: a.Bus, Interval: maintenanceInterval}
	for {
		select {
		case <-check.C:
			if pace.IsDue() {
				_ = a.RefreshMaintenance(ctx) // other work reports that the database is not available
			}
		case <-changed:
			_ = a.RefreshMaintenance(ctx)
		case <-flush.C:
			if err := a.FlushUsage(ctx); err != nil && ctx.Err() == nil {
				a.logger().Warn("the last use of API keys was not written", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return a.FlushUsage(last)
		}
	}
}
