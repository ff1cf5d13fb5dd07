package sqldb_test

import (
	"sync"
	"testing"
	"time"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

func TestQueueLengths(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		if _, _, ok := db.QueueLengths(); ok != (db.Dialect() == sqldb.SQLite) {
			t.Fatal("PostgreSQL queues, or SQLite does not")
		}
		if db.Dialect() == sqldb.Postgres {
			return
		}
		running, goOn := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		write := func(lane sqldb.Lane, fn func(*sqldb.DB) error) {
			all.Go(func() {
				if err := db.Transact(t.Context(), lane, fn); err != nil {
					t.Error(err)
				}
			})
		}
		write(sqldb.Interactive, func(*sqldb.DB) error { close(running); <-goOn; return nil })
		<-running
		for range 2 {
			write(sqldb.Interactive, func(*sqldb.DB) error { return nil })
		}
		write(sqldb.Bulk, func(*sqldb.DB) error { return nil })
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			turns, bulk, _ := db.QueueLengths()
			if turns == 2 && bulk == 1 {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%d of turns and %d of bulk wait", turns, bulk)
				break
			}
		}
		close(goOn)
		all.Wait()
		if turns, bulk, _ := db.QueueLengths(); turns+bulk != 0 {
			t.Errorf("%d of turns and %d of bulk still wait", turns, bulk)
		}
	})
}
