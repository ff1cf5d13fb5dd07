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
	forEachDatabase(t, func(d *testEngine) {
		if d.db.SQL().Dialect() != sqldb.SQLite {
			return // PostgreSQL has no quota
		}
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text(strings.Repeat("a long answer ", 20_000)), scripted.Step{Barrier: gate},
			scripted.Stop())
		question := strings.Repeat("a long question ", 1000)
		turn := d.start(question, "")
		d.fillDatabase()
		gate.Release()
		ctx, stop := context.WithTimeout(t.Context(), testkit.WaitTimeout)
		defer stop()
		_, err := turn.Wait(ctx)
		wantCode(t, err, parley.CodeUnderMaintenance)
		if e := parley.AsError(err); e.RetryAfter <= 0 || e.Details["conversationId"] != string(turn.ConversationID) {
			t.Errorf("told %+v", e)
		}
		must(t, d.db.SQL().SetQuota(t.Context(), 0))
		d.LeaseDuration = 300 * time.Millisecond // by a clock that stands: it never runs out
		running, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Run(running) }()
		testkit.Eventually(t, "the turn's end", func() bool {
			var open int
			must(t, d.db.SQL().QueryRow(t.Context(), `select count(*) from turns where state = 'open'`).Scan(&open))
			return open == 0
		})
		end()
		must(t, <-ended)
		d.wantHistory(turn.ConversationID, "user complete: "+question)
		d.wantCredits(0, 0)
		d.wantNoOpenTurn()
		d.finish(d.start("two", turn.ConversationID))
	})
}

// fillDatabase leaves no page free.
func (d *testEngine) fillDatabase() {
	d.t.Helper()
	ctx, db := d.t.Context(), d.db.SQL()
	if _, err := db.Exec(ctx, `create table filler (bytes blob)`); err != nil {
		d.t.Fatal(err)
	}
	var pages int
	must(d.t, db.QueryRow(ctx, `select page_count from pragma_page_count()`).Scan(&pages))
	must(d.t, db.SetQuota(ctx, pages))
	for size := 1 << 20; size > 1<<10; {
		if _, err := db.Exec(ctx, `insert into filler values (zeroblob(?))`, size); err != nil {
			size /= 2
		}
	}
}
