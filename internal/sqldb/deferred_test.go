package sqldb_test

import (
	"errors"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

// openDeferring opens a database whose deferred commits wait for as long as it takes, with a table t.
func openDeferring(t *testing.T) *sqldb.DB {
	t.Helper()
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	mustExec(t, db, `create table t (id text primary key)`)
	if err := db.DeferCommits(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// insertDeferred starts a deferred transaction that inserts a row and returns its result, once a later transaction is
// certain to run after it.
func insertDeferred(t *testing.T, db *sqldb.DB, id string) <-chan error {
	t.Helper()
	queued, result := make(chan struct{}), make(chan error, 1)
	go func() {
		result <- db.TransactDeferred(t.Context(), sqldb.Interactive, func() { close(queued) }, func(tx *sqldb.DB) error {
			_, err := tx.Exec(t.Context(), `insert into t values (?)`, id)
			return err
		})
	}()
	<-queued
	return result
}

func countRows(t *testing.T, db *sqldb.DB) int64 {
	t.Helper()
	n, err := sqldb.One(t.Context(), db, sqldb.Column[int64], `select count(*) from t`)
	if err != nil {
		t.Error(err)
	}
	return n
}

// A deferred transaction is stored by the commit of the next one, which sees its rows.
func TestDeferredCommitWaitsForTheNext(t *testing.T) {
	db := openDeferring(t)
	first := insertDeferred(t, db, "first")
	err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
		if inside, stored := countRows(t, tx), countRows(t, db); inside != 1 || stored != 0 {
			t.Errorf("%d rows inside and %d stored before the commit", inside, stored)
		}
		return nil
	})
	if err := errors.Join(err, <-first); err != nil || countRows(t, db) != 1 {
		t.Errorf("%d rows stored, %v", countRows(t, db), err)
	}
}

// A transaction that fails after it has written does not take the deferred one before it along.
func TestDeferredCommitOutlivesTheNext(t *testing.T) {
	db := openDeferring(t)
	first := insertDeferred(t, db, "first")
	err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
		_, err := tx.Exec(t.Context(), `insert into t values ('second')`)
		return errors.Join(err, errRefused)
	})
	if !errors.Is(err, errRefused) {
		t.Error(err)
	}
	if err := <-first; err != nil || countRows(t, db) != 1 {
		t.Errorf("%d rows stored, %v", countRows(t, db), err)
	}
}

// Closing the database commits what is deferred.
func TestCloseCommitsWhatIsDeferred(t *testing.T) {
	db := openDeferring(t)
	first := insertDeferred(t, db, "first")
	if err := errors.Join(db.Close(), <-first); err != nil {
		t.Error(err)
	}
}

// On PostgreSQL a deferred transaction is committed when it says that a later one runs after it.
func TestDeferredOnEachDatabase(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		first := insertDeferred(t, db, "first")
		err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
			if n := countRows(t, tx); n != 1 {
				t.Errorf("the next transaction sees %d rows", n)
			}
			return nil
		})
		if err := errors.Join(err, <-first); err != nil {
			t.Error(err)
		}
	})
}
