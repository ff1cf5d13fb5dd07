package access_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is Accounts and an Authenticator on one database, with a clock that the test sets.
type fixture struct {
	check.T
	*access.Accounts
	Auth  *access.Authenticator
	Users *access.Users
	clock *clock.Clock
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		plans, err := access.LoadPlans("")
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{T: check.T{TB: t}, clock: clock.At(testTime)}
		f.Accounts = &access.Accounts{DB: db, Plans: plans, Now: f.clock.Now}
		f.Auth = &access.Authenticator{DB: db, Plans: plans, Now: f.clock.Now}
		f.Users = newUsers(t, f.Accounts)
		do(f)
	})
}

func (f *fixture) createAccount(plan string) (*parley.Account, string) {
	f.Helper()
	a, key, err := f.CreateAccount(f.Context(), access.NewAccount{Name: "Acme", Plan: plan})
	f.Must(err)
	return a, key
}

const consoleURL = "http://localhost:8080/console"

func newUsers(t *testing.T, accounts *access.Accounts) *access.Users {
	t.Helper()
	passkeys, err := access.NewPasskeyVerifier(consoleURL)
	if err != nil {
		t.Fatal(err)
	}
	passwords := access.NewPasswords()
	passwords.LowerCosts()
	return &access.Users{
		DB: accounts.DB, Accounts: accounts, Now: accounts.Now, ConsoleURL: consoleURL,
		Sessions:  &access.WebSessions{DB: accounts.DB, Now: accounts.Now},
		Passwords: passwords, Throttle: &access.SignInThrottle{}, Passkeys: passkeys,
		Challenges: access.NewChallengeLimiter(nil),
	}
}
