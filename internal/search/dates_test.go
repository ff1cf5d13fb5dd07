package search_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/search"
)

// TestBothEndsOfADateRangeAreFound checks that both ends of a range are in it, by whole seconds, as replies show times.
func TestBothEndsOfADateRangeAreFound(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		ts.advanceClock(600 * time.Millisecond)
		a := ts.startConversation("alpha")
		ts.advanceClock(400 * time.Millisecond)
		tc := ts.startConversation("alpha")
		ts.runIndexer()
		for _, text := range []string{"", "alpha"} {
			ts.wantFound(search.Query{Text: text, EndDate: "2026-11-10T12:00:00Z"}, a)
			ts.wantFound(search.Query{Text: text, StartDate: "2026-11-10T12:00:00Z", EndDate: "2026-11-10T12:00:00.000Z"}, a)
			ts.wantFound(search.Query{Text: text, UpdatedAfter: "2026-11-10T12:00:01Z",
				UpdatedBefore: "2026-11-10T12:00:01Z"}, tc)
			ts.wantFound(search.Query{Text: text, UpdatedBefore: "2026-11-10T12:00:00.600Z"}, a)
			ts.wantFound(search.Query{Text: text, UpdatedBefore: "2026-11-10T12:00:00.599Z"})
			ts.wantFound(search.Query{Text: text, StartDate: "2026-11-10T12:00:00.601Z"}, tc)
		}
		_, err := ts.finder.Find(ts, ts.account, ts.agent,
			search.Query{StartDate: "2026-11-10T12:00:00.001Z", EndDate: "2026-11-10T12:00:00Z"})
		if !parley.IsCode(err, parley.CodeInvalidDateRange) {
			t.Errorf("a start after the end within a second: %v", err)
		}
	})
}

// TestOffsets holds the forms of an offset, also one whose plus was not escaped in the address.
func TestOffsets(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("alpha")
		ts.runIndexer()
		for _, offset := range []string{"+01:00", "+0100", "+01", " 01:00", ".000+0100"} {
			ts.wantFound(search.Query{StartDate: "2026-11-10T13:00:00" + offset}, a)
			ts.wantFound(search.Query{StartDate: "2026-11-10T13:00:01" + offset})
		}
		for _, wrong := range []string{"2026-11-10 13:00:00", "2026-11-10T13:00:00  01:00", "2026-11-10 ", "2026-11-10T13"} {
			if _, err := ts.finder.Find(ts, ts.account, ts.agent, search.Query{StartDate: wrong}); !parley.IsCode(err,
				parley.CodeInvalidBody) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
	})
}
