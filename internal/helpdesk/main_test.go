package helpdesk

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday

// testHelpdesk is a helpdesk of an account with one agent, and a clock that a test may turn.
type testHelpdesk struct {
	testing.TB
	context.Context
	*Service
	Account parley.AccountID
	Agent   parley.AgentID
	Clock   time.Time
}

// forEachDatabase runs f once on each database.
func forEachDatabase(t *testing.T, f func(w *testHelpdesk)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		w := &testHelpdesk{TB: t, Context: t.Context(), Clock: noon}
		w.Service = &Service{DB: db, Now: func() time.Time {
			return w.Clock
		}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Secret: []byte("secret")}
		w.Account = w.addAccount("Acme")
		w.Agent = w.addAgent(w.Account)
		f(w)
	})
}

// ref names the helpdesk's agent.
func (w *testHelpdesk) ref() parley.AgentRef { return w.Account.AgentRef(w.Agent) }

// inUpdate calls do in an update.
func (w *testHelpdesk) inUpdate(do func(u *update) error) {
	w.Helper()
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return do(&update{w.Service, tx, w.now()}) }))
}

// putRules replaces the rules. New ones get an id, and a key where they have none.
func (w *testHelpdesk) putRules(rules []parley.Rule) error {
	for i := range rules {
		rules[i].ID = cmp.Or(rules[i].ID, parley.RuleID(parley.NewUUID()))
		rules[i].Key = cmp.Or(rules[i].Key, string(rules[i].ID))
	}
	return w.ChangeRules(w, w.ref(), "operator", func([]parley.Rule) ([]parley.Rule, error) { return rules, nil })
}

func (w *testHelpdesk) addAccount(name string) parley.AccountID {
	w.Helper()
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: name, Plan: "unlimited", CreatedAt: noon}
	w.must(w.DB.CreateAccount(w, a))
	return a.ID
}

func (w *testHelpdesk) addAgent(account parley.AccountID) parley.AgentID {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: "Guide", Model: "auto", Visibility: "private",
		InitialMessages: []string{"Hi!"},
		RateLimit:       parley.DefaultDeviceLimit(), IdentitySecret: "s", ConfigVersion: 1, CreatedAt: noon, UpdatedAt: noon}
	w.must(w.DB.CreateAgent(w, a))
	return a.ID
}

// addMember adds a member to the account.
func (w *testHelpdesk) addMember(account parley.AccountID, name string) parley.UserID {
	w.Helper()
	m := &parley.Membership{AccountID: account, Role: parley.RoleAgent, CreatedAt: noon,
		User: parley.User{ID: parley.UserID(parley.NewUUID()), Email: name + "@" + string(account) + ".example",
			Name: name, CreatedAt: noon}}
	w.must(w.DB.AddMember(w, m))
	return m.User.ID
}

// generalTeam returns the default team.
func (w *testHelpdesk) generalTeam() *parley.Team {
	w.Helper()
	teams, err := w.Teams(w, w.ref())
	w.must(err)
	for _, t := range teams {
		if t.IsDefault {
			return &t
		}
	}
	w.Fatal("no default team")
	return nil
}

// addTeamMembers changes the default team's strategy, and has n new members join it, a minute after each other.
func (w *testHelpdesk) addTeamMembers(strategy parley.Strategy, n int) (users []parley.UserID) {
	w.Helper()
	team := w.generalTeam()
	_, err := w.ChangeTeam(w, w.ref(), team.ID, "operator", func(t *parley.Team) { t.Strategy = strategy })
	w.must(err)
	for i := range n {
		user := w.addMember(w.Account, fmt.Sprint("member", i))
		users = append(users, user)
		w.Clock = w.Clock.Add(time.Minute)
		w.must(w.JoinTeam(w, w.ref(), team.ID, parley.TeamMember{User: parley.User{ID: user}}, "operator"))
	}
	return users
}

// newTicketRequest is a ticket that has what it needs.
func newTicketRequest(n int) NewTicket {
	return NewTicket{Subject: fmt.Sprint("Request ", n), Description: "Please help",
		Email: fmt.Sprintf("c%d@example.com", n)}
}

// mustOpen makes a ticket.
func (w *testHelpdesk) mustOpen(in NewTicket) *parley.Ticket {
	w.Helper()
	t, err := w.Open(w, w.ref(), in)
	w.must(err)
	return t
}

func (w *testHelpdesk) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// wantCode asserts the code of a failure.
func (w *testHelpdesk) wantCode(err error, code parley.Code) {
	w.Helper()
	if !parley.IsCode(err, code) {
		w.Errorf("got %v, want %s", err, code)
	}
}

func (w *testHelpdesk) countRows(query string, args ...any) int {
	w.Helper()
	n, err := sqldb.One(w, w.DB.SQL(), sqldb.Column[int], query, args...)
	w.must(err)
	return n
}

// runConcurrently calls f n times at once.
func runConcurrently(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
