package access_test

import (
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/dbs"
)

func TestAuthenticatorLetsTheRightKeysIn(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, key := d.createAccount("standard")
		caller, err := d.Gate.Authenticate(d.Context(), "bearer  "+key+" ")
		d.must(err)
		if caller.Account.ID != a.ID || caller.Plan.Name != "standard" || caller.Key.Scopes != nil {
			d.Errorf("%+v", caller)
		}
		for header, code := range map[string]parley.Code{
			"": parley.CodeMissingKey, "  ": parley.CodeMissingKey, "Bearer": parley.CodeInvalidKey,
			"Bearer ":      parley.CodeInvalidKey,
			"Basic " + key: parley.CodeInvalidKey, key: parley.CodeInvalidKey,
			"Bearer " + access.NewKey(): parley.CodeInvalidKey,
			"Bearer " + key + "x":       parley.CodeInvalidKey, "Bearer ' or 1=1 --": parley.CodeInvalidKey,
			"Bearer \x00": parley.CodeInvalidKey,
		} {
			_, err := d.Gate.Authenticate(d.Context(), header)
			d.wantCode(err, code)
		}
	})
}

func TestAuthenticatorAsksForPlanBeforeScope(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, _ := d.createAccount("hobby")
		_, key, err := d.CreateKey(d.Context(),
			access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{parley.AgentsRead}})
		d.must(err)
		caller, err := d.Gate.Authenticate(d.Context(), "Bearer "+key)
		d.must(err)
		d.wantCode(caller.CheckScope(parley.AgentsWrite), parley.CodePlanWithoutAPI)
		plan := "pro"
		_, err = d.UpdateAccount(d.Context(), a.ID, access.AccountChange{Plan: &plan})
		d.must(err)
		d.Gate.ClearCache()
		caller, err = d.Gate.Authenticate(d.Context(), "Bearer "+key)
		d.must(err)
		d.wantCode(caller.CheckScope(parley.AgentsWrite), parley.CodeInsufficientScope)
		d.must(errors.Join(caller.CheckScope(parley.AgentsRead), caller.CheckScope("")))
	})
}

func TestAuthenticatorSeesChangesWithinASecond(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, key := d.createAccount("")
		enter := func() error { _, err := d.Gate.Authenticate(d.Context(), "Bearer "+key); return err }
		d.must(enter())
		keys, err := d.Keys(d.Context(), a.ID)
		d.must(err)
		_, err = d.RevokeKey(d.Context(), keys[0].ID)
		d.must(err)
		d.advance(500 * time.Millisecond) // by another server, which does not tell this one
		d.wantCode(enter(), parley.CodeInvalidKey)

		until := d.now().Add(time.Minute)
		record, second, err := d.CreateKey(d.Context(), access.NewKeyRequest{AccountID: a.ID, ExpiresAt: &until})
		d.must(err)
		key = second
		d.must(enter())
		d.advance(time.Minute - time.Millisecond)
		d.must(enter())
		d.advance(time.Millisecond) // to the instant, whatever is remembered
		d.wantCode(enter(), parley.CodeExpiredKey)

		_, err = d.RevokeKey(d.Context(), record.ID)
		d.must(err)
		d.Gate.ClearCache()
		d.wantCode(enter(), parley.CodeInvalidKey)
	})
}

func TestAuthenticatorRemembersTheRefusedOnlyForAMoment(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, _ := d.createAccount("")
		key := access.NewKey()
		enter := func() error { _, err := d.Gate.Authenticate(d.Context(), "Bearer "+key); return err }
		d.wantCode(enter(), parley.CodeInvalidKey)
		d.must(d.DB.CreateKey(d.Context(),
			&parley.APIKey{ID: "k", AccountID: a.ID, Name: "k", Hash: access.Hash(key), CreatedAt: testTime}))
		d.advance(time.Second)
		d.must(enter())
	})
}

func TestAuthenticatorWritesTheLastUseAtMostOnceAMinute(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, key := d.createAccount("")
		use := func() *time.Time {
			d.Helper()
			_, err := d.Gate.Authenticate(d.Context(), "Bearer "+key)
			d.must(err)
			d.must(d.Gate.FlushUsage(d.Context()))
			keys, err := d.Keys(d.Context(), a.ID)
			d.must(err)
			return keys[0].LastUsedAt
		}
		if at := use(); at == nil || !at.Equal(testTime) {
			d.Error("first use:", at)
		}
		d.advance(59 * time.Second)
		if at := use(); !at.Equal(testTime) {
			d.Error("within the minute:", at)
		}
		d.advance(time.Second)
		if at := use(); !at.Equal(testTime.Add(time.Minute)) {
			d.Error("a minute later:", at)
		}
	})
}

func BenchmarkAuthenticator(b *testing.B) {
	db := dbs.NewStore(b, dbs.Open(b, dbs.NewSQLitePath(b)))
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
