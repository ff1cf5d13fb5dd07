package insight_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/testkit/scripted"
)

// TestModelAnalyzes checks that the model is asked if the operator has turned that on, once for the same messages, and
// that a malformed answer changes nothing.
func TestModelAnalyzes(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		requests, answer := 0, []scripted.Step{}
		scriptedModel := &scripted.Model{StepsFor: func(req model.Request) []scripted.Step {
			if requests++; !strings.Contains(req.Messages[0].Text, "user: Wo ist") || !req.SystemOnly {
				t.Errorf("the model got %+v", req)
			}
			return answer
		}}
		ti.service.Model = func(context.Context, parley.AccountID, string) (model.Backend, bool, error) {
			return model.Backend{Model: scriptedModel, Label: "m at m"}, true, nil
		}
		judged := func(tc *testConversation, title string, mood parley.Sentiment, times int) {
			t.Helper()
			ti.runJobs()
			if tc.title() != title || tc.insight().Sentiment != mood || requests != times {
				t.Errorf("title %q, sentiment %q, %d requests", tc.title(), tc.insight().Sentiment, requests)
			}
		}
		tc := ti.startConversation("", "Wo ist mein Paket? Das ist schrecklich").addAnswer("Unterwegs.")
		judged(tc, "Wo ist mein Paket?", "", 0)

		ti.Must(ti.db.UpdateAgent(ti, ti.account.ID.AgentRef(ti.agent.ID), func(a *parley.Agent) error {
			a.Insight.UseModel = true
			return nil
		}))
		answer = []scripted.Step{scripted.Text("Title: \"Paket ist nicht da\"\nSentiment: negative\n"), scripted.Stop()}
		tc.addMessage(parley.AuthorUser, "Bitte schnell").addAnswer("Morgen.")
		judged(tc, "Paket ist nicht da", parley.SentimentNegative, 1)
		tc.rate("positive")
		judged(tc, "Paket ist nicht da", parley.SentimentNegative, 1)

		for i, wrong := range [][]scripted.Step{{scripted.Text("I cannot judge that."), scripted.Stop()},
			{{Err: errors.New("away")}}, {scripted.Text("title: x"), scripted.Stop()}} {
			answer = wrong
			tc := ti.startConversation("", "Wo ist mein Ring?").addAnswer("Hier.")
			judged(tc, "Wo ist mein Ring?", "", 2+i)
			ti.clock.Advance(time.Hour)
		}
	})
}
