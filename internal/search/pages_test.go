package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/search"
	"parley/internal/store"
)

// readAllPages reads all pages of a search; between looks on after each of them.
func (ts *testSearch) readAllPages(q search.Query, between func()) (all []parley.ConversationID) {
	ts.Helper()
	for pages := 0; pages < 10_000; pages++ {
		page := ts.find(q)
		all = append(all, conversationIDs(page)...)
		if page.Cursor == nil {
			return all
		}
		if between != nil {
			between()
		}
		q.Cursor = *page.Cursor
	}
	ts.Fatal("the walk never ends")
	return nil
}

// TestPagesAreStable walks through results while others are being written: every conversation that is not itself
// changed appears exactly once.
func TestPagesAreStable(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		rng := rand.New(rand.NewPCG(1, 2))
		unmoved, moving := map[parley.ConversationID]bool{}, []*testConversation{}
		for i := range 60 {
			ts.advanceClock(time.Second)
			tc := ts.startConversation(fmt.Sprintf("alpha number%d", i))
			if i%6 == 0 {
				moving = append(moving, tc)
			} else {
				unmoved[tc.ID] = true
			}
		}
		ts.runIndexer()
		for _, q := range []search.Query{{Limit: 7}, {Text: "alpha", Limit: 7},
			{Source: "API", StartDate: "2026-11-01", Limit: 4}} {
			seen := map[parley.ConversationID]int{}
			for _, id := range ts.readAllPages(q, func() {
				ts.advanceClock(time.Second)
				moving[rng.IntN(len(moving))].addMessage(parley.AuthorUser, "alpha again")
				ts.startConversation("alpha and new")
				ts.runIndexer()
			}) {
				seen[id]++
			}
			for id := range unmoved {
				if seen[id] != 1 {
					t.Errorf("%+v: %s was shown %d times", q, id, seen[id])
				}
			}
		}
	})
}

