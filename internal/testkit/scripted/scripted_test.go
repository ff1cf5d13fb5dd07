package scripted_test

import (
	"context"
	"errors"
	"testing"

	"parley"
	"parley/internal/testkit/provider"
	"parley/internal/testkit/scripted"
)

func TestScriptedBarrier(t *testing.T) {
	barrier := scripted.NewBarrier()
	m := scripted.New(scripted.Text("Hello "), scripted.Step{Barrier: barrier}, scripted.Text("world."))
	go func() { <-barrier.Reached(); barrier.Release() }()
	if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Text != "Hello world." || got.Finish.Reason != "stop" {
		t.Errorf("%+v", got)
	}
	if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Text != "How?" {
		t.Errorf("without a script it says %q, want the question", got.Text)
	}
	if n := len(m.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestScriptedEndings(t *testing.T) {
	broken := parley.NewError(parley.CodeChatStreaming)
	m := scripted.New(scripted.Text("Hello "), scripted.Step{Err: broken}).
		AddScript(scripted.Step{Barrier: scripted.NewBarrier()}).AddScript(scripted.Step{RepeatedText: "na "})
	if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Text != "Hello " || !errors.Is(got.Err, broken) {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for chunk, err := range m.Stream(ctx, provider.HowRequest) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", chunk, err)
		}
	}
	count := 0
	for range m.Stream(t.Context(), provider.HowRequest) {
		if count++; count == 3 {
			break
		}
	}
	if !m.WaitStopped(t.Context(), 2) {
		t.Error("the calls that ended early are not noticed")
	}
}

func TestScriptedCalls(t *testing.T) {
	m := scripted.New(scripted.Text("One moment. "), scripted.ToolCall("c1", "look_up", `{"order":"A-17"}`),
		scripted.NewToolCall("wait", `{}`), scripted.FinishWithToolCalls())
	var names, ids []string
	reason := ""
	for c, err := range m.Stream(t.Context(), provider.HowRequest) {
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
