package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a store with one account that has one agent.
type fixture struct {
	testing.TB
	context.Context
	*store.DB
	Account *parley.Account
	Agent   *parley.Agent
}

func forEachDatabase(t *testing.T, f func(fx *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newFixture(t, db)) })
}

func newFixture(t *testing.T, db *store.DB) *fixture {
	t.Helper()
	fx := &fixture{TB: t, Context: t.Context(), DB: db}
	fx.Account = fx.createAccount("Acme")
	fx.Agent = fx.createAgent(fx.Account, testTime)
	return fx
}

func (fx *fixture) createAccount(name string) *parley.Account {
	fx.Helper()
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: name, Plan: "unlimited", CreatedAt: testTime}
	fx.must(fx.CreateAccount(fx, a))
	return a
}

func (fx *fixture) createAgent(account *parley.Account, created time.Time) *parley.Agent {
	fx.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account.ID, Name: "Guide", Model: "auto", Visibility: "private",
		InitialMessages: []string{"Hi!"}, RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s", ConfigVersion: 1,
		CreatedAt: created, UpdatedAt: created}
	fx.must(fx.CreateAgent(fx, a))
	return a
}

func (fx *fixture) createSource(name string, size int64, created time.Time) *parley.Source {
	fx.Helper()
	s := &parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
		Kind: parley.SourceText, Name: name, Size: size,
		Status: parley.SourceUntrained, WantedVersion: parley.VersionID(parley.NewUUID()), CreatedAt: created,
		UpdatedAt: created}
	fx.must(fx.Transact(fx, 0, func(tx *store.DB) error {
		_, err := tx.CreateSource(fx, s)
		return err
	}))
	return s
}

func (fx *fixture) must(err error) {
	fx.Helper()
	if err != nil {
		fx.Fatal(err)
	}
}

// wantCode asserts the code of a failure.
func (fx *fixture) wantCode(err error, code parley.Code) {
	fx.Helper()
	if !parley.IsCode(err, code) {
		fx.Errorf("got %v, want %s", err, code)
	}
}

// reloadAgent reads the agent again.
func (fx *fixture) reloadAgent() *parley.Agent {
	fx.Helper()
	a, err := fx.DB.Agent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime)
	fx.must(err)
	return a
}

// runConcurrently calls f n times at once and returns the errors.
func runConcurrently(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errs
}

func joinNames[T any](list []T, name func(T) string) string {
	var s []string
	for _, x := range list {
		s = append(s, name(x))
	}
	return fmt.Sprint(s)
}
