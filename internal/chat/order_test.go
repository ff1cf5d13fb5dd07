package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/sqldb"
	"parley/internal/store"
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

// Recovery locks the conversations of its turns before the credits of their account, as answers do. Otherwise each
// could wait for the other.
func TestRecoveryLocksConversationsFirst(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		if te.db.SQL().Dialect() == sqldb.SQLite {
			return // it has one writer
		}
		te.ProgressInterval = time.Millisecond
		barrier := scripted.NewBarrier()
		steps := []scripted.Step{scripted.Text("half"), {Barrier: barrier}, scripted.Stop()}
		first := te.startSeen(steps...)
		te.clock.Advance(time.Second)
		second := te.startSeen(steps...)
		te.clock.Advance(time.Minute) // nobody renews the leases
		closed := make(chan error, 1)
		recoverOnce := sync.OnceFunc(func() {
			_, err := te.newEngine("another server").Recover(t.Context())
			closed <- err
		})
		check.Must(t, te.db.Transact(t.Context(), sqldb.Interactive, func(tx *store.DB) error {
			if _, err := tx.LockConversation(t.Context(), second.ConversationRef()); err != nil {
				return err
			}
			go recoverOnce()
			te.awaitLockWait()
			_, err := tx.SQL().Exec(t.Context(), `select 1 from credit_usage where account_id = ? for update nowait`,
				te.account.ID)
			return err
		}))
		check.Must(t, check.Receive(te.t, "the end of the recovery", closed))
		barrier.Release()
		for _, turn := range []*chat.Turn{first, second} {
			te.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half")
			check.Receive(te.t, "the end of the turn", turn.Done())
		}
		te.wantNoOpenTurn()
		te.wantCredits(0, 0)
	})
}

// awaitLockWait returns once somebody waits for a row that another transaction has locked.
func (te *testEngine) awaitLockWait() {
	te.t.Helper()
	check.Eventually(te.t, "somebody who waits for a row", func() bool {
		waiting, err := sqldb.One(te.t.Context(), te.db.SQL(), sqldb.Column[int], `
			select count(*)
			from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`)
		check.Must(te.t, err)
		return waiting > 0
	})
}

// What is stored of a long answer while it is written stays in proportion to its length.
func TestProgressOfALongAnswerIsStoredRarely(t *testing.T) {
	for _, c := range []struct {
		size, stored int
		want         bool
	}{
		{0, 0, false}, {1, 0, true}, {20, 20, false}, {21, 20, true}, {32 << 10, 32<<10 - 1, true},
		{401 << 10, 400 << 10, false}, {450 << 10, 400 << 10, true}, {100 << 10, 0, true},
	} {
		if got := chat.IsStoredAnew(c.size, c.stored); got != c.want {
			t.Errorf("%d bytes, %d of them stored: %v", c.size, c.stored, got)
		}
	}
}
