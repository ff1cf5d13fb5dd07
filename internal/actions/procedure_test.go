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

func (b *bench) putProcedure(name string, inputs []parley.ActionInput, steps ...parley.ProcedureStep) {
	b.Helper()
	p := &parley.Procedure{ID: parley.ProcedureID(parley.NewUUID()), AccountID: b.account, AgentID: b.agent, Key: name, Name: name, Description: "d",
		Inputs: inputs, Steps: steps, Enabled: true, CreatedAt: noon, UpdatedAt: noon}
	all, err := b.DB.Actions(b, b.account, b.agent)
	b.must(err)
	b.must(actions.ValidateProcedure(p, all))
	b.must(b.DB.PutProcedure(b, p))
}

// runs lists the conversation's runs as "name outcome step".
func (b *bench) runs() []string {
	b.Helper()
	list, err := sqldb.All(b, b.DB.SQL(), sqldb.Column[string], `select procedure_name || ' ' || coalesce(outcome, 'open') || ' ' || step from procedure_runs
		where conversation_id = ? order by started_at, id`, b.turn.ConversationID)
	b.must(err)
	return list
}

func TestProcedureRunsItsSteps(t *testing.T) {
	each(t, func(b *bench) {
		address, last := service(b.TB, says(200, asJSON, `{"state":"paid","message":"buy more"}`))
		b.put(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}?n={note}"}`, nil, parley.ActionInput{Name: "number", Type: "integer", Required: true}, text("note", false))
		b.putProcedure("refund", []parley.ActionInput{{Name: "order", Type: "string", Description: "the order's number.", Required: true}, text("why", true), text("more", false)},
			parley.ProcedureStep{Say: "Looking at {order}."},
			parley.ProcedureStep{Action: "track", With: map[string]string{"number": "{order}", "note": "{more}"}},
			parley.ProcedureStep{Say: "Noted: {why}."})
		b.data("refund", `{"why":"late"}`, `{"message":"To go on, please tell me: the order's number.","needs":["order"]}`)
		if diff := cmp.Diff([]string{"refund open 0"}, b.runs()); diff != "" {
			b.Error(diff)
		}
		b.fails("refund", `{"order":["x"]}`, "order must be a text")
		out := b.call("refund", `{"order":"17"}`)
		want := `{"message":"Looking at 17.\n\nNoted: late.","outcome":"completed","steps":[{"say":"Looking at 17."},{"action":"track","status":"success","data":{"message":"buy more","state":"paid"}},{"say":"Noted: late."}]}`
		if out.Status != parley.ToolSuccess || string(out.Data) != want {
			b.Errorf("%s %s\nwant %s", out.Error, out.Data, want)
		}
		if len(out.Inner) != 1 || out.Inner[0].Tool != "track" || out.Inner[0].Kind != parley.ActionHTTP || string(out.Inner[0].Input) != `{"number":"17"}` ||
			string(out.Inner[0].Output.Data) != `{"message":"buy more","state":"paid"}` {
			b.Errorf("%+v", out.Inner)
		}
		if got := last().line; got != "GET /17?n=" {
			b.Error(got)
		}
		if diff := cmp.Diff([]string{"refund completed 3"}, b.runs()); diff != "" {
			b.Error(diff)
		}
		b.data("refund", `{}`, `{"message":"To go on, please tell me: the order's number; why.","needs":["order","why"]}`) // a new run knows nothing
	})
}

