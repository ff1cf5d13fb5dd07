package actions_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/actions"
	"parley/internal/sqldb"
)

func (tb *testToolbox) putProcedure(name string, inputs []parley.ActionInput, steps ...parley.ProcedureStep) {
	tb.Helper()
	p := &parley.Procedure{ID: parley.ProcedureID(parley.NewUUID()), AccountID: tb.account, AgentID: tb.agent, Key: name,
		Name: name, Description: "d",
		Inputs: inputs, Steps: steps, Enabled: true, CreatedAt: noon, UpdatedAt: noon}
	all, err := tb.DB.Actions(tb, tb.account.AgentRef(tb.agent))
	tb.Must(err)
	tb.Must(actions.ValidateProcedure(p, all))
	tb.Must(tb.DB.PutProcedure(tb, p))
}

// procedureRuns lists the conversation's runs as "name outcome step".
func (tb *testToolbox) procedureRuns() []string {
	tb.Helper()
	list, err := sqldb.All(tb, tb.DB.SQL(), sqldb.Column[string],
		`select procedure_name || ' ' || coalesce(outcome, 'open') || ' ' || step from procedure_runs
		where conversation_id = ? order by started_at, id`, tb.turn.ConversationID)
	tb.Must(err)
	return list
}

func TestProcedureRunsItsSteps(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		address, last := startService(b.TB, respondWith(200, jsonType, `{"state":"paid","message":"buy more"}`))
		b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}?n={note}"}`, nil,
			parley.ActionInput{Name: "number", Type: "integer", Required: true}, textInput("note", false))
		b.putProcedure("refund", []parley.ActionInput{{Name: "order", Type: "string",
			Description: "the order's number.", Required: true}, textInput("why", true), textInput("more", false)},
			parley.ProcedureStep{Text: "Looking at {order}."},
			parley.ProcedureStep{Action: "track", Input: map[string]string{"number": "{order}", "note": "{more}"}},
			parley.ProcedureStep{Text: "Noted: {why}."})
		b.wantData("refund", `{"why":"late"}`,
			`{"message":"To go on, please tell me: the order's number.","needs":["order"]}`)
		if diff := cmp.Diff([]string{"refund open 0"}, b.procedureRuns()); diff != "" {
			b.Error(diff)
		}
		b.wantError("refund", `{"order":["x"]}`, "order must be a text")
		out := b.callTool("refund", `{"order":"17"}`)
		want := `{"message":"Looking at 17.\n\nNoted: late.","outcome":"completed","steps":[{"say":"Looking at ` +
			`17."},{"action":"track","status":"success","data":{"message":"buy more","state":"paid"}},` +
			`{"say":"Noted: late."}]}`
		if out.Status != parley.ToolSuccess || string(out.Data) != want {
			b.Errorf("%s %s\nwant %s", out.Error, out.Data, want)
		}
		if len(out.Nested) != 1 || out.Nested[0].Tool != "track" || out.Nested[0].Kind != parley.ActionHTTP ||
			string(out.Nested[0].Input) != `{"number":"17"}` ||
			string(out.Nested[0].Output.Data) != `{"message":"buy more","state":"paid"}` {
			b.Errorf("%+v", out.Nested)
		}
		if got := last().line; got != "GET /17?n=" {
			b.Error(got)
		}
		if diff := cmp.Diff([]string{"refund completed 3"}, b.procedureRuns()); diff != "" {
			b.Error(diff)
		}
		// a new run has no inputs
		b.wantData("refund", `{}`, `{"message":"To go on, please tell me: the order's number; why.","needs":["order","why"]}`)
	})
}

func TestFailedProcedure(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		status := atomic.Int32{}
		status.Store(500)
		address, _ := startService(b.TB, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
		b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`"}`, nil)
		b.putProcedure("refund", nil, parley.ProcedureStep{Text: "One moment."}, parley.ProcedureStep{Action: "track"},
			parley.ProcedureStep{Text: "done"})
		out := b.callTool("refund", `{}`)
		if out.Status != parley.ToolError ||
			out.Error != "One moment.\n\nI could not finish this: the service answered 500 (Internal Server Error)." ||
			len(out.Nested) != 1 {
			b.Errorf("%+v", out)
		}
		b.Must(b.DB.DropAction(b, b.account.AgentRef(b.agent), "track", noon))
		b.wantError("refund", `{}`, "there is no such action")
		if diff := cmp.Diff([]string{"refund failed 1", "refund failed 1"}, b.procedureRuns()); diff != "" {
			b.Error(diff)
		}
	})
}

