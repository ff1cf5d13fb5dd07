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

	"parley"
	"parley/internal/actions"
	"parley/internal/chat"
	"parley/internal/outbound"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/vault"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// testToolbox is a Toolbox with an agent that has a conversation, and its log.
type testToolbox struct {
	check.T
	context.Context
	*actions.Toolbox
	account parley.AccountID
	agent   parley.AgentID
	turn    parley.Turn
	log     *strings.Builder
}

func forEachDatabase(t *testing.T, f func(b *testToolbox)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestToolbox(t, db)) })
}

// newSQLiteToolbox returns a testToolbox for tests that do not depend on the database.
func newSQLiteToolbox(t *testing.T) *testToolbox {
	t.Helper()
	return newTestToolbox(t, dbs.NewSQLiteStore(t))
}

func newTestToolbox(t *testing.T, db *store.DB) *testToolbox {
	t.Helper()
	safe, err := vault.New("sixteen bytes at least")
	if err != nil {
		t.Fatal(err)
	}
	allow, err := outbound.ParseAllow([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	b := &testToolbox{T: check.T{TB: t}, Context: t.Context(), log: &strings.Builder{}}
	b.Toolbox = &actions.Toolbox{DB: db, HTTP: &outbound.Client{AllowedPrefixes: allow}, Vault: safe,
		Now: func() time.Time { return noon }, Logger: slog.New(slog.NewTextHandler(b.log, nil))}
	t.Cleanup(b.Close)
	b.account = dbs.CreateAccount(t, db, "unlimited", noon).ID
	b.agent = dbs.CreateAgent(t, db, dbs.NewAgent(b.account, noon))
	b.turn = parley.Turn{ID: "t", AccountID: b.account, AgentID: b.agent, ConversationID: b.newConversation()}
	return b
}

func (tb *testToolbox) newConversation() parley.ConversationID {
	tb.Helper()
	return dbs.CreateConversation(tb.TB, tb.DB, tb.account.AgentRef(tb.agent), noon)
}

// putAction writes a valid action; its key is its name.
func (tb *testToolbox) putAction(kind parley.ActionKind, name, config string, secrets map[string]string,
	inputs ...parley.ActionInput) {
	tb.Helper()
	sealed, err := actions.SealSecrets(tb.Vault, tb.account, secrets)
	tb.Must(err)
	a := &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: tb.account, AgentID: tb.agent, Key: name,
		Kind: kind, Name: name, Description: "when",
		Inputs: inputs, Config: json.RawMessage(config), Secrets: sealed, Enabled: true, CreatedAt: noon, UpdatedAt: noon}
	tb.Must(actions.ValidateAction(a))
	tb.Must(tb.DB.PutAction(tb, a))
}

func (tb *testToolbox) loadTools() []chat.Tool {
	tb.Helper()
	a, err := tb.DB.AgentForTurn(tb, tb.account.AgentRef(tb.agent), time.Now())
	tb.Must(err)
	tools, err := tb.Tools(tb, a)
	tb.Must(err)
	return tools
}

// callTool calls a tool of the agent.
func (tb *testToolbox) callTool(name, input string) chat.Output {
	tb.Helper()
	for _, tool := range tb.loadTools() {
		if tool.Name == name {
			out := tool.Run(tb, chat.Call{Turn: tb.turn, ID: "call_1", Input: json.RawMessage(input)})
			if out.Status == parley.ToolSuccess && out.Error != "" || out.Status == parley.ToolError &&
				(out.Error == "" || out.Data != nil) {
				tb.Errorf("%s: %+v", name, out.ToolOutput)
			}
			return out
		}
	}
	tb.Fatalf("there is no tool %s", name)
	return chat.Output{}
}

// wantData checks the result of a call.
func (tb *testToolbox) wantData(name, input, want string) {
	tb.Helper()
	if out := tb.callTool(name, input); out.Status != parley.ToolSuccess || string(out.Data) != want {
		tb.Errorf("%s(%s): %s %s %s, want %s", name, input, out.Status, out.Data, out.Error, want)
	}
}

// wantError checks how a call fails.
func (tb *testToolbox) wantError(name, input, want string) {
	tb.Helper()
	if out := tb.callTool(name, input); out.Status != parley.ToolError || !strings.Contains(out.Error, want) {
		tb.Errorf("%s(%s): %s %s %q, want %q", name, input, out.Status, out.Data, out.Error, want)
	}
}

func textInput(name string, required bool) parley.ActionInput {
	return parley.ActionInput{Name: name, Type: "string", Required: required}
}

func TestToolsKeepTheirOrder(t *testing.T) {
	b := newSQLiteToolbox(t)
	if tools := b.loadTools(); tools != nil {
		t.Error(tools)
	}
	b.putAction(parley.ActionClient, "page", `{}`, nil, textInput("color", true))
	b.putAction(parley.ActionWebSearch, "web", `{}`, nil)
	b.putAction(parley.ActionEscalate, "human", `{}`, nil)
	b.putAction(parley.ActionCollectLeads, "lead", `{}`, nil)
	b.Must(b.DB.PutProcedure(b, &parley.Procedure{ID: "p", AccountID: b.account, AgentID: b.agent, Key: "refund",
		Name: "refund", Description: "d",
		Triggers: []string{"money back"}, Steps: []parley.ProcedureStep{{Text: "hi"}}, Enabled: true, CreatedAt: noon,
		UpdatedAt: noon}))
	var names []string
	for _, tool := range b.loadTools() {
		names = append(names, fmt.Sprint(tool.Name, " ", tool.Kind, " ", tool.Run != nil, " ", tool.Triggers))
	}
	// neither an engine nor anybody to hand over to
	want := "lead collect-leads true []\npage client false []\nrefund procedure true [money back]"
	if got := strings.Join(names, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Must(b.DB.DropAction(b, b.account.AgentRef(b.agent), "lead", noon))
	if got := len(b.loadTools()); got != 2 {
		t.Error(got, "tools after one was dropped")
	}
}

func TestLeads(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		b.putAction(parley.ActionCollectLeads, "lead", `{"message":"Thanks!"}`, nil)
		b.wantData("lead", `{"email":"ann@example.org","name":"Ann"}`, `{"message":"Thanks!"}`)
		b.wantData("lead", `{"email":"Ann@example.org","phone":"+49 (30) 123-45"}`, `{"message":"Thanks!"}`)
		b.wantError("lead", `{"name":"Ann"}`, "email is required")
		for _, bad := range []string{"ann", "ann@", "@example.org", "ann@example", "a b@example.org",
			"ann@exa mple.org", "ann@example.org, bob@example.org"} {
			b.wantError("lead", fmt.Sprintf(`{"email":%q}`, bad), "email must be")
		}
		b.wantError("lead", `{"email":"ann@example.org","phone":"never"}`, "phone must be")
		page, err := b.DB.Leads(b, b.account.AgentRef(b.agent), store.LeadFilter{}, parley.PageRequest{Limit: 10})
		b.Must(err)
		if len(page.Items) != 1 || page.Items[0].Phone != "+49 (30) 123-45" || page.Items[0].Name != "Ann" ||
			page.Items[0].ConversationID != b.turn.ConversationID {
			b.Errorf("%+v", page.Items)
		}
		b.putAction(parley.ActionCollectLeads, "form", `{}`, nil, textInput("phone", false), textInput("email", false),
			textInput("company", false))
		b.wantError("form", `{"company":"Acme"}`, "email or phone is required")
		b.wantData("form", `{"company":"Acme","phone":"555 1234"}`,
			`{"message":"Thank you, your details have been passed on to the team."}`)
		page, err = b.DB.Leads(b, b.account.AgentRef(b.agent), store.LeadFilter{}, parley.PageRequest{Limit: 10})
		b.Must(err)
		if page.Total != 2 {
			b.Errorf("%+v", page.Items)
		}
		b.turn.ConversationID = "gone"
		b.wantError("form", `{"phone":"555 1234"}`, "could not be kept: Conversation not found.")
	})
}

