package insight_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (w *testInsight) pendingJobs() int {
	w.Helper()
	n, err := sqldb.One(w, w.db.SQL(), sqldb.Column[int], `select count(*) from jobs where kind = ?`, insight.AnalyzeJob)
	w.must(err)
	return n
}

// TestEventsAreFollowedInSteps holds that many events are one analysis of each conversation, and that none is left out.
func TestEventsAreFollowedInSteps(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		var talks []*testConversation
		for range 120 { // more than one transaction leaves
			talks = append(talks, w.startConversation("", "Where is my parcel?"))
		}
		w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			var events []store.NewEvent
			for i := range 600 { // more than are read at one time
				events = append(events, store.NewEvent{Kind: "message.created", AgentID: w.agent.ID,
					ConversationID: talks[i%len(talks)].ID, Subject: "m"})
			}
			return tx.RecordEvents(w, w.account.ID, w.clock(), events...)
		}))
		follow := func() (rounds int) {
			for more := true; more; rounds++ {
				var err error
				more, err = w.service.Follow(w)
				w.must(err)
			}
			return rounds
		}
		if follow(); w.report(parley.GroupByDay).Totals.Conversations != 0 {
			t.Error("conversations are analyzed that go on")
		}
		w.advanceClock(time.Minute)
		if rounds := follow(); rounds != 2 || w.pendingJobs() != 0 ||
			w.report(parley.GroupByDay).Totals.Conversations != int64(len(talks)) {
			t.Errorf("%d rounds, %d jobs, %+v", rounds, w.pendingJobs(), w.report(parley.GroupByDay).Totals)
		}
		generated := talks[0].insight().GeneratedAt
		w.runJobs() // the events that say so are no reason to analyze again
		if !talks[0].insight().GeneratedAt.Equal(generated) {
			t.Error("its own events are followed")
		}
	})
}

func TestEndedConversationIsAnalyzedAtOnce(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		ctx, stop := context.WithCancel(w)
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { w.must(w.service.Run(ctx)) })
		c := w.startConversation("", "Where is my parcel?").addAnswer("Here.")
		w.advanceClock(time.Second)
		c.update("conversation.ended", func(tx *store.DB) error {
			ended := *c.Conversation
			ended.Status = parley.ConversationEnded
			return tx.SaveConversationStatus(w, &ended, w.clock().UnixMilli(), "agent")
		})
		for w.pendingJobs() == 0 { // until the service observes events
			c.update("conversation.ended", func(*store.DB) error { return nil })
		}
		_, err := w.runner.RunDue(w)
		w.must(err)
		if c.insight().Outcome != parley.OutcomeResolved || c.insight().Escalated {
			t.Errorf("%+v", c.insight())
		}
	})
}

// TestAFailedBatchIsAnalyzedOneByOne holds that one conversation that cannot be stored does not keep the others back.
func TestAFailedBatchIsAnalyzedOneByOne(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		if w.db.SQL().Dialect() != sqldb.SQLite {
			return // the trigger is in SQLite's words
		}
		good, bad := w.startConversation("", "Where is my parcel?"), w.startConversation("", "Where is my parcel?")
		exec := func(query string) {
			_, err := w.db.SQL().Exec(w, query)
			w.must(err)
		}
		exec(`create trigger refuse before insert on conversation_insights when new.conversation_id = '` + string(bad.ID) +
			`' begin select raise(abort, 'refused'); end`)
		w.advanceClock(time.Minute)
		if more, err := w.service.Follow(w); more || err != nil || w.pendingJobs() != 2 {
			t.Errorf("more: %v, %v, %d jobs", more, err, w.pendingJobs())
		}
		_, err := w.runner.RunDue(w)
		w.must(err)
		if good.insight().GeneratedAt.IsZero() || w.pendingJobs() != 1 {
			t.Errorf("%+v, %d jobs", good.insight(), w.pendingJobs())
		}
		exec(`drop trigger refuse`)
		if w.runJobs(); bad.insight().GeneratedAt.IsZero() || w.pendingJobs() != 0 {
			t.Errorf("%+v, %d jobs", bad.insight(), w.pendingJobs())
		}
	})
}

// TestLongConversationIsAnalyzedMeanwhile holds that a conversation that never rests is analyzed now and then.
func TestLongConversationIsAnalyzedMeanwhile(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		c := w.startConversation("", "Where is my parcel?")
		for range 20 {
			w.advanceClock(20 * time.Second)
			c.addAnswer("Here.").addMessage(parley.AuthorUser, "Where?")
			_, err := w.service.Follow(w)
			w.must(err)
			_, err = w.runner.RunDue(w)
			w.must(err)
		}
		if in := c.insight(); in.Messages < 20 || in.Messages > 41 {
			t.Errorf("%+v", in)
		}
	})
}

// TestSettling holds that every conversation counts whose user may still come back, those of the first hours of that
// day included.
func TestSettling(t *testing.T) {
	forEachDatabase(t, func(w *testInsight) {
		w.startConversation("jo", "Where is my parcel?").addAnswer("Here.")
		for day, want := range []int64{1, 1, 1, 1, 0} {
			if w.runJobs(); w.report(parley.GroupByDay).Settling != want {
				t.Errorf("after %d days: %d, want %d", day, w.report(parley.GroupByDay).Settling, want)
			}
			w.advanceClock(24*time.Hour - 5*time.Minute)
		}
	})
}
