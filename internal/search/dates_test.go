package search_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/search"
)

// TestAnEndIsFoundAsRepliesTellIt holds that both ends of a range are in it, by the seconds in which replies tell
// times.
func TestAnEndIsFoundAsRepliesTellIt(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		w.advanceClock(600 * time.Millisecond)
		a := w.startConversation("alpha")
		w.advanceClock(400 * time.Millisecond)
		b := w.startConversation("alpha")
		w.runIndexer()
		for _, text := range []string{"", "alpha"} {
			w.wantFound(search.Query{Text: text, EndDate: "2026-11-10T12:00:00Z"}, a)
			w.wantFound(search.Query{Text: text, StartDate: "2026-11-10T12:00:00Z", EndDate: "2026-11-10T12:00:00.000Z"}, a)
			w.wantFound(search.Query{Text: text, UpdatedAfter: "2026-11-10T12:00:01Z", UpdatedBefore: "2026-11-10T12:00:01Z"}, b)
			w.wantFound(search.Query{Text: text, UpdatedBefore: "2026-11-10T12:00:00.600Z"}, a)
			w.wantFound(search.Query{Text: text, UpdatedBefore: "2026-11-10T12:00:00.599Z"})
			w.wantFound(search.Query{Text: text, StartDate: "2026-11-10T12:00:00.601Z"}, b)
		}
		_, err := w.finder.Find(w, w.account, w.agent,
			search.Query{StartDate: "2026-11-10T12:00:00.001Z", EndDate: "2026-11-10T12:00:00Z"})
		if !parley.IsCode(err, parley.CodeInvalidDateRange) {
			t.Errorf("a start after the end within a second: %v", err)
		}
	})
}

// TestOffsets holds the forms of an offset, also one whose plus was not escaped in the address.
func TestOffsets(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("alpha")
		w.runIndexer()
		for _, offset := range []string{"+01:00", "+0100", "+01", " 01:00", ".000+0100"} {
			w.wantFound(search.Query{StartDate: "2026-11-10T13:00:00" + offset}, a)
			w.wantFound(search.Query{StartDate: "2026-11-10T13:00:01" + offset})
		}
		for _, wrong := range []string{"2026-11-10 13:00:00", "2026-11-10T13:00:00  01:00", "2026-11-10 ", "2026-11-10T13"} {
			if _, err := w.finder.Find(w, w.account, w.agent, search.Query{StartDate: wrong}); !parley.IsCode(err,
				parley.CodeInvalidBody) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
	})
}