// TestPagesWhileOthersWrite is the same with writers and the indexer running beside it.
func TestPagesWhileOthersWrite(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		want := map[parley.ConversationID]bool{}
		for range 80 {
			ts.advanceClock(time.Second)
			want[ts.startConversation("alpha bravo").ID] = true
		}
		ts.runIndexer()
		ctx, stop := context.WithCancel(ts)
		var all sync.WaitGroup
		all.Go(func() { _ = ts.indexer.Run(ctx) })
		all.Go(func() {
			for ctx.Err() == nil {
				ts.advanceClock(time.Millisecond)
				ts.startConversation("alpha charlie")
			}
		})
		for range 3 {
			for _, q := range []search.Query{{Limit: 9}, {Text: "alpha bravo", Limit: 9}} {
				seen := map[parley.ConversationID]int{}
				for _, id := range ts.readAllPages(q, nil) {
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

func TestDeletedConversationsAreLeftOut(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		var list []*testConversation
		for range 6 {
			ts.advanceClock(time.Second)
			list = append(list, ts.startConversation("alpha"))
		}
		ts.runIndexer()
		for _, words := range []string{"", "alpha"} {
			first := ts.find(search.Query{Text: words, Limit: 2})
			if got := conversationIDs(first); fmt.Sprint(got) != fmt.Sprint([]parley.ConversationID{list[5].ID,
				list[4].ID}) || first.Cursor == nil {
				t.Fatal(got)
			}
			if words == "" {
				continue
			}
			list[3].remove()
			list[2].remove()
			second := ts.find(search.Query{Text: words, Limit: 2, Cursor: *first.Cursor})
			if len(second.Hits) != 0 || second.Cursor == nil {
				t.Fatal("the second page", conversationIDs(second), second.Cursor)
			}
			third := ts.find(search.Query{Text: words, Limit: 3, Cursor: *second.Cursor})
			if len(third.Hits) != 2 || third.Cursor != nil {
				t.Error("the third page", conversationIDs(third), third.Cursor)
			}
		}
	})
}

func TestCursorsBelongToTheirSearch(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		for range 4 {
			ts.startConversation("alpha")
		}
		ts.runIndexer()
		q := search.Query{Text: "alpha", Limit: 2}
		cursor := ts.find(q).Cursor
		other := ts.newAgent()
		try := func(change func(q *search.Query)) error {
			again := q
			again.Cursor = *cursor
			change(&again)
			_, err := ts.finder.Find(ts, ts.account, ts.agent, again)
			return err
		}
		ts.must(try(func(q *search.Query) { q.Limit = 1 }))
		for _, change := range []func(q *search.Query){
			func(q *search.Query) { q.Text = "alph" }, func(q *search.Query) { q.Text = "" }, func(q *search.Query) {
				q.Source = "API"
			},
			func(q *search.Query) { q.Sentiment = "neutral" }, func(q *search.Query) {
				q.Topic = "x"
			}, func(q *search.Query) { q.UserID = "x" },
			func(q *search.Query) { q.ActivityState = "ended" }, func(q *search.Query) {
				q.Feedback = "positive"
			}, func(q *search.Query) { q.Escalated = "true" },
			func(q *search.Query) { q.ActionType = "x" }, func(q *search.Query) {
				q.Tool = "x"
			}, func(q *search.Query) { q.ToolOutcome = "error" },
			func(q *search.Query) { q.Procedure = "x" }, func(q *search.Query) {
				q.ProcedureOutcome = "failed"
			}, func(q *search.Query) { q.HasVoice = "false" },
			func(q *search.Query) { q.StartDate = "2026-01-01" }, func(q *search.Query) { q.EndDate = "2026-12-01" },
			func(q *search.Query) { q.UpdatedAfter = "2026-01-01" }, func(q *search.Query) { q.UpdatedBefore = "2026-12-01" },
		} {
			if err := try(change); !parley.IsCode(err, parley.CodeCursorMismatch) {
				t.Errorf("another search: %v", err)
			}
		}
		if _, err := ts.finder.Find(ts, ts.account, other,
			search.Query{Text: "alpha", Cursor: *cursor}); !parley.IsCode(err, parley.CodeCursorMismatch) {
			t.Errorf("another agent: %v", err)
		}
		forged := httpapi.Cursors{Key: []byte("another")}.Seal("conversation search", &parley.Cursor{SortValue: 1, ID: "x"})
		for _, bad := range []string{*forged, (*cursor)[:20], "%%%", *cursor + "AAAA"} {
			if err := try(func(q *search.Query) { q.Cursor = bad }); !parley.IsCode(err, parley.CodeInvalidCursor) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		ts.advanceClock(16 * time.Minute)
		if err := try(func(*search.Query) {}); !parley.IsCode(err, parley.CodeInvalidCursor) {
			t.Errorf("after a quarter of an hour: %v", err)
		}
		ts.must(ts.indexer.Sweep(ts))
		if n := ts.countRows("search_walks"); n != 0 {
			t.Errorf("%d walks are left", n)
		}
	})
}

func (ts *testSearch) countRows(table string) (n int) {
	ts.Helper()
	ts.must(ts.db.SQL().QueryRow(ts, `select count(*) from `+table).Scan(&n))
	return n
}

// readPagesOfAll reads all pages of a search of all agents, and checks how many are left out.
func (ts *testSearch) readPagesOfAll(q search.Query, withheld int) (all []parley.ConversationID) {
	ts.Helper()
	for range 100 {
		page, err := ts.finder.FindAll(ts, ts.account, q)
		ts.must(err)
		if page.Withheld != withheld {
			ts.Errorf("%+v: %d agents are left out, want %d", q, page.Withheld, withheld)
		}
		all = append(all, conversationIDs(&page.Page)...)
		if page.Cursor == nil {
			return all
		}
		q.Cursor = *page.Cursor
	}
	ts.Fatal("the walk never ends")
	return nil
}

// TestAllAgentsAreSearched checks that a search of all agents finds what those of each find, in one order, and no words
// of agents that redact.
func TestAllAgentsAreSearched(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		agents := []*parley.Agent{ts.agent, ts.newAgent(), ts.newAgent()}
		_, err := ts.db.SQL().Exec(ts, `update agents set redact = 1 where id = ?`, agents[2].ID)
		ts.must(err)
		var all, shown []parley.ConversationID // the latest first
		for i := range 12 {
			ts.advanceClock(time.Second)
			id := ts.startConversation("alpha", func(c *parley.Conversation) { c.AgentID = agents[i%3].ID }).ID
			if all = slices.Insert(all, 0, id); i%3 != 2 {
				shown = slices.Insert(shown, 0, id)
			}
		}
		ts.runIndexer()
		for _, limit := range []int{1, 3, 25} {
			if got := ts.readPagesOfAll(search.Query{Limit: limit}, 0); !slices.Equal(got, all) {
				t.Errorf("%d at a time: %v, want %v", limit, got, all)
			}
			if got := ts.readPagesOfAll(search.Query{Text: "alpha", Limit: limit}, 1); !slices.Equal(got, shown) {
				t.Errorf("with words, %d at a time: %v, want %v", limit, got, shown)
			}
		}
		ts.advanceClock(time.Second)
		best := ts.startConversation("alpha bravo", func(c *parley.Conversation) { c.AgentID = agents[1].ID })
		ts.startConversation("bravo, far from which there is something else before the other word: alpha")
		ts.runIndexer()
		if got := ts.readPagesOfAll(search.Query{Text: "alpha bravo", Limit: 1}, 1); len(got) != 2 || got[0] != best.ID {
			t.Errorf("%v are found, the best is %s", got, best.ID)
		}
		q := search.Query{Limit: 1}
		q.Cursor = *ts.find(q).Cursor
		if _, err := ts.finder.FindAll(ts, ts.account, q); !parley.IsCode(err, parley.CodeCursorMismatch) {
			t.Error("a cursor of one agent's search:", err)
		}
		ts.account.HIPAA = true
		_, err = ts.finder.FindAll(ts, ts.account, search.Query{Text: "alpha"})
		if !parley.IsCode(err, parley.CodeSearchUnavailable) {
			t.Error("words in an account under HIPAA:", err)
		}
	})
}

// TestPagesBeyondTheRanked walks beyond the thousand that are ranked.
func TestPagesBeyondTheRanked(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		const all = 1130
		ts.must(ts.db.Transact(ts, 0, func(tx *store.DB) error {
			for i := range all {
				at := noon.Add(time.Duration(i) * time.Second)
				c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: ts.account.ID,
					AgentID: ts.agent.ID, API: parley.APIV2,
					Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: at, UpdatedAt: at}
				if err := tx.CreateConversation(ts, c, newMessage(c.ID, parley.AuthorUser, "alpha", at), false); err != nil {
					return err
				}
			}
			return nil
		}))
		ts.runIndexer()
		seen := map[parley.ConversationID]bool{}
		list := ts.readAllPages(search.Query{Text: "alpha"}, nil)
		for _, id := range list {
			seen[id] = true
		}
		if len(list) != all || len(seen) != all {
			t.Errorf("%d results, %d conversations", len(list), len(seen))
		}
	})
}
