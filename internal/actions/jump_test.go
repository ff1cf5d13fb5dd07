package actions_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/actions"
	"parley/internal/chat"
)

// returnSteps are the steps of a procedure that looks an order up and decides by its state.
func returnSteps() []parley.ProcedureStep {
	return []parley.ProcedureStep{
		{Key: "track", Action: "track", Input: map[string]string{"number": "{order}"}},
		{If: &parley.StepCondition{Field: "track.state.name", Operator: parley.StepIs, Value: "Delivered"}, Goto: "label",
			Else: "person"},
		{Text: "never"},
		{Key: "label", Text: "Send {track.items.0.name} back.", Goto: parley.StepEnd},
		{Key: "person", Action: "human", Input: map[string]string{"reason": "{track.state.name} {track.none}"}},
	}
}

// An action is not run again, and what it returned decides where the procedure goes on.
func TestConditionsLeadToLaterSteps(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		var reasons []string
		b.HandOver = func(_ context.Context, _ parley.Turn, reason string) error {
			reasons = append(reasons, reason)
			return nil
		}
		reply := `{"state":{"name":"delivered"},"items":[{"name":"shoes"}]}`
		address, last := startService(b.TB, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(reply))
		})
		b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}"}`, nil, textInput("number", true))
		b.putAction(parley.ActionEscalate, "human", `{"message":"Somebody comes."}`, nil)
		b.putProcedure("return", []parley.ActionInput{textInput("order", true)}, returnSteps()...)
		want := func(input, message string, outcome parley.ProcedureOutcome) {
			t.Helper()
			out := b.callTool("return", input)
			var got struct {
				Message string
				Outcome parley.ProcedureOutcome
			}
			if err := json.Unmarshal(out.Data, &got); err != nil || got.Message != message || got.Outcome != outcome {
				t.Errorf("%s %s, want %q %s", out.Data, out.Error, message, outcome)
			}
		}
		want(`{"order":"17"}`, "Send shoes back.", parley.ProcedureCompleted)
		if got := last().line; got != "GET /17" {
			t.Error(got)
		}
		reply = `{"state":{"name":"sent"}}`
		want(`{"order":"18"}`, "Somebody comes.", parley.ProcedureEscalated)
		if diff := cmp.Diff([]string{"sent"}, reasons); diff != "" {
			t.Error(diff)
		}
		got := strings.Join(b.procedureRuns(), ", ")
		if got != "return completed 5, return escalated 5" && got != "return escalated 5, return completed 5" {
			t.Error(got)
		}
	})
}

func TestConditions(t *testing.T) {
	b := newSQLiteToolbox(t)
	inputs := []parley.ActionInput{textInput("order", false), {Name: "amount", Type: "number"},
		{Name: "ok", Type: "boolean"}}
	holds := func(c parley.StepCondition, input string) bool {
		t.Helper()
		p := &parley.Procedure{AccountID: b.account, AgentID: b.agent, Name: "p", Description: "d", Inputs: inputs,
			Steps: []parley.ProcedureStep{{If: &c, Goto: parley.StepEnd}, {Text: "x"}}}
		got, err := b.TryStep(b, p, actions.StepChoice{Input: json.RawMessage(input)})
		b.Must(err)
		if isOver := got.Outcome == parley.ProcedureCompleted; got.Holds == nil || isOver != *got.Holds {
			t.Errorf("%+v: %+v", c, got)
		}
		return *got.Holds
	}
	for _, c := range []struct {
		field, operator, value, input string
		want                          bool
	}{
		{"order", "is", "a b", `{"order":" A B "}`, true},
		{"order", "is", "", `{}`, true},
		{"order", "is", "{amount}", `{"order":"4.0","amount":4}`, true},
		{"order", "isNot", "x", `{}`, true},
		{"order", "isNot", "X", `{"order":"x"}`, false},
		{"order", "contains", "Ö", `{"order":"schön"}`, true},
		{"order", "contains", "u", `{"order":"schön"}`, false},
		{"amount", "above", "9", `{"amount":10}`, true},
		{"amount", "above", "10", `{"amount":10}`, false},
		{"amount", "below", "10.5", `{"amount":10}`, true},
		{"amount", "below", "10", `{}`, false},
		{"order", "above", "1", `{"order":"many"}`, false},
		{"ok", "is", "true", `{"ok":true}`, true},
	} {
		condition := parley.StepCondition{Field: c.field, Operator: c.operator, Value: c.value}
		if got := holds(condition, c.input); got != c.want {
			t.Errorf("%+v of %s: %v", condition, c.input, got)
		}
	}
}

