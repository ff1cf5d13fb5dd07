package model_test

import (
	"context"
	"errors"
	"testing"

	"parley"
	"parley/internal/model"
)

func TestScriptedBarrier(t *testing.T) {
	gate := model.NewBarrier()
	m := model.NewScripted(model.TextStep("Hello "), model.ScriptStep{Barrier: gate}, model.TextStep("world."))
	go func() { <-gate.Reached(); gate.Release() }()
	if got := streamAnswer(t, m, howRequest); got.Text != "Hello world." || got.Finish.Reason != "stop" {
		t.Errorf("%+v", got)
	}
	if got := streamAnswer(t, m, howRequest); got.Text != "How?" {
		t.Errorf("without a script it says %q, want the question", got.Text)
	}
	if n := len(m.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestScriptedEndings(t *testing.T) {
	broken := parley.NewError(parley.CodeChatStreaming)
	m := model.NewScripted(model.TextStep("Hello "), model.ScriptStep{Err: broken}).AddScript(model.ScriptStep{Barrier: model.NewBarrier()}).AddScript(model.ScriptStep{RepeatedText: "na "})
	if got := streamAnswer(t, m, howRequest); got.Text != "Hello " || !errors.Is(got.Err, broken) {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for chunk, err := range m.Stream(ctx, howRequest) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", chunk, err)
		}
	}
	said := 0
	for range m.Stream(t.Context(), howRequest) {
		if said++; said == 3 {
			break
		}
	}
	if !m.WaitStopped(t.Context(), 2) {
		t.Error("the calls that ended early are not noticed")
	}
}

func TestScriptedCalls(t *testing.T) {
	m := model.NewScripted(model.TextStep("One moment. "), model.ToolCallStep("c1", "look_up", `{"order":"A-17"}`), model.NewToolCallStep("wait", `{}`), model.ToolCallsStep())
	var names, ids []string
	reason := ""
	for c, err := range m.Stream(t.Context(), howRequest) {
		switch {
		case err != nil:
			t.Fatal(err)
		case c.ToolCall != nil:
			names, ids = append(names, c.ToolCall.Name), append(ids, c.ToolCall.ID)
		case c.Finish != nil:
			reason = c.Finish.Reason
		}
	}
	if len(names) != 2 || names[0] != "look_up" || ids[0] != "c1" || ids[1] == "" || reason != "tool-calls" {
		t.Errorf("%v %v %s", names, ids, reason)
	}
}
