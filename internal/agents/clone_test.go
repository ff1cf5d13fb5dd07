package agents_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// largeText returns a text with more passages than are copied at once.
func largeText() string {
	var b strings.Builder
	for i := range 230 {
		fmt.Fprintf(&b, "# Chapter %d\n\n%s\n\n", i,
			strings.Repeat(fmt.Sprintf("The lantern of chapter %d is lit at dusk by keeper number %d. ", i, i), 8))
	}
	return b.String()
}

func (s *testService) cloneAgent(id parley.AgentID) parley.AgentID {
	s.Helper()
	copied, pending, err := s.Clone(s.Context(), s.caller(), id)
	s.Must(err)
	if pending != nil {
		s.Fatal("pending:", pending)
	}
	return copied
}

func (s *testService) addText(agent parley.AgentID, name, text string) parley.SourceID {
	s.Helper()
	src, err := s.ingest.AddText(s.Context(), s.caller(), agent, name, text)
	s.Must(err)
	return src.ID
}

func (s *testService) runJobs() {
	s.Helper()
	_, err := s.runner.RunDue(s.Context())
	s.Must(err)
}

func (s *testService) exec(query string, args ...any) {
	s.Helper()
	_, err := s.DB.SQL().Exec(s.Context(), query, args...)
	s.Must(err)
}

