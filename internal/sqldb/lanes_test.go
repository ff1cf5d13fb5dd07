package sqldb_test

import (
	"sync"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestQueueLengths(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		if _, _, ok := db.QueueLengths(); ok != (db.Dialect() == sqldb.SQLite) {
			t.Fatal("QueueLengths reports ", ok, " on ", db.Dialect())
		}
		if db.Dialect() == sqldb.Postgres {
			return
		}
		running, release := make(chan struct{}), make(chan struct{})
		var callers sync.WaitGroup
		write := func(lane sqldb.Lane, fn func(*sqldb.DB) error) {
			callers.Go(func() {
				if err := db.Transact(t.Context(), lane, fn); err != nil {
					t.Error(err)
				}
			})
		}
		write(sqldb.Interactive, func(*sqldb.DB) error { close(running); <-release; return nil })
		check.Receive(t, "a busy writer", running)
		for range 2 {
			write(sqldb.Interactive, func(*sqldb.DB) error { return nil })
		}
		write(sqldb.Bulk, func(*sqldb.DB) error { return nil })
		check.Eventually(t, "two interactive transactions and one of bulk that wait", func() bool {
			interactive, bulk, _ := db.QueueLengths()
			return interactive == 2 && bulk == 1
		})
		close(release)
		callers.Wait()
		if interactive, bulk, _ := db.QueueLengths(); interactive+bulk != 0 {
			t.Errorf("%d interactive and %d bulk transactions still wait", interactive, bulk)
		}
	})
}
