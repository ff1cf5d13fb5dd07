package actions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/actions"
)

const editSecret = "sk-of-the-trial-0123456789"

func (tb *testToolbox) newAction(name, address string) *parley.Action {
	config := fmt.Sprintf(`{"url":%q,"headers":{"Authorization":"Bearer ${KEY}"}}`, address)
	return &parley.Action{AccountID: tb.account, AgentID: tb.agent, Kind: parley.ActionHTTP, Name: name,
		Description: "when", Inputs: []parley.ActionInput{{Name: "number", Type: "string", Required: true}},
		Config: json.RawMessage(config), Enabled: true}
}

// wantFault checks that an operation is refused at a path.
func (tb *testToolbox) wantFault(err error, path string) {
	tb.Helper()
	if !parley.IsCode(err, parley.CodeInvalidBody) || parley.AsError(err).Details[path] == "" {
		tb.Errorf("%v %v, want a fault at %s", err, parley.AsError(err).Details, path)
	}
}

func (tb *testToolbox) storedAction(key string) parley.Action {
	tb.Helper()
	list, err := tb.DB.Actions(tb, tb.account.AgentRef(tb.agent))
	tb.Must(err)
	for _, a := range list {
		if a.Key == key {
			return a
		}
	}
	tb.Fatalf("there is no action %s", key)
	return parley.Action{}
}

// wantSecretNote checks who has given the only secret of an action, and when.
func (tb *testToolbox) wantSecretNote(key, by string, at time.Time) {
	tb.Helper()
	notes := tb.storedAction(key).SecretNotes
	if note := notes["KEY"]; len(notes) != 1 || note.By != by || !note.At.Equal(at) {
		tb.Errorf("secrets of %s: %+v, want one of %s at %v", key, notes, by, at)
	}
}

func TestActionsAreEdited(t *testing.T) {
	forEachDatabase(t, func(tb *testToolbox) {
		ref := tb.account.AgentRef(tb.agent)
		a := tb.newAction("track_order", "https://a.example/{number}")
		tb.wantFault(tb.AddAction(tb, a, nil, "user:kim"), "secrets.KEY")
		tb.Must(tb.AddAction(tb, a, map[string]string{"KEY": editSecret}, "user:kim"))
		tb.wantFault(tb.AddAction(tb, tb.newAction("track_order", "https://a.example/{number}"),
			map[string]string{"KEY": "k"}, "user:kim"), "name")
		stored := tb.storedAction("track_order")
		if strings.Contains(stored.Secrets+string(stored.Config), editSecret) || !stored.Enabled {
			t.Errorf("stored: %+v", stored)
		}
		moveTo := func(address string) actions.ActionChange {
			return actions.ActionChange{Key: "track_order", Apply: func(a *parley.Action) {
				a.Config = tb.newAction("", address).Config
			}}
		}
		tb.wantFault(tb.ChangeAction(tb, ref, moveTo("https://b.example/{number}")), "secrets.KEY")
		tb.Must(tb.ChangeAction(tb, ref, moveTo("https://a.example/orders/{number}")))
		tb.wantSecretNote("track_order", "user:kim", stored.UpdatedAt) // the key was kept
		late := moveTo("https://a.example/{number}")
		late.Base = &stored.UpdatedAt
		if err := tb.ChangeAction(tb, ref, late); !parley.IsCode(err, parley.CodeAgentChanged) {
			t.Errorf("a change that rests on an old version: %v", err)
		}
		replaced := moveTo("https://a.example/{number}")
		replaced.Secrets, replaced.By = map[string]string{"KEY": "k-2"}, "user:bo"
		tb.Must(tb.ChangeAction(tb, ref, replaced))
		tb.wantSecretNote("track_order", "user:bo", tb.storedAction("track_order").UpdatedAt)
		tb.Must(tb.AddProcedure(tb, &parley.Procedure{AccountID: tb.account, AgentID: tb.agent, Name: "refund",
			Description: "when", Inputs: a.Inputs, Enabled: true, Steps: []parley.ProcedureStep{
				{Action: "track_order", Input: map[string]string{"number": "{number}"}}}}))
		tb.wantFault(tb.RemoveAction(tb, ref, "track_order"), "usedBy")
		tb.wantFault(tb.ChangeAction(tb, ref, actions.ActionChange{Key: "track_order",
			Apply: func(a *parley.Action) { a.Enabled = false }}), "usedBy")
		tb.Must(tb.ChangeProcedure(tb, ref, actions.ProcedureChange{Key: "refund",
			Apply: func(p *parley.Procedure) { p.Steps = []parley.ProcedureStep{{Text: "Hello"}} }}))
		tb.Must(tb.RemoveAction(tb, ref, "track_order"))
		tb.Must(tb.RemoveProcedure(tb, ref, "refund"))
		if err := tb.RemoveProcedure(tb, ref, "refund"); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("removing it again: %v", err)
		}
	})
}

