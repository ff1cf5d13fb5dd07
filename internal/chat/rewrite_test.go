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
	"parley/internal/testkit/provider"
)

// useProvider replaces the engine's model by a provider.
func (d *testEngine) useProvider(s *provider.Server) {
	table := model.NewRegistry(model.RegistryConfig{
		Wires:   []model.Wire{{Model: &openai.Model{Client: httpclient.Client{BaseURL: s.URL}}}},
		Model:   "m",
		Builtin: d.model,
	})
	d.t.Cleanup(table.Close)
	d.Models = table
}

func (d *testEngine) trace(conversation parley.ConversationID) parley.Trace {
	d.t.Helper()
	traces, err := d.db.TurnTraces(d.t.Context(), conversation)
	must(d.t, err)
	return lastTrace(d.t, traces)
}

func lastTrace(t *testing.T, traces []store.TurnTrace) parley.Trace {
	t.Helper()
	if len(traces) == 0 {
		t.Fatal("no trace")
	}
	return traces[len(traces)-1].Trace
}

// A follow-up is put into words that can be searched for; the first message is not, nor one that is long or stands
// alone. Nobody is shown it.
func TestRewriting(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.RewriteTimeout = 10 * time.Second
		s := provider.Start(t, provider.AnswerText("It is 5 €."),
			provider.AnswerText("\"What does the yearly plan cost?\"\n"), provider.AnswerText("50 €."),
			provider.AnswerText("Yes."), provider.AnswerText("By post."))
		d.useProvider(s)
		first := d.start("What does the plan cost?", "")
		d.finish(first)
		if tr := d.trace(first.ConversationID); len(s.Requests()) != 1 || tr.Rewrite != nil {
			t.Fatalf("the first message: %d requests, %+v", len(s.Requests()), tr.Rewrite)
		}
		d.clock.advance(time.Minute)
		d.finish(d.start("And yearly?", first.ConversationID))
		tr := d.trace(first.ConversationID)
		if tr.Rewrite == nil || tr.Rewrite.State != "model" ||
			!strings.Contains(tr.Question, "What does the yearly plan cost?") || tr.InputTokens != 22 {
			t.Errorf("trace %+v %+v", tr, tr.Rewrite)
		}
		asked := string(s.Requests()[1].Body)
		if strings.Contains(asked, "How to answer") || !strings.Contains(asked, "assistant: It is 5 €.") {
			t.Errorf("the model was asked %s", asked)
		}
		d.wantHistory(first.ConversationID, "user complete: What does the plan cost?", "assistant complete: It is 5 €.",
			"user complete: And yearly?", "assistant complete: 50 €.")
		d.clock.advance(time.Minute)
		d.finish(d.start("Now something else: "+strings.Repeat("how does it work, ", 10), first.ConversationID))
		if n := len(s.Requests()); n != 4 {
			t.Errorf("%d requests: a long message was rewritten", n)
		}
		d.clock.advance(time.Minute)
		d.finish(d.start("How are printed invoices delivered abroad?", first.ConversationID))
		if n := len(s.Requests()); n != 5 {
			t.Errorf("%d requests: a message that says all by itself was rewritten", n)
		}
	})
}

// A slow model is not waited for by every follow-up.
func TestSlowRewritingRests(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.RewriteTimeout = 100 * time.Millisecond
		answer := provider.AnswerText("It is 5 €.")
		s := provider.Start(t, answer, provider.StallRequest(), answer, answer, provider.AnswerText("the yearly price"),
			answer)
		d.useProvider(s)
		first := d.start("What does the plan cost?", "")
		d.finish(first)
		for _, want := range []int{3, 4, 6} { // too late, not asked, asked again
			d.clock.advance(40 * time.Second)
			d.finish(d.start("And yearly?", first.ConversationID))
			if n := len(s.Requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
		}
	})
}

// A model that is late, broken or talkative leaves the search as it would be without it.
func TestRewritingFails(t *testing.T) {
	for name, c := range map[string]struct {
		does  provider.Behaviour
		state string
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
			forEachDatabase(t, func(d *testEngine) {
				d.RewriteTimeout = 200 * time.Millisecond
				d.useProvider(provider.Start(t, provider.AnswerText("It is 5 €."), c.does, provider.AnswerText("50 €.")))
				first := d.start("What does the plan cost?", "")
				d.finish(first)
				d.clock.advance(time.Minute)
				d.finish(d.start("And yearly?", first.ConversationID))
				if tr := d.trace(first.ConversationID); tr.Rewrite == nil || tr.Rewrite.State != c.state ||
					tr.Question != "What does the plan cost?\nAnd yearly?" {
					t.Errorf("trace %q %+v", tr.Question, tr.Rewrite)
				}
			})
		})
	}
}