func TestEscalatingProcedure(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		reasons := []string{}
		b.HandOver = func(_ context.Context, _ parley.Turn, reason string) error {
			reasons = append(reasons, reason)
			return nil
		}
		b.putAction(parley.ActionEscalate, "human", `{"message":"Somebody comes."}`, nil)
		b.putAction(parley.ActionCustomButton, "link", `{"label":"Form","url":"https://a.example/"}`, nil)
		b.putProcedure("refund", []parley.ActionInput{textInput("why", true)}, parley.ProcedureStep{Action: "link"},
			parley.ProcedureStep{Action: "human", Input: map[string]string{"reason": "refund: {why}"}},
			parley.ProcedureStep{Text: "never"})
		out := b.callTool("refund", `{"why":"late"}`)
		var result struct{ Message, Outcome string }
		if err := json.Unmarshal(out.Data, &result); err != nil ||
			result.Message != "[Form](https://a.example/)\n\nSomebody comes." || result.Outcome != "escalated" {
			b.Errorf("%+v %s", result, out.Error)
		}
		if diff := cmp.Diff([]string{"refund escalated 2"}, b.procedureRuns()) + cmp.Diff([]string{"refund: late"},
			reasons); diff != "" {
			b.Error(diff)
		}
	})
}

func TestAnotherProcedureAbandonsTheFirst(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		b.putProcedure("refund", []parley.ActionInput{textInput("why", true)}, parley.ProcedureStep{Text: "done"})
		b.putProcedure("return", []parley.ActionInput{textInput("why", true)}, parley.ProcedureStep{Text: "{why}"})
		b.callTool("refund", `{}`)
		b.callTool("return", `{}`)
		b.callTool("return", `{"why":"x"}`)
		got := strings.Join(b.procedureRuns(), ", ")
		if got != "refund abandoned 0, return completed 1" && got != "return completed 1, refund abandoned 0" {
			b.Error(got)
		}
	})
}

// The calls of one round run concurrently; the steps of a run run once.
func TestParallelProcedureCallsRunStepsOnce(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		var requests atomic.Int32
		address, _ := startService(b.TB, func(w http.ResponseWriter, _ *http.Request) { requests.Add(1); w.WriteHeader(204) })
		b.putAction(parley.ActionHTTP, "pay", `{"url":"`+address+`","method":"POST"}`, nil)
		b.putProcedure("refund", []parley.ActionInput{textInput("why", true)}, parley.ProcedureStep{Action: "pay"},
			parley.ProcedureStep{Text: "done"})
		b.callTool("refund", `{}`)
		b.loadTools()
		var all sync.WaitGroup
		for _, input := range []string{`{}`, `{"why":"x"}`, `{}`} {
			all.Go(func() { b.callTool("refund", input) })
		}
		all.Wait()
		if got := requests.Load(); got != 1 {
			b.Error(got, "payments")
		}
	})
}

// A run that the shutdown of a server interrupted continues after its last completed action.
func TestInterruptedProcedureContinuesAfterItsLastStep(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		address, last := startService(b.TB, respondWith(200, jsonType, `{}`))
		b.putAction(parley.ActionHTTP, "pay", `{"url":"`+address+`","method":"POST"}`, nil)
		b.putProcedure("refund", nil, parley.ProcedureStep{Action: "pay"}, parley.ProcedureStep{Text: "done"})
		b.Must(b.DB.StartProcedureRun(b, &parley.ProcedureRun{ID: "r", AccountID: b.account, AgentID: b.agent,
			ConversationID: b.turn.ConversationID, Key: "refund", Name: "refund", Step: 1, StartedAt: noon}))
		b.wantData("refund", `{}`, `{"message":"done","outcome":"completed","steps":[{"say":"done"}]}`)
		if got := last().line; got != "" {
			b.Error("run again:", got)
		}
	})
}
