package access_test

import (
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is Accounts and an Authenticator on one database, with a clock that the test sets.
type fixture struct {
	testing.TB
	*access.Accounts
	Gate  *access.Authenticator
	clock atomic.Int64
}

func forEachStore(t *testing.T, f func(d *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		plans, err := access.LoadPlans("")
		if err != nil {
			t.Fatal(err)
		}
		d := &fixture{TB: t}
		d.Accounts = &access.Accounts{DB: db, Plans: plans, Now: d.now}
		d.Gate = &access.Authenticator{DB: db, Plans: plans, Now: d.now}
		f(d)
	})
}

func (d *fixture) now() time.Time          { return testTime.Add(time.Duration(d.clock.Load())) }
func (d *fixture) advance(t time.Duration) { d.clock.Add(int64(t)) }

func (d *fixture) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) wantCode(err error, code parley.Code, fields ...string) {
	d.Helper()
	if !parley.IsCode(err, code) {
		d.Errorf("got %v, want %s", err, code)
		return
	}
	for _, f := range fields {
		if parley.AsError(err).Details[f] == "" {
			d.Errorf("the details do not name %s: %v", f, parley.AsError(err).Details)
		}
	}
}

func (d *fixture) createAccount(plan string) (*parley.Account, string) {
	d.Helper()
	a, key, err := d.CreateAccount(d.Context(), access.NewAccount{Name: "Acme", Plan: plan})
	d.must(err)
	return a, key
}