func (s *testService) passageCount(agent parley.AgentID) int {
	s.Helper()
	return dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages where agent_id = ?`, agent)
}

// firstPassage returns the first passage that the agent finds.
func (s *testService) firstPassage(agent parley.AgentID, question string) parley.Passage {
	s.Helper()
	hits, err := s.Indexes.Nearest(s.Context(), agent, s.loadAgent(agent).PassageVersion,
		retrieval.Query{Text: question, Limit: 1})
	s.Must(err)
	if len(hits) == 0 {
		s.Fatalf("agent %s finds nothing about %q", agent, question)
	}
	return hits[0].Passage
}

func (s *testService) sources(agent parley.AgentID) []parley.Source {
	s.Helper()
	page, err := s.DB.Sources(s.Context(), s.account.ID.AgentRef(agent), store.SourceFilter{},
		parley.PageRequest{Limit: 100})
	s.Must(err)
	return page.Items
}

func TestCloneHasTheSettingsAndToolsOfItsOriginal(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide", Instructions: "Be brief.", Model: "gpt-5.2", Temp: 0.5,
			Visibility: "public"})
		days, credits := int64(30), int64(7)
		s.Must(s.Change(s.Context(), s.caller(), id, func(a *parley.Agent) error {
			a.ChannelInstructions, a.AllowedDomains, a.SuggestedMessages = json.RawMessage(`{"email":"Sign."}`),
				[]string{"a.org"}, json.RawMessage(`[{"text":"Hi"}]`)
			a.CreditLimit, a.Notifications, a.RateLimit.Limit, a.Voice = &credits, json.RawMessage(`{"a":1}`), 3,
				json.RawMessage(`{"model":"auto"}`)
			a.Styles, a.Redact, a.RetentionDays, a.Key, a.AutoRetrain, a.V1 = json.RawMessage(`{"chat":null}`), true,
				&days, "guide", true, json.RawMessage(`{"domains":["a.org"]}`)
			return nil
		}))
		for i, table := range []string{"actions", "procedures"} {
			columns, values := "config, secrets, kind", `'{"url":"https://a.org/${TOKEN}"}', 'sealed', 'http'`
			if table == "procedures" {
				columns, values = "steps", `'[{"action":"look-up"}]'`
			}
			s.exec(fmt.Sprintf(`insert into %s (id, account_id, agent_id, key, name, description, triggers, inputs,
				enabled, position, created_at, updated_at, %s)
				values (?, 'acc', ?, 'look-up', 'look', 'Looks up.', '[]', '[]', 1, %d, 1, 2, %s)`, table, columns, i,
				values), parley.NewUUID(), id)
		}
		s.exec(`update agents set tools = 2 where id = ?`, id)
		s.exec(`insert into credit_usage (account_id, agent_id, month, used, reserved)
			values ('acc', ?, '2026-11', 5000, 0)`, id)
		s.exec(`update agents set last_message_at = 1 where id = ?`, id)
		s.exec(`insert into conversation_counts (agent_id, account_id, total, api) select id, account_id, 4, 3
			from agents where id = ? on conflict (agent_id) do update set total = 4, api = 3`, id)

		copied := s.cloneAgent(id)
		a, b := s.loadAgent(id), s.loadAgent(copied)
		if b.IdentitySecret == a.IdentitySecret || len(b.IdentitySecret) != 64 || b.Name != "Guide (copy)" ||
			b.Key != "" || b.CreditsUsed != 0 || a.CreditsUsed == 0 || b.LastMessageAt != nil || b.Conversations != 0 {
			t.Errorf("%+v", b)
		}
		b.ID, b.Name, b.IdentitySecret, b.Key, b.CreditsUsed, b.LastMessageAt, b.ConfigVersion = a.ID, a.Name,
			a.IdentitySecret, a.Key, a.CreditsUsed, a.LastMessageAt, a.ConfigVersion
		b.Conversations, b.APIConversations, b.CreatedAt, b.UpdatedAt = a.Conversations, a.APIConversations,
			a.CreatedAt, a.UpdatedAt
		if got, want := fmt.Sprintf("%+v", mustJSON(t, b)), mustJSON(t, a); got != want {
			t.Errorf("copy:\n%s\noriginal:\n%s", got, want)
		}
		if b.Tools != 2 ||
			dbs.CountRows(s, s.DB.SQL(),
				`select count(*) from actions where agent_id = ? and secrets = 'sealed' and key = 'look-up'
				and position = 0 and updated_at = 2`,
				copied) != 1 ||
			dbs.CountRows(s, s.DB.SQL(),
				`select count(*) from procedures where agent_id = ? and steps like '%look-up%' and position = 1`,
				copied) != 1 || dbs.CountRows(s, s.DB.SQL(), `select count(*) from actions`) != 2 {
			t.Error("actions and procedures are not those of the original:", b.Tools)
		}
		if got := s.eventKinds(); got != "agent.created agent.updated agent.created" {
			t.Error(got)
		}
		s.WantCode(func() error {
			_, _, err := s.Clone(s.Context(), parley.Caller{Account: parley.Account{ID: "other"}, Plan: s.plan}, id)
			return err
		}(), parley.CodeAgentNotFound)
	})
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCloneNameIsCut(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: strings.Repeat("ä", 100)})
		if name := []rune(s.loadAgent(s.cloneAgent(id)).Name); len(name) != 100 ||
			!strings.HasSuffix(string(name), "ää (copy)") {
			t.Error(string(name))
		}
	})
}

func TestSmallCloneAnswersAtOnce(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		original := s.addText(id, "Refunds", "# Refunds\n\nRefunds are paid within ten days.")
		s.runJobs()
		waiting := s.addText(id, "Hours", "# Hours\n\nWe open at nine in the morning.")
		s.exec(`insert into passage_vectors (agent_id, text_hash, model, vector) select agent_id, hash, 'm', ? from passages`,
			[]byte{1})
		s.exec(`insert into blobs (id, account_id, agent_id, hash, size, media_type, name, place, created_at)
			values ('b', 'acc', ?, 'h', 1, 't', 'n', 'disk:h', 1)`, id)
		s.exec(`update source_versions set blob_id = 'b', content = '{}' where source_id = ?`, original)
		copied := s.cloneAgent(id)

		p := s.firstPassage(copied, "When are refunds paid?")
		copiedSource, err := s.DB.Source(t.Context(), parley.AgentRef{Account: "acc", Agent: copied}, p.SourceID)
		s.Must(err)
		if p.SourceID == original || copiedSource.Name != "Refunds" || copiedSource.Status != parley.SourceTrained ||
			copiedSource.LiveVersion != p.VersionID || copiedSource.WantedVersion != copiedSource.LiveVersion {
			t.Errorf("%+v of %+v", p, copiedSource)
		}
		v, err := s.DB.Version(t.Context(), parley.AgentRef{Account: "acc", Agent: copied}, p.SourceID, p.VersionID)
		s.Must(err)
		if v.Hash != p.VersionHash || v.Text[p.Start:p.End] != p.Text {
			t.Errorf("the citation does not hold: %+v of %+v", p, v)
		}
		if n := dbs.CountRows(s, s.DB.SQL(), `select count(*) from blobs b join source_versions v on v.blob_id = b.id
			and v.agent_id = b.agent_id where b.agent_id = ? and b.place = 'disk:h' and v.content = '{}'`,
			copied); n != 1 {
			t.Error("blobs:", n)
		}
		if n := dbs.CountRows(s, s.DB.SQL(), `select count(*) from passage_vectors where agent_id = ?`, copied); n != 1 {
			t.Error("vectors:", n)
		}
		if a := s.loadAgent(copied); a.Status() != parley.AgentTraining || a.Size != s.loadAgent(id).Size ||
			a.Sources.Live != 1 || a.Sources.Pending != 1 || a.LastTrainedAt == nil {
			t.Errorf("%+v", a)
		}
		s.runJobs()
		if a := s.loadAgent(copied); a.Status() != parley.AgentTrained || a.Sources.Live != 2 {
			t.Errorf("%+v", a)
		}
		if p := s.firstPassage(copied, "When do you open?"); p.SourceName != "Hours" || p.SourceID == waiting {
			t.Errorf("%+v", p)
		}
		s.Must(s.Delete(t.Context(), s.account.ID.AgentRef(id)))
		s.runJobs()
		if p := s.firstPassage(copied, "When are refunds paid?"); p.SourceID != copiedSource.ID ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages where agent_id = ?`, id) != 0 {
			t.Errorf("%+v", p)
		}
	})
}

