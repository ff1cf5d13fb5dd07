package manifest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/manifest"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// manifestTest applies documents on a server.
func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

type manifestTest struct {
	*testkit.Server
	t testing.TB
}

// forEachDatabase runs f on both databases.
func forEachDatabase(t *testing.T, f func(s *manifestTest)) {
	t.Helper()
	key := testkit.WithConfig(func(c *server.Config) { c.SecretKey = "a key of the tests" })
	t.Run("sqlite", func(t *testing.T) { f(&manifestTest{testkit.Open(t, key), t}) })
	t.Run("postgres", func(t *testing.T) { f(&manifestTest{testkit.Open(t, key, testkit.WithPostgres()), t}) })
}

func (mt *manifestTest) tryApply(in admin.ApplyManifest, docs ...string) ([]manifest.ApplyResult, error) {
	mt.t.Helper()
	if in.AccountID == "" {
		in.AccountID = mt.Account
	}
	for _, d := range docs {
		in.Documents = append(in.Documents, json.RawMessage(d))
	}
	out, err := admin.RunOn(mt.t.Context(), mt.AdminService, admin.Apply, in)
	return out.Agents, err
}

// apply applies documents and returns a summary of the changes.
func (mt *manifestTest) apply(in admin.ApplyManifest, docs ...string) (agent parley.AgentID, changes string) {
	mt.t.Helper()
	results, err := mt.tryApply(in, docs...)
	if err != nil {
		mt.t.Fatalf("%v %v", err, parley.AsError(err).Details)
	}
	for _, a := range results {
		agent = a.Agent
		for _, c := range a.Changes {
			changes += strings.TrimSpace(c.Op+" "+c.Part+" "+c.Key) + "; "
		}
	}
	return agent, changes
}

func (mt *manifestTest) export(agent parley.AgentID) string {
	mt.t.Helper()
	x, err := admin.RunOn(mt.t.Context(), mt.AdminService, admin.ExportAgent, admin.ManifestQuery{ID: string(agent)})
	if err != nil {
		mt.t.Fatal(err)
	}
	return string(x.Document)
}

func (mt *manifestTest) requireEqual(name, got, want string) {
	mt.t.Helper()
	if got != want {
		mt.t.Errorf("%s: %s, want %s", name, got, want)
	}
}

const (
	httpAction = `{"key":"track","kind":"http","name":"track_order","description":"Tells where an order is.",` +
		`"triggers":["track {n}"],
		"inputs":[{"name":"n","type":"integer","required":true}],"config":{"url":"https://shop.example/{n}",` +
		`"headers":{"Authorization":"Bearer ${SHOP_KEY}"}}}`
	escalateAction     = `{"key":"human","kind":"escalate","name":"human","description":"Calls a person."}`
	complaintProcedure = `{"key":"complain","name":"complain","description":"Takes a complaint.",` +
		`"steps":[{"say":"Sorry."},{"action":"human"}]}`
	hoursSource = `{"key":"hours","name":"Hours","content":"The shop is open from nine to five."}`
)

// shopManifest writes a manifest of the agent "shop".
func shopManifest(actions, procedures, sources []string) string {
	return fmt.Sprintf(`{"agent":{"key":"shop"},"settings":{"name":"Shop","temp":0.5},"actions":[%s],`+
		`"procedures":[%s],"sources":[%s]}`,
		strings.Join(actions, ","), strings.Join(procedures, ","), strings.Join(sources, ","))
}

var fullManifest = shopManifest([]string{httpAction, escalateAction}, []string{complaintProcedure},
	[]string{hoursSource})

var manifestSecrets = admin.ApplyManifest{Secrets: map[string]string{"SHOP_KEY": "sesame-1"}}

