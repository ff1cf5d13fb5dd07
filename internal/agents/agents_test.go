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
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// office is a keeper over one store with one account.
type office struct {
	testing.TB
	*agents.Keeper
	desk    *ingest.Desk
	account parley.Account
	plan    parley.Plan
	runner  *jobs.Runner
	now     time.Time
}

func each(t *testing.T, f func(o *office)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		o := &office{TB: t, account: parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: noon}, plan: parley.Plan{Name: "test", API: true, Voice: true}, now: noon}
		now := func() time.Time { return o.now }
		queue := &jobs.Queue{Now: now}
		o.Keeper = &agents.Keeper{DB: db, Library: &retrieval.Library{DB: db.SQL()}, Queue: queue, Now: now}
		o.desk = &ingest.Desk{DB: db, Library: o.Library, Queue: queue, Now: now}
		chores := o.Handlers()
		maps.Copy(chores, o.desk.Handlers())
		o.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Handlers: chores}
		o.must(db.CreateAccount(t.Context(), &o.account))
		f(o)
	})
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) fails(err error, code parley.Code) {
	o.Helper()
	if !parley.IsCode(err, code) {
		o.Errorf("got %v, want %s", err, code)
	}
}

func (o *office) create(n agents.New) parley.AgentID {
	o.Helper()
	id, _, err := o.Create(o.Context(), o.account, o.plan, n)
	o.must(err)
	return id
}

func (o *office) read(id parley.AgentID) *parley.Agent {
	o.Helper()
	a, err := o.DB.Agent(o.Context(), o.account.ID, id, o.now)
	o.must(err)
	return a
}

func (o *office) events() (kinds string) {
	o.Helper()
	list, err := sqldb.All(o.Context(), o.DB.SQL(), sqldb.Column[string], `select kind from events order by seq`)
	o.must(err)
	return strings.Join(list, " ")
}

func TestNewAgentHasItsDefaults(t *testing.T) {
	each(t, func(o *office) {
		id, pending, err := o.Create(o.Context(), o.account, o.plan, agents.New{Name: "Gu\x00ide"})
		o.must(err)
		a := o.read(id)
		if a.Name != "Guide" || a.Model != "auto" || a.Temp != 0 || a.Visibility != "private" || len(a.InitialMessages) != 1 || a.InitialMessages[0] != "Hi! What can I help you with?" ||
			a.RateLimit != parley.DefaultDeviceLimit() || len(a.IdentitySecret) != 64 || a.Styles != nil || a.Voice != nil || a.CreditLimit != nil || a.Status() != parley.AgentUntrained || pending != nil {
			o.Errorf("%+v, pending %v", a, pending)
		}
		id, pending, err = o.Create(o.Context(), o.account, o.plan, agents.New{Name: "Site", Instructions: "Be brief.", Model: "gpt-5.2", Temp: 0.5, Visibility: "public", URL: "https://a.org"})
		o.must(err)
		b := o.read(id)
		if b.Model != "gpt-5.2" || b.Temp != 0.5 || b.Visibility != "public" || b.Instructions != "Be brief." || b.IdentitySecret == a.IdentitySecret || len(pending) != 1 || pending[0] != "ADD_SOURCE" {
			o.Errorf("%+v, pending %v", b, pending)
		}
	})
}

func TestAgentLimitIsExact(t *testing.T) {
	each(t, func(o *office) {
		most := 3
		o.plan.Agents = &most
		var all sync.WaitGroup
		errs := make([]error, 12)
		for i := range errs {
			all.Go(func() { _, _, errs[i] = o.Create(o.Context(), o.account, o.plan, agents.New{Name: "x"}) })
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			o.fails(err, parley.CodeAgentLimit)
		}
		page, err := o.DB.Agents(o.Context(), o.account.ID, o.now, parley.PageAsk{Limit: 10})
		o.must(err)
		if made != 3 || page.Total != 3 {
			o.Fatalf("%d made, %d there", made, page.Total)
		}
		o.must(o.Retire(o.Context(), o.account, page.Items[0].ID))
		o.create(agents.New{Name: "in its place"})
	})
}

func TestChangeKeepsToThePlan(t *testing.T) {
	each(t, func(o *office) {
		id := o.create(agents.New{Name: "Guide"})
		change := func(f func(*parley.Agent)) error {
			return o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error { f(a); return nil })
		}
		o.must(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{"model":"auto"}`) }))
		o.plan.Voice = false
		o.must(change(func(a *parley.Agent) { a.Name = "keeps its voice" }))
		o.fails(change(func(a *parley.Agent) { a.Name, a.Voice = "no", json.RawMessage(`{"model":"gpt-5.2"}`) }), parley.CodePlanFeature)
		if a := o.read(id); a.Name != "keeps its voice" || string(a.Voice) != `{"model":"auto"}` || a.ConfigVersion != 3 {
			o.Errorf("%+v", a)
		}
		o.must(change(func(a *parley.Agent) { a.Voice = nil }))
		o.fails(change(func(a *parley.Agent) { a.Voice = json.RawMessage(`{}`) }), parley.CodePlanFeature)
		o.fails(o.Change(o.Context(), parley.Account{ID: "other"}, o.plan, id, func(*parley.Agent) error { return nil }), parley.CodeAgentNotFound)
	})
}

func TestChangeOfNothingLeavesNoTrace(t *testing.T) {
	each(t, func(o *office) {
		id := o.create(agents.New{Name: "Guide"})
		before, events := o.read(id), o.events()
		o.now = noon.Add(time.Hour)
		o.must(o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error { a.InitialMessages = []string{a.InitialMessages[0]}; return nil }))
		if after := o.read(id); !after.UpdatedAt.Equal(before.UpdatedAt) || after.ConfigVersion != before.ConfigVersion || o.events() != events {
			o.Errorf("%+v, %s", after, o.events())
		}
		o.must(o.Change(o.Context(), o.account, o.plan, id, func(a *parley.Agent) error { a.InitialMessages[0] = "Hello"; return nil }))
		if after := o.read(id); !after.UpdatedAt.Equal(o.now) || after.ConfigVersion != 2 || o.events() != "agent.created agent.updated" {
			o.Errorf("%+v, %s", after, o.events())
		}
	})
}

func TestRetiredAgentIsErased(t *testing.T) {
	each(t, func(o *office) {
		id, kept := o.create(agents.New{Name: "Guide"}), o.create(agents.New{Name: "Kept"})
		open := &parley.Turn{ID: "t", AccountID: o.account.ID, AgentID: id, ConversationID: "c", UserMessageID: "u", MessageID: "m", Owner: "server", LeaseUntil: noon, StartedAt: noon}
		o.must(o.DB.Transact(o.Context(), sqldb.Turns, func(tx *store.DB) error { _, err := tx.CreateTurn(o.Context(), open); return err }))
		o.must(o.Retire(o.Context(), o.account, id))
		o.fails(o.Retire(o.Context(), o.account, id), parley.CodeAgentNotFound)
		_, err := o.DB.Agent(o.Context(), o.account.ID, id, o.now)
		o.fails(err, parley.CodeAgentNotFound)

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
		o.must(o.DB.Transact(o.Context(), sqldb.Turns, func(tx *store.DB) error {
			return tx.CloseTurn(o.Context(), open, store.TurnFailed, 0, nil, noon)
		}))
		o.now = noon.Add(time.Minute)
		if n := run(); n != 1 {
			o.Error("rows of agents:", n)
		}
		o.read(kept)
		if got := o.events(); got != "agent.created agent.deleted" {
			o.Error(got)
		}
	})
}
