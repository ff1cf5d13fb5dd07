package server_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/modelserver"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
	"parley/internal/vault"
)

const (
	vaultKey     = "a key of the tests"
	deliveryText = "# Deliveries\n\nParcels are delivered between eight and ten in the morning."
)

// modelServerTest connects servers of models to an account, and holds that no answer has a key in it.
type modelServerTest struct {
	*testing.T
	*testkit.Server
}

func openModelServerTest(t *testing.T, options ...testkit.Option) *modelServerTest {
	t.Helper()
	reach := testkit.WithConfig(func(c *server.Config) { c.SecretKey, c.FetchAllow = vaultKey, []string{"127.0.0.1"} })
	return &modelServerTest{t, testkit.Open(t, append([]testkit.Option{reach}, options...)...)}
}

func call[In, Out any](mt *modelServerTest, op admin.Operation[In, Out], in In) (Out, error) {
	mt.Helper()
	out, err := admin.RunOn(mt.Context(), mt.AdminService, op, in)
	if text, _ := json.Marshal(out); strings.Contains(string(text), provider.Key) {
		mt.Errorf("%s tells the key: %s", op.Name, text)
	}
	return out, err
}

func (mt *modelServerTest) connect(s admin.ModelServerSettings) admin.ModelServer {
	mt.Helper()
	s.Name, s.Key = "Mine", provider.Key
	m, err := call(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: mt.Account, ModelServerSettings: s})
	if err != nil {
		mt.Fatal(err)
	}
	return m
}

func (mt *modelServerTest) change(id string, c admin.ModelServerChange) error {
	mt.Helper()
	c.AccountID, c.ID = mt.Account, id
	_, err := call(mt, admin.ChangeModelServer, c)
	return err
}

func (mt *modelServerTest) remove(id string, evenIfUsed bool) error {
	mt.Helper()
	_, err := call(mt, admin.RemoveModelServer, admin.ModelServerRemoval{AccountID: mt.Account, ID: id,
		EvenIfUsed: evenIfUsed})
	return err
}

func (mt *modelServerTest) get(id string) admin.ModelServer {
	mt.Helper()
	m, err := call(mt, admin.GetModelServer, admin.ModelServerRef{AccountID: mt.Account, ID: id})
	if err != nil {
		mt.Fatal(err)
	}
	return m
}

// ask returns what the agent answers, or the code of its failure.
func (mt *modelServerTest) ask(agent, key string) string {
	mt.Helper()
	var reply struct {
		Data  struct{ Parts []struct{ Text string } }
		Error struct{ Code string }
	}
	answer := mt.Do(mt, http.MethodPost, "/agents/"+agent+"/chat", key,
		map[string]any{"message": "When are parcels delivered?", "stream": false})
	if err := json.Unmarshal(answer.Body, &reply); err != nil {
		mt.Fatal(err)
	}
	text := reply.Error.Code
	for _, p := range reply.Data.Parts {
		text += p.Text
	}
	return text
}

func (mt *modelServerTest) expectAnswer(agent, key, want string) {
	mt.Helper()
	if got := mt.ask(agent, key); !strings.Contains(got, want) {
		mt.Errorf("answered %q, want %q", got, want)
	}
}

func detailOf(err error, field string) string {
	var e *parley.Error
	if parley.IsCode(err, parley.CodeInvalidBody) {
		e, _ = err.(*parley.Error)
	}
	if e == nil {
		return ""
	}
	return e.Details[field]
}

