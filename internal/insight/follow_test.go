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

func (ti *testInsight) pendingJobs() int {
	ti.Helper()
	n, err := sqldb.One(ti, ti.db.SQL(), sqldb.Column[int], `select count(*) from jobs where kind = ?`, insight.AnalyzeJob)
	ti.Must(err)
	return n
}

// TestEventsAreFollowedInSteps checks that many events lead to one analysis of each conversation, and none is left out.
func TestEventsAreFollowedInSteps(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		var talks []*testConversation
		for range 120 { // more than one transaction records
			talks = append(talks, ti.startConversation("", "Where is my parcel?"))
		}
		ti.Must(ti.db.Transact(ti, sqldb.Interactive, func(tx *store.DB) error {
			var events []store.NewEvent
			for i := range 600 { // more than are read at once
				events = append(events, store.NewEvent{Kind: "message.created", AgentID: ti.agent.ID,
					ConversationID: talks[i%len(talks)].ID, Subject: "m"})
			}
			return tx.RecordEvents(ti, ti.account.ID, ti.clock.Now(), events...)
		}))
		follow := func() (rounds int) {
			for more := true; more; rounds++ {
				var err error
				more, err = ti.service.Follow(ti)
				ti.Must(err)
			}
			return rounds
		}
		if follow(); ti.report(parley.GroupByDay).Totals.Conversations != 0 {
			t.Error("conversations are analyzed that go on")
		}
		ti.clock.Advance(time.Minute)
		if rounds := follow(); rounds != 2 || ti.pendingJobs() != 0 ||
			ti.report(parley.GroupByDay).Totals.Conversations != int64(len(talks)) {
			t.Errorf("%d rounds, %d jobs, %+v", rounds, ti.pendingJobs(), ti.report(parley.GroupByDay).Totals)
		}
		generated := talks[0].insight().GeneratedAt
		ti.runJobs() // the events of an analysis do not cause another one
		if !talks[0].insight().GeneratedAt.Equal(generated) {
			t.Error("its own events are followed")
		}
	})
}

func TestEndedConversationIsAnalyzedAtOnce(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		ctx, stop := context.WithCancel(ti)
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { ti.Must(ti.service.Run(ctx)) })
		tc := ti.startConversation("", "Where is my parcel?").addAnswer("Here.")
		ti.clock.Advance(time.Second)
		tc.update("conversation.ended", func(tx *store.DB) error {
			ended := *tc.Conversation
			ended.Status = parley.ConversationEnded
			return tx.SaveConversationStatus(ti, &ended, ti.clock.Now().UnixMilli(), "agent")
		})
		for !tc.isAnalyzed() { // until the service follows events; one that comes late may enqueue the job again
			tc.update("conversation.ended", func(*store.DB) error { return nil })
			_, err := ti.runner.RunDue(ti)
			ti.Must(err)
		}
		if tc.insight().Outcome != parley.OutcomeResolved || tc.insight().Escalated {
			t.Errorf("%+v", tc.insight())
		}
	})
}

// TestFailedBatchIsAnalyzedOneByOne checks that a conversation that cannot be stored does not block the others.
func TestFailedBatchIsAnalyzedOneByOne(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		if ti.db.SQL().Dialect() != sqldb.SQLite {
			return // the trigger is written for SQLite
		}
		good, bad := ti.startConversation("", "Where is my parcel?"), ti.startConversation("", "Where is my parcel?")
		exec := func(query string) {
			_, err := ti.db.SQL().Exec(ti, query)
			ti.Must(err)
		}
		exec(`create trigger refuse before insert on conversation_insights when new.conversation_id = '` + string(bad.ID) +
			`' begin select raise(abort, 'refused'); end`)
		ti.clock.Advance(time.Minute)
		if more, err := ti.service.Follow(ti); more || err != nil || ti.pendingJobs() != 2 {
			t.Errorf("more: %v, %v, %d jobs", more, err, ti.pendingJobs())
		}
		_, err := ti.runner.RunDue(ti)
		ti.Must(err)
		if good.insight().GeneratedAt.IsZero() || ti.pendingJobs() != 1 {
			t.Errorf("%+v, %d jobs", good.insight(), ti.pendingJobs())
		}
		exec(`drop trigger refuse`)
		if ti.runJobs(); bad.insight().GeneratedAt.IsZero() || ti.pendingJobs() != 0 {
			t.Errorf("%+v, %d jobs", bad.insight(), ti.pendingJobs())
		}
	})
}

// TestLongConversationIsAnalyzedMeanwhile checks that a conversation that is never quiet is analyzed from time to time.
func TestLongConversationIsAnalyzedMeanwhile(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("", "Where is my parcel?")
		for range 20 {
			ti.clock.Advance(20 * time.Second)
			tc.addAnswer("Here.").addMessage(parley.AuthorUser, "Where?")
			_, err := ti.service.Follow(ti)
			ti.Must(err)
			_, err = ti.runner.RunDue(ti)
			ti.Must(err)
		}
		if in := tc.insight(); in.Messages < 20 || in.Messages > 41 {
			t.Errorf("%+v", in)
		}
	})
}

// TestSettling checks that all conversations count whose user may still come back, including those of the first hours
// of that day.
func TestSettling(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		ti.startConversation("jo", "Where is my parcel?").addAnswer("Here.")
		for day, want := range []int64{1, 1, 1, 1, 0} {
			if ti.runJobs(); ti.report(parley.GroupByDay).Settling != want {
				t.Errorf("after %d days: %d, want %d", day, ti.report(parley.GroupByDay).Settling, want)
			}
			ti.clock.Advance(24*time.Hour - 5*time.Minute)
		}
	})
}
