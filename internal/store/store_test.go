package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
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

// TestListPlans checks that what members page through is read by its index: no list is walked and none is sorted.
func TestListPlans(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		if fx.SQL().Dialect() == sqldb.Postgres {
			for _, fill := range []string{
				`insert into accounts (id, name, plan, created_at, updated_at)
					select 'a' || i, '', '', 0, 0 from generate_series(1, 2000) i`,
				`insert into users (id, email, name, created_at) select 'u' || i, 'u' || i, '', 0 from generate_series(1, 9000) i`,
				`insert into passkeys (id, user_id, credential_id, public_key, sign_count, aaguid, flags, name, created_at)
					select 'p' || i, 'u' || i, 'p' || i, '', 0, '', 0, '', i from generate_series(1, 9000) i`,
				`insert into sso_links (issuer, subject, user_id, created_at)
					select 'o', 's' || i, 'u' || i, i from generate_series(1, 9000) i`,
				`insert into memberships (account_id, user_id, role, created_at)
					select 'a' || i % 2 + 1, 'u' || i, 'agent', i from generate_series(1, 9000) i`,
				`insert into invites (id, kind, account_id, email, hash, invited_by, created_at, expires_at)
					select 'i' || i, '', 'a' || i % 2 + 1, '', 'h' || i, '', i, 1 from generate_series(1, 9000) i`,
				`insert into api_keys (id, account_id, name, hash, hint, created_at, revoked_at)
					select 'k' || i, 'a' || i % 2 + 1, '', 'h' || i, '', i, nullif(i % 3, 0) from generate_series(1, 9000) i`,
				`insert into audit_events (account_id, seq, at, actor, action, subject, details, previous_hash, hash)
					select 'a' || i % 2 + 1, i, i, 'x' || i % 7, 'y' || i % 5, '', '{}', '', '' from generate_series(1, 9000) i`,
				`insert into webhook_deliveries (id, account_id, webhook_id, event, body, state, attempts, due_at, created_at,
					updated_at, conversation_id, event_seq)
					select 'd' || i, 'a' || i % 2 + 1, 'h' || i % 2 + 1, 'e', '', 'pending', 0, i, i, i, 'c' || i % 90, i
					from generate_series(1, 9000) i`,
				`analyze`,
			} {
				_, err := fx.SQL().Exec(fx, fill)
				fx.must(err)
			}
		}
		for query, args := range store.ListQueries() {
			steps := fx.explain(query, args...)
			for _, step := range steps {
				// What is found one after the other is scanned: each value once.
				if strings.HasPrefix(step, "SCAN") && step != "SCAN found" || strings.Contains(step, "Seq Scan") ||
					strings.Contains(step, "B-TREE") || strings.Contains(step, "Sort Key") {
					t.Errorf("%s\n%q in %q", query, step, steps)
				}
			}
		}
	})
}