// An account connects a server, asks it, sees it fail and work again, and removes it; all of that is in force with the
// next message, for this account alone.
func TestAccountsConnectModels(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		mt := openModelServerTest(t, store)
		s := provider.Start(t, provider.AnswerText("Mine says so."))
		agent, other := mt.NewAgent(t, mt.Key, deliveryText), mt.NewAgent(t, mt.OtherKey, deliveryText)
		mt.expectAnswer(agent, mt.Key, "between eight and ten")

		settings := admin.ModelServerSettings{Kind: "chat", Name: "Mine", URL: s.URL, Model: "m", Key: provider.Key,
			ModelNames: []string{"auto"}, ContextTokens: 8192}
		tried, err := call(mt, admin.TryModelServer, admin.ModelServerTrial{AccountID: mt.Account,
			ModelServerSettings: settings})
		if err != nil || !tried.Works || tried.Answer != "Mine says so." {
			t.Fatalf("%+v, %v", tried, err)
		}
		mt.expectAnswer(agent, mt.Key, "between eight and ten") // trying stores nothing

		m := mt.connect(settings)
		if m.Agents != 1 || !m.HasKey || m.CheckedAt != nil || m.ContextTokens != 8192 || m.KeySetAt == nil ||
			*m.KeySetBy != (admin.Author{Kind: "operator"}) {
			t.Errorf("connected %+v", m)
		}
		mt.expectAnswer(agent, mt.Key, "Mine says so.")
		mt.expectAnswer(other, mt.OtherKey, "between eight and ten")
		requests := s.Requests()
		if last := requests[len(requests)-1]; last.Header.Get("Authorization") != "Bearer "+provider.Key ||
			last.JSON()["model"] != "m" {
			t.Errorf("asked with %v", last.Header)
		}
		if m = mt.get(m.ID); m.CheckedAt == nil || m.FailingSince != nil {
			t.Errorf("working: %+v", m)
		}

		s.Play(provider.RefuseWith(http.StatusUnauthorized, 0, "no such key: "+provider.Key))
		mt.expectAnswer(agent, mt.Key, "CHAT_STREAMING_ERROR")
		if m = mt.get(m.ID); m.FailingSince == nil || !strings.Contains(m.LastError, "answered 401") {
			t.Errorf("failing: %+v", m)
		}
		s.Play(provider.AnswerText("Mine says so."))
		again, err := call(mt, admin.TryStoredModelServer, admin.ModelServerRef{AccountID: mt.Account, ID: m.ID})
		if m = mt.get(m.ID); err != nil || !again.Works || m.FailingSince != nil || m.LastError != "" {
			t.Errorf("working again: %+v %+v, %v", again, m, err)
		}

		names := []string{"gpt-5-mini"}
		if err := mt.change(m.ID, admin.ModelServerChange{ModelNames: &names}); err != nil {
			t.Fatal(err)
		}
		mt.expectAnswer(agent, mt.Key, "between eight and ten")
		mt.Do(t, http.MethodPut, "/agents/"+agent, mt.Key, map[string]any{"model": "gpt-5-mini"}).
			Decode(t, http.StatusOK, &struct{}{})
		mt.expectAnswer(agent, mt.Key, "Mine says so.")

		if detail := detailOf(mt.remove(m.ID, false), "evenIfUsed"); !strings.Contains(detail, "answers for agents: ") {
			t.Errorf("a server in use: %q", detail)
		}
		if err := mt.remove(m.ID, true); err != nil {
			t.Fatal(err)
		}
		mt.expectAnswer(agent, mt.Key, "between eight and ten")
		mt.checkTraces("model_server.add", "model_server.change", "model_server.remove")
	})
}

// checkTraces checks that the audit chain has the actions, and nothing that the database holds has the key.
func (mt *modelServerTest) checkTraces(actions ...string) {
	mt.Helper()
	events, err := mt.DB.AuditEvents(mt.Context(), parley.AccountID(mt.Account), 0, 1000)
	if err != nil {
		mt.Fatal(err)
	}
	found := ""
	for i := range events {
		text, _ := json.Marshal(events[i])
		found += string(text)
	}
	for _, action := range actions {
		if !strings.Contains(found, action) {
			mt.Errorf("the audit chain has no %s", action)
		}
	}
	if strings.Contains(found, provider.Key) {
		mt.Error("the audit chain holds the key")
	}
}

// Only on PostgreSQL are there other processes whose changes must be looked for.
func TestOnlySharedDatabasesAreAskedForChanges(t *testing.T) {
	forEachStore(t, func(t *testing.T, database testkit.Option) {
		mt := openModelServerTest(t, database)
		follower := &modelserver.Service{DB: mt.DB, Models: mt.Models, Now: time.Now}
		if err := follower.Follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if follower.MayHaveServers() {
			t.Fatal("an account has servers before the first one")
		}
		mt.connect(admin.ModelServerSettings{Kind: "chat", URL: "https://model.example/v1", Model: "one"})
		if err := follower.Follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		isShared := mt.DB.SQL().Dialect() == sqldb.Postgres
		if sees := follower.MayHaveServers(); sees != isShared {
			t.Errorf("sees what was changed: %v, want %v", sees, isShared)
		}
	})
}

