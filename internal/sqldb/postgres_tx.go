package sqldb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// postgresTx is the runner of one transaction. Queued statements are sent with the next one that is not queued, `begin`
// with the first and `commit` with the last. PostgreSQL runs them one after the other and stops at the first that
// fails.
type postgresTx struct {
	engine *postgresEngine
	conn   *pgx.Conn
	queued []queuedStatement
	begun  bool // begin has been answered
	lost   bool // the connection was lost before begin was answered
}

func newPostgresTx(e *postgresEngine, conn *pgx.Conn) *postgresTx {
	queued := append(make([]queuedStatement, 0, 8), queuedStatement{query: "begin"})
	return &postgresTx{engine: e, conn: conn, queued: queued}
}

func (t *postgresTx) queue(s queuedStatement) { t.queued = append(t.queued, s) }

func (t *postgresTx) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	if changesSchema(query) { // later statements can be prepared only after it has run
		if err := t.flush(ctx); err != nil {
			return 0, err
		}
		return t.engine.execOn(ctx, t.conn, query, args)
	}
	t.queue(queuedStatement{query: query, args: args, check: func(affected int64) error { n = affected; return nil }})
	err = t.flush(ctx)
	return n, err
}

func (t *postgresTx) query(ctx context.Context, query string, args []any) (*Rows, error) {
	t.queue(queuedStatement{query: query, args: args})
	results, err := t.send(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, t.fail(ctx, results, query, err)
	}
	return t.engine.newRows(ctx, query, t.conn, rows, func() { _ = results.Close() })
}

// flush sends what is queued and waits for it.
func (t *postgresTx) flush(ctx context.Context) error {
	if len(t.queued) == 0 {
		return nil
	}
	last := t.queued[len(t.queued)-1]
	results, err := t.send(ctx)
	if err == nil {
		err = t.receive(ctx, results, last)
	}
	if err == nil {
		err = t.engine.mapError(ctx, last.query, results.Close())
	}
	return err
}

// send sends what is queued and receives the results of all but the last statement.
func (t *postgresTx) send(ctx context.Context) (pgx.BatchResults, error) {
	list := t.queued
	t.queued = nil
	batch := &pgx.Batch{QueuedQueries: make([]*pgx.QueuedQuery, 0, len(list))}
	for _, s := range list {
		batch.Queue(t.engine.rebinder.rebind(s.query), s.args...)
	}
	results := t.conn.SendBatch(ctx, batch)
	for _, s := range list[:len(list)-1] {
		if err := t.receive(ctx, results, s); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// receive receives the result of a queued statement.
func (t *postgresTx) receive(ctx context.Context, results pgx.BatchResults, s queuedStatement) error {
	if s.read == nil {
		tag, err := results.Exec()
		if err != nil {
			return t.fail(ctx, results, s.query, err)
		}
		t.begun = true
		switch {
		case s.check != nil:
			err = s.check(tag.RowsAffected())
		case s.query == "commit" && tag.String() != "COMMIT":
			err = errRolledBack
		}
		return closeAfter(results, err)
	}
	received, err := results.Query()
	if err != nil {
		return t.fail(ctx, results, s.query, err)
	}
	rows, err := t.engine.newRows(ctx, s.query, t.conn, received, nil)
	if err == nil {
		err = s.readAll(rows)
	}
	return closeAfter(results, err)
}

// closeAfter ends a batch after an error: the remaining results are received and dropped.
func closeAfter(results pgx.BatchResults, err error) error {
	if err != nil {
		_ = results.Close()
	}
	return err
}

// fail ends a batch after a statement has failed. If one could not be prepared, it may be another one than query.
func (t *postgresTx) fail(ctx context.Context, results pgx.BatchResults, query string, err error) error {
	_ = results.Close()
	if e, ok := errors.AsType[pgx.ErrPreprocessingBatch](err); ok {
		query = e.SQL()
	}
	t.lost = !t.begun && t.conn.IsClosed() && ctx.Err() == nil
	return t.engine.mapError(ctx, query, err)
}

// commit commits. First it sends the queued statements up to the last one whose result must be read or checked; the
// rest is sent together with the commit. The commit is never sent together with begin: if the connection were lost
// meanwhile, it would be unknown whether the transaction may run again.
func (t *postgresTx) commit(ctx context.Context) error {
	if !t.begun && len(t.queued) == 1 {
		return nil // only begin is queued
	}
	list, n := t.queued, 0
	for i, s := range list {
		if s.read != nil || s.check != nil || i == 0 && !t.begun {
			n = i + 1
		}
	}
	t.queued = list[:n]
	if err := t.flush(ctx); err != nil {
		return err
	}
	t.queued = append(list[n:], queuedStatement{query: "commit"})
	return t.flush(ctx)
}

var errRolledBack = errors.New("sqldb: PostgreSQL has rolled the transaction back")

// rollback ends the transaction if it is still open.
func (t *postgresTx) rollback(ctx context.Context) {
	if !t.conn.IsClosed() && t.conn.PgConn().TxStatus() != 'I' {
		_, _ = t.conn.Exec(ctx, "rollback") // if it fails, the pool drops the connection
	}
}