// In a chat the form of an action asks for what the model does not know, unless it has or requires other fields.
func TestLeadsHaveAForm(t *testing.T) {
	b := newSQLiteToolbox(t)
	b.putAction(parley.ActionCollectLeads, "custom", `{}`, nil, textInput("email", true), textInput("company", false))
	b.putAction(parley.ActionCollectLeads, "later", `{}`, nil)
	for _, tool := range b.loadTools() {
		if tool.Form != nil {
			t.Errorf("%s has a form", tool.Name)
		}
	}
	for _, other := range []string{"name", "phone"} { // the form requires the address alone
		b = newSQLiteToolbox(t)
		b.putAction(parley.ActionCollectLeads, "lead", `{}`, nil, textInput(other, true), textInput("email", true))
		if b.loadTools()[0].Form != nil {
			t.Errorf("an action that requires a %s has a form", other)
		}
	}
	b = newSQLiteToolbox(t)
	b.putAction(parley.ActionCollectLeads, "lead", `{}`, nil, textInput("name", false), textInput("phone", true))
	if b.loadTools()[0].Form == nil {
		t.Error("an action that requires a phone number alone has no form")
	}
	b = newSQLiteToolbox(t)
	b.putAction(parley.ActionCollectLeads, "lead", `{}`, nil)
	form := b.loadTools()[0].Form
	if form == nil || strings.Contains(string(form.Tool.Parameters), `"required":["email"]`) {
		t.Fatalf("%+v", form)
	}
	for input, want := range map[string]bool{`{}`: false, `{"name":"Kim"}`: false, `{"email":"kim"}`: false,
		`{"email":"kim@shop.example"}`: true} {
		if form.HasInput(json.RawMessage(input)) != want {
			t.Errorf("%s: %v", input, !want)
		}
	}
}