func TestActionsAreTried(t *testing.T) {
	tb := newSQLiteToolbox(t)
	status := http.StatusOK
	address, _ := startService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"status":"sent","key":%q}`, r.Header.Get("Authorization"))
	})
	secrets := map[string]string{"KEY": editSecret}
	try := func(input string) actions.Trial {
		trial, err := tb.TryAction(tb, tb.newAction("track", address+"/{number}"), secrets, json.RawMessage(input))
		tb.Must(err)
		if strings.Contains(fmt.Sprintf("%+v %+v %s", trial.Request, trial.Reply, trial.Output.JSON()), editSecret) {
			t.Errorf("a secret is shown: %+v %+v", trial.Request, trial.Reply)
		}
		return trial
	}
	got := try(`{"number":"47"}`)
	if got.Failure != "" || got.Reply == nil || got.Reply.Status != 200 || !strings.Contains(got.Reply.Body, "sent") ||
		!strings.HasSuffix(got.Request.URL, "/47") || !strings.Contains(fmt.Sprint(got.Request.Headers), "Bearer ***") {
		t.Errorf("%+v %+v %+v", got, got.Request, got.Reply)
	}
	if got := try(`{}`); got.Failure != actions.FailureInput || got.Request != nil {
		t.Errorf("without an input: %+v", got)
	}
	status = http.StatusUnauthorized
	if got := try(`{"number":"47"}`); got.Failure != actions.FailureStatus || got.Reply.Status != 401 {
		t.Errorf("refused by the service: %+v", got)
	}
	private := tb.newAction("track", "http://10.1.2.3/{number}")
	trial, err := tb.TryAction(tb, private, secrets, json.RawMessage(`{"number":"47"}`))
	tb.Must(err)
	if trial.Failure != actions.FailureRefused || trial.Reply != nil {
		t.Errorf("an address within the network: %+v", trial)
	}
}

func TestTrialsForConversationsDoNothing(t *testing.T) {
	tb := newSQLiteToolbox(t)
	lead := &parley.Action{AccountID: tb.account, AgentID: tb.agent, Kind: parley.ActionCollectLeads, Name: "lead",
		Description: "when", Config: json.RawMessage(`{"message":"Thanks."}`)}
	trial, err := tb.TryAction(tb, lead, nil, json.RawMessage(`{"email":"jo@example.com"}`))
	tb.Must(err)
	if !trial.IsSimulated || !strings.Contains(string(trial.Output.Data), "Thanks.") {
		t.Errorf("%+v", trial)
	}
	if trial, _ := tb.TryAction(tb, lead, nil, json.RawMessage(`{"email":"jo"}`)); trial.Failure != actions.FailureInput {
		t.Errorf("%+v", trial)
	}
	var leads int
	tb.Must(tb.DB.SQL().QueryRow(tb, `select count(*) from leads`).Scan(&leads))
	if leads != 0 {
		t.Errorf("%d leads were kept", leads)
	}
}

func TestProceduresAreTriedStepByStep(t *testing.T) {
	tb := newSQLiteToolbox(t)
	address, _ := startService(t, respondWith(http.StatusOK, jsonType, `{"ok":1}`))
	tb.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}"}`, nil,
		parley.ActionInput{Name: "number", Type: "string", Required: true})
	tb.putAction(parley.ActionEscalate, "person", `{}`, nil)
	p := &parley.Procedure{AccountID: tb.account, AgentID: tb.agent, Name: "refund", Description: "when",
		Inputs: []parley.ActionInput{{Name: "order", Type: "string", Required: true}},
		Steps: []parley.ProcedureStep{{Text: "I look at {order}."}, {Action: "track",
			Input: map[string]string{"number": "{order}"}}, {Action: "person"}, {Text: "never"}}}
	try := func(step int, input string) actions.StepTrial {
		out, err := tb.TryStep(tb, p, actions.StepChoice{Index: step, Input: json.RawMessage(input)})
		tb.Must(err)
		return out
	}
	if got := try(0, `{}`); fmt.Sprint(got.Needs) != "[order]" {
		t.Errorf("%+v", got)
	}
	if got := try(0, `{"order":"47"}`); got.Say != "I look at 47." || got.Outcome != "" {
		t.Errorf("%+v", got)
	}
	if got := try(1, `{"order":"47"}`); got.Action != "track" || got.Trial.Failure != "" ||
		string(got.Input) != `{"number":"47"}` {
		t.Errorf("%+v %+v", got, got.Trial)
	}
	if got := try(2, `{"order":"47"}`); got.Outcome != parley.ProcedureEscalated || !got.Trial.IsSimulated {
		t.Errorf("%+v", got)
	}
	_, err := tb.TryStep(tb, p, actions.StepChoice{Index: 4, Input: json.RawMessage(`{"order":"47"}`)})
	tb.wantFault(err, "step")
}
