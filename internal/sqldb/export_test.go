package sqldb

import (
	"context"
	"testing"
	"time"
)

// QueueLength returns how many transactions wait for the writer in a lane.
func (db *DB) QueueLength(lane Lane) int {
	q := db.engine.(*sqliteEngine).writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting[lane])
}

// DisableGroupTimeLimit lets closures join a group however slowly the machine runs them. The writer's own goroutine
// sets it.
func (db *DB) DisableGroupTimeLimit(ctx context.Context) error {
	return db.Transact(ctx, Interactive, func(*DB) error {
		db.engine.(*sqliteEngine).writer.groupTimeLimit = time.Hour
		return nil
	})
}

// DeferCommits lets deferred commits wait for as long as it takes. The writer's own goroutine sets it.
func (db *DB) DeferCommits(ctx context.Context) error {
	return db.Transact(ctx, Interactive, func(*DB) error {
		db.engine.(*sqliteEngine).writer.deferral = time.Hour
		return nil
	})
}

// Checkpoint copies all of the log into the file, as the checkpointer does when the log is long.
func Checkpoint(_ context.Context, t testing.TB, db *DB) {
	t.Helper()
	e := db.engine.(*sqliteEngine)
	e.checkpointer.counter.incrementDue.Store(true)
	defer e.checkpointer.counter.incrementDue.Store(true)
	if pages, copied, err := e.checkpointer.checkpoint("passive"); err != nil || copied != pages {
		t.Fatal(pages, copied, err)
	}
}

// OpenAndClose opens and closes a database as another program would.
func OpenAndClose(ctx context.Context, t testing.TB, file string) {
	t.Helper()
	p := openSQLPool(file, nil)
	if _, err := p.ExecContext(ctx, "update t set n = n where 0"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// VacuumInto copies an open database.
func VacuumInto(ctx context.Context, t testing.TB, db *DB, to string) {
	t.Helper()
	p := openSQLPool(db.engine.(*sqliteEngine).file, nil)
	if _, err := p.ExecContext(ctx, "vacuum into ?", to); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