// A change that rests on an older state of a server is refused, and whoever follows the account learns of each change.
func TestModelServersChangeOnlyAsKnown(t *testing.T) {
	mt := openModelServerTest(t)
	var kinds []parley.EventKind
	stop := mt.DB.ObserveEvents(func(_ parley.AccountID, events []store.NewEvent) {
		for i := range events {
			kinds = append(kinds, events[i].Kind)
		}
	})
	defer stop()
	before := mt.connect(admin.ModelServerSettings{Kind: "chat", URL: "https://model.example/v1", Model: "one"})
	name := "two"
	if err := mt.change(before.ID, admin.ModelServerChange{Model: &name, BaseUpdatedAt: before.UpdatedAt}); err != nil {
		t.Fatal(err)
	}
	err := mt.change(before.ID, admin.ModelServerChange{Name: &name, BaseUpdatedAt: before.UpdatedAt})
	if m := mt.get(before.ID); !parley.IsCode(err, parley.CodeModelServerChanged) || m.Name != "Mine" || m.Model != "two" {
		t.Errorf("changed to %+v: %v", m, err)
	}
	if err := mt.remove(before.ID, false); err != nil {
		t.Fatal(err)
	}
	want := []parley.EventKind{parley.EventModelServerAdded, parley.EventModelServerChanged,
		parley.EventModelServerRemoved}
	if !slices.Equal(kinds, want) {
		t.Errorf("recorded %v, want %v", kinds, want)
	}
}

// What one server of a database changes is in force on the others, as soon as they have looked.
func TestOtherServersFollow(t *testing.T) {
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		mt := openModelServerTest(t, store)
		keys, err := vault.New(vaultKey)
		if err != nil {
			t.Fatal(err)
		}
		follower := &modelserver.Service{DB: mt.DB, Vault: keys, HTTP: mt.Outbound.StreamClient(), Models: mt.Models,
			Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
		expect := func(want string) {
			t.Helper()
			if err := follower.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			b, ok, err := follower.Backend(t.Context(), parley.AccountID(mt.Account), "auto")
			if b.Label != want || !ok || err != nil {
				t.Errorf("%q answers, want %q: %v", b.Label, want, err)
			}
		}
		expect(model.BuiltinName)
		m := mt.connect(admin.ModelServerSettings{Kind: "chat", URL: "https://model.example/v1", Model: "one",
			ModelNames: []string{"auto"}})
		expect("one")
		name := "two"
		if err := mt.change(m.ID, admin.ModelServerChange{Model: &name}); err != nil {
			t.Fatal(err)
		}
		expect("two")
		if b, _, _ := follower.Backend(t.Context(), parley.AccountID(mt.Account), "claude-opus-4-8"); b.Label != "two" ||
			b.Credits != 6*parley.Credit {
			t.Errorf("a name that no server is given to: %+v", b)
		}
		if err := mt.remove(m.ID, true); err != nil {
			t.Fatal(err)
		}
		expect(model.BuiltinName)
	})
}

func TestAccountsConnectRerankingServers(t *testing.T) {
	mt := openModelServerTest(t, testkit.WithConfig(func(c *server.Config) { c.RerankWait = testkit.WaitTimeout }))
	s := provider.StartReranks(t, preferTown17)
	agent := mt.NewAgent(t, mt.Key, deliveryTexts(30)...)
	m := mt.connect(admin.ModelServerSettings{Kind: "reranking", URL: s.URL})
	if got := askWithTrace(t, mt.Server, agent, "When are parcels delivered?"); got.Rerank == nil ||
		!strings.Contains(got.Passages[0].Text, "in town17 ") {
		t.Errorf("not reranked: %+v", got.Rerank)
	}
	if err := mt.remove(m.ID, false); err != nil {
		t.Fatal(err)
	}
	if got := askWithTrace(t, mt.Server, agent, "When are parcels delivered?"); got.Rerank != nil {
		t.Errorf("reranked without a server: %+v", got.Rerank)
	}
}

