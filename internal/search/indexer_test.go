package search_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// TestManyServersFeedOneIndex has several indexers at work on one database while others write: every message is found,
// and once.
func TestManyServersFeedOneIndex(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		ctx, stop := context.WithCancel(ts)
		var all sync.WaitGroup
		for range 3 {
			x := &search.Indexer{DB: ts.db, Now: ts.clock, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
				PollInterval: time.Millisecond}
			all.Go(func() { _ = x.Run(ctx) })
		}
		var list []*testConversation
		for i := range 40 {
			ts.advanceClock(time.Second)
			list = append(list, ts.startConversation(fmt.Sprintf("alpha number%d", i)))
			list[i/2].addMessage(parley.AuthorAssistant, fmt.Sprintf("bravo again%d", i))
			if i == 20 {
				ts.must(ts.indexer.Rebuild(ts, ts.account.ID))
			}
		}
		ts.runIndexer()
		for ts.countRows("search_accounts where building is not null") > 0 {
			ts.runIndexer()
		}
		stop()
		all.Wait()
		if found := ts.readAllPages(search.Query{Text: "alpha"}, nil); len(found) != 40 || len(idSet(found)) != 40 {
			t.Errorf("%d results, %d conversations", len(found), len(idSet(found)))
		}
		for i := range 40 {
			ts.wantFound(search.Query{Text: fmt.Sprintf("bravo again%d alpha", i)}, list[i/2])
			ts.wantFound(search.Query{Text: fmt.Sprintf("number%d", i)}, list[i])
		}
	})
}

// TestBusySearchIsRefused checks that a search which finds no place or no time in its budget is refused, and a caller
// who leaves is not.
func TestBusySearchIsRefused(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		ts.startConversation("alpha")
		ts.runIndexer()
		ts.finder.Timeout = 1
		_, err := ts.finder.Find(ts, ts.account, ts.agent, search.Query{Text: "alpha"})
		if !parley.IsCode(err, parley.CodeSearchBusy) || parley.AsError(err).RetryAfter <= 0 {
			t.Error(err)
		}
		ts.finder.Timeout = time.Minute
		canceled, leave := context.WithCancel(ts)
		leave()
		if _, err := ts.finder.Find(canceled, ts.account, ts.agent, search.Query{Text: "alpha"}); err == nil ||
			parley.IsCode(err, parley.CodeSearchBusy) {
			t.Error("a caller who has left is told:", err)
		}
	})
}

// TestWithheldTextIsNotSearched checks that texts are withheld for accounts under HIPAA and of agents that redact.
func TestWithheldTextIsNotSearched(t *testing.T) {
	ts := newTestSearch(t, newStore(t))
	tc := ts.startConversation("alpha")
	ts.runIndexer()
	for _, withhold := range []func(){
		func() { ts.account.HIPAA, ts.agent.Redact = true, false },
		func() { ts.account.HIPAA, ts.agent.Redact = false, true },
	} {
		withhold()
		if _, err := ts.finder.Find(ts, ts.account, ts.agent, search.Query{Text: "alpha"}); !parley.IsCode(err,
			parley.CodeSearchUnavailable) {
			t.Error(err)
		}
		ts.wantFound(search.Query{Source: "API"}, tc)
	}
}

// TestInsightFilters checks that the filters by topic, sentiment and escalation follow the conversation's insight.
func TestInsightFilters(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a, b := ts.startConversation("Where is my order?"), ts.startConversation("Hello")
		ts.runIndexer()
		ts.wantFound(search.Query{Topic: "unspecified", Sentiment: "unspecified"}, b, a)
		in := parley.Insight{ConversationID: a.ID, AccountID: a.AccountID, AgentID: a.AgentID, Channel: a.Channel,
			CreatedAt: a.CreatedAt, GeneratedAt: ts.clock(),
			Topic: "Returns", Topics: []string{"Returns", "Orders"}, Sentiment: parley.SentimentNegative, Escalated: true}
		a.update("conversation.insight", func(tx *store.DB) error {
			if err := tx.LockInsights(ts, a.AccountID.AgentRef(a.AgentID)); err != nil {
				return err
			}
			_, err := tx.SaveInsight(ts, &in)
			return err
		})
		ts.runIndexer()
		ts.wantFound(search.Query{Topic: "Orders"}, a)
		ts.wantFound(search.Query{Topic: "Returns,Hours", Sentiment: "negative,positive", Escalated: "true",
			Text: "order"}, a)
		ts.wantFound(search.Query{Topic: "unspecified"}, b)
		ts.wantFound(search.Query{Sentiment: "positive"})
	})
}