func TestApplyTwiceCreatesOneAgent(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		dryRun := manifestSecrets
		dryRun.DryRun = true
		const all = "create agent shop; create action track; create action human; create procedure complain; " +
			"create source hours; "
		for range 2 {
			agent, changes := s.apply(dryRun, fullManifest)
			s.requireEqual("dry run", string(agent)+changes, all)
		}
		agent, changes := s.apply(manifestSecrets, fullManifest)
		s.requireEqual("first", changes, all)
		for _, in := range []admin.ApplyManifest{manifestSecrets, {}, dryRun, {Prune: true}} {
			again, changes := s.apply(in, fullManifest)
			s.requireEqual("again", string(again)+changes, string(agent))
		}
		if err := s.Runner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		reply := s.Do(t, "POST", "/agents/"+string(agent)+"/chat", s.Key, `{"message":"When is the shop open?"}`)
		if reply.Status != http.StatusOK || !strings.Contains(string(reply.Body), "nine to five") {
			t.Errorf("%d %s", reply.Status, reply.Body)
		}
		a, err := s.DB.Agent(t.Context(), parley.AccountID(s.Account).AgentRef(agent), s.AdminService.Now())
		if err != nil || a.Tools != 3 || a.Temp != 0.5 || a.Key != "shop" {
			t.Errorf("%v %+v", err, a)
		}
		tools, err := s.DB.Actions(t.Context(), a.Ref())
		if err != nil || tools[0].Key != "track" || tools[0].SecretNotes["SHOP_KEY"].By != "operator" {
			t.Errorf("%v %+v", err, tools)
		}
	})
}

func TestApplyingAnExportChangesNothing(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		agent, _ := s.apply(manifestSecrets, fullManifest)
		_, changes := s.apply(admin.ApplyManifest{Prune: true}, s.export(agent))
		s.requireEqual("with a key", changes, "")

		// An agent that no manifest manages is exported by its id, and can get a key.
		plainAgent := parley.AgentID(s.NewAgent(t, s.Key, "One text.", "Another text."))
		out := s.export(plainAgent)
		_, changes = s.apply(admin.ApplyManifest{Prune: true}, out)
		s.requireEqual("by id", changes, "")
		if strings.Contains(out, `"key"`) || strings.Count(out, `"id"`) != 3 {
			t.Error(out)
		}
		keyed := strings.Replace(out, `{"id":`, `{"key":"bare","id":`, 1)
		keyed = strings.Replace(keyed, `[{"id":`, `[{"key":"text","id":`, 1)
		var source struct{ Sources []struct{ ID string } }
		if err := json.Unmarshal([]byte(out), &source); err != nil {
			t.Fatal(err)
		}
		same, changes := s.apply(admin.ApplyManifest{}, keyed)
		s.requireEqual("takes keys", string(same)+changes, string(plainAgent)+"update agent; update source text; ")
		_, changes = s.apply(admin.ApplyManifest{Prune: true}, `{"agent":{"key":"bare"},"sources":[]}`)
		s.requireEqual("managed by its key, and what has none stays", changes, "delete source text; ")

		// In another account the ids are unknown.
		_, err := s.tryApply(admin.ApplyManifest{AccountID: s.OtherAccount}, out)
		s.requireFault(err, "0.agent.id", "no such agent")
		otherAgent := strings.Replace(s.export(agent), `"Shop"`, `"Copy"`, 1)
		other := manifestSecrets
		other.AccountID = s.OtherAccount
		copied, changes := s.apply(other, otherAgent)
		if copied == agent || !strings.HasPrefix(changes, "create agent shop; ") {
			t.Error(copied, changes)
		}
	})
}

func (mt *manifestTest) requireFault(err error, path, wantText string) {
	mt.t.Helper()
	if e := parley.AsError(err); err == nil || !strings.Contains(e.Details[path], wantText) {
		mt.t.Errorf("%v: %v; want %q at %s", err, e.Details, wantText, path)
	}
}

func TestApplyChangesOnlySectionsThatArePresent(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		agent, _ := s.apply(manifestSecrets, fullManifest)
		results, err := s.tryApply(admin.ApplyManifest{},
			`{"agent":{"key":"shop"},"settings":{"instructions":"Be brief."},"actions":[{"key":"track",`+
				`"triggers":[]}],"sources":[{"key":"hours","name":"Opening"}]}`)
		if err != nil || len(results[0].Changes) != 3 {
			t.Fatalf("%v %+v", err, results)
		}
		for i, want := range []string{`{"instructions":""}→{"instructions":"Be brief."}`,
			`{"triggers":["track {n}"]}→{}`, `{"name":"Hours"}→{"name":"Opening"}`} {
			s.requireEqual("change", string(results[0].Changes[i].Before)+"→"+string(results[0].Changes[i].After), want)
		}
		out := s.export(agent)
		for _, stored := range []string{`"temp":0.5`, `"description":"Tells where an order is."`, `${SHOP_KEY}`,
			`"key":"human"`, `"key":"complain"`, "nine to five"} {
			if !strings.Contains(out, stored) {
				t.Errorf("%s is lost: %s", stored, out)
			}
		}
	})
}

