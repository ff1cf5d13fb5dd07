package access_test

import (
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/dbs"
)

func TestAuthenticatorAcceptsValidKeys(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, key := f.createAccount("standard")
		caller, err := f.Auth.Authenticate(f.Context(), "bearer  "+key+" ")
		f.Must(err)
		if caller.Account.ID != a.ID || caller.Plan.Name != "standard" || caller.Key.Scopes != nil {
			f.Errorf("%+v", caller)
		}
		for header, code := range map[string]parley.Code{
			"": parley.CodeMissingKey, "  ": parley.CodeMissingKey, "Bearer": parley.CodeInvalidKey,
			"Bearer ":      parley.CodeInvalidKey,
			"Basic " + key: parley.CodeInvalidKey, key: parley.CodeInvalidKey,
			"Bearer " + access.NewKey(): parley.CodeInvalidKey,
			"Bearer " + key + "x":       parley.CodeInvalidKey, "Bearer ' or 1=1 --": parley.CodeInvalidKey,
			"Bearer \x00": parley.CodeInvalidKey,
		} {
			_, err := f.Auth.Authenticate(f.Context(), header)
			f.WantCode(err, code)
		}
	})
}

func TestPlanIsCheckedBeforeScope(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("hobby")
		_, key, err := f.CreateKey(f.Context(),
			access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{parley.AgentsRead}})
		f.Must(err)
		caller, err := f.Auth.Authenticate(f.Context(), "Bearer "+key)
		f.Must(err)
		f.WantCode(caller.CheckScope(parley.AgentsWrite), parley.CodePlanWithoutAPI)
		plan := "pro"
		_, err = f.UpdateAccount(f.Context(), a.ID, access.AccountChange{Plan: &plan})
		f.Must(err)
		f.Auth.ClearCache()
		caller, err = f.Auth.Authenticate(f.Context(), "Bearer "+key)
		f.Must(err)
		f.WantCode(caller.CheckScope(parley.AgentsWrite), parley.CodeInsufficientScope)
		f.Must(errors.Join(caller.CheckScope(parley.AgentsRead), caller.CheckScope("")))
	})
}

func TestAuthenticatorSeesChangesWithinASecond(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, key := f.createAccount("")
		enter := func() error { _, err := f.Auth.Authenticate(f.Context(), "Bearer "+key); return err }
		f.Must(enter())
		keys, err := f.Keys(f.Context(), a.ID)
		f.Must(err)
		_, err = f.RevokeKey(f.Context(), "", keys[0].ID)
		f.Must(err)
		f.clock.Advance(500 * time.Millisecond) // changed by another server, which does not notify this one
		f.WantCode(enter(), parley.CodeInvalidKey)

		until := f.clock.Now().Add(time.Minute)
		record, second, err := f.CreateKey(f.Context(), access.NewKeyRequest{AccountID: a.ID, ExpiresAt: &until})
		f.Must(err)
		key = second
		f.Must(enter())
		f.clock.Advance(time.Minute - time.Millisecond)
		f.Must(enter())
		f.clock.Advance(time.Millisecond) // exactly then, despite the cache
		f.WantCode(enter(), parley.CodeExpiredKey)

		_, err = f.RevokeKey(f.Context(), "", record.ID)
		f.Must(err)
		f.Auth.ClearCache()
		f.WantCode(enter(), parley.CodeInvalidKey)
	})
}

func TestAuthenticatorCachesUnknownKeysBriefly(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		key := access.NewKey()
		enter := func() error { _, err := f.Auth.Authenticate(f.Context(), "Bearer "+key); return err }
		f.WantCode(enter(), parley.CodeInvalidKey)
		f.Must(f.DB.CreateKey(f.Context(),
			&parley.APIKey{ID: "k", AccountID: a.ID, Name: "k", Hash: access.Hash(key), CreatedAt: testTime}))
		f.clock.Advance(time.Second)
		f.Must(enter())
	})
}

func TestAuthenticatorWritesTheLastUseAtMostOnceAMinute(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, key := f.createAccount("")
		use := func() *time.Time {
			f.Helper()
			_, err := f.Auth.Authenticate(f.Context(), "Bearer "+key)
			f.Must(err)
			f.Must(f.Auth.FlushUsage(f.Context()))
			keys, err := f.Keys(f.Context(), a.ID)
			f.Must(err)
			return keys[0].LastUsedAt
		}
		if at := use(); at == nil || !at.Equal(testTime) {
			f.Error("first use:", at)
		}
		f.clock.Advance(59 * time.Second)
		if at := use(); !at.Equal(testTime) {
			f.Error("within the minute:", at)
		}
		f.clock.Advance(time.Second)
		if at := use(); !at.Equal(testTime.Add(time.Minute)) {
			f.Error("a minute later:", at)
		}
	})
}

func BenchmarkAuthenticator(b *testing.B) {
	db := dbs.NewSQLiteStore(b)
	plans, err := access.LoadPlans("")
	if err != nil {
		b.Fatal(err)
	}
	now := func() time.Time { return testTime }
	_, key, err := (&access.Accounts{DB: db, Plans: plans, Now: now}).CreateAccount(b.Context(),
		access.NewAccount{Name: "Acme"})
	if err != nil {
		b.Fatal(err)
	}
	g := &access.Authenticator{DB: db, Plans: plans, Now: now}
	for b.Loop() {
		if _, err := g.Authenticate(b.Context(), "Bearer "+key); err != nil {
			b.Fatal(err)
		}
	}
}
