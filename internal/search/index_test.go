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

// TestBuildingAnew holds that the old index answers while a new one is built, that this goes on where it was cut short, and
// that nothing of the old one is left in the end.
func TestBuildingAnew(t *testing.T) {
	each(t, func(w *world) {
		var list []*talk
		for i := range 150 {
			w.turn(time.Second)
			list = append(list, w.begin(fmt.Sprintf("alpha number%d", i)))
		}
		w.settle()
		before := w.walk(search.Query{Text: "alpha"}, nil)
		w.must(w.indexer.Rebuild(w, w.account.ID))
		if _, err := w.indexer.Step(w, w.account.ID); err != nil {
			t.Fatal(err)
		}
		w.wants(search.Query{Text: "number7"}, list[7])
		list[149].say(parley.ByUser, "meanwhile")
		list[3].say(parley.ByUser, "meanwhile")
		first := w.find(search.Query{Text: "alpha", Limit: 20})
		w.must(w.indexer.Rebuild(w, w.account.ID)) // it goes on
		w.settle()
		w.wants(search.Query{Text: "meanwhile number3"}, list[3])
		if again := w.walk(search.Query{Text: "alpha"}, nil); fmt.Sprint(sorted(again)) != fmt.Sprint(sorted(before)) {
			t.Error("the new index finds others")
		}
		w.find(search.Query{Text: "alpha", Limit: 20, Cursor: *first.Cursor})
		w.must(w.indexer.Sweep(w))
		if n := w.count("search_agents"); n != 2 {
			t.Errorf("%d shelves: the old one is still paged through", n)
		}
		w.turn(time.Hour)
		w.must(w.indexer.Sweep(w))
		if agents, docs := w.count("search_agents"), w.count("search_docs"); agents != 1 || docs != 150 {
			t.Errorf("left over: %d shelves, %d conversations", agents, docs)
		}
		w.wants(search.Query{Text: "number7"}, list[7])
	})
}

func sorted(list []parley.ConversationID) map[parley.ConversationID]bool {
	all := map[parley.ConversationID]bool{}
	for _, id := range list {
		all[id] = true
	}
	return all
}

// TestNothingIsLeft holds that erased conversations and agents leave the index.
func TestNothingIsLeft(t *testing.T) {
	each(t, func(w *world) {
		a := w.begin("alpha")
		for range 30 {
			a.say(parley.ByUser, "bravo charlie")
		}
		b := w.begin("delta")
		w.settle()
		a.remove()
		w.settle()
		if docs, buckets, messages := w.count("search_docs"), w.count("search_buckets"), w.count("search_messages"); docs != 1 || buckets != 1 || messages != 1 {
			t.Errorf("%d conversations, %d buckets, %d messages", docs, buckets, messages)
		}
		w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error {
			if err := tx.DeleteAgent(w, w.account.ID, w.agent.ID, w.clock()); err != nil {
				return err
			}
			return tx.Record(w, w.account.ID, w.clock(), store.Event{Kind: "agent.deleted", Subject: string(w.agent.ID)})
		}))
		w.settle()
		w.must(w.indexer.Sweep(w))
		for _, table := range []string{"search_agents", "search_docs", "search_buckets", "search_messages", "search_words"} {
			if n := w.count(table); n != 0 {
				t.Errorf("%s: %d rows are left", table, n)
			}
		}
		_ = b
	})
}

// TestLongConversation holds that words of a long conversation are found wherever they stand, although they fill several buckets,
// and that one more message costs the same few rows as in a short one.
func TestLongConversation(t *testing.T) {
	each(t, func(w *world) {
		long, short := w.begin("alpha"), w.begin("alpha omega")
		for part := range 20 {
			var words []string
			for i := range 400 {
				words = append(words, fmt.Sprintf("word%dx%d", part, i))
			}
			long.say(parley.ByUser, strings.Join(words, " "))
		}
		w.settle()
		var buckets int
		w.must(w.db.SQL().QueryRow(w, `select max(buckets) from search_docs`).Scan(&buckets))
		if buckets < 5 {
			t.Fatalf("%d buckets", buckets)
		}
		w.wants(search.Query{Text: "word0x1 word19x399 alpha"}, long)
		w.wants(search.Query{Text: "word0x1 word19x399 omega"})
		w.wants(search.Query{Text: "word19x399 alpha", Source: "API"}, long)
		w.wants(search.Query{Text: "word19x399 alpha", Source: "Email"})
		w.wants(search.Query{Text: "alpha omega"}, short)
		size := func() (n int) {
			w.must(w.db.SQL().QueryRow(w, `select sum(length(words)) from search_buckets`).Scan(&n))
			return n
		}
		before := size()
		long.say(parley.ByUser, "alpha word3x3 brandnew")
		w.settle()
		if grown := size() - before; grown != len(" brandnew") {
			t.Errorf("one new word has brought %d bytes", grown)
		}
		w.wants(search.Query{Text: "brandnew word0x1"}, long)
	})
}

// TestLostEvents holds that the index is built anew when events were erased before it has followed them.
func TestLostEvents(t *testing.T) {
	each(t, func(w *world) {
		w.begin("alpha")
		w.settle()
		b := w.begin("bravo")
		if _, err := w.db.SQL().Exec(w, `delete from events where account_id = ?`, w.account.ID); err != nil {
			t.Fatal(err)
		}
		c := w.begin("charlie")
		w.settle()
		w.wants(search.Query{Text: "bravo"}, b)
		w.wants(search.Query{Text: "charlie"}, c)
	})
}
