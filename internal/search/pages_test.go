package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/wire"
)

// walk reads all pages of a search; between looks on after each of them.
func (w *world) walk(q search.Query, between func()) (all []parley.ConversationID) {
	w.Helper()
	for pages := 0; pages < 10_000; pages++ {
		page := w.find(q)
		all = append(all, ids(page)...)
		if page.Cursor == nil {
			return all
		}
		if between != nil {
			between()
		}
		q.Cursor = *page.Cursor
	}
	w.Fatal("the walk never ends")
	return nil
}

// TestPagesHoldStill walks through results while others are being written: every conversation that is not itself changed
// appears exactly once.
func TestPagesHoldStill(t *testing.T) {
	each(t, func(w *world) {
		rng := rand.New(rand.NewPCG(1, 2))
		still, moving := map[parley.ConversationID]bool{}, []*talk{}
		for i := range 60 {
			w.turn(time.Second)
			k := w.begin(fmt.Sprintf("alpha number%d", i))
			if i%6 == 0 {
				moving = append(moving, k)
			} else {
				still[k.ID] = true
			}
		}
		w.settle()
		for _, q := range []search.Query{{Limit: 7}, {Text: "alpha", Limit: 7}, {Source: "API", StartDate: "2026-11-01", Limit: 4}} {
			seen := map[parley.ConversationID]int{}
			for _, id := range w.walk(q, func() {
				w.turn(time.Second)
				moving[rng.IntN(len(moving))].say(parley.ByUser, "alpha again")
				w.begin("alpha and new")
				w.settle()
			}) {
				seen[id]++
			}
			for id := range still {
				if seen[id] != 1 {
					t.Errorf("%+v: %s was shown %d times", q, id, seen[id])
				}
			}
		}
	})
}

// TestPagesWhileOthersWrite is the same with writers and the indexer running beside it.
func TestPagesWhileOthersWrite(t *testing.T) {
	each(t, func(w *world) {
		want := map[parley.ConversationID]bool{}
		for range 80 {
			w.turn(time.Second)
			want[w.begin("alpha bravo").ID] = true
		}
		w.settle()
		ctx, stop := context.WithCancel(w)
		var all sync.WaitGroup
		all.Go(func() { _ = w.indexer.Run(ctx) })
		all.Go(func() {
			for ctx.Err() == nil {
				w.turn(time.Millisecond)
				w.begin("alpha charlie")
			}
		})
		for range 3 {
			for _, q := range []search.Query{{Limit: 9}, {Text: "alpha bravo", Limit: 9}} {
				seen := map[parley.ConversationID]int{}
				for _, id := range w.walk(q, nil) {
					seen[id]++
				}
				for id := range want {
					if seen[id] != 1 {
						t.Errorf("%+v: %s was shown %d times", q, id, seen[id])
					}
				}
			}
		}
		stop()
		all.Wait()
	})
}

func TestDeletedOnesDropOut(t *testing.T) {
	each(t, func(w *world) {
		var list []*talk
		for range 6 {
			w.turn(time.Second)
			list = append(list, w.begin("alpha"))
		}
		w.settle()
		for _, words := range []string{"", "alpha"} {
			first := w.find(search.Query{Text: words, Limit: 2})
			if got := ids(first); fmt.Sprint(got) != fmt.Sprint([]parley.ConversationID{list[5].ID, list[4].ID}) || first.Cursor == nil {
				t.Fatal(got)
			}
			if words == "" {
				continue
			}
			list[3].remove()
			list[2].remove()
			second := w.find(search.Query{Text: words, Limit: 2, Cursor: *first.Cursor})
			if len(second.Hits) != 0 || second.Cursor == nil {
				t.Fatal("the second page", ids(second), second.Cursor)
			}
			third := w.find(search.Query{Text: words, Limit: 3, Cursor: *second.Cursor})
			if len(third.Hits) != 2 || third.Cursor != nil {
				t.Error("the third page", ids(third), third.Cursor)
			}
		}
	})
}