func TestPruneDeletesOnlyManagedEntries(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		agent, _ := s.apply(manifestSecrets, fullManifest)
		s.Do(t, "POST", "/agents/"+string(agent)+"/sources", s.Key,
			`{"type":"text","name":"Own","content":"By hand."}`).Decode(t, http.StatusCreated, &struct{}{})
		less := shopManifest([]string{escalateAction}, nil, nil)
		_, changes := s.apply(admin.ApplyManifest{}, less)
		s.requireEqual("without --prune", changes, "")
		_, err := s.tryApply(admin.ApplyManifest{Prune: true}, `{"agent":{"key":"shop"},"actions":[]}`)
		s.requireFault(err, "0.actions", "complain")
		_, changes = s.apply(admin.ApplyManifest{Prune: true, DryRun: true}, less)
		s.requireEqual("dry run", changes, "delete action track; delete procedure complain; delete source hours; ")
		_, changes = s.apply(admin.ApplyManifest{Prune: true}, less)
		s.requireEqual("prune", changes, "delete action track; delete procedure complain; delete source hours; ")
		out := s.export(agent)
		if strings.Contains(out, "track") || strings.Contains(out, "complain") ||
			strings.Contains(out, "nine to five") || !strings.Contains(out, "By hand.") {
			t.Error(out)
		}
	})
}

func TestApplyChangesNamesAndOrder(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		agent, _ := s.apply(manifestSecrets, fullManifest)
		swapped := strings.NewReplacer(`"name":"track_order"`, `"name":"human"`,
			`"key":"human","kind":"escalate","name":"human"`, `"key":"human","kind":"escalate","name":"track_order"`)
		_, changes := s.apply(admin.ApplyManifest{}, shopManifest([]string{swapped.Replace(httpAction),
			swapped.Replace(escalateAction)}, []string{complaintProcedure}, nil))
		s.requireEqual("names swap", changes, "update action track; update action human; ")
		_, changes = s.apply(admin.ApplyManifest{}, shopManifest([]string{swapped.Replace(escalateAction),
			swapped.Replace(httpAction)}, []string{complaintProcedure}, nil))
		s.requireEqual("order", changes, "update action human; update action track; ")
		_, changes = s.apply(admin.ApplyManifest{}, s.export(agent))
		s.requireEqual("the order is kept", changes, "")
		if i, j := strings.Index(s.export(agent), `"key":"human"`),
			strings.Index(s.export(agent), `"key":"track"`); i < 0 || i > j {
			t.Error(s.export(agent))
		}
		_, err := s.tryApply(admin.ApplyManifest{}, shopManifest([]string{swapped.Replace(escalateAction)},
			[]string{strings.Replace(complaintProcedure, `"name":"complain"`, `"name":"track_order"`, 1)}, nil))
		s.requireFault(err, "0.procedures.0.name", "another action or procedure")
	})
}

func TestApplyReportsAllFaultsAndWritesNothing(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		_, err := s.tryApply(manifestSecrets,
			`{"agent":{"key":"one"},"settings":{"name":"One"}}`,
			`{"agent":{"key":"two"},"settings":{"temp":3,"model":"abacus","colour":"red","styles":{"chat":{"theme":"blue"}},`+
				`"retentionDays":0},
			  "actions":[{"key":"a","kind":"http","name":"x y","description":"d","config":{"url":"ftp://x"}},`+
				`{"kind":"client"},5,{"key":"b","kind":"fly","name":"b"},{"key":"c","kind":"http","name":"c","description":"d",`+
				`"config":{"url":"https://x.example/${NONE}"}}],
			  "procedures":[{"key":"p","name":"p","description":"d","steps":[{"action":"nothing"}]}],
			  "sources":[{"key":"s"},{"key":"s","name":"S","content":"S"},{"id":"x"}],"statuses":[]}`,
			`{"agent":{"key":"one"}}`, `[]`)
		want := map[string]string{
			"1.settings.name": "is required", "1.settings.temp": "must be from 0 to 1",
			"1.settings.model": "not a model", "1.settings.colour": "not allowed",
			"1.settings.styles.chat.theme": "must be one of", "1.settings.retentionDays": "must be",
			"1.actions.0.name":       "must be 1 to 64",
			"1.actions.0.config.url": "must be an address", "1.actions.1.key": "is required",
			"1.actions.2": "must be an object", "1.actions.3.kind": "must be one of",
			"1.actions.4.config.url": "no NONE", "1.procedures.0.steps.0.action": "not the key",
			"1.sources.0.content": "is required", "1.sources.0.name": "is required",
			"1.sources.1.key": "another entry", "1.sources.2.id": "no such source", "1.statuses": "not allowed",
			"2.agent.key": "another document", "3": "object",
		}
		for path, wantText := range want {
			s.requireFault(err, path, wantText)
		}
		if n, err := sqldb.One(t.Context(), s.DB.SQL(), sqldb.Column[int], `select count(*) from agents`); err != nil ||
			n != 0 {
			t.Error("agents:", n, err)
		}
	})
}

