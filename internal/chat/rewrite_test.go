package chat_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/openai"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/provider"
)

// useProvider replaces the engine's model by a provider.
func (te *testEngine) useProvider(s *provider.Server) {
	table := model.NewRegistry(model.RegistryConfig{
		Wires:   []model.Wire{{Model: &openai.Model{Client: httpclient.Client{BaseURL: s.URL}}}},
		Model:   "m",
		Builtin: te.model,
	})
	te.t.Cleanup(table.Close)
	te.Models = table
}

func (te *testEngine) trace(conversation parley.ConversationID) parley.Trace {
	te.t.Helper()
	traces, err := te.db.TurnTraces(te.t.Context(), conversation)
	check.Must(te.t, err)
	return lastTrace(te.t, traces)
}

func lastTrace(t *testing.T, traces []store.TurnTrace) parley.Trace {
	t.Helper()
	if len(traces) == 0 {
		t.Fatal("no trace")
	}
	return traces[len(traces)-1].Trace
}

// A follow-up question is rewritten for the search; the first message is not, nor one that is long or complete by
// itself. The rewritten question is not shown.
func TestRewriting(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.RewriteTimeout = 10 * time.Second
		s := provider.Start(t, provider.AnswerText("It is 5 €."),
			provider.AnswerText("\"What does the yearly plan cost?\"\n"), provider.AnswerText("50 €."),
			provider.AnswerText("Yes."), provider.AnswerText("By post."))
		te.useProvider(s)
		first := te.start("What does the plan cost?", "")
		te.finish(first)
		if tr := te.trace(first.ConversationID); len(s.Requests()) != 1 || tr.Rewrite != nil {
			t.Fatalf("the first message: %d requests, %+v", len(s.Requests()), tr.Rewrite)
		}
		te.clock.Advance(time.Minute)
		te.finish(te.start("And yearly?", first.ConversationID))
		tr := te.trace(first.ConversationID)
		if tr.Rewrite == nil || tr.Rewrite.State != "model" ||
			!strings.Contains(tr.Question, "What does the yearly plan cost?") || tr.InputTokens != 22 {
			t.Errorf("trace %+v %+v", tr, tr.Rewrite)
		}
		body := string(s.Requests()[1].Body)
		if strings.Contains(body, "How to answer") || !strings.Contains(body, "assistant: It is 5 €.") {
			t.Errorf("the model got %s", body)
		}
		te.wantHistory(first.ConversationID, "user complete: What does the plan cost?", "assistant complete: It is 5 €.",
			"user complete: And yearly?", "assistant complete: 50 €.")
		te.clock.Advance(time.Minute)
		te.finish(te.start("Now something else: "+strings.Repeat("how does it work, ", 10), first.ConversationID))
		if n := len(s.Requests()); n != 4 {
			t.Errorf("%d requests: a long message was rewritten", n)
		}
		te.clock.Advance(time.Minute)
		te.finish(te.start("How are printed invoices delivered abroad?", first.ConversationID))
		if n := len(s.Requests()); n != 5 {
			t.Errorf("%d requests: a complete message was rewritten", n)
		}
	})
}

// After a slow rewriting the next follow-ups do not wait for the model.
func TestSlowRewritingIsSuspended(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.RewriteTimeout = 100 * time.Millisecond
		answer := provider.AnswerText("It is 5 €.")
		s := provider.Start(t, answer, provider.StallRequest(), answer, answer, provider.AnswerText("the yearly price"),
			answer)
		te.useProvider(s)
		first := te.start("What does the plan cost?", "")
		te.finish(first)
		for _, want := range []int{3, 4, 6} { // too late, not used, used again
			te.clock.Advance(40 * time.Second)
			te.finish(te.start("And yearly?", first.ConversationID))
			if n := len(s.Requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
		}
	})
}

// If the model is late, fails or returns too much text, the search is the same as without it.
func TestRewritingFails(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour provider.Behaviour
		state     string
	}{
		"late":      {provider.StallRequest(), "too late"},
		"refused":   {provider.RefuseWith(401, -1, "no"), "failed"},
		"cut":       {provider.CutAfter(170), "failed"},
		"garbage":   {provider.Garbage(), "failed"},
		"talkative": {provider.EndlessText("and on "), "failed"},
		"a call":    {provider.CallTool("c", "look_up", "{}"), "failed"},
		"silent":    {provider.AnswerText(" \n"), "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(te *testEngine) {
				te.RewriteTimeout = 200 * time.Millisecond
				te.useProvider(provider.Start(t, provider.AnswerText("It is 5 €."), c.behaviour, provider.AnswerText("50 €.")))
				first := te.start("What does the plan cost?", "")
				te.finish(first)
				te.clock.Advance(time.Minute)
				te.finish(te.start("And yearly?", first.ConversationID))
				if tr := te.trace(first.ConversationID); tr.Rewrite == nil || tr.Rewrite.State != c.state ||
					tr.Question != "What does the plan cost?\nAnd yearly?" {
					t.Errorf("trace %q %+v", tr.Question, tr.Rewrite)
				}
			})
		})
	}
}
