package chat_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig/provider"
	"parley/internal/store"
)

// speaking has a provider answer in place of the desk's own model.
func (d *desk) speaking(s *provider.Server) {
	table, err := llm.NewTable(llm.TableConfig{URL: s.URL, Model: "m", Builtin: d.model})
	must(d.t, err)
	d.t.Cleanup(table.Close)
	d.Models = table
}

func (d *desk) trace(conversation parley.ConversationID) parley.Trace {
	d.t.Helper()
	traces, err := d.db.Traces(d.t.Context(), conversation)
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

// A follow-up is put into words that can be searched for; the first message is not, nor one that is long or stands alone. Nobody is shown it.
func TestRewriting(t *testing.T) {
	each(t, func(d *desk) {
		d.Rewrite = 10 * time.Second
		s := provider.Start(t, provider.Says("It is 5 €."), provider.Says("\"What does the yearly plan cost?\"\n"), provider.Says("50 €."), provider.Says("Yes."), provider.Says("By post."))
		d.speaking(s)
		first := d.start("What does the plan cost?", "")
		d.finish(first)
		if tr := d.trace(first.ConversationID); len(s.Requests()) != 1 || tr.Rewrite != nil {
			t.Fatalf("the first message: %d requests, %+v", len(s.Requests()), tr.Rewrite)
		}
		d.clock.turn(time.Minute)
		d.finish(d.start("And yearly?", first.ConversationID))
		tr := d.trace(first.ConversationID)
		if tr.Rewrite == nil || tr.Rewrite.State != "model" || !strings.Contains(tr.Question, "What does the yearly plan cost?") || tr.InputTokens != 22 {
			t.Errorf("trace %+v %+v", tr, tr.Rewrite)
		}
		asked := string(s.Requests()[1].Body)
		if strings.Contains(asked, "How to answer") || !strings.Contains(asked, "assistant: It is 5 €.") {
			t.Errorf("the model was asked %s", asked)
		}
		d.wantHistory(first.ConversationID, "user complete: What does the plan cost?", "assistant complete: It is 5 €.", "user complete: And yearly?", "assistant complete: 50 €.")
		d.clock.turn(time.Minute)
		d.finish(d.start("Now something else: "+strings.Repeat("how does it work, ", 10), first.ConversationID))
		if n := len(s.Requests()); n != 4 {
			t.Errorf("%d requests: a long message was rewritten", n)
		}
		d.clock.turn(time.Minute)
		d.finish(d.start("How are printed invoices delivered abroad?", first.ConversationID))
		if n := len(s.Requests()); n != 5 {
			t.Errorf("%d requests: a message that says all by itself was rewritten", n)
		}
	})
}

// A slow model is not waited for by every follow-up.
func TestSlowRewritingRests(t *testing.T) {
	each(t, func(d *desk) {
		d.Rewrite = 100 * time.Millisecond
		says := provider.Says("It is 5 €.")
		s := provider.Start(t, says, provider.Stalls(), says, says, provider.Says("the yearly price"), says)
		d.speaking(s)
		first := d.start("What does the plan cost?", "")
		d.finish(first)
		for _, want := range []int{3, 4, 6} { // too late, not asked, asked again
			d.clock.turn(40 * time.Second)
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
		"late":      {provider.Stalls(), "too late"},
		"refused":   {provider.Refuses(401, -1, "no"), "failed"},
		"cut":       {provider.CutsAfter(170), "failed"},
		"garbage":   {provider.Garbage(), "failed"},
		"talkative": {provider.Endless("and on "), "failed"},
		"a call":    {provider.Calls("c", "look_up", "{}"), "failed"},
		"silent":    {provider.Says(" \n"), "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(d *desk) {
				d.Rewrite = 200 * time.Millisecond
				d.speaking(provider.Start(t, provider.Says("It is 5 €."), c.does, provider.Says("50 €.")))
				first := d.start("What does the plan cost?", "")
				d.finish(first)
				d.clock.turn(time.Minute)
				d.finish(d.start("And yearly?", first.ConversationID))
				if tr := d.trace(first.ConversationID); tr.Rewrite == nil || tr.Rewrite.State != c.state || tr.Question != "What does the plan cost?\nAnd yearly?" {
					t.Errorf("trace %q %+v", tr.Question, tr.Rewrite)
				}
			})
		})
	}
}