func TestPlansLimitManifests(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		const textSize = 100 << 10
		account, _ := s.NewAccount(t, admin.NewAccount{Name: "Small", Plan: "free"})
		plan, _ := s.Plans.Plan("free")
		in := admin.ApplyManifest{AccountID: account}
		var docs []string
		for i := range *plan.MaxAgents + 1 {
			docs = append(docs, fmt.Sprintf(`{"agent":{"key":"a%d"},"settings":{"name":"A"}}`, i))
		}
		if _, err := s.tryApply(in, docs...); !parley.IsCode(err, parley.CodeAgentLimit) {
			t.Error(err)
		}
		var texts []string
		for i := range int(*plan.StoragePerAgent)/textSize + 1 {
			texts = append(texts,
				fmt.Sprintf(`{"key":"t%d","name":"T","content":%q}`, i, strings.Repeat(string(rune('a'+i%26)), textSize)))
		}
		_, err := s.tryApply(in,
			fmt.Sprintf(`{"agent":{"key":"a"},"settings":{"name":"A"},"sources":[%s]}`, strings.Join(texts, ",")))
		if !parley.IsCode(err, parley.CodeSourceSize) {
			t.Error(err)
		}
		if n, err := sqldb.One(t.Context(), s.DB.SQL(), sqldb.Column[int], `select count(*) from agents`); err != nil ||
			n != 0 {
			t.Error("agents:", n, err)
		}
	})
}

func TestExportHidesSecrets(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		_, err := s.tryApply(admin.ApplyManifest{}, fullManifest)
		s.requireFault(err, "0.actions.0.config.headers.Authorization", "has no SHOP_KEY")
		agent, _ := s.apply(manifestSecrets, fullManifest)
		other := admin.ApplyManifest{Secrets: map[string]string{"SHOP_KEY": "sesame-2", "OTHER": "x"}}
		results, err := s.tryApply(other, fullManifest)
		if err != nil || len(results[0].Changes) != 1 || strings.Contains(string(results[0].Changes[0].After), "sesame") {
			t.Errorf("%v %+v", err, results)
		}
		_, changes := s.apply(admin.ApplyManifest{}, fullManifest)
		s.requireEqual("kept", changes, "")
		stored, err := sqldb.One(t.Context(), s.DB.SQL(), sqldb.Column[string],
			`select secrets from actions where key = 'track'`)
		if err != nil || stored == "" || strings.Contains(stored, "sesame") {
			t.Errorf("%q %v", stored, err)
		}
		values, err := s.Manifests.Unseal(parley.AccountID(s.Account), stored)
		if err != nil || len(values) != 1 || values["SHOP_KEY"] != "sesame-2" {
			t.Errorf("%v %v", values, err)
		}
		for _, table := range []string{"select payload from events", "select details from audit_events",
			"select config from actions", "select payload from jobs"} {
			rows, err := sqldb.All(t.Context(), s.DB.SQL(), sqldb.Column[string], table)
			if err != nil || strings.Contains(strings.Join(rows, " "), "sesame") {
				t.Errorf("%s: %v %v", table, rows, err)
			}
		}
		if strings.Contains(s.export(agent), "sesame") {
			t.Error("the export holds a secret")
		}
		withoutHeader := strings.Replace(fullManifest, `,"headers":{"Authorization":"Bearer ${SHOP_KEY}"}`, "", 1)
		s.apply(admin.ApplyManifest{}, withoutHeader)
		if stored, err := sqldb.One(t.Context(), s.DB.SQL(), sqldb.Column[string],
			`select secrets from actions where key = 'track'`); err != nil || stored != "" {
			t.Errorf("an unused secret is stored: %q %v", stored, err)
		}
	})
}

