package sqldb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestConcurrentUpdatesLoseNone(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table counters (id text primary key, n bigint not null)`)
		mustExec(t, db, `insert into counters values ('a', 0)`)
		var callers sync.WaitGroup
		for range 64 {
			callers.Go(func() {
				err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
					var n int64
					if err := tx.QueryRow(t.Context(), `select n from counters where id = ?`+tx.ForUpdate(),
						"a").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec(t.Context(), `update counters set n = ? where id = ?`, n+1, "a")
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if n := queryInt(t, db, `select n from counters`); n != 64 {
			t.Errorf("64 updates, %d counted", n)
		}
	})
}

func TestFailedTransactionDoesNotAffectOthers(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		refused := errors.New("refused")
		var callers sync.WaitGroup
		for i := range 40 {
			callers.Go(func() {
				err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
					if _, err := tx.Exec(t.Context(), `insert into t values (?)`, fmt.Sprint(i)); err != nil {
						return err
					}
					if i%4 == 0 {
						return refused
					}
					return nil
				})
				if (i%4 == 0) != errors.Is(err, refused) {
					t.Errorf("closure %d: %v", i, err)
				}
			})
		}
		callers.Wait()
		if n := queryInt(t, db, `select count(*) from t`); n != 30 {
			t.Errorf("%d rows of the 30 closures that succeeded", n)
		}
	})
}

func TestPanicReachesOnlyItsCaller(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "broken closure") {
					t.Errorf("recovered %v", v)
				}
			}()
			_ = db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
				mustExec(t, tx, `insert into t values ('a')`)
				panic("broken closure")
			})
		}()
		mustExec(t, db, `insert into t values ('b')`)
		if n := queryInt(t, db, `select count(*) from t`); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

// A closure that calls t.FailNow ends the goroutine it runs on.
func TestWriterSurvivesGoexit(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		ended := make(chan bool)
		go func() {
			returned := false
			defer func() { ended <- returned }()
			_ = db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
				mustExec(t, tx, `insert into t values ('a')`)
				runtime.Goexit()
				return nil
			})
			returned = true
		}()
		if check.Receive(t, "the end of the caller", ended) {
			t.Error("the caller went on")
		}
		mustExec(t, db, `insert into t values ('b')`)
		if n := queryInt(t, db, `select count(*) from t`); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

func TestNothingIsVisibleBeforeTheCommit(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		count := func() int64 { return queryInt(t, db, `select count(*) from t`) }
		err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
			tx.AfterCommit(func() {
				if n := count(); n != 1 {
					t.Errorf("%d rows after the commit", n)
				}
			})
			_, err := tx.Exec(t.Context(), `insert into t values ('a')`)
			if n := count(); n != 0 {
				t.Errorf("%d rows before the commit", n)
			}
			if n := queryInt(t, tx, `select count(*) from t`); n != 1 {
				t.Errorf("%d rows inside", n)
			}
			return err
		})
		if err != nil || count() != 1 {
			t.Errorf("%v, %d rows", err, count())
		}
	})
}

func TestAfterCommitIsNotCalledAfterFailure(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		_ = db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
			tx.AfterCommit(func() { t.Error("called") })
			return errors.New("no")
		})
	})
}

func TestCancelledTransactionDoesNotStart(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
			cancel() // the client leaves meanwhile: what has begun is finished
			_, err := tx.Exec(ctx, `insert into t values ('a')`)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		err = db.Transact(ctx, sqldb.Interactive, func(*sqldb.DB) error {
			t.Error("started for a caller who had cancelled")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := queryInt(t, db, `select count(*) from t`); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

// What PostgreSQL refuses in a transaction is refused on SQLite as well, or code would rely on it.
func TestBothDatabasesRefuseTheSame(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		mustExec(t, db, `create table t (id text primary key)`)
		mustExec(t, db, `insert into t values ('a')`)
		var finishedTx *sqldb.DB
		err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
			finishedTx = tx
			mustExec(t, tx, `insert into t values ('b')`)
			if _, err := tx.Exec(ctx, `insert into t values ('a')`); !sqldb.IsDuplicate(err) {
				t.Errorf("a second row of the same key: %v", err)
			}
			if _, err := tx.Exec(ctx, `insert into t values ('c')`); err == nil {
				t.Error("a statement succeeded after another had failed")
			}
			return nil
		})
		if !sqldb.IsDuplicate(err) {
			t.Errorf("the transaction did not return the error of a failed statement: %v", err)
		}
		if _, err := finishedTx.Exec(ctx, `insert into t values ('d')`); err == nil {
			t.Error("a finished transaction ran a statement")
		}
		err = db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
			if _, err := tx.Query(ctx, `select id from t`); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `insert into t values ('e')`); err == nil {
				t.Error("a statement ran while rows were open")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		all, err := sqldb.All(ctx, db, sqldb.Column[string], `select id from t order by id`)
		if err != nil || !slices.Equal(all, []string{"a"}) {
			t.Errorf("%v %v", all, err)
		}
	})
}

func TestValuesAreStoredAlikeOnBothDatabases(t *testing.T) {
	type name string
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		mustExec(t, db,
			`create table t (id text primary key, flag integer not null, doc text, note text, at bigint, score `+
				`double precision)`)
		mustExec(t, db, `insert into t values (?, ?, ?, ?, ?, ?)`, name("a?"), true, json.RawMessage(`{"b":1}`), nil,
			int64(1)<<42, 0.5)
		mustExec(t, db, `insert into t (id, flag, doc) values (?, ?, ?)`, name("b"), false, json.RawMessage(nil))
		var id name
		var flag bool
		var doc string
		var note *string
		var at int64
		var score float64
		err := db.QueryRow(ctx, `select id, flag, doc, note, at, score from t where id = 'a?' and id = ?`,
			name("a?")).Scan(&id, &flag, &doc, &note, &at, &score)
		if err != nil || id != "a?" || !flag || doc != `{"b":1}` || note != nil || at != 1<<42 || score != 0.5 {
			t.Errorf("%v: %v %v %v %v %v %v", err, id, flag, doc, note, at, score)
		}
		if n := queryInt(t, db, `select count(*) from t where doc is null and flag = ?`, false); n != 1 {
			t.Errorf("%d rows without a document", n)
		}
		if _, err := sqldb.One(ctx, db, sqldb.Column[string], `select id from t where id = ?`, "c"); !sqldb.IsNotFound(err) {
			t.Errorf("a row that does not exist: %v", err)
		}
		if _, err := db.Exec(ctx, `update t set at = ?`, time.Unix(0, 0)); err == nil {
			t.Error("a time.Time was stored")
		}
		if n, err := db.Exec(ctx, `update t set note = ?`, "x"); n != 2 || err != nil {
			t.Errorf("%d rows changed, %v", n, err)
		}
	})
}

func TestClosedDatabaseRefusesWrites(t *testing.T) {
	dbs.ForEachURL(t, func(t *testing.T, url string) {
		db, err := sqldb.Open(t.Context(), sqldb.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, db, `create table t (id text primary key)`)
		for range 2 {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := db.Exec(t.Context(), `insert into t values ('a')`); err == nil {
			t.Error("a closed database took a write")
		}
	})
}
