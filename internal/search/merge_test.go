package search_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

// TestMergedSegments checks that an index of many segments becomes one of few, in which all is found as before, with
// what has been replaced and removed meanwhile.
func TestMergedSegments(t *testing.T) {
	ts := newTestSearch(t, dbs.NewSQLiteStore(t))
	var list []*testConversation
	for range 40 {
		for i := range 30 {
			list = append(list, ts.startConversation(fmt.Sprintf("alpha number%d batch%d", len(list), i)))
		}
		ts.runIndexer()
	}
	list[7].remove()
	list[8].addMessage(parley.AuthorUser, "bravo")
	ts.runIndexer()
	before := ts.readAllPages(search.Query{Text: "alpha batch7"}, nil)
	requireFewSegments(ts)
	ts.advanceClock(time.Hour)
	ts.runIndexer()
	requireFewSegments(ts)
	if after := ts.readAllPages(search.Query{Text: "alpha batch7"}, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("found %v, and before the merge %v", after, before)
	}
	ts.wantFound(search.Query{Text: "bravo number8"}, list[8])
	ts.wantFound(search.Query{Text: "number7"})
}

func requireFewSegments(ts *testSearch) {
	ts.Helper()
	for _, table := range []string{"search_words", "search_messages"} {
		n, err := sqldb.One(ts, ts.db.SQL(), sqldb.Column[int64], `select count(distinct segid) from `+table+`_idx`)
		if ts.must(err); n > 16 {
			ts.Errorf("%s has %d segments", table, n)
		}
	}
}