// If many apply the same new agent at once, one agent is created, with the value of the last document for each key.
func TestConcurrentApply(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		var all sync.WaitGroup
		agentIDs := make([]parley.AgentID, 8)
		for i := range agentIDs {
			all.Go(func() {
				text := fmt.Sprintf(`{"key":"hours","name":"Hours","content":"Open until %d."}`, i%2)
				results, err := s.tryApply(manifestSecrets,
					shopManifest([]string{httpAction, escalateAction}, []string{complaintProcedure}, []string{text}))
				if err != nil {
					t.Error(err)
					return
				}
				agentIDs[i] = results[0].Agent
			})
		}
		all.Wait()
		if slices.ContainsFunc(agentIDs, func(id parley.AgentID) bool { return id != agentIDs[0] || id == "" }) {
			t.Error("agents:", agentIDs)
		}
		if err := s.Runner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, changes := s.apply(admin.ApplyManifest{}, s.export(agentIDs[0]))
		s.requireEqual("afterwards", changes, "")
		a, err := s.DB.Agent(context.Background(), parley.AccountID(s.Account).AgentRef(agentIDs[0]), s.AdminService.Now())
		if err != nil || a.Status() != parley.AgentTrained || a.Tools != 3 || a.Sources.Live != 1 {
			t.Errorf("%v %+v", err, a)
		}
	})
}

func TestAgentsOfOtherAccountsAreNotFound(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		agent, _ := s.apply(manifestSecrets, fullManifest)
		_, err := s.tryApply(admin.ApplyManifest{AccountID: s.OtherAccount},
			fmt.Sprintf(`{"agent":{"id":%q},"settings":{"name":"Mine"}}`, agent))
		s.requireFault(err, "0.agent.id", "no such agent")
		if _, err := s.tryApply(admin.ApplyManifest{AccountID: "nobody"}, fullManifest); !parley.IsCode(err,
			parley.CodeAccountNotFound) {
			t.Error(err)
		}
		if _, err := admin.RunOn(t.Context(), s.AdminService, admin.ExportAgent,
			admin.ManifestQuery{ID: "nothing"}); !parley.IsCode(err, parley.CodeAgentNotFound) {
			t.Error(err)
		}
	})
}

func TestUnavailableActionsAreReported(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		results, err := s.tryApply(admin.ApplyManifest{},
			shopManifest([]string{`{"key":"web","kind":"web-search","name":"web","description":"Searches the web."}`,
				escalateAction}, nil, nil))
		if err != nil || len(results[0].Notes) != 1 || results[0].Notes[0].Path != "0.actions.0" ||
			!strings.Contains(results[0].Notes[0].Text, "PARLEY_SEARCH_URL") {
			t.Errorf("%v %+v", err, results)
		}
	})
}

// Procedures that lead to each other are put into force together, and none that leads nowhere.
func TestApplyChecksWhereProceduresLead(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		document := func(procedures ...string) string {
			return `{"agent":{"key":"shop"},"settings":{"name":"Shop"},"procedures":[` + strings.Join(procedures, ",") + `]}`
		}
		first := `{"key":"first","name":"first","description":"d","steps":[` +
			`{"if":{"field":"order","operator":"is","value":"x"},"goto":"end"},{"procedure":"second"}],` +
			`"inputs":[{"name":"order","type":"string"}]}`
		second := `{"key":"second","name":"second","description":"d","steps":[{"say":"x"}]}`
		circle := `{"key":"second","name":"second","description":"d","steps":[{"procedure":"first"}]}`
		_, err := s.tryApply(admin.ApplyManifest{}, document(first))
		s.requireFault(err, "0.procedures.0.steps.1.procedure", "not the key of a procedure")
		_, err = s.tryApply(admin.ApplyManifest{}, document(first, circle))
		s.requireFault(err, "0.procedures.0.steps.1.procedure", "leads back")
		agent, _ := s.apply(admin.ApplyManifest{}, document(first, second))
		_, changes := s.apply(admin.ApplyManifest{}, s.export(agent))
		s.requireEqual("the export", changes, "")
		_, err = s.tryApply(admin.ApplyManifest{}, document(strings.Replace(second, `"steps"`, `"enabled":false,"steps"`, 1)))
		s.requireFault(err, "0.procedures", "would not work any more")
	})
}