// A procedure goes on with another one, which asks for what it lacks and goes on by itself then.
func TestAProcedureLeadsToAnother(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		address, last := startService(b.TB, respondWith(200, jsonType, `{"id":7}`))
		b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}"}`, nil, textInput("number", true))
		b.putProcedure("refund", []parley.ActionInput{{Name: "id", Type: "integer", Required: true}, textInput("why", true)},
			parley.ProcedureStep{Text: "Refund {id}: {why}."})
		b.putProcedure("return", []parley.ActionInput{textInput("order", true)},
			parley.ProcedureStep{Key: "track", Action: "track", Input: map[string]string{"number": "{order}"}},
			parley.ProcedureStep{Procedure: "refund", Input: map[string]string{"id": "{track.id}"}})
		out := b.callTool("return", `{"order":"17"}`)
		want := `{"message":"To go on, please tell me: why.","needs":["why"],"procedure":"refund",` +
			`"hint":"When the customer has told them, call refund with them. ` +
			`Do not call this tool again: its actions have run.",` +
			`"steps":[{"action":"track","status":"success","data":{"id":7}}]}`
		if string(out.Data) != want || len(out.Nested) != 1 || last().line != "GET /17" {
			t.Errorf("%s %s %+v", out.Data, out.Error, out.Nested)
		}
		b.wantData("refund", `{"why":"torn"}`,
			`{"message":"Refund 7: torn.","outcome":"completed","steps":[{"say":"Refund 7: torn."}]}`)
		got := strings.Join(b.procedureRuns(), ", ")
		if got != "return completed 2, refund completed 1" && got != "refund completed 1, return completed 2" {
			t.Error(got)
		}
	})
}

// A run that was interrupted knows what its actions have returned; what is personal in that is masked where the agent
// masks personal data.
func TestResultsOfStepsAreKept(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		address, _ := startService(b.TB, respondWith(200, jsonType, `{"state":"sent","mail":"jo@shop.example","rest":1}`))
		b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`"}`, nil)
		b.putProcedure("return", nil, parley.ProcedureStep{Key: "track", Action: "track"},
			parley.ProcedureStep{Text: "{track.state} {track.mail}"}, parley.ProcedureStep{Action: "track"},
			parley.ProcedureStep{Text: "done"})
		for _, masks := range []bool{false, true} {
			for _, tool := range b.loadTools() {
				if tool.Name == "return" {
					tool.Run(b, chat.Call{Turn: b.turn, ID: "c", Input: json.RawMessage(`{}`), Redact: masks})
				}
			}
			var stored string
			b.Must(b.DB.SQL().QueryRow(b, `select inputs from procedure_runs where conversation_id = ?`,
				b.turn.ConversationID).Scan(&stored))
			if !strings.Contains(stored, `"track.state":"sent"`) || strings.Contains(stored, "rest") ||
				strings.Contains(stored, "jo@shop.example") == masks {
				t.Errorf("masks %v: %s", masks, stored)
			}
			_, err := b.DB.SQL().Exec(b, `delete from procedure_runs where conversation_id = ?`, b.turn.ConversationID)
			b.Must(err)
		}
	})
}

func TestInvalidJumps(t *testing.T) {
	track := parley.Action{Key: "track", Kind: parley.ActionHTTP, Name: "track", Description: "d", Enabled: true,
		Config: json.RawMessage(`{"url":"https://a.example"}`)}
	condition := func(field string) *parley.StepCondition {
		return &parley.StepCondition{Field: field, Operator: parley.StepIs, Value: "x"}
	}
	check := func(steps ...parley.ProcedureStep) map[string]string {
		p := &parley.Procedure{Key: "p", Name: "p", Description: "d", Inputs: []parley.ActionInput{textInput("order", true)},
			Steps: steps}
		err := actions.ValidateProcedure(p, []parley.Action{track})
		if err == nil {
			return nil
		}
		return parley.AsError(err).Details
	}
	first := parley.ProcedureStep{Key: "first", Action: "track"}
	for path, steps := range map[string][]parley.ProcedureStep{
		"": {first, {If: condition("first.a-b.0"), Goto: "end", Else: "z"},
			{Key: "z", Text: "{x.y} {order}"}},
		"steps.1.key":       {first, {Key: "first", Text: "x"}},
		"steps.0.key":       {{Key: "end", Text: "x"}},
		"steps.0.goto":      {{Text: "x", Goto: "gone"}},
		"steps.1.goto":      {first, {Text: "x", Goto: "first"}},
		"steps.1.else":      {first, {If: condition("order"), Goto: "end", Else: "first"}},
		"steps.0.else":      {{Text: "x", Else: "end"}},
		"steps.1":           {first, {Text: "x", If: condition("order"), Goto: "end"}},
		"steps.0.if.field":  {{If: condition("first.a"), Goto: "end"}, first},
		"steps.1.if.field":  {first, {If: condition("first"), Goto: "end"}},
		"steps.0.if.value":  {{If: &parley.StepCondition{Field: "order", Operator: parley.StepAbove}, Goto: "end"}},
		"steps.0.say":       {{Text: "{first.a}"}, first},
		"steps.1.say":       {first, {Text: "{first.a} {none}"}},
		"steps.1.with":      {first, {If: condition("order"), Goto: "end", Input: map[string]string{"a": "b"}}},
		"steps.0.with.none": {{Action: "track", Input: map[string]string{"none": "x"}}},
	} {
		got := check(steps...)
		if path == "" && got != nil || path != "" && (len(got) != 1 || got[path] == "") {
			t.Errorf("%s: %v", path, got)
		}
	}
	unlike := &parley.StepCondition{Field: "order", Operator: "like", Value: "x"}
	if got := check(parley.ProcedureStep{If: unlike}); len(got) != 2 {
		t.Error(got)
	}
}