func TestCloneOfLargeAgentFollowsByAJob(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Chapters", largeText())
		s.runJobs()
		copied := s.cloneAgent(id)
		if a := s.loadAgent(copied); a.Status() != parley.AgentTraining || a.Size != s.loadAgent(id).Size ||
			len(s.sources(copied)) != 1 {
			t.Errorf("%+v", a)
		}
		// with the same time: it is part of the copy, or it is not
		s.addText(id, "Later", "This came after the copy was asked for.")
		s.exec(`update sources set created_at = created_at + 1 where agent_id = ? and name = 'Later'`, id)

		// what a job had written when its server crashed
		c := store.Clone{Account: "acc", FromAgent: id, ToAgent: copied, StartedAt: s.now}
		from := s.sources(id)
		src := from[slices.IndexFunc(from, func(s parley.Source) bool { return s.Name == "Chapters" })]
		s.Must(s.DB.Transact(t.Context(), sqldb.Bulk, func(tx *store.DB) error {
			if err := tx.CloneVersion(t.Context(), c, src.ID, src.LiveVersion); err != nil {
				return err
			}
			_, err := tx.ClonePassages(t.Context(), c, src.ID, src.LiveVersion)
			return err
		}))
		some := s.passageCount(copied)
		s.runJobs()
		want := dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages where source_id = ?`, src.ID)
		if got := s.passageCount(copied); some == 0 || some >= want || got != want || want < 201 {
			t.Errorf("%d passages at first, %d in the end, want %d", some, got, want)
		}
		if a := s.loadAgent(copied); a.Status() != parley.AgentTrained || a.Sources.Live != 1 || len(s.sources(copied)) != 1 {
			t.Errorf("%+v", a)
		}
		p := s.firstPassage(copied, "the lantern of chapter 117")
		v, err := s.DB.Version(t.Context(), parley.AgentRef{Account: "acc", Agent: copied}, p.SourceID, p.VersionID)
		s.Must(err)
		if v.Text[p.Start:p.End] != p.Text || p.SourceID == src.ID {
			t.Errorf("%+v", p)
		}
		before := s.loadAgent(copied)
		s.Must(s.ContinueCopy(t.Context(), s.cloneJob(c)))
		if after := s.loadAgent(copied); mustJSON(t, after) != mustJSON(t, before) || s.passageCount(copied) != want {
			t.Error("a repeated job changed the copy")
		}
	})
}

func TestPlanLimitsClones(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.addText(id, "Text", "Some text.")
		s.runJobs()
		limit, bytes := 4, int64(5)
		s.plan.MaxAgents = &limit
		var all sync.WaitGroup
		errs := make([]error, 10)
		for i := range errs {
			all.Go(func() { _, _, errs[i] = s.Clone(s.Context(), s.caller(), id) })
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
		if n := dbs.CountRows(s, s.DB.SQL(), `select count(*) from agents`); created != 3 || n != 4 ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from sources`) != 4 {
			t.Fatalf("%d created, %d exist", created, n)
		}
		s.plan = parley.Plan{Name: "small", StoragePerAgent: &bytes}
		copied, pending, err := s.Clone(t.Context(), s.caller(), id)
		s.Must(err)
		if a := s.loadAgent(copied); len(pending) != 1 || pending[0] != agents.AddSource || a.Size != 0 ||
			a.Status() != parley.AgentUntrained {
			t.Errorf("%v %+v", pending, a)
		}
	})
}

func TestAutoRetrainNeedsALiveSource(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		set := func(on bool) error { return s.AutoRetrain(t.Context(), s.account.ID.AgentRef(id), on) }
		s.WantCode(set(true), parley.CodeAgentNotTrained)
		s.Must(set(false))
		s.addText(id, "Text", "Some text.")
		s.WantCode(set(true), parley.CodeAgentNotTrained)
		s.runJobs()
		link := parley.NewUUID()
		s.exec(`insert into sources (id, account_id, agent_id, kind, name, size, status, created_at, updated_at)
			values (?, 'acc', ?, 'link', 'https://a.org', 0, 'failed', 1, 1)`,
			link, id)
		s.Must(set(true))
		due := func() int {
			return dbs.CountRows(s, s.DB.SQL(), `select coalesce(max(next_sync_at), 0) from sources where agent_id = ?`, id)
		}
		if a := s.loadAgent(id); !a.AutoRetrain || a.ConfigVersion != 2 || due() != int(noon.Add(7*24*time.Hour).
			UnixMilli()) || dbs.CountRows(s, s.DB.SQL(), `select count(*) from sources where next_sync_at is not null`) != 1 {
			t.Errorf("%+v, %d", a, due())
		}
		s.now = noon.Add(time.Hour)
		s.Must(set(true))
		if a := s.loadAgent(id); a.ConfigVersion != 2 || due() != int(noon.Add(7*24*time.Hour).UnixMilli()) {
			t.Error("turning on what is on moved the schedule")
		}
		// the earlier version is live
		s.exec(`update sources set status = 'updated', wanted_version = 'new' where kind = 'text'`)
		s.Must(set(false))
		s.Must(set(true))
		s.Must(set(false))
		if a := s.loadAgent(id); a.AutoRetrain || due() != 0 {
			t.Errorf("%+v, %d", a, due())
		}
		s.WantCode(s.AutoRetrain(t.Context(), parley.AgentRef{Account: "other", Agent: id}, true), parley.CodeAgentNotFound)
	})
}
