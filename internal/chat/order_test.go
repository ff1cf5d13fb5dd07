package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

func TestWaitingMessagesKeepTheirOrder(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("first"), scripted.Step{Barrier: barrier}, scripted.Stop())
		turn := te.start("one", "")
		reader := turn.Reader()
		defer reader.Close()
		var all sync.WaitGroup
		for i := range 8 {
			before := te.WaitingTurns()
			all.Go(func() {
				next, err := te.tryStart(fmt.Sprint("message ", i), turn.ConversationID)
				if err == nil {
					_, err = next.Wait(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			})
			check.Eventually(te.t, "a place in the queue", func() bool { return te.WaitingTurns() > before })
		}
		barrier.Release()
		all.Wait()
		var users []string
		for _, line := range te.history(turn.ConversationID) {
			if text, ok := strings.CutPrefix(line, "user complete: "); ok {
				users = append(users, text)
			}
		}
		want := []string{"one", "message 0", "message 1", "message 2", "message 3", "message 4", "message 5",
			"message 6", "message 7"}
		if !slices.Equal(users, want) {
			t.Errorf("stored %q", users)
		}
	})
}

// Turns of one account share rows that count its credits; taken in different orders they would wait for each other.
func TestTurnsOfOneAccountDoNotWaitForEachOther(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.finish(te.start("first", ""))
		// as after some use and autovacuum: rows have moved on disk, and plans differ
		if te.db.SQL().Dialect() == sqldb.Postgres {
			for _, q := range []string{`update credit_usage set used = used where agent_id = ''`, `analyze credit_usage`} {
				if _, err := te.db.SQL().Exec(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
		}
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 8 {
					turn, err := te.tryStart("hello", "")
					if err == nil {
						_, err = turn.Wait(t.Context())
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		te.wantCredits(129*1000, 0)
		te.wantNoOpenTurn()
		if te.db.SQL().Dialect() == sqldb.Postgres {
			var deadlocks int
			if err := te.db.SQL().QueryRow(t.Context(),
				`select deadlocks from pg_stat_database where datname = current_database()`).
				Scan(&deadlocks); err != nil || deadlocks > 0 {
				t.Errorf("%d deadlocks, %v", deadlocks, err)
			}
		}
	})
}
