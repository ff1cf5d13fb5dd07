package insight_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (w *world) waiting() int {
	w.Helper()
	n, err := sqldb.One(w, w.db.SQL(), sqldb.Column[int], `select count(*) from jobs where kind = ?`, insight.JudgeJob)
	w.must(err)
	return n
}

// TestEventsAreFollowedInSteps holds that many events become one chore for each conversation, and that none is left out.
func TestEventsAreFollowedInSteps(t *testing.T) {
	each(t, func(w *world) {
		var talks []*talk
		for range 120 { // more than one transaction leaves
			talks = append(talks, w.begin("", "Where is my parcel?"))
		}
		w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error {
			var events []store.Event
			for i := range 600 { // more than are read at one time
				events = append(events, store.Event{Kind: "message.created", AgentID: w.agent.ID, ConversationID: talks[i%len(talks)].ID, Subject: "m"})
			}
			return tx.Record(w, w.account.ID, w.clock(), events...)
		}))
		rounds := 0
		for more := true; more; rounds++ {
			var err error
			more, err = w.keeper.Follow(w)
			w.must(err)
		}
		if w.waiting() != len(talks) || rounds != 2 {
			t.Errorf("%d chores after %d rounds", w.waiting(), rounds)
		}
		w.settle()
		if w.waiting() != 0 || w.report(store.ByDay).Totals.Conversations != int64(len(talks)) {
			t.Errorf("%d chores are left, %+v", w.waiting(), w.report(store.ByDay).Totals)
		}
		w.settle() // the events that say so are no reason to judge again
		if w.waiting() != 0 {
			t.Error("its own events are followed")
		}
	})
}

func TestAnEndedConversationIsJudgedAtOnce(t *testing.T) {
	each(t, func(w *world) {
		c := w.begin("", "Where is my parcel?").answered("Here.")
		w.turn(time.Second)
		c.change("conversation.ended", func(tx *store.DB) error {
			ended := *c.Conversation
			ended.Status = parley.Ended
			return tx.SaveStatus(w, &ended, w.clock().UnixMilli(), "agent")
		})
		_, err := w.keeper.Follow(w)
		w.must(err)
		_, err = w.runner.RunDue(w)
		w.must(err)
		if c.insight().Outcome != parley.OutcomeResolved || c.insight().Escalated {
			t.Errorf("%+v", c.insight())
		}
	})
}

// TestALongTalkIsJudgedMeanwhile holds that a conversation that never rests is judged now and then.
func TestALongTalkIsJudgedMeanwhile(t *testing.T) {
	each(t, func(w *world) {
		c := w.begin("", "Where is my parcel?")
		for range 20 {
			w.turn(20 * time.Second)
			c.answered("Here.").say(parley.ByUser, "Where?")
			_, err := w.keeper.Follow(w)
			w.must(err)
			_, err = w.runner.RunDue(w)
			w.must(err)
		}
		if in := c.insight(); in.Messages < 20 || in.Messages > 41 {
			t.Errorf("%+v", in)
		}
	})
}

// TestSettling holds that every conversation counts whose user may still come back, those of the first hours of that day included.
func TestSettling(t *testing.T) {
	each(t, func(w *world) {
		w.begin("jo", "Where is my parcel?").answered("Here.")
		for day, want := range []int64{1, 1, 1, 1, 0} {
			if w.settle(); w.report(store.ByDay).Settling != want {
				t.Errorf("after %d days: %d, want %d", day, w.report(store.ByDay).Settling, want)
			}
			w.turn(24*time.Hour - 5*time.Minute)
		}
	})
}