func TestCursorsBelongToTheirSearch(t *testing.T) {
	each(t, func(w *world) {
		for range 4 {
			w.begin("alpha")
		}
		w.settle()
		q := search.Query{Text: "alpha", Limit: 2}
		cursor := w.find(q).Cursor
		other := w.newAgent()
		try := func(change func(q *search.Query)) error {
			again := q
			again.Cursor = *cursor
			change(&again)
			_, err := w.finder.Find(w, w.account, w.agent, again)
			return err
		}
		w.must(try(func(q *search.Query) { q.Limit = 1 }))
		for _, change := range []func(q *search.Query){
			func(q *search.Query) { q.Text = "alph" }, func(q *search.Query) { q.Text = "" }, func(q *search.Query) { q.Source = "API" },
			func(q *search.Query) { q.Sentiment = "neutral" }, func(q *search.Query) { q.Topic = "x" }, func(q *search.Query) { q.UserID = "x" },
			func(q *search.Query) { q.ActivityState = "ended" }, func(q *search.Query) { q.Feedback = "positive" }, func(q *search.Query) { q.Escalated = "true" },
			func(q *search.Query) { q.ActionType = "x" }, func(q *search.Query) { q.Tool = "x" }, func(q *search.Query) { q.ToolOutcome = "error" },
			func(q *search.Query) { q.Procedure = "x" }, func(q *search.Query) { q.ProcedureOutcome = "failed" }, func(q *search.Query) { q.HasVoice = "false" },
			func(q *search.Query) { q.StartDate = "2026-01-01" }, func(q *search.Query) { q.EndDate = "2026-12-01" },
			func(q *search.Query) { q.UpdatedAfter = "2026-01-01" }, func(q *search.Query) { q.UpdatedBefore = "2026-12-01" },
		} {
			if err := try(change); !parley.IsCode(err, parley.CodeCursorMismatch) {
				t.Errorf("another search: %v", err)
			}
		}
		if _, err := w.finder.Find(w, w.account, other, search.Query{Text: "alpha", Cursor: *cursor}); !parley.IsCode(err, parley.CodeCursorMismatch) {
			t.Errorf("another agent: %v", err)
		}
		forged := wire.Cursors{Key: []byte("another")}.Seal("conversation search", &parley.Mark{At: 1, ID: "x"})
		for _, bad := range []string{*forged, (*cursor)[:20], "%%%", *cursor + "AAAA"} {
			if err := try(func(q *search.Query) { q.Cursor = bad }); !parley.IsCode(err, parley.CodeInvalidCursor) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		w.turn(16 * time.Minute)
		if err := try(func(*search.Query) {}); !parley.IsCode(err, parley.CodeInvalidCursor) {
			t.Errorf("after a quarter of an hour: %v", err)
		}
		w.must(w.indexer.Sweep(w))
		if n := w.count("search_walks"); n != 0 {
			t.Errorf("%d walks are left", n)
		}
	})
}

func (w *world) count(table string) (n int) {
	w.Helper()
	w.must(w.db.SQL().QueryRow(w, `select count(*) from `+table).Scan(&n))
	return n
}

// TestBehindTheRanked walks beyond the thousand that are ranked.
func TestBehindTheRanked(t *testing.T) {
	each(t, func(w *world) {
		const all = 1130
		w.must(w.db.Transact(w, 0, func(tx *store.DB) error {
			for i := range all {
				at := noon.Add(time.Duration(i) * time.Second)
				c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account.ID, AgentID: w.agent.ID, Face: parley.FaceV2,
					Channel: parley.ChannelAPI, Status: parley.Ongoing, CreatedAt: at, UpdatedAt: at}
				if err := tx.CreateConversation(w, c, message(c.ID, parley.ByUser, "alpha", at), false); err != nil {
					return err
				}
			}
			return nil
		}))
		w.settle()
		seen := map[parley.ConversationID]bool{}
		list := w.walk(search.Query{Text: "alpha"}, nil)
		for _, id := range list {
			seen[id] = true
		}
		if len(list) != all || len(seen) != all {
			t.Errorf("%d results, %d conversations", len(list), len(seen))
		}
	})
}
