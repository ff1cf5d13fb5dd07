package access_test

import (
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/rig/dbs"
)

func TestGateLetsTheRightKeysIn(t *testing.T) {
	each(t, func(d *door) {
		a, key := d.account("standard")
		caller, err := d.Gate.Caller(d.Context(), "bearer  "+key+" ")
		d.must(err)
		if caller.Account.ID != a.ID || caller.Plan.Name != "standard" || caller.Key.Scopes != nil {
			d.Errorf("%+v", caller)
		}
		for header, code := range map[string]parley.Code{
			"": parley.CodeMissingKey, "  ": parley.CodeMissingKey, "Bearer": parley.CodeInvalidKey, "Bearer ": parley.CodeInvalidKey,
			"Basic " + key: parley.CodeInvalidKey, key: parley.CodeInvalidKey, "Bearer " + access.NewKey(): parley.CodeInvalidKey,
			"Bearer " + key + "x": parley.CodeInvalidKey, "Bearer ' or 1=1 --": parley.CodeInvalidKey, "Bearer \x00": parley.CodeInvalidKey,
		} {
			_, err := d.Gate.Caller(d.Context(), header)
			d.fails(err, code)
		}
	})
}

func TestGateAsksForPlanBeforeScope(t *testing.T) {
	each(t, func(d *door) {
		a, _ := d.account("hobby")
		_, key, err := d.CreateKey(d.Context(), access.NewKeyAsk{AccountID: a.ID, Scopes: []parley.Scope{parley.AgentsRead}})
		d.must(err)
		caller, err := d.Gate.Caller(d.Context(), "Bearer "+key)
		d.must(err)
		d.fails(caller.May(parley.AgentsWrite), parley.CodePlanWithoutAPI)
		plan := "pro"
		_, err = d.UpdateAccount(d.Context(), a.ID, access.AccountChange{Plan: &plan})
		d.must(err)
		d.Gate.Forget()
		caller, err = d.Gate.Caller(d.Context(), "Bearer "+key)
		d.must(err)
		d.fails(caller.May(parley.AgentsWrite), parley.CodeInsufficientScope)
		d.must(errors.Join(caller.May(parley.AgentsRead), caller.May("")))
	})
}

func TestGateSeesChangesWithinASecond(t *testing.T) {
	each(t, func(d *door) {
		a, key := d.account("")
		enter := func() error { _, err := d.Gate.Caller(d.Context(), "Bearer "+key); return err }
		d.must(enter())
		keys, err := d.Keys(d.Context(), a.ID)
		d.must(err)
		_, err = d.RevokeKey(d.Context(), keys[0].ID)
		d.must(err)
		d.turn(500 * time.Millisecond) // by another server, which does not tell this one
		d.fails(enter(), parley.CodeInvalidKey)

		until := d.now().Add(time.Minute)
		record, second, err := d.CreateKey(d.Context(), access.NewKeyAsk{AccountID: a.ID, ExpiresAt: &until})
		d.must(err)
		key = second
		d.must(enter())
		d.turn(time.Minute - time.Millisecond)
		d.must(enter())
		d.turn(time.Millisecond) // to the instant, whatever is remembered
		d.fails(enter(), parley.CodeExpiredKey)

		_, err = d.RevokeKey(d.Context(), record.ID)
		d.must(err)
		d.Gate.Forget()
		d.fails(enter(), parley.CodeInvalidKey)
	})
}

func TestGateRemembersTheRefusedOnlyForAMoment(t *testing.T) {
	each(t, func(d *door) {
		a, _ := d.account("")
		key := access.NewKey()
		enter := func() error { _, err := d.Gate.Caller(d.Context(), "Bearer "+key); return err }
		d.fails(enter(), parley.CodeInvalidKey)
		d.must(d.DB.CreateKey(d.Context(), &parley.APIKey{ID: "k", AccountID: a.ID, Name: "k", Hash: access.Hash(key), CreatedAt: noon}))
		d.turn(time.Second)
		d.must(enter())
	})
}

func TestGateWritesTheLastUseAtMostOnceAMinute(t *testing.T) {
	each(t, func(d *door) {
		a, key := d.account("")
		use := func() *time.Time {
			d.Helper()
			_, err := d.Gate.Caller(d.Context(), "Bearer "+key)
			d.must(err)
			d.must(d.Gate.Flush(d.Context()))
			keys, err := d.Keys(d.Context(), a.ID)
			d.must(err)
			return keys[0].LastUsedAt
		}
		if at := use(); at == nil || !at.Equal(noon) {
			d.Error("first use:", at)
		}
		d.turn(59 * time.Second)
		if at := use(); !at.Equal(noon) {
			d.Error("within the minute:", at)
		}
		d.turn(time.Second)
		if at := use(); !at.Equal(noon.Add(time.Minute)) {
			d.Error("a minute later:", at)
		}
	})
}

func BenchmarkGate(b *testing.B) {
	db := dbs.Store(b, dbs.Open(b, dbs.File(b)))
	plans, err := access.LoadPlans("")
	if err != nil {
		b.Fatal(err)
	}
	now := func() time.Time { return noon }
	_, key, err := (&access.Office{DB: db, Plans: plans, Now: now}).CreateAccount(b.Context(), access.NewAccount{Name: "Acme"})
	if err != nil {
		b.Fatal(err)
	}
	g := &access.Gate{DB: db, Plans: plans, Now: now}
	for b.Loop() {
		if _, err := g.Caller(b.Context(), "Bearer "+key); err != nil {
			b.Fatal(err)
		}
	}
}
