package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/sqldb"
)

// An answer that a full database cannot take fails while its reader is still there, keeps the message, costs nothing,
// and its turn is closed as soon as there is room, without the lease having to run out.
func TestAnAnswerThatAFullDatabaseCannotTake(t *testing.T) {
	each(t, func(d *desk) {
		if d.db.SQL().Dialect() != sqldb.SQLite {
			return // PostgreSQL has no quota
		}
		gate := llm.NewGate()
		d.model.Then(llm.Say(strings.Repeat("a long answer ", 20_000)), llm.Step{Gate: gate}, llm.Stop())
		question := strings.Repeat("a long question ", 1000)
		turn := d.start(question, "")
		d.fill()
		gate.Open()
		ctx, stop := context.WithTimeout(t.Context(), rig.Patience)
		defer stop()
		_, err := turn.Wait(ctx)
		wantCode(t, err, parley.CodeUnderMaintenance)
		if e := parley.ErrorOf(err); e.RetryAfter <= 0 || e.Details["conversationId"] != string(turn.ConversationID) {
			t.Errorf("told %+v", e)
		}
		must(t, d.db.SQL().SetQuota(t.Context(), 0))
		d.Lease = 300 * time.Millisecond // by a clock that stands: it never runs out
		running, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Run(running) }()
		rig.Eventually(t, "the turn's end", func() bool {
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

// fill leaves no page free.
func (d *desk) fill() {
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
