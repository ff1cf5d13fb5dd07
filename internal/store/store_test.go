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

func forEachDatabase(t *testing.T, f func(w *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		w := &fixture{TB: t, Context: t.Context(), DB: db}
		w.Account = w.createAccount("Acme")
		w.Agent = w.createAgent(w.Account, testTime)
		f(w)
	})
}

func (w *fixture) createAccount(name string) *parley.Account {
	w.Helper()
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: name, Plan: "unlimited", CreatedAt: testTime}
	w.must(w.CreateAccount(w, a))
	return a
}

func (w *fixture) createAgent(account *parley.Account, created time.Time) *parley.Agent {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account.ID, Name: "Guide", Model: "auto", Visibility: "private",
		InitialMessages: []string{"Hi!"}, RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s", ConfigVersion: 1,
		CreatedAt: created, UpdatedAt: created}
	w.must(w.CreateAgent(w, a))
	return a
}

func (w *fixture) createSource(name string, size int64, created time.Time) *parley.Source {
	w.Helper()
	s := &parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID,
		Kind: parley.SourceText, Name: name, Size: size,
		Status: parley.SourceUntrained, WantedVersion: parley.VersionID(parley.NewUUID()), CreatedAt: created,
		UpdatedAt: created}
	w.must(w.Transact(w, 0, func(tx *store.DB) error {
		_, err := tx.CreateSource(w, s)
		return err
	}))
	return s
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// wantCode asserts the code of a failure.
func (w *fixture) wantCode(err error, code parley.Code) {
	w.Helper()
	if !parley.IsCode(err, code) {
		w.Errorf("got %v, want %s", err, code)
	}
}

// reloadAgent reads the agent again.
func (w *fixture) reloadAgent() *parley.Agent {
	w.Helper()
	a, err := w.DB.Agent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime)
	w.must(err)
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
