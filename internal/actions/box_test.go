package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/actions"
	"parley/internal/chat"
	"parley/internal/outbound"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// bench is a box with an agent that has a conversation, and what was logged.
type bench struct {
	testing.TB
	context.Context
	*actions.Box
	account parley.AccountID
	agent   parley.AgentID
	turn    parley.Turn
	log     *strings.Builder
}

func each(t *testing.T, f func(b *bench)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) { f(newBench(t, db)) })
}

// onSQLite is each for what does not touch the database.
func onSQLite(t *testing.T) *bench {
	t.Helper()
	return newBench(t, dbs.Store(t, dbs.Open(t, dbs.File(t))))
}

func newBench(t *testing.T, db *store.DB) *bench {
	t.Helper()
	safe, err := vault.New("sixteen bytes at least")
	if err != nil {
		t.Fatal(err)
	}
	allow, err := outbound.ParseAllow([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, Context: t.Context(), log: &strings.Builder{}, account: parley.AccountID(parley.NewUUID()), agent: parley.NewAgentID()}
	b.Box = &actions.Box{DB: db, HTTP: &outbound.Client{Allow: allow}, Vault: safe, Now: func() time.Time { return noon }, Logger: slog.New(slog.NewTextHandler(b.log, nil))}
	t.Cleanup(b.Close)
	b.must(db.CreateAccount(b, &parley.Account{ID: b.account, Name: "Acme", Plan: "unlimited", CreatedAt: noon}))
	b.must(db.CreateAgent(b, &parley.Agent{ID: b.agent, AccountID: b.account, Name: "Guide", Model: "auto", Visibility: "private", RateLimit: parley.DefaultDeviceLimit(),
		IdentitySecret: "s", ConfigVersion: 1, CreatedAt: noon, UpdatedAt: noon}))
	b.turn = parley.Turn{ID: "t", AccountID: b.account, AgentID: b.agent, ConversationID: b.conversation()}
	return b
}

func (b *bench) conversation() parley.ConversationID {
	b.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: b.account, AgentID: b.agent, Face: parley.FaceV2,
		Channel: parley.ChannelAPI, Status: parley.Ongoing, CreatedAt: noon, UpdatedAt: noon}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.ByUser, State: parley.MessageComplete, CreatedAt: noon}
	b.must(b.DB.Transact(b, sqldb.Turns, func(tx *store.DB) error { return tx.CreateConversation(b, c, first, false) }))
	return c.ID
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err, parley.ErrorOf(err).Details)
	}
}

// put writes an action that is in order; its key is its name.
func (b *bench) put(kind parley.ActionKind, name, config string, secrets map[string]string, inputs ...parley.ActionInput) {
	b.Helper()
	sealed, err := actions.SealSecrets(b.Vault, b.account, secrets)
	b.must(err)
	a := &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: b.account, AgentID: b.agent, Key: name, Kind: kind, Name: name, Description: "when",
		Inputs: inputs, Config: json.RawMessage(config), Secrets: sealed, Enabled: true, CreatedAt: noon, UpdatedAt: noon}
	b.must(actions.ValidateAction(a))
	b.must(b.DB.PutAction(b, a))
}

func (b *bench) tools() []chat.Tool {
	b.Helper()
	a, err := b.DB.AgentForTurn(b, b.account, b.agent)
	b.must(err)
	tools, err := b.Tools(b, a)
	b.must(err)
	return tools
}

// call calls a tool of the agent.
func (b *bench) call(name, input string) chat.Output {
	b.Helper()
	for _, tool := range b.tools() {
		if tool.Name == name {
			out := tool.Run(b, chat.Call{Turn: b.turn, ID: "call_1", Input: json.RawMessage(input)})
			if out.Status == parley.ToolSuccess && out.Error != "" || out.Status == parley.ToolError && (out.Error == "" || out.Data != nil) {
				b.Errorf("%s: %+v", name, out.ToolOutput)
			}
			return out
		}
	}
	b.Fatalf("there is no tool %s", name)
	return chat.Output{}
}

// data asserts what a call gives.
func (b *bench) data(name, input, want string) {
	b.Helper()
	if out := b.call(name, input); out.Status != parley.ToolSuccess || string(out.Data) != want {
		b.Errorf("%s(%s): %s %s %s, want %s", name, input, out.Status, out.Data, out.Error, want)
	}
}

// fails asserts how a call fails.
func (b *bench) fails(name, input, want string) {
	b.Helper()
	if out := b.call(name, input); out.Status != parley.ToolError || !strings.Contains(out.Error, want) {
		b.Errorf("%s(%s): %s %s %q, want %q", name, input, out.Status, out.Data, out.Error, want)
	}
}

func text(name string, required bool) parley.ActionInput {
	return parley.ActionInput{Name: name, Type: "string", Required: required}
}

