package agents_test

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// testService is a Service on one database with one account.
type testService struct {
	check.T
	*agents.Service
	ingest  *ingest.Service
	account parley.Account
	plan    parley.Plan
	runner  *jobs.Runner
	now     time.Time
}

func forEachDatabase(t *testing.T, f func(s *testService)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		s := &testService{T: check.T{TB: t}, account: parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: noon},
			plan: parley.Plan{Name: "test", API: true, Voice: true}, now: noon}
		now := func() time.Time { return s.now }
		queue := &jobs.Queue{Now: now}
		s.Service = &agents.Service{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Queue: queue, Now: now}
		s.ingest = &ingest.Service{DB: db, Indexes: s.Indexes, Queue: queue, Now: now}
		handlers := s.Handlers()
		maps.Copy(handlers, s.ingest.Handlers())
		s.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Handlers: handlers}
		s.Must(db.CreateAccount(t.Context(), &s.account))
		f(s)
	})
}

func (s *testService) caller() parley.Caller { return parley.Caller{Account: s.account, Plan: s.plan} }

func (s *testService) createAgent(n agents.NewAgent) parley.AgentID {
	s.Helper()
	id, _, err := s.Create(s.Context(), s.caller(), n)
	s.Must(err)
	return id
}

func (s *testService) loadAgent(id parley.AgentID) *parley.Agent {
	s.Helper()
	a, err := s.DB.Agent(s.Context(), s.account.ID.AgentRef(id), s.now)
	s.Must(err)
	return a
}

func (s *testService) eventKinds() (kinds string) {
	s.Helper()
	list, err := sqldb.All(s.Context(), s.DB.SQL(), sqldb.Column[string], `select kind from events order by seq`)
	s.Must(err)
	return strings.Join(list, " ")
}

func TestNewAgentHasItsDefaults(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id, pending, err := s.Create(s.Context(), s.caller(), agents.NewAgent{Name: "Gu\x00ide"})
		s.Must(err)
		a := s.loadAgent(id)
		if a.Name != "Guide" || a.Model != "auto" || a.Temp != 0 || a.Visibility != "private" ||
			len(a.InitialMessages) != 1 || a.InitialMessages[0] != "Hi! What can I help you with?" ||
			a.RateLimit != parley.DefaultDeviceLimit() || len(a.IdentitySecret) != 64 || a.Styles != nil ||
			a.Voice != nil || a.CreditLimit != nil || a.Status() != parley.AgentUntrained || pending != nil {
			s.Errorf("%+v, pending %v", a, pending)
		}
		id, pending, err = s.Create(s.Context(), s.caller(), agents.NewAgent{Name: "Site",
			Instructions: "Be brief.", Model: "gpt-5.2", Temp: 0.5, Visibility: "public", URL: "https://a.org"})
		s.Must(err)
		b := s.loadAgent(id)
		if b.Model != "gpt-5.2" || b.Temp != 0.5 || b.Visibility != "public" || b.Instructions != "Be brief." ||
			b.IdentitySecret == a.IdentitySecret || len(pending) != 1 || pending[0] != "ADD_SOURCE" {
			s.Errorf("%+v, pending %v", b, pending)
		}
	})
}

func TestAgentLimitIsExact(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		limit := 3
		s.plan.MaxAgents = &limit
		var all sync.WaitGroup
		errs := make([]error, 12)
		for i := range errs {
			all.Go(func() { _, _, errs[i] = s.Create(s.Context(), s.caller(), agents.NewAgent{Name: "x"}) })
		}
		all.Wait()
		created := 0
		for _, err := range errs {
			if err == nil {
				created++
				continue
			}
			s.WantCode(err, parley.CodeAgentLimit)
		}
		page, err := s.DB.Agents(s.Context(), s.account.ID, s.now, parley.PageRequest{Limit: 10})
		s.Must(err)
		if created != 3 || page.Total != 3 {
			s.Fatalf("%d created, %d exist", created, page.Total)
		}
		s.Must(s.Delete(s.Context(), s.account.ID.AgentRef(page.Items[0].ID)))
		s.createAgent(agents.NewAgent{Name: "in its place"})
	})
}

