package llm_test

import (
	"context"
	"errors"
	"testing"

	"parley"
	"parley/internal/llm"
)

func TestScriptedGate(t *testing.T) {
	gate := llm.NewGate()
	m := llm.Script(llm.Say("Hello "), llm.Step{Gate: gate}, llm.Say("world."))
	go func() { <-gate.Reached(); gate.Open() }()
	if got := ask(t, m, question); got.Text != "Hello world." || got.Finish.Reason != "stop" {
		t.Errorf("%+v", got)
	}
	if got := ask(t, m, question); got.Text != "How?" {
		t.Errorf("without a script it says %q, want the question", got.Text)
	}
	if n := len(m.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestScriptedEndings(t *testing.T) {
	broken := parley.Fail(parley.CodeChatStreaming)
	m := llm.Script(llm.Say("Hello "), llm.Step{Err: broken}).Then(llm.Step{Gate: llm.NewGate()}).Then(llm.Step{Endless: "na "})
	if got := ask(t, m, question); got.Text != "Hello " || !errors.Is(got.Err, broken) {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for chunk, err := range m.Stream(ctx, question) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", chunk, err)
		}
	}
	said := 0
	for range m.Stream(t.Context(), question) {
		if said++; said == 3 {
			break
		}
	}
	if !m.Stopped(t.Context(), 2) {
		t.Error("the calls that ended early are not noticed")
	}
}

func TestScriptedCalls(t *testing.T) {
	m := llm.Script(llm.Say("One moment. "), llm.CallTool("c1", "look_up", `{"order":"A-17"}`), llm.Use("wait", `{}`), llm.Calls())
	var names, ids []string
	reason := ""
	for c, err := range m.Stream(t.Context(), question) {
		switch {
		case err != nil:
			t.Fatal(err)
		case c.Call != nil:
			names, ids = append(names, c.Call.Name), append(ids, c.Call.ID)
		case c.Finish != nil:
			reason = c.Finish.Reason
		}
	}
	if len(names) != 2 || names[0] != "look_up" || ids[0] != "c1" || ids[1] == "" || reason != "tool-calls" {
		t.Errorf("%v %v %s", names, ids, reason)
	}
}
