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
	Auth  *access.Authenticator
	clock atomic.Int64
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		plans, err := access.LoadPlans("")
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{TB: t}
		f.Accounts = &access.Accounts{DB: db, Plans: plans, Now: f.now}
		f.Auth = &access.Authenticator{DB: db, Plans: plans, Now: f.now}
		do(f)
	})
}

func (f *fixture) now() time.Time          { return testTime.Add(time.Duration(f.clock.Load())) }
func (f *fixture) advance(t time.Duration) { f.clock.Add(int64(t)) }

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) wantCode(err error, code parley.Code, fields ...string) {
	f.Helper()
	if !parley.IsCode(err, code) {
		f.Errorf("got %v, want %s", err, code)
		return
	}
	for _, field := range fields {
		if parley.AsError(err).Details[field] == "" {
			f.Errorf("the details do not name %s: %v", field, parley.AsError(err).Details)
		}
	}
}

func (f *fixture) createAccount(plan string) (*parley.Account, string) {
	f.Helper()
	a, key, err := f.CreateAccount(f.Context(), access.NewAccount{Name: "Acme", Plan: plan})
	f.must(err)
	return a, key
}