// Procedures do not lead in a circle, and none leads to where nothing is.
func TestLinksBetweenProcedures(t *testing.T) {
	forEachDatabase(t, func(b *testToolbox) {
		ref := b.account.AgentRef(b.agent)
		put := func(name string, steps ...parley.ProcedureStep) error {
			return b.AddProcedure(b, &parley.Procedure{AccountID: b.account, AgentID: b.agent, Name: name, Description: "d",
				Inputs: []parley.ActionInput{textInput("order", false)}, Steps: steps, Enabled: true})
		}
		b.wantFault(put("first", parley.ProcedureStep{Procedure: "second"}), "steps.0.procedure")
		b.Must(put("second", parley.ProcedureStep{Text: "x"}))
		b.wantFault(put("first", parley.ProcedureStep{Procedure: "second", Input: map[string]string{"none": "x"}}),
			"steps.0.with.none")
		b.wantFault(put("first", parley.ProcedureStep{Procedure: "first"}), "steps.0.procedure")
		b.Must(put("first", parley.ProcedureStep{Procedure: "second", Input: map[string]string{"order": "{order}"}}))
		change := func(apply func(p *parley.Procedure)) error {
			return b.ChangeProcedure(b, ref, actions.ProcedureChange{Key: "second", Apply: apply})
		}
		b.wantFault(change(func(p *parley.Procedure) { p.Steps = []parley.ProcedureStep{{Procedure: "first"}} }),
			"steps.0.procedure")
		b.wantFault(change(func(p *parley.Procedure) { p.Enabled = false }), "usedBy")
		b.wantFault(change(func(p *parley.Procedure) { p.Inputs = nil }), "usedBy")
		b.wantFault(b.RemoveProcedure(b, ref, "second"), "usedBy")
		b.Must(b.RemoveProcedure(b, ref, "first"))
		b.Must(b.RemoveProcedure(b, ref, "second"))
	})
}

// A trial carries on what the steps before have returned, and says which step comes next.
func TestJumpsAreTriedStepByStep(t *testing.T) {
	b := newSQLiteToolbox(t)
	address, _ := startService(t, respondWith(http.StatusOK, jsonType,
		`{"state":{"name":"Delivered"},"items":[{"name":"shoes"}]}`))
	b.putAction(parley.ActionHTTP, "track", `{"url":"`+address+`/{number}"}`, nil, textInput("number", true))
	b.putAction(parley.ActionEscalate, "human", `{}`, nil)
	b.putProcedure("refund", []parley.ActionInput{textInput("order", false)}, parley.ProcedureStep{Text: "x"})
	p := &parley.Procedure{AccountID: b.account, AgentID: b.agent, Name: "return", Description: "d",
		Inputs: []parley.ActionInput{textInput("order", true)},
		Steps: append(returnSteps(), parley.ProcedureStep{Procedure: "refund",
			Input: map[string]string{"order": "{track.state.name}"}})}
	var results map[string]json.RawMessage
	try := func(index int) actions.StepTrial {
		t.Helper()
		got, err := b.TryStep(b, p, actions.StepChoice{Index: index, Input: json.RawMessage(`{"order":"17"}`),
			Results: results})
		b.Must(err)
		results = got.Results
		return got
	}
	if got := try(0); got.Next != 1 || string(got.Results["track.state.name"]) != `"Delivered"` || got.Outcome != "" {
		t.Errorf("%+v", got)
	}
	if got := try(1); got.Next != 3 || got.Holds == nil || !*got.Holds {
		t.Errorf("%+v", got)
	}
	if got := try(3); got.Say != "Send shoes back." || got.Outcome != parley.ProcedureCompleted {
		t.Errorf("%+v", got)
	}
	if got := try(5); got.Procedure != "refund" || string(got.Input) != `{"order":"Delivered"}` {
		t.Errorf("%+v", got)
	}
}
