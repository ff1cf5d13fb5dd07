package sqldb

import "context"

// queuedStatement is a statement of a transaction whose result the closure does not wait for.
type queuedStatement struct {
	query string
	args  []any
	read  func(rows *Rows) error     // reads its rows; nil where it has none
	check func(affected int64) error // looks at how many rows it changed; may be nil
}

// Queue runs a write of which nobody needs the result. On PostgreSQL it is sent with the next statement of the
// transaction that is not queued, or with the commit, so that all of them take one round trip; on SQLite it runs at
// once. Statements run in the order of their calls.
//
// A queued statement that fails, fails the transaction: its error is returned by the call that sends it, or by
// Transact. Where a caller looks for an error such as IsDuplicate in what a call returns, use Exec.
func (db *DB) Queue(ctx context.Context, query string, args ...any) error {
	return db.queue(ctx, queuedStatement{query: query, args: args})
}

// QueueCheck is Queue with a look at how many rows were changed: an error of check fails the transaction.
func (db *DB) QueueCheck(ctx context.Context, check func(affected int64) error, query string, args ...any) error {
	return db.queue(ctx, queuedStatement{query: query, args: args, check: check})
}

// QueueRead is Queue of a statement that returns rows: read goes through them, and its error fails the transaction.
// It runs no statement.
func (db *DB) QueueRead(ctx context.Context, read func(rows *Rows) error, query string, args ...any) error {
	return db.queue(ctx, queuedStatement{query: query, args: args, read: read})
}

func (db *DB) queue(ctx context.Context, s queuedStatement) (err error) {
	if db.tx == nil {
		return db.Transact(ctx, Interactive, func(tx *DB) error { return tx.queue(ctx, s) })
	}
	if s.args, err = convertArgs(s.args); err != nil {
		return err
	}
	return db.tx.queue(s)
}

// runQueued runs the statement at once.
func (t *transaction) runQueued(s queuedStatement) error {
	if s.read == nil {
		n, err := t.exec(t.ctx, s.query, s.args)
		if err == nil && s.check != nil {
			err = t.noteError(s.check(n))
		}
		return err
	}
	rows, err := t.query(t.ctx, s.query, s.args)
	if err != nil {
		return err
	}
	return t.noteError(s.readAll(rows))
}

// readAll has the rows read, and closes them.
func (s queuedStatement) readAll(rows *Rows) error {
	defer func() { _ = rows.Close() }()
	if err := s.read(rows); err != nil {
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	return rows.Err()
}
