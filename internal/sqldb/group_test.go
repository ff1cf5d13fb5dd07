package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

var errRefused = errors.New("refused")

// runStep runs one closure of a group, which the byte selects: it reads, writes or fails, before or after it has
// written. From 128 on its inserts are queued; with 64 its commit may be deferred.
func runStep(ctx context.Context, tx *sqldb.DB, step byte, id string) error {
	insert := func(id string) error {
		if step >= 128 {
			return tx.Queue(ctx, `insert into t values (?, ?)`, id, step)
		}
		_, err := tx.Exec(ctx, `insert into t values (?, ?)`, id, step)
		return err
	}
	switch step % 8 {
	case 0, 1:
		return insert(id)
	case 2: // fails before it writes
		return errRefused
	case 3: // fails after it has written
		return errors.Join(insert(id), errRefused)
	case 4: // a statement fails, and the closure ignores it
		_ = insert("taken")
		return nil
	case 5: // writes, then a statement fails
		if err := insert(id); err != nil {
			return err
		}
		return insert("taken")
	case 6:
		if err := insert(id); err != nil {
			return err
		}
		panic("on purpose")
	default: // changes nothing, and fails
		_, err := tx.Exec(ctx, `update t set step = 0 where id = 'nobody'`)
		return errors.Join(err, errRefused)
	}
}

// Of the closures of one group exactly those are stored that were acknowledged, whatever the others do.
func FuzzGroup(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 2, 0, 3, 0})
	f.Add([]byte{3, 0, 0})
	f.Add([]byte{2, 7, 2})
	f.Add([]byte{0, 4, 0, 5, 0, 6, 0, 7, 0, 2, 0, 3, 1})
	f.Add([]byte{5, 5, 5, 0, 6, 6, 0})
	f.Add([]byte{128, 131, 132, 0, 133, 134, 129})
	f.Add([]byte{64, 64, 0, 67, 64, 3, 70, 192})
	f.Fuzz(runGroupCase)
}

func runGroupCase(t *testing.T, steps []byte) {
	steps = steps[:min(len(steps), 40)]
	db := dbs.Open(t, dbs.NewSQLitePath(t))
	mustExec(t, db, `create table t (id text primary key, step integer)`)
	mustExec(t, db, `insert into t values ('taken', 0)`)
	want := []string{"taken"}
	for round := range 2 { // the second one uses savepoints, if the first has failed
		want = append(want, runSteps(t, db, round, steps)...)
	}
	slices.Sort(want)
	got, err := sqldb.All(t.Context(), db, sqldb.Column[string], `select id from t order by id`)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("stored %v, acknowledged %v, %v", got, want, err)
	}
}

// runSteps runs a closure for each step in one group and returns the rows whose closures were acknowledged.
func runSteps(t *testing.T, db *sqldb.DB, round int, steps []byte) (stored []string) {
	t.Helper()
	id := func(i int) string { return fmt.Sprintf("%d-%02d", round, i) }
	acknowledged := make([]bool, len(steps))
	release := blockWriter(t, db)
	var callers sync.WaitGroup
	for i, step := range steps {
		callers.Go(func() {
			defer func() { _ = recover() }() // the closure's own panic
			run := func(tx *sqldb.DB) error { return runStep(context.Background(), tx, step, id(i)) }
			transact := db.Transact
			if step&64 != 0 {
				transact = func(ctx context.Context, lane sqldb.Lane, fn func(*sqldb.DB) error) error {
					return db.TransactDeferred(ctx, lane, func(d *sqldb.Deferral) { d.Enqueue() }, fn)
				}
			}
			err := transact(context.Background(), sqldb.Interactive, run)
			acknowledged[i] = err == nil
		})
	}
	check.Eventually(t, "transactions that wait for the writer", func() bool {
		return db.QueueLength(sqldb.Interactive) >= len(steps)
	})
	release()
	callers.Wait()
	for i, ok := range acknowledged {
		if succeeds := steps[i]%8 < 2; ok != succeeds {
			t.Errorf("round %d, closure %d of %v: acknowledged %v", round, i, steps, ok)
		}
		if ok {
			stored = append(stored, id(i))
		}
	}
	return stored
}
