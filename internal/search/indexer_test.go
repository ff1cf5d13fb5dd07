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
	forEachDatabase(t, func(w *testSearch) {
		ctx, stop := context.WithCancel(w)
		var all sync.WaitGroup
		for range 3 {
			x := &search.Indexer{DB: w.db, Now: w.clock, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
				PollInterval: time.Millisecond}
			all.Go(func() { _ = x.Run(ctx) })
		}
		var list []*testConversation
		for i := range 40 {
			w.advanceClock(time.Second)
			list = append(list, w.startConversation(fmt.Sprintf("alpha number%d", i)))
			list[i/2].addMessage(parley.AuthorAssistant, fmt.Sprintf("bravo again%d", i))
			if i == 20 {
				w.must(w.indexer.Rebuild(w, w.account.ID))
			}
		}
		w.runIndexer()
		for w.countRows("search_accounts where building is not null") > 0 {
			w.runIndexer()
		}
		stop()
		all.Wait()
		if found := w.readAllPages(search.Query{Text: "alpha"}, nil); len(found) != 40 || len(idSet(found)) != 40 {
			t.Errorf("%d results, %d conversations", len(found), len(idSet(found)))
		}
		for i := range 40 {
			w.wantFound(search.Query{Text: fmt.Sprintf("bravo again%d alpha", i)}, list[i/2])
			w.wantFound(search.Query{Text: fmt.Sprintf("number%d", i)}, list[i])
		}
	})
}

// TestBusySearchIsRefused holds that a search which finds no place or no time in its budget is refused, and a caller
// who leaves is not.
func TestBusySearchIsRefused(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		w.startConversation("alpha")
		w.runIndexer()
		w.finder.Timeout = 1
		_, err := w.finder.Find(w, w.account, w.agent, search.Query{Text: "alpha"})
		if !parley.IsCode(err, parley.CodeSearchBusy) || parley.AsError(err).RetryAfter <= 0 {
			t.Error(err)
		}
		w.finder.Timeout = time.Minute
		canceled, leave := context.WithCancel(w)
		leave()
		if _, err := w.finder.Find(canceled, w.account, w.agent, search.Query{Text: "alpha"}); err == nil ||
			parley.IsCode(err, parley.CodeSearchBusy) {
			t.Error("a caller who has left is told:", err)
		}
	})
}

// TestWithheldTextIsNotSearched holds the wall of accounts under HIPAA and of agents that redact.
func TestWithheldTextIsNotSearched(t *testing.T) {
	w := newTestSearch(t, newStore(t))
	k := w.startConversation("alpha")
	w.runIndexer()
	for _, wall := range []func(){
		func() { w.account.HIPAA, w.agent.Redact = true, false },
		func() { w.account.HIPAA, w.agent.Redact = false, true },
	} {
		wall()
		if _, err := w.finder.Find(w, w.account, w.agent, search.Query{Text: "alpha"}); !parley.IsCode(err,
			parley.CodeSearchUnavailable) {
			t.Error(err)
		}
		w.wantFound(search.Query{Source: "API"}, k)
	}
}

// TestInsightFilters holds that the filters by topic, sentiment and escalation follow the conversation's insight.
func TestInsightFilters(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a, b := w.startConversation("Where is my order?"), w.startConversation("Hello")
		w.runIndexer()
		w.wantFound(search.Query{Topic: "unspecified", Sentiment: "unspecified"}, b, a)
		in := parley.Insight{ConversationID: a.ID, AccountID: a.AccountID, AgentID: a.AgentID, Channel: a.Channel,
			CreatedAt: a.CreatedAt, GeneratedAt: w.clock(),
			Topic: "Returns", Topics: []string{"Returns", "Orders"}, Sentiment: parley.SentimentNegative, Escalated: true}
		a.update("conversation.insight", func(tx *store.DB) error {
			if err := tx.LockInsights(w, a.AccountID.AgentRef(a.AgentID)); err != nil {
				return err
			}
			_, err := tx.SaveInsight(w, &in)
			return err
		})
		w.runIndexer()
		w.wantFound(search.Query{Topic: "Orders"}, a)
		w.wantFound(search.Query{Topic: "Returns,Hours", Sentiment: "negative,positive", Escalated: "true", Text: "order"}, a)
		w.wantFound(search.Query{Topic: "unspecified"}, b)
		w.wantFound(search.Query{Sentiment: "positive"})
	})
}
