package insight_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/scripted"
)

// TestModelAnalyzes holds that a connected model is asked where the operator wants it, once for the same messages, and
// that what it says in another form changes nothing.
func TestModelAnalyzes(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		asked, answer := 0, []scripted.Step{}
		scriptedModel := &scripted.Model{StepsFor: func(req model.Request) []scripted.Step {
			if asked++; !strings.Contains(req.Messages[0].Text, "user: Wo ist") || !req.SystemOnly {
				t.Errorf("asked %+v", req)
			}
			return answer
		}}
		w.service.Model = func(string) (model.Backend, bool) {
			return model.Backend{Model: scriptedModel, Label: "m at m"}, true
		}
		judged := func(c *testConversation, title string, mood parley.Sentiment, times int) {
			t.Helper()
			w.runJobs()
			if c.title() != title || c.insight().Sentiment != mood || asked != times {
				t.Errorf("title %q, sentiment %q, asked %d", c.title(), c.insight().Sentiment, asked)
			}
		}
		c := w.startConversation("", "Wo ist mein Paket? Das ist schrecklich").addAnswer("Unterwegs.")
		judged(c, "Wo ist mein Paket?", "", 0)

		w.must(w.db.UpdateAgent(w, w.account.ID.AgentRef(w.agent.ID), func(a *parley.Agent) error {
			a.Insight.UseModel = true
			return nil
		}))
		answer = []scripted.Step{scripted.Text("Title: \"Paket ist nicht da\"\nSentiment: negative\n"), scripted.Stop()}
		c.addMessage(parley.AuthorUser, "Bitte schnell").addAnswer("Morgen.")
		judged(c, "Paket ist nicht da", parley.SentimentNegative, 1)
		c.rate("positive")
		judged(c, "Paket ist nicht da", parley.SentimentNegative, 1)

		for i, wrong := range [][]scripted.Step{{scripted.Text("I cannot judge that."), scripted.Stop()},
			{{Err: errors.New("away")}}, {scripted.Text("title: x"), scripted.Stop()}} {
			answer = wrong
			d := w.startConversation("", "Wo ist mein Ring?").addAnswer("Hier.")
			judged(d, "Wo ist mein Ring?", "", 2+i)
			w.advanceClock(time.Hour)
		}
	})
}
