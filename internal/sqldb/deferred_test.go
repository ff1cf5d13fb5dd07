package sqldb_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/check"
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
	queued, result := make(chan *sqldb.Deferral), make(chan error, 1)
	go func() {
		tell := func(d *sqldb.Deferral) { queued <- d }
		result <- db.TransactDeferred(t.Context(), sqldb.Interactive, tell, func(tx *sqldb.DB) error {
			_, err := tx.Exec(t.Context(), `insert into t values (?)`, id)
			return err
		})
	}()
	check.Receive(t, "a deferred transaction", queued).Enqueue()
	return result
}

// awaitEnd waits for the result of a deferred transaction.
func awaitEnd(t *testing.T, result <-chan error) error {
	t.Helper()
	return check.Receive(t, "the end of a deferred transaction", result)
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
	if err := errors.Join(err, awaitEnd(t, first)); err != nil || countRows(t, db) != 1 {
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
	if err := awaitEnd(t, first); err != nil || countRows(t, db) != 1 {
		t.Errorf("%d rows stored, %v", countRows(t, db), err)
	}
}

// Closing the database commits what is deferred.
func TestCloseCommitsWhatIsDeferred(t *testing.T) {
	db := openDeferring(t)
	first := insertDeferred(t, db, "first")
	if err := errors.Join(db.Close(), awaitEnd(t, first)); err != nil {
		t.Error(err)
	}
}

// On PostgreSQL Enqueue returns when the transaction is committed.
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
		if err := errors.Join(err, awaitEnd(t, first)); err != nil {
			t.Error(err)
		}
	})
}

// A deferred transaction whose caller leaves while it waits for its turn is not run.
func TestDeferredIsCancelledWhileItWaits(t *testing.T) {
	db := dbs.Open(t, dbs.SharedPostgres(t).NewDatabase(t))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.TransactDeferred(ctx, sqldb.Interactive, func(*sqldb.Deferral) { cancel() }, func(*sqldb.DB) error {
		t.Error("it has run")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// On PostgreSQL a deferred transaction begins at once where nothing else is written, and waits while something is.
func TestDeferredWaitsWhileOthersWrite(t *testing.T) {
	db := dbs.Open(t, dbs.SharedPostgres(t).NewDatabase(t))
	mustExec(t, db, `create table t (id text primary key)`)
	var order, want = []string(nil), []string{"first", "meanwhile", "deferred"}
	note := func(name string) func(*sqldb.DB) error {
		return func(*sqldb.DB) error { order = append(order, name); return nil }
	}
	begin := func(name string) error {
		return db.TransactDeferred(t.Context(), sqldb.Interactive, (*sqldb.Deferral).EnqueueIfIdle, note(name))
	}
	first := begin("first")
	deferred := make(chan error, 1)
	err := db.Transact(t.Context(), sqldb.Interactive, func(*sqldb.DB) error {
		queued := make(chan struct{})
		go func() {
			deferred <- db.TransactDeferred(t.Context(), sqldb.Interactive, func(d *sqldb.Deferral) {
				d.EnqueueIfIdle()
				order = append(order, "meanwhile")
				close(queued)
			}, note("deferred"))
		}()
		<-queued
		return nil
	})
	if err := errors.Join(first, err, awaitEnd(t, deferred)); err != nil || !slices.Equal(order, want) {
		t.Errorf("%v, %v", order, err)
	}
}
