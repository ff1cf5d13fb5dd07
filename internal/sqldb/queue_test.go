package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

func TestQueuedStatementsRunInOrder(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		mustExec(t, db, `create table t (id text primary key, n bigint not null)`)
		var read []string
		var changed int64
		err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
			return errors.Join(
				tx.Queue(ctx, `insert into t values (?, ?), (?, ?)`, "a", 1, "b", true),
				tx.QueueCheck(ctx, func(n int64) error { changed = n; return nil }, `update t set n = n + 1`),
				tx.QueueRead(ctx, func(rows *sqldb.Rows) error {
					read = nil
					for rows.Next() {
						var id string
						if err := rows.Scan(&id); err != nil {
							return err
						}
						read = append(read, id)
					}
					return rows.Err()
				}, `insert into t select id || 'x', n from t where n = ? returning id`, 2),
				tx.Queue(ctx, `delete from t where id = 'b'`))
		})
		slices.Sort(read)
		if err != nil || changed != 2 || !slices.Equal(read, []string{"ax", "bx"}) {
			t.Errorf("%v: %d rows changed, read %v", err, changed, read)
		}
		if err := db.Queue(ctx, `delete from t where id = ?`, "bx"); err != nil {
			t.Error("outside a transaction:", err)
		}
		wantIDs(t, db, "a", "ax")
	})
}

// wantIDs checks the ids of the rows of t.
func wantIDs(t *testing.T, db *sqldb.DB, want ...string) {
	t.Helper()
	got, err := sqldb.All(t.Context(), db, sqldb.Column[string], `select id from t order by id`)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v; %v", got, want, err)
	}
}

var errChecked = errors.New("the check has failed")

// failingQueues are transactions in which a queued statement fails, each with a check of its error.
var failingQueues = map[string]struct {
	run  func(ctx context.Context, tx *sqldb.DB) error
	want func(err error) bool
}{
	"at the commit": {func(ctx context.Context, tx *sqldb.DB) error {
		return tx.Queue(ctx, `insert into t values (?)`, "a")
	}, isDuplicateInsert},
	"with a statement that follows, whose error the closure ignores": {func(ctx context.Context, tx *sqldb.DB) error {
		_ = tx.Queue(ctx, `insert into t values (?)`, "a")
		_ = tx.Queue(ctx, `delete from t`)
		_, _ = tx.Exec(ctx, `update t set id = 'c'`)
		_, _ = tx.Exec(ctx, `insert into t values ('d')`)
		return nil
	}, isDuplicateInsert},
	"with a query that follows": {func(ctx context.Context, tx *sqldb.DB) error {
		err := tx.Queue(ctx, `insert into t values (?)`, "a")
		if err == nil {
			var n int
			err = tx.QueryRow(ctx, `select count(*) from t`).Scan(&n)
		}
		return err
	}, isDuplicateInsert},
	"in its check": {func(ctx context.Context, tx *sqldb.DB) error {
		check := func(affected int64) error {
			if affected == 0 {
				return errChecked
			}
			return nil
		}
		_ = tx.QueueCheck(ctx, check, `update t set id = 'c' where id = 'nobody'`)
		return nil
	}, func(err error) bool { return errors.Is(err, errChecked) }},
	"in the reading of its rows": {func(ctx context.Context, tx *sqldb.DB) error {
		_ = tx.Queue(ctx, `insert into t values ('b')`)
		_ = tx.QueueRead(ctx, func(*sqldb.Rows) error { return errChecked }, `select id from t`)
		_ = tx.Queue(ctx, `insert into t values ('c')`)
		return nil
	}, func(err error) bool { return errors.Is(err, errChecked) }},
	"because its table does not exist": {func(ctx context.Context, tx *sqldb.DB) error {
		_ = tx.Queue(ctx, `insert into t values ('b')`)
		_ = tx.Queue(ctx, `insert into nowhere values (?)`, "b")
		_, err := tx.Exec(ctx, `delete from t`)
		return err
	}, func(err error) bool { return strings.HasPrefix(err.Error(), "insert into nowhere") }},
	"of a type that is not stored": {func(ctx context.Context, tx *sqldb.DB) error {
		return tx.Queue(ctx, `insert into t values (?)`, struct{}{})
	}, func(err error) bool { return err != nil }},
	"never, as the closure fails before it": {func(ctx context.Context, tx *sqldb.DB) error {
		_ = tx.Queue(ctx, `insert into t values ('b')`)
		return errChecked
	}, func(err error) bool { return errors.Is(err, errChecked) }},
}

func isDuplicateInsert(err error) bool {
	return sqldb.IsDuplicate(err) && strings.HasPrefix(err.Error(), "insert into t values")
}

// A transaction with a queued statement that fails stores nothing, and returns the error of that statement.
func TestQueuedStatementsThatFail(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		mustExec(t, db, `create table t (id text primary key)`)
		mustExec(t, db, `insert into t values ('a')`)
		for name, c := range failingQueues {
			for range 2 { // the second time, its statements are prepared already
				err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error { return c.run(t.Context(), tx) })
				if err == nil || !c.want(err) {
					t.Errorf("%s: %v", name, err)
				}
				wantIDs(t, db, "a")
			}
		}
	})
}

func TestQueueOfAFinishedTransaction(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		var finished *sqldb.DB
		if err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
			finished = tx
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := finished.Queue(t.Context(), `select 1`); err == nil {
			t.Error("a finished transaction queued a statement")
		}
	})
}

