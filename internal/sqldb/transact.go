package sqldb

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Transact runs fn in a transaction; inside a transaction it runs fn there. When fn returns an error, nothing is stored
// and Transact returns that error.
//
// fn may run more than once: make ids and times outside, assign results rather than append to them, call no model and
// no network, and use nothing but tx (the pool's own Transact or Exec would wait for itself), one statement at a time.
// After a statement has failed, all later ones fail and nothing is stored: where a conflict is normal, write `on
// conflict`. A ctx that is done takes fn out of the queue; once fn has started, Transact waits for its outcome even
// when ctx is done.
func (db *DB) Transact(ctx context.Context, lane Lane, fn func(tx *DB) error) error {
	if db.tx != nil {
		return fn(db)
	}
	return db.runClosure(fn, func(fn func(*transaction) error) error { return db.engine.transact(ctx, lane, fn) })
}

// TransactDeferred is Transact of writes that nobody waits for by themselves, because others follow: fn may wait for up
// to maxDelay, unless the Deferral ends that, and the commit may wait for that of another transaction for up to
// maxDeferral, so that a single one stores both. queued is called once the transaction waits for its turn, and
// must not call Enqueue itself. On PostgreSQL only fn waits, not the commit.
func (db *DB) TransactDeferred(ctx context.Context, lane Lane, queued func(*Deferral),
	fn func(tx *DB) error) error {
	return db.runClosure(fn, func(fn func(*transaction) error) error {
		return db.engine.transactDeferred(ctx, lane, queued, fn)
	})
}

// runClosure runs a caller's closure as a closure of the engine, and after it what it has registered.
func (db *DB) runClosure(fn func(tx *DB) error, transact func(func(*transaction) error) error) error {
	var afterCommit []func()
	err := transact(func(t *transaction) error {
		err := fn(&DB{engine: db.engine, tx: t, onStatement: db.onStatement})
		afterCommit = t.afterCommit
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range afterCommit {
		f()
	}
	return nil
}

// AfterCommit registers f to be called after the transaction is committed; if it is not committed, f is not called.
// Outside a transaction f is called at once.
func (db *DB) AfterCommit(f func()) {
	if db.tx == nil {
		f()
		return
	}
	db.tx.afterCommit = append(db.tx.afterCommit, f)
}

// transaction is one run of a closure: its connection, and what is checked when it ends.
type transaction struct {
	runner runner
	ctx    context.Context // replaces the caller's: a statement must not be interrupted because a client has left
	// firstErr is the error of the first statement that failed. PostgreSQL keeps nothing after it, so SQLite must not
	// either.
	firstErr      error
	openRows      *Rows // the rows that are being read; may be nil
	finished      bool
	changedSchema bool // or may have changed it
	afterCommit   []func()
}

var (
	errFinished = errors.New("sqldb: the transaction is over")
	errRowsOpen = errors.New("sqldb: the rows of an earlier query of this transaction are still open")
)

func (t *transaction) exec(_ context.Context, query string, args []any) (int64, error) {
	if err := t.checkReady(); err != nil {
		return 0, err
	}
	t.changedSchema = t.changedSchema || changesSchema(query)
	n, err := t.runner.exec(t.ctx, query, args)
	return n, t.noteError(err)
}

// changesSchema reports whether a statement may change tables, and not only rows.
func changesSchema(query string) bool {
	query = strings.TrimLeft(query, " \t\n")
	return len(query) < 6 || !slices.Contains([]string{"insert", "update", "delete", "select"}, query[:6])
}

// queue runs the statement now, or leaves it to be sent with the next one.
func (t *transaction) queue(s queuedStatement) error {
	q, ok := t.runner.(queuer)
	if !ok || changesSchema(s.query) {
		return t.runQueued(s)
	}
	if err := t.checkReady(); err != nil {
		return err
	}
	q.queue(s)
	return nil
}

func (t *transaction) query(_ context.Context, query string, args []any) (*Rows, error) {
	if err := t.checkReady(); err != nil {
		return nil, err
	}
	rows, err := t.runner.query(t.ctx, query, args)
	if err != nil {
		return nil, t.noteError(err)
	}
	mapError, release := rows.mapError, rows.release
	rows.mapError = func(err error) error { return t.noteError(mapError(err)) }
	rows.release = func() {
		if t.openRows == rows {
			t.openRows = nil
		}
		if release != nil {
			release()
		}
	}
	t.openRows = rows
	return rows, nil
}

// checkReady refuses what one of the two databases cannot do, so that no code relies on the other. It is also a guard:
// after a full disk SQLite may have ended the transaction, and later statements would be committed one by one.
func (t *transaction) checkReady() error {
	switch {
	case t.finished:
		return errFinished
	case t.firstErr != nil:
		return t.firstErr
	case t.openRows != nil:
		return errRowsOpen
	}
	return nil
}

func (t *transaction) noteError(err error) error {
	if err != nil && t.firstErr == nil {
		t.firstErr = err
	}
	return err
}

// finish closes rows that the closure left open and returns its error, or that of a statement which the closure
// ignored.
func (t *transaction) finish(err error) error {
	if t.openRows != nil {
		_ = t.openRows.Close()
	}
	t.finished = true
	if err == nil {
		err = t.firstErr
	}
	return err
}
