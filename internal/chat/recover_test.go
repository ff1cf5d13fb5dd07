package chat_test

import (
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

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
