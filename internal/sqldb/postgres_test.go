package sqldb_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

func TestOpenRefusesAsyncCommit(t *testing.T) {
	url := dbs.SharedPostgres(t).NewDatabase(t)
	var setting string
	if err := dbs.Open(t, url).QueryRow(t.Context(), `show synchronous_commit`).Scan(&setting); err != nil ||
		setting != "on" {
		t.Errorf("synchronous_commit is %s, %v", setting, err)
	}
	url += "&synchronous_commit=off"
	if db, err := sqldb.Open(t.Context(), sqldb.Config{URL: url}); err == nil {
		t.Error("opened a server that loses what it acknowledged", db.Close())
	}
	dbs.OpenConfig(t, sqldb.Config{URL: url, AllowAsyncCommit: true})
}

func TestSerializationFailuresAreRetried(t *testing.T) {
	db := dbs.Open(t, dbs.SharedPostgres(t).NewDatabase(t))
	ctx := t.Context()
	mustExec(t, db, `create table t (id text primary key, n bigint not null)`)
	mustExec(t, db, `insert into t values ('a', 0)`)
	runs := 0
	err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
		runs++
		mustExec(t, tx, `set transaction isolation level serializable`)
		n := queryInt(t, tx, `select n from t where id = 'a'`)
		if runs == 1 {
			mustExec(t, db, `update t set n = 10 where id = 'a'`) // another client, meanwhile
		}
		_, err := tx.Exec(ctx, `update t set n = ? where id = 'a'`, n+1)
		return err
	})
	if n := queryInt(t, db, `select n from t`); err != nil || runs != 2 || n != 11 {
		t.Errorf("%v: %d after %d runs", err, n, runs)
	}
}

func TestDeadlocksAreRetried(t *testing.T) {
	db := dbs.Open(t, dbs.SharedPostgres(t).NewDatabase(t))
	ctx := t.Context()
	mustExec(t, db, `create table t (id text primary key, n bigint not null)`)
	mustExec(t, db, `insert into t values ('a', 0), ('b', 0)`)
	var bothLocked, callers sync.WaitGroup
	bothLocked.Add(2)
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		waitForOther := sync.OnceFunc(func() { bothLocked.Done(); bothLocked.Wait() })
		callers.Go(func() {
			err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
				for _, id := range order {
					if _, err := tx.Exec(ctx, `update t set n = n + 1 where id = ?`, id); err != nil {
						return err
					}
					waitForOther()
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if n := queryInt(t, db, `select sum(n) from t`); n != 4 {
		t.Errorf("%d of 4 updates", n)
	}
}

func TestPostgresRestart(t *testing.T) {
	server := dbs.StartPostgres(t)
	db := dbs.Open(t, server.NewDatabase(t))
	ctx := t.Context()
	mustExec(t, db, `create table t (id text primary key)`)
	var callers sync.WaitGroup
	for range 10 { // fill the pool
		callers.Go(func() { queryInt(t, db, `select count(*) from t, pg_sleep(0.01)`) })
	}
	callers.Wait()
	wantUnavailable := func(operation string, err error) {
		t.Helper()
		var e *parley.Error
		if !errors.As(err, &e) || e.Code != parley.CodeUnderMaintenance || e.RetryAfter == 0 ||
			strings.Contains(e.Message, "connect") {
			t.Errorf("%s while the server is down: %v", operation, err)
		}
	}
	err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
		mustExec(t, tx, `insert into t values ('a')`)
		server.Kill(t)
		_, err := tx.Exec(ctx, `insert into t values ('b')`)
		return err
	})
	wantUnavailable("a transaction", err)
	_, err = db.Exec(ctx, `insert into t values ('c')`)
	wantUnavailable("a write", err)
	_, err = sqldb.All(ctx, db, sqldb.Column[string], `select id from t`)
	wantUnavailable("a read", err)
	server.Start(t)
	mustExec(t, db, `insert into t values ('d')`)
	if n := queryInt(t, db, `select count(*) from t`); n != 1 {
		t.Errorf("%d rows", n)
	}
}
