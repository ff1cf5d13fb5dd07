package insight_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/llm"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// meanwhile has something happen once, while a conversation is being judged: after it is read and before anything is written.
func (w *world) meanwhile(do func()) {
	w.Helper()
	w.must(w.db.UpdateAgent(w, w.account.ID, w.agent.ID, func(a *parley.Agent) error { a.Insight.Model = true; return nil }))
	scripted := &llm.Scripted{Answer: func(llm.Request) []llm.Step {
		if now := do; now != nil {
			do = nil
			now()
		}
		return []llm.Step{llm.Say("Title: A question\nSentiment: neutral"), llm.Stop()}
	}}
	w.keeper.Model = func(string) (llm.Backend, bool) { return llm.Backend{Model: scripted, Label: "m at m"}, true }
}

// TestErasedWhileItIsJudged holds that a judgement that was under way writes no text of a conversation that is erased.
func TestErasedWhileItIsJudged(t *testing.T) {
	each(t, func(w *world) {
		c := w.begin("jo", "Do you ship to Iceland?").refused()
		w.meanwhile(func() {
			w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error {
				_, err := tx.DeleteConversations(w, c.AccountID, c.AgentID, []parley.ConversationID{c.ID}, nil, w.clock())
				return err
			}))
			_, err := w.db.EraseConversations(w, c.AccountID, c.AgentID)
			w.must(err)
		})
		w.must(w.keeper.Judge(w, c.AccountID, c.AgentID, c.ID))
		if r := w.report(store.ByDay); r.Open != 0 || r.Totals.Conversations != 0 {
			t.Errorf("%d questions are left, %+v", r.Open, r.Totals)
		}
	})
}

// TestTheLaterJudgementStays holds that of two servers that judge a conversation at a time the one that read it first does not have
// the last word.
func TestTheLaterJudgementStays(t *testing.T) {
	each(t, func(w *world) {
		c := w.begin("jo", "Do you ship to Iceland?").answered("Yes.")
		w.meanwhile(func() {
			c.rate("negative")
			w.turn(time.Second)
			other := &insight.Keeper{DB: w.db, Queue: w.keeper.Queue, Now: w.clock, Logger: w.keeper.Logger} // of another server, with no model
			w.must(other.Judge(w, c.AccountID, c.AgentID, c.ID))
		})
		w.must(w.keeper.Judge(w, c.AccountID, c.AgentID, c.ID))
		if in := c.insight(); in.Down != 1 || in.Outcome != parley.OutcomeDisliked {
			t.Errorf("%+v", in)
		}
		if r := w.report(store.ByDay); r.Totals != w.tally() || r.Totals.Disliked != 1 {
			t.Errorf("%+v", r.Totals)
		}
	})
}
