package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/model/scripted"
	"parley/internal/sqldb"
	"parley/internal/testkit"
)

// An answer that a full database cannot take fails while its reader is still there, keeps the message, costs nothing,
// and its turn is closed as soon as there is space, before its lease runs out.
func TestAnAnswerThatAFullDatabaseCannotTake(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		if te.db.SQL().Dialect() != sqldb.SQLite {
			return // PostgreSQL has no quota
		}
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text(strings.Repeat("a long answer ", 20_000)), scripted.Step{Barrier: barrier},
			scripted.Stop())
		question := strings.Repeat("a long question ", 1000)
		turn := te.start(question, "")
		te.fillDatabase()
		barrier.Release()
		ctx, stop := context.WithTimeout(t.Context(), testkit.WaitTimeout)
		defer stop()
		_, err := turn.Wait(ctx)
		wantCode(t, err, parley.CodeUnderMaintenance)
		if e := parley.AsError(err); e.RetryAfter <= 0 || e.Details["conversationId"] != string(turn.ConversationID) {
			t.Errorf("told %+v", e)
		}
		must(t, te.db.SQL().SetQuota(t.Context(), 0))
		te.LeaseDuration = 300 * time.Millisecond // by a clock that stands still: it never runs out
		running, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- te.Run(running) }()
		testkit.Eventually(t, "the turn's end", func() bool {
			var open int
			must(t, te.db.SQL().QueryRow(t.Context(), `select count(*) from turns where state = 'open'`).Scan(&open))
			return open == 0
		})
		end()
		must(t, <-ended)
		te.wantHistory(turn.ConversationID, "user complete: "+question)
		te.wantCredits(0, 0)
		te.wantNoOpenTurn()
		te.finish(te.start("two", turn.ConversationID))
	})
}

// fillDatabase leaves no page free.
func (te *testEngine) fillDatabase() {
	te.t.Helper()
	ctx, db := te.t.Context(), te.db.SQL()
	if _, err := db.Exec(ctx, `create table filler (bytes blob)`); err != nil {
		te.t.Fatal(err)
	}
	var pages int
	must(te.t, db.QueryRow(ctx, `select page_count from pragma_page_count()`).Scan(&pages))
	must(te.t, db.SetQuota(ctx, pages))
	for size := 1 << 20; size > 1<<10; {
		if _, err := db.Exec(ctx, `insert into filler values (zeroblob(?))`, size); err != nil {
			size /= 2
		}
	}
}