// After a serialization failure of a statement that is sent with the commit, the transaction runs again.
func TestQueuedStatementsAreRetried(t *testing.T) {
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
			mustExec(t, db, `update t set n = 10 where id = 'a'`)
		}
		return tx.Queue(ctx, `update t set n = ? where id = 'a'`, n+1)
	})
	if n := queryInt(t, db, `select n from t`); err != nil || runs != 2 || n != 11 {
		t.Errorf("%v: %d after %d runs", err, n, runs)
	}
}

// No transaction fails because a connection was closed while it was idle.
func TestClosedConnectionIsReplaced(t *testing.T) {
	db := dbs.Open(t, dbs.SharedPostgres(t).NewDatabase(t))
	ctx := t.Context()
	mustExec(t, db, `create table t (id text primary key)`)
	closeOthers := `select count(pg_terminate_backend(pid)) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()`
	err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
		queryInt(t, db, `select count(*) from t`) // a second connection, idle from here on
		queryInt(t, tx, closeOthers)
		return db.Transact(ctx, sqldb.Interactive, func(other *sqldb.DB) error {
			return other.Queue(ctx, `insert into t values ('a')`)
		})
	})
	if err != nil {
		t.Error(err)
	}
	wantIDs(t, db, "a")
}

// Queued statements take one round trip together with the commit, and begin is sent with the first statement.
func TestRoundTripsOfATransaction(t *testing.T) {
	url, trips := dbs.CountRoundTrips(t, dbs.SharedPostgres(t).NewDatabase(t))
	db := dbs.Open(t, url)
	ctx := t.Context()
	mustExec(t, db, `create table t (id text, n bigint)`)
	count := func(fn func(tx *sqldb.DB) error) (n int) {
		for range 2 { // the first time, its statements are prepared
			before := trips.Count()
			if err := db.Transact(ctx, sqldb.Interactive, fn); err != nil {
				t.Error(err)
			}
			n = trips.Count() - before
		}
		return n
	}
	queue := func(tx *sqldb.DB) error { return tx.Queue(ctx, `insert into t values (?, ?)`, "a", 1) }
	exec := func(tx *sqldb.DB) error {
		_, err := tx.Exec(ctx, `update t set n = ? where n = ?`, 2, 1)
		return err
	}
	for _, c := range []struct {
		want  int
		steps []func(tx *sqldb.DB) error
	}{{0, nil}, {2, steps(queue)}, {2, steps(exec)}, {2, steps(queue, queue, exec, queue)},
		{3, steps(exec, queue, exec)}} {
		if got := count(func(tx *sqldb.DB) error { return runAll(tx, c.steps) }); got != c.want {
			t.Errorf("%d round trips of %d statements, want %d", got, len(c.steps), c.want)
		}
	}
}

func steps(list ...func(tx *sqldb.DB) error) []func(tx *sqldb.DB) error { return list }

func runAll(tx *sqldb.DB, list []func(tx *sqldb.DB) error) error {
	for _, step := range list {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// Both databases read a column into every kind of destination with the same result.
func TestColumnsAreReadAlikeOnBothDatabases(t *testing.T) {
	type number int32
	type text string
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		mustExec(t, db, `create table t (id text, n bigint, small integer, score double precision, empty text)`)
		mustExec(t, db, `insert into t values (?, ?, ?, ?, ?)`, "7", int64(-1)<<40, -3, 0.25, nil)
		var scanned sql.NullString
		var none sql.NullInt64
		var id text
		var number7 int
		var bytes []byte
		var whole any
		var small number
		var optional, missing *text
		var score float64
		var big int64
		err := db.QueryRow(ctx, `select id, id, id, id, id, n, small, score, id, empty, empty, cast(sum(n) as bigint)
			from t group by id, n, small, score, empty`).Scan(&scanned, &id, &number7, &bytes, &whole, &big, &small,
			&score, &optional, &missing, &none, &whole)
		if err != nil {
			t.Fatal(err)
		}
		if scanned.String != "7" || id != "7" || number7 != 7 || string(bytes) != "7" || big != -1<<40 || small != -3 ||
			score != 0.25 || *optional != "7" || missing != nil || none.Valid || whole != int64(-1)<<40 {
			t.Error(scanned, id, number7, bytes, big, small, score, optional, missing, none, whole)
		}
		var s string
		for _, query := range []string{`select empty from t`, `select id, id from t`} {
			if err := db.QueryRow(ctx, query).Scan(&s); err == nil {
				t.Errorf("%s was read into one text: %q", query, s)
			}
		}
		if err := db.QueryRow(ctx, `select n from t`).Scan(&small); err == nil {
			t.Error("a number that does not fit was cut to", small)
		}
	})
}

// Behind a proxy such as PgBouncer statements may not be prepared, or not by name. The URL then says how to run them.
func TestQueryExecModes(t *testing.T) {
	for _, mode := range []string{"cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			url := dbs.SharedPostgres(t).NewDatabase(t) + "&default_query_exec_mode=" + mode
			db := dbs.Open(t, url)
			ctx := t.Context()
			mustExec(t, db, `create table t (id text primary key, n bigint)`)
			var sum int64
			insert := func(tx *sqldb.DB) error {
				if err := tx.Queue(ctx, `insert into t values (?, ?), (?, ?)`, "a", 1, "b", int64(2)); err != nil {
					return err
				}
				return tx.QueryRow(ctx, `select cast(sum(n) as bigint) from t where id >= ?`, "a").Scan(&sum)
			}
			if err := db.Transact(ctx, sqldb.Interactive, insert); err != nil || sum != 3 {
				t.Error(sum, err)
			}
			if err := db.Transact(ctx, sqldb.Interactive, insert); !sqldb.IsDuplicate(err) {
				t.Error(err)
			}
			wantIDs(t, db, "a", "b")
		})
	}
}
