package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// TestRebuild checks that the old index answers while a new one is built, that this goes on where it was cut short, and
// that nothing of the old one is left in the end.
func TestRebuild(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		var list []*testConversation
		for i := range 350 { // more than a step builds
			ts.advanceClock(time.Second)
			list = append(list, ts.startConversation(fmt.Sprintf("alpha number%d", i)))
		}
		ts.runIndexer()
		before := ts.readAllPages(search.Query{Text: "alpha"}, nil)
		ts.must(ts.indexer.Rebuild(ts, ts.account.ID))
		if _, err := ts.indexer.Step(ts, ts.account.ID); err != nil {
			t.Fatal(err)
		}
		ts.wantFound(search.Query{Text: "number7"}, list[7])
		list[349].addMessage(parley.AuthorUser, "meanwhile")
		list[3].addMessage(parley.AuthorUser, "meanwhile")
		first := ts.find(search.Query{Text: "alpha", Limit: 20})
		ts.must(ts.indexer.Rebuild(ts, ts.account.ID)) // it goes on
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "meanwhile number3"}, list[3])
		if again := ts.readAllPages(search.Query{Text: "alpha"}, nil); fmt.Sprint(idSet(again)) != fmt.Sprint(idSet(before)) {
			t.Error("the new index finds others")
		}
		ts.find(search.Query{Text: "alpha", Limit: 20, Cursor: *first.Cursor})
		ts.must(ts.indexer.Sweep(ts))
		if n := ts.countRows("search_agents"); n != 2 {
			t.Errorf("%d shelves: the old one is still paged through", n)
		}
		ts.advanceClock(time.Hour)
		ts.must(ts.indexer.Sweep(ts))
		if agents, docs := ts.countRows("search_agents"), ts.countRows("search_docs"); agents != 1 || docs != 350 {
			t.Errorf("left over: %d shelves, %d conversations", agents, docs)
		}
		ts.wantFound(search.Query{Text: "number7"}, list[7])
	})
}

func idSet(list []parley.ConversationID) map[parley.ConversationID]bool {
	all := map[parley.ConversationID]bool{}
	for _, id := range list {
		all[id] = true
	}
	return all
}

// TestErasedConversationsLeaveTheIndex checks that erased conversations and agents leave the index.
func TestErasedConversationsLeaveTheIndex(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("alpha")
		for range 30 {
			a.addMessage(parley.AuthorUser, "bravo charlie")
		}
		tc := ts.startConversation("delta")
		ts.runIndexer()
		a.remove()
		ts.runIndexer()
		if docs, buckets, messages := ts.countRows("search_docs"), ts.countRows("search_buckets"),
			ts.countRows("search_messages"); docs != 1 || buckets != 1 || messages != 1 {
			t.Errorf("%d conversations, %d buckets, %d messages", docs, buckets, messages)
		}
		ts.must(ts.db.Transact(ts, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.DeleteAgent(ts, ts.account.ID.AgentRef(ts.agent.ID), ts.clock()); err != nil {
				return err
			}
			return tx.RecordEvents(ts, ts.account.ID, ts.clock(),
				store.NewEvent{Kind: "agent.deleted", Subject: string(ts.agent.ID)})
		}))
		ts.runIndexer()
		ts.must(ts.indexer.Sweep(ts))
		for _, table := range []string{"search_agents", "search_docs", "search_buckets", "search_messages", "search_words"} {
			if n := ts.countRows(table); n != 0 {
				t.Errorf("%s: %d rows are left", table, n)
			}
		}
		_ = tc
	})
}

// TestLongConversation checks that words of a long conversation are found wherever they are, although they fill
// several buckets, and that one more message costs the same few rows as in a short one.
func TestLongConversation(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		long, short := ts.startConversation("alpha"), ts.startConversation("alpha omega")
		for part := range 20 {
			var words []string
			for i := range 400 {
				words = append(words, fmt.Sprintf("word%dx%d", part, i))
			}
			long.addMessage(parley.AuthorUser, strings.Join(words, " "))
		}
		ts.runIndexer()
		var buckets int
		ts.must(ts.db.SQL().QueryRow(ts, `select max(buckets) from search_docs`).Scan(&buckets))
		if buckets < 5 {
			t.Fatalf("%d buckets", buckets)
		}
		ts.wantFound(search.Query{Text: "word0x1 word19x399 alpha"}, long)
		ts.wantFound(search.Query{Text: "word0x1 word19x399 omega"})
		ts.wantFound(search.Query{Text: "word19x399 alpha", Source: "API"}, long)
		ts.wantFound(search.Query{Text: "word19x399 alpha", Source: "Email"})
		ts.wantFound(search.Query{Text: "alpha omega"}, short)
		size := func() (n int) {
			ts.must(ts.db.SQL().QueryRow(ts, `select sum(length(words)) from search_buckets`).Scan(&n))
			return n
		}
		before := size()
		long.addMessage(parley.AuthorUser, "alpha word3x3 brandnew")
		ts.runIndexer()
		if growth := size() - before; growth != len(" brandnew") {
			t.Errorf("one new word has brought %d bytes", growth)
		}
		ts.wantFound(search.Query{Text: "brandnew word0x1"}, long)
	})
}

// TestLostEvents checks that the index is rebuilt when events were erased before it has followed them.
func TestLostEvents(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		ts.startConversation("alpha")
		ts.runIndexer()
		bravo := ts.startConversation("bravo")
		if _, err := ts.db.SQL().Exec(ts, `delete from events where account_id = ?`, ts.account.ID); err != nil {
			t.Fatal(err)
		}
		charlie := ts.startConversation("charlie")
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "bravo"}, bravo)
		ts.wantFound(search.Query{Text: "charlie"}, charlie)
	})
}
