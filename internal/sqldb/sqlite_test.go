package sqldb_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestWriterSyncsEachCommit(t *testing.T) {
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	err := db.Transact(t.Context(), sqldb.Interactive, func(tx *sqldb.DB) error {
		for pragma, want := range map[string]int64{"synchronous": 2, "foreign_keys": 1, "secure_delete": 1,
			"wal_autocheckpoint": 0} {
			if got := queryInt(t, tx, "pragma "+pragma); got != want {
				t.Errorf("%s is %d on the writer", pragma, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), `create table t (id text)`); err == nil {
		t.Error("a reader wrote")
	}
}

// blockWriter keeps the writer busy until release is called, so that later transactions queue up. It returns when the
// writer is busy.
func blockWriter(t *testing.T, db *sqldb.DB) (release func()) {
	t.Helper()
	locked, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	started := sync.OnceFunc(func() { close(locked) })
	go func() {
		defer close(done)
		err := db.Transact(context.Background(), sqldb.Interactive, func(*sqldb.DB) error {
			started()
			<-free
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}()
	check.Receive(t, "a busy writer", locked)
	return func() {
		close(free)
		check.Receive(t, "the end of the writer's transaction", done)
	}
}

// queueTransactions starts n transactions and returns when all of them wait for the writer.
func queueTransactions(t *testing.T, db *sqldb.DB, lane sqldb.Lane, n int, fn func(i int, tx *sqldb.DB) error,
	result func(i int, err error)) *sync.WaitGroup {
	t.Helper()
	var callers sync.WaitGroup
	before := db.QueueLength(lane)
	for i := range n {
		callers.Go(func() {
			result(i, db.Transact(context.Background(), lane, func(tx *sqldb.DB) error { return fn(i, tx) }))
		})
	}
	check.Eventually(t, "transactions that wait for the writer", func() bool { return db.QueueLength(lane) >= before+n })
	return &callers
}

func TestInteractiveRunsBeforeBulk(t *testing.T) {
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	mustExec(t, db, `create table t (id text primary key)`)
	var order []string // written by the writer's goroutine
	record := func(name string) func(int, *sqldb.DB) error {
		return func(i int, tx *sqldb.DB) error {
			order = append(order, name)
			_, err := tx.Exec(t.Context(), `insert into t values (?)`, fmt.Sprint(name, i))
			return err
		}
	}
	wantSuccess := func(_ int, err error) {
		if err != nil {
			t.Error(err)
		}
	}
	release := blockWriter(t, db)
	bulk := queueTransactions(t, db, sqldb.Bulk, 100, record("bulk"), wantSuccess)
	interactive := queueTransactions(t, db, sqldb.Interactive, 1, record("interactive"), wantSuccess)
	release()
	interactive.Wait()
	bulk.Wait()
	if len(order) != 101 || order[0] != "interactive" {
		t.Errorf("the interactive transaction ran as number %d", slices.Index(order, "interactive")+1)
	}
}

func TestBulkIsNotStarved(t *testing.T) {
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	ctx, stop := context.WithCancel(t.Context())
	var interactive sync.WaitGroup
	for range 4 {
		interactive.Go(func() {
			for ctx.Err() == nil {
				_ = db.Transact(ctx, sqldb.Interactive, func(*sqldb.DB) error { return nil })
			}
		})
	}
	for range 20 {
		if err := db.Transact(t.Context(), sqldb.Bulk, func(*sqldb.DB) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	stop()
	interactive.Wait()
}

// A foreign key that is checked at the commit makes the commit of a whole group fail.
func TestFailedCommitRunsEachTransactionAlone(t *testing.T) {
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	mustExec(t, db, `create table t (id text primary key, parent text references t (id) deferrable initially deferred)`)
	if err := db.DisableGroupTimeLimit(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs, failed := make([]int, 10), make([]bool, 10)
	release := blockWriter(t, db)
	callers := queueTransactions(t, db, sqldb.Interactive, 10, func(i int, tx *sqldb.DB) error {
		runs[i]++
		var parent any
		if i == 5 {
			parent = "nobody"
		}
		_, err := tx.Exec(t.Context(), `insert into t values (?, ?)`, fmt.Sprint(i), parent)
		return err
	}, func(i int, err error) { failed[i] = err != nil })
	release()
	callers.Wait()
	for i := range 10 {
		if failed[i] != (i == 5) || runs[i] != 2 {
			t.Errorf("closure %d: failed %v after %d runs", i, failed[i], runs[i])
		}
	}
	if n := queryInt(t, db, `select count(*) from t`); n != 9 {
		t.Errorf("%d rows", n)
	}
}

func TestFullDisk(t *testing.T) {
	db := dbs.OpenConfig(t, sqldb.Config{URL: dbs.NewSQLitePath(t), MaxPages: 60})
	mustExec(t, db, `create table t (id integer primary key, body text)`)
	body := strings.Repeat("x", 10_000)
	insert := func(i int, tx *sqldb.DB) error {
		_, err := tx.Exec(t.Context(), `insert into t values (?, ?)`, i, body)
		return err
	}
	var mu sync.Mutex
	var acknowledged []int
	release := blockWriter(t, db)
	callers := queueTransactions(t, db, sqldb.Interactive, 50, insert, func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			acknowledged = append(acknowledged, i)
		} else if e := parley.AsError(err); e.Code != parley.CodeUnderMaintenance || e.RetryAfter == 0 {
			t.Errorf("a full disk: %v", err)
		}
	})
	release()
	callers.Wait()
	stored, err := sqldb.All(t.Context(), db, sqldb.Column[int], `select id from t order by id`)
	slices.Sort(acknowledged)
	if err != nil || !slices.Equal(stored, acknowledged) || len(stored) == 0 || len(stored) == 50 {
		t.Errorf("acknowledged %v, stored %v, %v", acknowledged, stored, err)
	}
	if err := db.SetQuota(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := insert(100, db); err != nil {
		t.Errorf("after space came back: %v", err)
	}
}

func TestCancelledTransactionLeavesTheQueue(t *testing.T) {
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	release := blockWriter(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		result <- db.Transact(ctx, sqldb.Interactive, func(*sqldb.DB) error {
			t.Error("ran for a caller who had cancelled")
			return nil
		})
	}()
	cancel()
	if err := check.Receive(t, "the end of the transaction", result); err != context.Canceled {
		t.Error(err)
	}
	release()
	mustExec(t, db, `create table t (id text)`)
}

// An acknowledged write is in the file or its log: a copy of both, taken while the database is open, has it.
func TestAcknowledgedWritesSurviveACrash(t *testing.T) {
	file := dbs.NewSQLitePath(t)
	db := dbs.Open(t, file)
	mustExec(t, db, `create table t (id integer primary key)`)
	for i := range 20 {
		mustExec(t, db, `insert into t values (?)`, i)
	}
	crashed := dbs.NewSQLitePath(t)
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(file + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(crashed+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := queryInt(t, dbs.Open(t, crashed), `select count(*) from t`); n != 20 {
		t.Errorf("%d rows of 20 acknowledged", n)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v: others may read the database", info.Mode(), err)
	}
}

// The log is copied into the file while the writer goes on, and starts from its beginning when it is large, in the best
// of three runs: a busy machine may hold up what copies it for longer than what writes.
func TestLogSizeIsBounded(t *testing.T) {
	var size int64
	for range 3 {
		if size = measureLog(t); size <= 48<<20 {
			return
		}
	}
	t.Errorf("after 200 MB of writes the log holds %d MB", size>>20)
}

// measureLog returns the size of the log after 200 MB of writes.
func measureLog(t *testing.T) int64 {
	t.Helper()
	file := dbs.NewSQLitePath(t)
	db := dbs.Open(t, file)
	mustExec(t, db, `create table t (id integer primary key, body text)`)
	body := strings.Repeat("x", 1<<20)
	for i := range 200 {
		mustExec(t, db, `insert into t values (?, ?) on conflict (id) do update set body = excluded.body`, i%20, body)
	}
	info, err := os.Stat(file + "-wal")
	check.Must(t, err)
	return info.Size()
}

// A log that is to be emptied is emptied soon, without a further write, and however short it is; where a reader is in
// the way, once that has ended.
func TestLogIsEmptied(t *testing.T) {
	path := dbs.NewSQLitePath(t)
	db := dbs.Open(t, path)
	execStatement(t, db, `create table t (id text)`)
	rows, err := db.Query(t.Context(), `select count(*) from sqlite_schema`)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	execStatement(t, db, `insert into t values ('erased')`)
	db.EmptyLog()
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	check.Eventually(t, "an empty log", func() bool {
		info, err := os.Stat(path + "-wal")
		return err == nil && info.Size() == 0
	})
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), "erased") {
		t.Error("the file does not have what the log had", err)
	}
}
