package helpdesk

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday

// testHelpdesk is the help desk of an account with one agent, with a clock that tests may set.
type testHelpdesk struct {
	check.T
	context.Context
	*Service
	Account parley.AccountID
	Agent   parley.AgentID
	Clock   time.Time
}

// forEachDatabase runs f once on each database.
func forEachDatabase(t *testing.T, f func(h *testHelpdesk)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		h := &testHelpdesk{T: check.T{TB: t}, Context: t.Context(), Clock: noon}
		h.Service = &Service{DB: db, Now: func() time.Time {
			return h.Clock
		}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Secret: []byte("secret")}
		h.Account = h.addAccount("Acme")
		h.Agent = h.addAgent(h.Account)
		f(h)
	})
}

// ref returns the help desk's agent.
func (h *testHelpdesk) ref() parley.AgentRef { return h.Account.AgentRef(h.Agent) }

// inUpdate calls do within an update of the service.
func (h *testHelpdesk) inUpdate(do func(u *update) error) {
	h.Helper()
	h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error { return do(h.newUpdate(tx, h.now())) }))
}

// putRules replaces the rules. New ones get an id, and a key if they have none.
func (h *testHelpdesk) putRules(rules []parley.Rule) error {
	for i := range rules {
		rules[i].ID = cmp.Or(rules[i].ID, parley.RuleID(parley.NewUUID()))
		rules[i].Key = cmp.Or(rules[i].Key, string(rules[i].ID))
	}
	return h.ChangeRules(h, h.ref(), "operator", func([]parley.Rule) ([]parley.Rule, error) { return rules, nil })
}

func (h *testHelpdesk) addAccount(name string) parley.AccountID {
	h.Helper()
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: name, Plan: "unlimited", CreatedAt: noon}
	h.Must(h.DB.CreateAccount(h, a))
	return a.ID
}

func (h *testHelpdesk) addAgent(account parley.AccountID) parley.AgentID {
	h.Helper()
	a := dbs.NewAgent(account, noon)
	a.InitialMessages = []string{"Hi!"}
	return dbs.CreateAgent(h.TB, h.DB, a)
}

// addMember adds a member to the account.
func (h *testHelpdesk) addMember(account parley.AccountID, name string) parley.UserID {
	h.Helper()
	m := &parley.Membership{AccountID: account, Role: parley.RoleAgent, CreatedAt: noon,
		User: parley.User{ID: parley.UserID(parley.NewUUID()), Email: name + "@" + string(account) + ".example",
			Name: name, CreatedAt: noon}}
	h.Must(h.DB.AddMember(h, m))
	return m.User.ID
}

// generalTeam returns the default team.
func (h *testHelpdesk) generalTeam() *parley.Team {
	h.Helper()
	teams, err := h.Teams(h, h.ref())
	h.Must(err)
	for _, t := range teams {
		if t.IsDefault {
			return &t
		}
	}
	h.Fatal("no default team")
	return nil
}

// addTeamMembers changes the default team's strategy, and has n new members join it, a minute after each other.
func (h *testHelpdesk) addTeamMembers(strategy parley.Strategy, n int) (users []parley.UserID) {
	h.Helper()
	team := h.generalTeam()
	_, err := h.ChangeTeam(h, h.ref(), team.ID, "operator", func(t *parley.Team) { t.Strategy = strategy })
	h.Must(err)
	for i := range n {
		user := h.addMember(h.Account, fmt.Sprint("member", i))
		users = append(users, user)
		h.Clock = h.Clock.Add(time.Minute)
		h.Must(h.JoinTeam(h, h.ref(), team.ID, parley.TeamMember{User: parley.User{ID: user}}, "operator"))
	}
	return users
}

// newTicketRequest returns a valid request for a ticket.
func newTicketRequest(n int) NewTicket {
	return NewTicket{Subject: fmt.Sprint("Request ", n), Description: "Please help",
		Email: fmt.Sprintf("c%d@example.com", n)}
}

// mustOpen opens a ticket.
func (h *testHelpdesk) mustOpen(in NewTicket) *parley.Ticket {
	h.Helper()
	t, err := h.Open(h, h.ref(), in)
	h.Must(err)
	return t
}