func TestProcedureThatFails(t *testing.T) {
	each(t, func(b *bench) {
		status := atomic.Int32{}
		status.Store(500)
		address, _ := service(b.TB, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
		b.put(parley.ActionHTTP, "track", `{"url":"`+address+`"}`, nil)
		b.putProcedure("refund", nil, parley.ProcedureStep{Say: "One moment."}, parley.ProcedureStep{Action: "track"}, parley.ProcedureStep{Say: "done"})
		out := b.call("refund", `{}`)
		if out.Status != parley.ToolError || out.Error != "One moment.\n\nI could not finish this: the service answered 500 (Internal Server Error)." || len(out.Inner) != 1 {
			b.Errorf("%+v", out)
		}
		b.must(b.DB.DropAction(b, b.account, b.agent, "track", noon))
		b.fails("refund", `{}`, "there is no such action")
		if diff := cmp.Diff([]string{"refund failed 1", "refund failed 1"}, b.runs()); diff != "" {
			b.Error(diff)
		}
	})
}

func TestProcedureThatEscalates(t *testing.T) {
	each(t, func(b *bench) {
		reasons := []string{}
		b.TakeOver = func(_ context.Context, _ parley.Turn, reason string) error {
			reasons = append(reasons, reason)
			return nil
		}
		b.put(parley.ActionEscalate, "human", `{"message":"Somebody comes."}`, nil)
		b.put(parley.ActionCustomButton, "link", `{"label":"Form","url":"https://a.example/"}`, nil)
		b.putProcedure("refund", []parley.ActionInput{text("why", true)}, parley.ProcedureStep{Action: "link"},
			parley.ProcedureStep{Action: "human", With: map[string]string{"reason": "refund: {why}"}}, parley.ProcedureStep{Say: "never"})
		out := b.call("refund", `{"why":"late"}`)
		var told struct{ Message, Outcome string }
		if err := json.Unmarshal(out.Data, &told); err != nil || told.Message != "[Form](https://a.example/)\n\nSomebody comes." || told.Outcome != "escalated" {
			b.Errorf("%+v %s", told, out.Error)
		}
		if diff := cmp.Diff([]string{"refund escalated 2"}, b.runs()) + cmp.Diff([]string{"refund: late"}, reasons); diff != "" {
			b.Error(diff)
		}
	})
}

func TestAnotherProcedureAbandonsTheFirst(t *testing.T) {
	each(t, func(b *bench) {
		b.putProcedure("refund", []parley.ActionInput{text("why", true)}, parley.ProcedureStep{Say: "done"})
		b.putProcedure("return", []parley.ActionInput{text("why", true)}, parley.ProcedureStep{Say: "{why}"})
		b.call("refund", `{}`)
		b.call("return", `{}`)
		b.call("return", `{"why":"x"}`)
		got := strings.Join(b.runs(), ", ")
		if got != "refund abandoned 0, return completed 1" && got != "return completed 1, refund abandoned 0" {
			b.Error(got)
		}
	})
}

// The calls of one round come side by side; the steps of a run are made once.
func TestProcedureCallsAtOnce(t *testing.T) {
	each(t, func(b *bench) {
		var asked atomic.Int32
		address, _ := service(b.TB, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.WriteHeader(204) })
		b.put(parley.ActionHTTP, "pay", `{"url":"`+address+`","method":"POST"}`, nil)
		b.putProcedure("refund", []parley.ActionInput{text("why", true)}, parley.ProcedureStep{Action: "pay"}, parley.ProcedureStep{Say: "done"})
		b.call("refund", `{}`)
		b.tools()
		var all sync.WaitGroup
		for _, input := range []string{`{}`, `{"why":"x"}`, `{}`} {
			all.Go(func() { b.call("refund", input) })
		}
		all.Wait()
		if got := asked.Load(); got != 1 {
			b.Error(got, "payments")
		}
	})
}

// A run that the server's end cut off goes on behind the last action that was done.
func TestProcedureGoesOnBehindWhatWasDone(t *testing.T) {
	each(t, func(b *bench) {
		address, last := service(b.TB, says(200, asJSON, `{}`))
		b.put(parley.ActionHTTP, "pay", `{"url":"`+address+`","method":"POST"}`, nil)
		b.putProcedure("refund", nil, parley.ProcedureStep{Action: "pay"}, parley.ProcedureStep{Say: "done"})
		b.must(b.DB.StartRun(b, &parley.ProcedureRun{ID: "r", AccountID: b.account, AgentID: b.agent, ConversationID: b.turn.ConversationID, Key: "refund", Name: "refund", Step: 1, StartedAt: noon}))
		b.data("refund", `{}`, `{"message":"done","outcome":"completed","steps":[{"say":"done"}]}`)
		if got := last().line; got != "" {
			b.Error("done again:", got)
		}
	})
}
