package insight_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// runDuringAnalysis has something happen once, while a conversation is being judged: after it is read and before anything is written.
func (w *testInsight) runDuringAnalysis(do func()) {
	w.Helper()
	w.must(w.db.UpdateAgent(w, w.account.ID, w.agent.ID, func(a *parley.Agent) error { a.Insight.UseModel = true; return nil }))
	scriptedModel := &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		if now := do; now != nil {
			do = nil
			now()
		}
		return []scripted.Step{scripted.Text("Title: A question\nSentiment: neutral"), scripted.Stop()}
	}}
	w.service.Model = func(string) (model.Backend, bool) { return model.Backend{Model: scriptedModel, Label: "m at m"}, true }
}

// TestErasedWhileItIsJudged holds that a judgement that was under way writes no text of a conversation that is erased.
func TestErasedWhileItIsJudged(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		c := w.startConversation("jo", "Do you ship to Iceland?").addRefusal()
		w.runDuringAnalysis(func() {
			w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
				_, err := tx.DeleteConversations(w, c.AccountID, c.AgentID, []parley.ConversationID{c.ID}, nil, w.clock())
				return err
			}))
			_, err := w.db.EraseConversations(w, c.AccountID, c.AgentID)
			w.must(err)
		})
		w.must(w.service.Analyze(w, c.AccountID, c.AgentID, c.ID))
		if r := w.report(store.GroupByDay); r.Open != 0 || r.Totals.Conversations != 0 {
			t.Errorf("%d questions are left, %+v", r.Open, r.Totals)
		}
	})
}

// TestTheLaterJudgementStays holds that of two servers that judge a conversation at a time the one that read it first does not have
// the last word.
func TestTheLaterJudgementStays(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		c := w.startConversation("jo", "Do you ship to Iceland?").addAnswer("Yes.")
		w.runDuringAnalysis(func() {
			c.rate("negative")
			w.advanceClock(time.Second)
			other := &insight.Service{DB: w.db, Queue: w.service.Queue, Now: w.clock, Logger: w.service.Logger} // of another server, with no model
			w.must(other.Analyze(w, c.AccountID, c.AgentID, c.ID))
		})
		w.must(w.service.Analyze(w, c.AccountID, c.AgentID, c.ID))
		if in := c.insight(); in.NegativeRatings != 1 || in.Outcome != parley.OutcomeDisliked {
			t.Errorf("%+v", in)
		}
		if r := w.report(store.GroupByDay); r.Totals != w.sums() || r.Totals.Disliked != 1 {
			t.Errorf("%+v", r.Totals)
		}
	})
}
