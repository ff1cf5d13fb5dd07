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
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// testService is a Service on one database with one account.
type testService struct {
	testing.TB
	*agents.Service
	ingest  *ingest.Service
	account parley.Account
	plan    parley.Plan
	runner  *jobs.Runner
	now     time.Time
}

func forEachDatabase(t *testing.T, f func(o *testService)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		o := &testService{TB: t, account: parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: noon},
			plan: parley.Plan{Name: "test", API: true, Voice: true}, now: noon}
		now := func() time.Time { return o.now }
		queue := &jobs.Queue{Now: now}
		o.Service = &agents.Service{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Queue: queue, Now: now}
		o.ingest = &ingest.Service{DB: db, Indexes: o.Indexes, Queue: queue, Now: now}
		handlers := o.Handlers()
		maps.Copy(handlers, o.ingest.Handlers())
		o.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Handlers: handlers}
		o.must(db.CreateAccount(t.Context(), &o.account))
		f(o)
	})
}

func (o *testService) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *testService) wantCode(err error, code parley.Code) {
	o.Helper()
	if !parley.IsCode(err, code) {
		o.Errorf("got %v, want %s", err, code)
	}
}

func (o *testService) createAgent(n agents.NewAgent) parley.AgentID {
	o.Helper()
	id, _, err := o.Create(o.Context(), o.account, o.plan, n)
	o.must(err)
	return id
}

func (o *testService) loadAgent(id parley.AgentID) *parley.Agent {
	o.Helper()
	a, err := o.DB.Agent(o.Context(), o.account.ID.AgentRef(id), o.now)
	o.must(err)
	return a
}

func (o *testService) eventKinds() (kinds string) {
	o.Helper()
	list, err := sqldb.All(o.Context(), o.DB.SQL(), sqldb.Column[string], `select kind from events order by seq`)
	o.must(err)
	return strings.Join(list, " ")
}

func TestNewAgentHasItsDefaults(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id, pending, err := o.Create(o.Context(), o.account, o.plan, agents.NewAgent{Name: "Gu\x00ide"})
		o.must(err)
		a := o.loadAgent(id)
		if a.Name != "Guide" || a.Model != "auto" || a.Temp != 0 || a.Visibility != "private" ||
			len(a.InitialMessages) != 1 || a.InitialMessages[0] != "Hi! What can I help you with?" ||
			a.RateLimit != parley.DefaultDeviceLimit() || len(a.IdentitySecret) != 64 || a.Styles != nil ||
			a.Voice != nil || a.CreditLimit != nil || a.Status() != parley.AgentUntrained || pending != nil {
			o.Errorf("%+v, pending %v", a, pending)
		}
		id, pending, err = o.Create(o.Context(), o.account, o.plan, agents.NewAgent{Name: "Site",
			Instructions: "Be brief.", Model: "gpt-5.2", Temp: 0.5, Visibility: "public", URL: "https://a.org"})
		o.must(err)
		b := o.loadAgent(id)
		if b.Model != "gpt-5.2" || b.Temp != 0.5 || b.Visibility != "public" || b.Instructions != "Be brief." ||
			b.IdentitySecret == a.IdentitySecret || len(pending) != 1 || pending[0] != "ADD_SOURCE" {
			o.Errorf("%+v, pending %v", b, pending)
		}
	})
}

func TestAgentLimitIsExact(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		most := 3
		o.plan.MaxAgents = &most
		var all sync.WaitGroup
		errs := make([]error, 12)
		for i := range errs {
			all.Go(func() { _, _, errs[i] = o.Create(o.Context(), o.account, o.plan, agents.NewAgent{Name: "x"}) })
		}
		all.Wait()
		created := 0
		for _, err := range errs {
			if err == nil {
				created++
				continue
			}
			o.wantCode(err, parley.CodeAgentLimit)
		}
		page, err := o.DB.Agents(o.Context(), o.account.ID, o.now, parley.PageRequest{Limit: 10})
		o.must(err)
		if created != 3 || page.Total != 3 {
			o.Fatalf("%d made, %d there", created, page.Total)
		}
		o.must(o.Delete(o.Context(), o.account, page.Items[0].ID))
		o.createAgent(agents.NewAgent{Name: "in its place"})
	})
}