// An account reaches no network that the operator has not opened.
func TestModelServersOfLocalNetworksAreRefused(t *testing.T) {
	s := provider.Start(t, provider.AnswerText("Mine."))
	mt := openModelServerTest(t, testkit.WithConfig(func(c *server.Config) { c.FetchAllow = nil }))
	for kind, path := range map[string]string{"chat": "", "embedding": "/v1", "reranking": ""} {
		tried, err := call(mt, admin.TryModelServer, admin.ModelServerTrial{AccountID: mt.Account,
			ModelServerSettings: admin.ModelServerSettings{Kind: kind, Name: "Mine", URL: s.URL + path, Model: "m"}})
		if err != nil || tried.Works || !strings.Contains(tried.Error, "address is not public") {
			t.Errorf("%s: %+v, %v", kind, tried, err)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// What the operator's settings name is shown without its secrets, and decides.
func TestSettingsOfTheOperatorAreLocked(t *testing.T) {
	s := provider.Start(t, provider.AnswerText("The operator's."))
	withSecret, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	withSecret.User = url.UserPassword("jo", provider.Key)
	mt := openModelServerTest(t, testkit.WithConfig(func(c *server.Config) {
		c.ModelURL, c.ModelID, c.ModelKey = withSecret.String(), "big", provider.Key
		c.ModelMap = map[string]string{"gpt-5-nano": model.BuiltinName, "gpt-5.5": "bigger"}
		c.EmbedURL, c.EmbedModel = s.URL, "e"
	}))
	agent := mt.NewAgent(t, mt.Key, deliveryText)
	mt.expectAnswer(agent, mt.Key, "The operator's.")
	list, err := call(mt, admin.ListModelServers, admin.ModelServerQuery{AccountID: mt.Account})
	if err != nil || len(list.Servers) != 2 || !list.CanStore {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, m := range list.Servers {
		isChat := m.Kind == "chat"
		if m.ID != "" || m.URL != s.URL || isChat && (m.SetBy != "PARLEY_MODEL_URL" || m.Model != "big" ||
			strings.Join(m.ModelNames, " ") != "auto gpt-5.5" || m.CheckedAt == nil) ||
			!isChat && m.SetBy != "PARLEY_EMBED_URL" {
			t.Errorf("%+v", m)
		}
	}
	for field, bad := range map[string]admin.ModelServerSettings{
		"modelNames": {Kind: "chat", Name: "Mine", URL: s.URL, Model: "m", ModelNames: []string{"auto"}},
		"kind":       {Kind: "embedding", Name: "Mine", URL: s.URL, Model: "m"},
	} {
		_, err := call(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: mt.Account, ModelServerSettings: bad})
		if !strings.Contains(detailOf(err, field), "by the operator") && !strings.Contains(detailOf(err, field),
			"the operator of this server has set one with PARLEY_EMBED_URL") {
			t.Errorf("%s: %v", field, err)
		}
	}
	mt.connect(admin.ModelServerSettings{Kind: "chat", URL: s.URL, Model: "m", ModelNames: []string{"gpt-5-mini"}})
}

func TestModelServersAreChecked(t *testing.T) {
	mt := openModelServerTest(t)
	good := admin.ModelServerSettings{Kind: "chat", Name: "Mine", URL: "https://model.example/v1", Model: "m",
		ModelNames: []string{"gpt-5-mini"}}
	m := mt.connect(good)
	for field, change := range map[string]func(s *admin.ModelServerSettings){
		"url":           func(s *admin.ModelServerSettings) { s.URL = "https://jo:pw@model.example/v1" },
		"model":         func(s *admin.ModelServerSettings) { s.Model = model.BuiltinName },
		"name":          func(s *admin.ModelServerSettings) { s.Name = " " },
		"contextTokens": func(s *admin.ModelServerSettings) { s.ContextTokens = 5 },
		"modelNames":    func(s *admin.ModelServerSettings) { s.ModelNames = []string{"gpt-5-mini"} },
		"key":           func(s *admin.ModelServerSettings) { s.Key = "a\nb" },
	} {
		bad := good
		bad.ModelNames = nil
		change(&bad)
		_, err := call(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: mt.Account, ModelServerSettings: bad})
		if detailOf(err, field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	for address, isRefused := range map[string]bool{
		"https://model.example/sk-of-the-tests-0123456789/v1":             true,
		"https://model.example/v1/0123456789abcdef0123456789abcdef/shop/": false, // the name of an account at a gateway
		"https://model.example/sk-of-a-model-without-digits/v1":           false,
	} {
		if err := mt.change(m.ID, admin.ModelServerChange{URL: &address}); (detailOf(err, "url") != "") != isRefused {
			t.Errorf("%s: %v", address, err)
		}
	}
	near, far, key := "https://model.example/v2", "https://elsewhere.example/v1", "sk-other"
	if err := mt.change(m.ID, admin.ModelServerChange{URL: &near}); err != nil {
		t.Errorf("another path: %v", err)
	}
	if detailOf(mt.change(m.ID, admin.ModelServerChange{URL: &far}), "key") == "" {
		t.Error("the key would be sent to another host")
	}
	trial := admin.ModelServerTrial{AccountID: mt.Account, StoredID: m.ID, ModelServerSettings: good}
	trial.URL = far
	if _, err := call(mt, admin.TryModelServer, trial); detailOf(err, "key") == "" {
		t.Errorf("the key would be sent to another host: %v", err)
	}
	if err := mt.change(m.ID, admin.ModelServerChange{URL: &far, Key: &key}); err != nil {
		t.Errorf("another host with its key: %v", err)
	}
	none := ""
	if err := mt.change(m.ID, admin.ModelServerChange{Key: &none}); err != nil || mt.get(m.ID).HasKey {
		t.Errorf("the key stays: %v", err)
	}
}
