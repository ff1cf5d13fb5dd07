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

// TestRebuild holds that the old index answers while a new one is built, that this goes on where it was cut short, and
// that nothing of the old one is left in the end.
func TestRebuild(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		var list []*testConversation
		for i := range 150 {
			w.advanceClock(time.Second)
			list = append(list, w.startConversation(fmt.Sprintf("alpha number%d", i)))
		}
		w.runIndexer()
		before := w.readAllPages(search.Query{Text: "alpha"}, nil)
		w.must(w.indexer.Rebuild(w, w.account.ID))
		if _, err := w.indexer.Step(w, w.account.ID); err != nil {
			t.Fatal(err)
		}
		w.wantFound(search.Query{Text: "number7"}, list[7])
		list[149].addMessage(parley.AuthorUser, "meanwhile")
		list[3].addMessage(parley.AuthorUser, "meanwhile")
		first := w.find(search.Query{Text: "alpha", Limit: 20})
		w.must(w.indexer.Rebuild(w, w.account.ID)) // it goes on
		w.runIndexer()
		w.wantFound(search.Query{Text: "meanwhile number3"}, list[3])
		if again := w.readAllPages(search.Query{Text: "alpha"}, nil); fmt.Sprint(idSet(again)) != fmt.Sprint(idSet(before)) {
			t.Error("the new index finds others")
		}
		w.find(search.Query{Text: "alpha", Limit: 20, Cursor: *first.Cursor})
		w.must(w.indexer.Sweep(w))
		if n := w.countRows("search_agents"); n != 2 {
			t.Errorf("%d shelves: the old one is still paged through", n)
		}
		w.advanceClock(time.Hour)
		w.must(w.indexer.Sweep(w))
		if agents, docs := w.countRows("search_agents"), w.countRows("search_docs"); agents != 1 || docs != 150 {
			t.Errorf("left over: %d shelves, %d conversations", agents, docs)
		}
		w.wantFound(search.Query{Text: "number7"}, list[7])
	})
}

func idSet(list []parley.ConversationID) map[parley.ConversationID]bool {
	all := map[parley.ConversationID]bool{}
	for _, id := range list {
		all[id] = true
	}
	return all
}

// TestErasedConversationsLeaveTheIndex holds that erased conversations and agents leave the index.
func TestErasedConversationsLeaveTheIndex(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("alpha")
		for range 30 {
			a.addMessage(parley.AuthorUser, "bravo charlie")
		}
		b := w.startConversation("delta")
		w.runIndexer()
		a.remove()
		w.runIndexer()
		if docs, buckets, messages := w.countRows("search_docs"), w.countRows("search_buckets"),
			w.countRows("search_messages"); docs != 1 || buckets != 1 || messages != 1 {
			t.Errorf("%d conversations, %d buckets, %d messages", docs, buckets, messages)
		}
		w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			if err := tx.DeleteAgent(w, w.account.ID.AgentRef(w.agent.ID), w.clock()); err != nil {
				return err
			}
			return tx.RecordEvents(w, w.account.ID, w.clock(),
				store.NewEvent{Kind: "agent.deleted", Subject: string(w.agent.ID)})
		}))
		w.runIndexer()
		w.must(w.indexer.Sweep(w))
		for _, table := range []string{"search_agents", "search_docs", "search_buckets", "search_messages", "search_words"} {
			if n := w.countRows(table); n != 0 {
				t.Errorf("%s: %d rows are left", table, n)
			}
		}
		_ = b
	})
}

// TestLongConversation holds that words of a long conversation are found wherever they stand, although they fill
// several buckets, and that one more message costs the same few rows as in a short one.
func TestLongConversation(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		long, short := w.startConversation("alpha"), w.startConversation("alpha omega")
		for part := range 20 {
			var words []string
			for i := range 400 {
				words = append(words, fmt.Sprintf("word%dx%d", part, i))
			}
			long.addMessage(parley.AuthorUser, strings.Join(words, " "))
		}
		w.runIndexer()
		var buckets int
		w.must(w.db.SQL().QueryRow(w, `select max(buckets) from search_docs`).Scan(&buckets))
		if buckets < 5 {
			t.Fatalf("%d buckets", buckets)
		}
		w.wantFound(search.Query{Text: "word0x1 word19x399 alpha"}, long)
		w.wantFound(search.Query{Text: "word0x1 word19x399 omega"})
		w.wantFound(search.Query{Text: "word19x399 alpha", Source: "API"}, long)
		w.wantFound(search.Query{Text: "word19x399 alpha", Source: "Email"})
		w.wantFound(search.Query{Text: "alpha omega"}, short)
		size := func() (n int) {
			w.must(w.db.SQL().QueryRow(w, `select sum(length(words)) from search_buckets`).Scan(&n))
			return n
		}
		before := size()
		long.addMessage(parley.AuthorUser, "alpha word3x3 brandnew")
		w.runIndexer()
		if grown := size() - before; grown != len(" brandnew") {
			t.Errorf("one new word has brought %d bytes", grown)
		}
		w.wantFound(search.Query{Text: "brandnew word0x1"}, long)
	})
}

// TestLostEvents holds that the index is built anew when events were erased before it has followed them.
func TestLostEvents(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		w.startConversation("alpha")
		w.runIndexer()
		b := w.startConversation("bravo")
		if _, err := w.db.SQL().Exec(w, `delete from events where account_id = ?`, w.account.ID); err != nil {
			t.Fatal(err)
		}
		c := w.startConversation("charlie")
		w.runIndexer()
		w.wantFound(search.Query{Text: "bravo"}, b)
		w.wantFound(search.Query{Text: "charlie"}, c)
	})
}