func TestChangeKeepsToThePlan(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		change := func(f func(*parley.Agent)) error {
			return o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error { f(a); return nil })
		}
		o.must(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{"model":"auto"}`) }))
		o.plan.Voice = false
		o.must(change(func(a *parley.Agent) { a.Name = "keeps its voice" }))
		o.wantCode(change(func(a *parley.Agent) {
			a.Name, a.Voice = "no", json.RawMessage(`{"model":"gpt-5.2"}`)
		}), parley.CodePlanFeature)
		if a := o.loadAgent(id); a.Name != "keeps its voice" || string(a.Voice) != `{"model":"auto"}` ||
			a.ConfigVersion != 3 {
			o.Errorf("%+v", a)
		}
		o.must(change(func(a *parley.Agent) { a.Voice = nil }))
		o.wantCode(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{}`) }), parley.CodePlanFeature)
		o.wantCode(o.Change(o.Context(), parley.Account{ID: "other"}, o.plan, id, func(*parley.Agent) error {
			return nil
		}), parley.CodeAgentNotFound)
	})
}

func TestChangeOfNothingLeavesNoTrace(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		before, events := o.loadAgent(id), o.eventKinds()
		o.now = noon.Add(time.Hour)
		o.must(o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error {
			a.InitialMessages = []string{a.InitialMessages[0]}
			return nil
		}))
		if after := o.loadAgent(id); !after.UpdatedAt.Equal(before.UpdatedAt) ||
			after.ConfigVersion != before.ConfigVersion || o.eventKinds() != events {
			o.Errorf("%+v, %s", after, o.eventKinds())
		}
		o.must(o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error {
			a.InitialMessages[0] = "Hello"
			return nil
		}))
		if after := o.loadAgent(id); !after.UpdatedAt.Equal(o.now) || after.ConfigVersion != 2 ||
			o.eventKinds() != "agent.created agent.updated" {
			o.Errorf("%+v, %s", after, o.eventKinds())
		}
	})
}

func TestRetiredAgentIsErased(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		id, other := o.createAgent(agents.NewAgent{Name: "Guide"}), o.createAgent(agents.NewAgent{Name: "Kept"})
		open := &parley.Turn{ID: "t", AccountID: o.account.ID, AgentID: id, ConversationID: "c", UserMessageID: "u",
			MessageID: "m", Owner: "server", LeaseUntil: noon, StartedAt: noon}
		o.must(o.DB.Transact(o.Context(), sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.CreateTurn(o.Context(), open)
			return err
		}))
		o.must(o.Delete(o.Context(), o.account, id))
		o.wantCode(o.Delete(o.Context(), o.account, id), parley.CodeAgentNotFound)
		_, err := o.DB.Agent(o.Context(), o.account.ID.AgentRef(id), o.now)
		o.wantCode(err, parley.CodeAgentNotFound)

		run := func() int {
			_, err := o.runner.RunDue(o.Context())
			o.must(err)
			n, err := sqldb.One(o.Context(), o.DB.SQL(), sqldb.Column[int], `select count(*) from agents`)
			o.must(err)
			return n
		}
		if n := run(); n != 2 {
			o.Error("the agent's row went before its open turn:", n)
		}
		o.must(o.DB.Transact(o.Context(), sqldb.Interactive, func(tx *store.DB) error {
			return tx.CloseTurn(o.Context(), open, store.TurnFailed, 0, nil, noon)
		}))
		o.now = noon.Add(time.Minute)
		if n := run(); n != 1 {
			o.Error("rows of agents:", n)
		}
		o.loadAgent(other)
		if got := o.eventKinds(); got != "agent.created agent.deleted" {
			o.Error(got)
		}
	})
}