func TestToolsInTheirOrder(t *testing.T) {
	b := onSQLite(t)
	if tools := b.tools(); tools != nil {
		t.Error(tools)
	}
	b.put(parley.ActionClient, "page", `{}`, nil, text("color", true))
	b.put(parley.ActionWebSearch, "web", `{}`, nil)
	b.put(parley.ActionEscalate, "human", `{}`, nil)
	b.put(parley.ActionCollectLeads, "lead", `{}`, nil)
	b.must(b.DB.PutProcedure(b, &parley.Procedure{ID: "p", AccountID: b.account, AgentID: b.agent, Key: "refund", Name: "refund", Description: "d",
		Triggers: []string{"money back"}, Steps: []parley.ProcedureStep{{Say: "hi"}}, Enabled: true, CreatedAt: noon, UpdatedAt: noon}))
	var names []string
	for _, tool := range b.tools() {
		names = append(names, fmt.Sprint(tool.Name, " ", tool.Kind, " ", tool.Run != nil, " ", tool.Triggers))
	}
	want := "lead collect-leads true []\npage client false []\nrefund procedure true [money back]" // neither an engine nor anybody to hand over to
	if got := strings.Join(names, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if why := b.Idle(&parley.Action{Kind: parley.ActionWebSearch}); !strings.Contains(why, "PARLEY_SEARCH_URL") {
		t.Error(why)
	}
	b.must(b.DB.DropAction(b, b.account, b.agent, "lead", noon))
	if got := len(b.tools()); got != 2 {
		t.Error(got, "tools after one was dropped")
	}
}

func TestLeads(t *testing.T) {
	each(t, func(b *bench) {
		b.put(parley.ActionCollectLeads, "lead", `{"message":"Thanks!"}`, nil)
		b.data("lead", `{"email":"ann@example.org","name":"Ann"}`, `{"message":"Thanks!"}`)
		b.data("lead", `{"email":"Ann@example.org","phone":"+49 (30) 123-45"}`, `{"message":"Thanks!"}`)
		b.fails("lead", `{"name":"Ann"}`, "email is required")
		for _, bad := range []string{"ann", "ann@", "@example.org", "ann@example", "a b@example.org", "ann@exa mple.org", "ann@example.org, bob@example.org"} {
			b.fails("lead", fmt.Sprintf(`{"email":%q}`, bad), "email must be")
		}
		b.fails("lead", `{"email":"ann@example.org","phone":"never"}`, "phone must be")
		page, err := b.DB.Leads(b, b.account, b.agent, store.LeadFilter{}, parley.PageAsk{Limit: 10})
		b.must(err)
		if len(page.Items) != 1 || page.Items[0].Phone != "+49 (30) 123-45" || page.Items[0].Name != "Ann" || page.Items[0].ConversationID != b.turn.ConversationID {
			b.Errorf("%+v", page.Items)
		}
		b.put(parley.ActionCollectLeads, "form", `{}`, nil, text("phone", false), text("email", false), text("company", false))
		b.fails("form", `{"company":"Acme"}`, "email or phone is required")
		b.data("form", `{"company":"Acme","phone":"555 1234"}`, `{"message":"Thank you, your details have been passed on to the team."}`)
		page, err = b.DB.Leads(b, b.account, b.agent, store.LeadFilter{}, parley.PageAsk{Limit: 10})
		b.must(err)
		if page.Total != 2 {
			b.Errorf("%+v", page.Items)
		}
		b.turn.ConversationID = "gone"
		b.fails("form", `{"phone":"555 1234"}`, "could not be kept: Conversation not found.")
	})
}

func TestEscalate(t *testing.T) {
	b := onSQLite(t)
	var told []string
	refuse := error(nil)
	b.TakeOver = func(_ context.Context, turn parley.Turn, reason string) error {
		told = append(told, string(turn.ConversationID)+" "+reason)
		return refuse
	}
	b.put(parley.ActionEscalate, "human", `{"message":"Somebody comes."}`, nil)
	b.data("human", `{"reason":"angry"}`, `{"message":"Somebody comes."}`)
	b.data("human", `{}`, `{"message":"Somebody comes."}`)
	b.put(parley.ActionEscalate, "plain", `{}`, nil)
	if tools := b.tools(); tools[0].Says != "Somebody comes." || tools[1].Says != "" { // the house says it in the customer's language
		t.Errorf("the customer is told %q and %q", tools[0].Says, tools[1].Says)
	}
	refuse = parley.Fail(parley.CodeNotOngoing)
	b.fails("human", `{}`, "no longer ongoing")
	refuse = errors.New("SQL secret")
	if out := b.call("human", `{}`); strings.Contains(out.Error, "SQL") || !strings.Contains(b.log.String(), "SQL secret") {
		t.Error(out.Error, b.log)
	}
	if len(told) != 4 || told[0] != string(b.turn.ConversationID)+" angry" {
		t.Error(told)
	}
}

func TestButton(t *testing.T) {
	b := onSQLite(t)
	b.put(parley.ActionCustomButton, "book", `{"label":"Book [now]","url":"https://a.example/(b)/{room}?n={note}"}`, nil, text("room", true), text("note", false))
	b.data("book", `{"room":"a/b) [x](https://evil.example"}`,
		`{"label":"Book [now]","url":"https://a.example/%28b%29/a%2Fb%29%20%5Bx%5D%28https:%2F%2Fevil.example?n=","message":"[Book \\[now\\]](https://a.example/%28b%29/a%2Fb%29%20%5Bx%5D%28https:%2F%2Fevil.example?n=)"}`)
	b.fails("book", `{"room":".."}`, "not valid")
	b.fails("book", `{}`, "room is required")
}

func readAll(r io.Reader) string {
	raw, _ := io.ReadAll(r)
	return string(raw)
}