func TestEscalate(t *testing.T) {
	b := newSQLiteToolbox(t)
	var handovers []string
	refuse := error(nil)
	b.HandOver = func(_ context.Context, turn parley.Turn, reason string) error {
		handovers = append(handovers, string(turn.ConversationID)+" "+reason)
		return refuse
	}
	b.putAction(parley.ActionEscalate, "human", `{"message":"Somebody comes."}`, nil)
	b.wantData("human", `{"reason":"angry"}`, `{"message":"Somebody comes."}`)
	b.wantData("human", `{}`, `{"message":"Somebody comes."}`)
	b.putAction(parley.ActionEscalate, "plain", `{}`, nil)
	// the default text is in the customer's language
	if tools := b.loadTools(); tools[0].HandoverText != "Somebody comes." || tools[1].HandoverText != "" {
		t.Errorf("the customer gets %q and %q", tools[0].HandoverText, tools[1].HandoverText)
	}
	refuse = parley.NewError(parley.CodeNotOngoing)
	b.wantError("human", `{}`, "no longer ongoing")
	refuse = errors.New("SQL secret")
	if out := b.callTool("human", `{}`); strings.Contains(out.Error, "SQL") ||
		!strings.Contains(b.log.String(), "SQL secret") {
		t.Error(out.Error, b.log)
	}
	if len(handovers) != 4 || handovers[0] != string(b.turn.ConversationID)+" angry" {
		t.Error(handovers)
	}
}

func TestButton(t *testing.T) {
	b := newSQLiteToolbox(t)
	b.putAction(parley.ActionCustomButton, "book",
		`{"label":"Book [now]","url":"https://a.example/(b)/{room}?n={note}"}`, nil, textInput("room", true),
		textInput("note", false))
	b.wantData("book", `{"room":"a/b) [x](https://evil.example"}`,
		`{"label":"Book [now]",`+
			`"url":"https://a.example/%28b%29/a%2Fb%29%20%5Bx%5D%28https:%2F%2Fevil.example?n=",`+
			`"message":"[Book `+
			`\\[now\\]](https://a.example/%28b%29/a%2Fb%29%20%5Bx%5D%28https:%2F%2Fevil.example?n=)"}`)
	b.wantError("book", `{"room":".."}`, "not valid")
	b.wantError("book", `{}`, "room is required")
}

func readAll(r io.Reader) string {
	raw, _ := io.ReadAll(r)
	return string(raw)
}