func TestChangeIsLimitedByThePlan(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		change := func(f func(*parley.Agent)) error {
			return s.Change(s.Context(), s.caller(), id, func(a *parley.Agent) error { f(a); return nil })
		}
		s.Must(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{"model":"auto"}`) }))
		s.plan.Voice = false
		s.Must(change(func(a *parley.Agent) { a.Name = "keeps its voice" }))
		s.WantCode(change(func(a *parley.Agent) {
			a.Name, a.Voice = "no", json.RawMessage(`{"model":"gpt-5.2"}`)
		}), parley.CodePlanFeature)
		if a := s.loadAgent(id); a.Name != "keeps its voice" || string(a.Voice) != `{"model":"auto"}` ||
			a.ConfigVersion != 3 {
			s.Errorf("%+v", a)
		}
		s.Must(change(func(a *parley.Agent) { a.Voice = nil }))
		s.WantCode(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{}`) }), parley.CodePlanFeature)
		other := parley.Caller{Account: parley.Account{ID: "other"}, Plan: s.plan}
		s.WantCode(s.Change(s.Context(), other, id, func(*parley.Agent) error {
			return nil
		}), parley.CodeAgentNotFound)
	})
}

func TestEmptyChangeRecordsNothing(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		before, events := s.loadAgent(id), s.eventKinds()
		s.now = noon.Add(time.Hour)
		s.Must(s.Change(s.Context(), s.caller(), id, func(a *parley.Agent) error {
			a.InitialMessages = []string{a.InitialMessages[0]}
			return nil
		}))
		if after := s.loadAgent(id); !after.UpdatedAt.Equal(before.UpdatedAt) ||
			after.ConfigVersion != before.ConfigVersion || s.eventKinds() != events {
			s.Errorf("%+v, %s", after, s.eventKinds())
		}
		s.Must(s.Change(s.Context(), s.caller(), id, func(a *parley.Agent) error {
			a.InitialMessages[0] = "Hello"
			return nil
		}))
		if after := s.loadAgent(id); !after.UpdatedAt.Equal(s.now) || after.ConfigVersion != 2 ||
			s.eventKinds() != "agent.created agent.updated" {
			s.Errorf("%+v, %s", after, s.eventKinds())
		}
	})
}

func TestRetiredAgentIsErased(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id, other := s.createAgent(agents.NewAgent{Name: "Guide"}), s.createAgent(agents.NewAgent{Name: "Kept"})
		open := &parley.Turn{ID: "t", AccountID: s.account.ID, AgentID: id, ConversationID: "c", UserMessageID: "u",
			MessageID: "m", Owner: "server", LeaseUntil: noon, StartedAt: noon}
		s.Must(s.DB.Transact(s.Context(), sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.CreateTurn(s.Context(), open)
			return err
		}))
		s.Must(s.Delete(s.Context(), s.account.ID.AgentRef(id)))
		s.WantCode(s.Delete(s.Context(), s.account.ID.AgentRef(id)), parley.CodeAgentNotFound)
		_, err := s.DB.Agent(s.Context(), s.account.ID.AgentRef(id), s.now)
		s.WantCode(err, parley.CodeAgentNotFound)

		run := func() int {
			_, err := s.runner.RunDue(s.Context())
			s.Must(err)
			n, err := sqldb.One(s.Context(), s.DB.SQL(), sqldb.Column[int], `select count(*) from agents`)
			s.Must(err)
			return n
		}
		if n := run(); n != 2 {
			s.Error("the agent's row was erased before its open turn:", n)
		}
		s.Must(s.DB.Transact(s.Context(), sqldb.Interactive, func(tx *store.DB) error {
			return tx.CloseTurn(s.Context(), open, store.TurnFailed, 0, nil, noon)
		}))
		s.now = noon.Add(time.Minute)
		if n := run(); n != 1 {
			s.Error("rows of agents:", n)
		}
		s.loadAgent(other)
		if got := s.eventKinds(); got != "agent.created agent.deleted" {
			s.Error(got)
		}
	})
}
