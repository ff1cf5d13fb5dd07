package insight_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
)

// TestAModelJudges holds that a connected model is asked where the operator wants it, once for the same messages, and that what it
// says in another form changes nothing.
func TestAModelJudges(t *testing.T) {
	each(t, func(w *world) {
		asked, answer := 0, []llm.Step{}
		scripted := &llm.Scripted{Answer: func(req llm.Request) []llm.Step {
			if asked++; !strings.Contains(req.Messages[0].Text, "user: Wo ist") || !req.Bare {
				t.Errorf("asked %+v", req)
			}
			return answer
		}}
		w.keeper.Model = func(string) (llm.Backend, bool) { return llm.Backend{Model: scripted, Label: "m at m"}, true }
		judged := func(c *talk, title string, mood parley.Sentiment, times int) {
			t.Helper()
			w.settle()
			if c.title() != title || c.insight().Sentiment != mood || asked != times {
				t.Errorf("title %q, sentiment %q, asked %d", c.title(), c.insight().Sentiment, asked)
			}
		}
		c := w.begin("", "Wo ist mein Paket? Das ist schrecklich").answered("Unterwegs.")
		judged(c, "Wo ist mein Paket?", "", 0)

		w.must(w.db.UpdateAgent(w, w.account.ID, w.agent.ID, func(a *parley.Agent) error { a.Insight.Model = true; return nil }))
		answer = []llm.Step{llm.Say("Title: \"Paket ist nicht da\"\nSentiment: negative\n"), llm.Stop()}
		c.say(parley.ByUser, "Bitte schnell").answered("Morgen.")
		judged(c, "Paket ist nicht da", parley.Negative, 1)
		c.rate("positive")
		judged(c, "Paket ist nicht da", parley.Negative, 1)

		for i, wrong := range [][]llm.Step{{llm.Say("I cannot judge that."), llm.Stop()}, {{Err: errors.New("away")}}, {llm.Say("title: x"), llm.Stop()}} {
			answer = wrong
			d := w.begin("", "Wo ist mein Ring?").answered("Hier.")
			judged(d, "Wo ist mein Ring?", "", 2+i)
			w.turn(time.Hour)
		}
	})
}
