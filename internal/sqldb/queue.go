package sqldb

import "context"

// queuedStatement is a statement of a transaction whose result the closure does not wait for.
type queuedStatement struct {
	query string
	args  []any
	read  func(rows *Rows) error     // reads its rows; nil for a statement without rows
	check func(affected int64) error // checks how many rows it changed; may be nil
}

// Queue runs a write whose result is not needed. On PostgreSQL it is sent with the next statement of the transaction
// that is not queued, or with the commit, so that all of them take one round trip; on SQLite it runs at once.
// Statements run in the order of their calls.
//
// A queued statement that fails makes the transaction fail: its error is returned by the call that sends it, or by
// Transact. A caller that expects an error such as IsDuplicate uses Exec.
func (db *DB) Queue(ctx context.Context, query string, args ...any) error {
	return db.queue(ctx, queuedStatement{query: query, args: args})
}

// QueueCheck is Queue with a check of how many rows were changed. An error of check makes the transaction fail.
func (db *DB) QueueCheck(ctx context.Context, check func(affected int64) error, query string, args ...any) error {
	return db.queue(ctx, queuedStatement{query: query, args: args, check: check})
}

// QueueRead is Queue for a statement that returns rows. read goes through them and must run no statement; its error
// makes the transaction fail.
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

// readAll hands the rows to read, and closes them.
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
