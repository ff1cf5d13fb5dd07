package helpdesk

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday

// world is a helpdesk of an account with one agent, and a clock that a test may turn.
type world struct {
	testing.TB
	context.Context
	*Desk
	Account parley.AccountID
	Agent   parley.AgentID
	Clock   time.Time
}

// each runs f once on each database.
func each(t *testing.T, f func(w *world)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		w := &world{TB: t, Context: t.Context(), Clock: noon}
		w.Desk = &Desk{DB: db, Now: func() time.Time { return w.Clock }, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Secret: []byte("secret")}
		w.Account = w.account("Acme")
		w.Agent = w.agent(w.Account)
		f(w)
	})
}

func (w *world) account(name string) parley.AccountID {
	w.Helper()
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: name, Plan: "unlimited", CreatedAt: noon}
	w.must(w.DB.CreateAccount(w, a))
	return a.ID
}

func (w *world) agent(account parley.AccountID) parley.AgentID {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: "Guide", Model: "auto", Visibility: "private", InitialMessages: []string{"Hi!"},
		RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s", ConfigVersion: 1, CreatedAt: noon, UpdatedAt: noon}
	w.must(w.DB.CreateAgent(w, a))
	return a.ID
}

// member adds a member to the account.
func (w *world) member(account parley.AccountID, name string) parley.UserID {
	w.Helper()
	m := &parley.Membership{AccountID: account, Role: parley.RoleAgent, CreatedAt: noon,
		User: parley.User{ID: parley.UserID(parley.NewUUID()), Email: name + "@" + string(account) + ".example", Name: name, CreatedAt: noon}}
	w.must(w.DB.AddMember(w, m))
	return m.User.ID
}

// general gives the default team.
func (w *world) general() *parley.Team {
	w.Helper()
	teams, err := w.Teams(w, w.Account, w.Agent)
	w.must(err)
	for _, t := range teams {
		if t.IsDefault {
			return &t
		}
	}
	w.Fatal("no default team")
	return nil
}

// staff changes the default team's strategy, and has n new members join it, a minute after each other.
func (w *world) staff(strategy parley.Strategy, n int) (users []parley.UserID) {
	w.Helper()
	team := w.general()
	_, err := w.ChangeTeam(w, w.Account, w.Agent, team.ID, "operator", func(t *parley.Team) { t.Strategy = strategy })
	w.must(err)
	for i := range n {
		user := w.member(w.Account, fmt.Sprint("member", i))
		users = append(users, user)
		w.Clock = w.Clock.Add(time.Minute)
		w.must(w.JoinTeam(w, w.Account, w.Agent, team.ID, parley.TeamMember{User: parley.User{ID: user}}, "operator"))
	}
	return users
}

// request is a ticket that has what it needs.
func request(n int) NewTicket {
	return NewTicket{Subject: fmt.Sprint("Request ", n), Description: "Please help", Email: fmt.Sprintf("c%d@example.com", n)}
}

// opened makes a ticket.
func (w *world) opened(in NewTicket) *parley.Ticket {
	w.Helper()
	t, err := w.Open(w, w.Account, w.Agent, in)
	w.must(err)
	return t
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// fails asserts the code of a failure.
func (w *world) fails(err error, code parley.Code) {
	w.Helper()
	if !parley.IsCode(err, code) {
		w.Errorf("got %v, want %s", err, code)
	}
}

func (w *world) count(query string, args ...any) int {
	w.Helper()
	n, err := sqldb.One(w, w.DB.SQL(), sqldb.Column[int], query, args...)
	w.must(err)
	return n
}

// together calls f n times at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
