package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
)

// writeConn is the writer's connection. It is used by one goroutine and never with a context that can be cancelled.
type writeConn struct {
	pool  *sql.DB
	conn  *sql.Conn
	stmts *statements
}

func (l *lite) openWriter(ctx context.Context) (*writeConn, error) {
	pool := l.pool(1, writing)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	c := &writeConn{pool: pool, conn: conn, stmts: newStatements(conn.PrepareContext)}
	if err := c.limit(l.quota.Load()); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *writeConn) close() {
	c.stmts.closeAll()
	_ = c.conn.Close()
	_ = c.pool.Close()
}

// limit sets the most pages the file may hold, 0 = as many as SQLite can.
func (c *writeConn) limit(pages int64) error {
	if pages == 0 {
		pages = math.MaxUint32 - 1
	}
	_, err := c.conn.ExecContext(context.Background(), fmt.Sprintf("pragma max_page_count = %d", pages))
	return err
}

func (l *lite) setQuota(ctx context.Context, pages int) error {
	l.quota.Store(int64(pages))
	return l.transact(ctx, Turns, func(t *transaction) error { return t.on.(*writeConn).limit(int64(pages)) })
}

// run runs one of the writer's own statements.
func (c *writeConn) run(query string) error {
	_, err := c.do(context.Background(), query, nil)
	return err
}

func (c *writeConn) do(ctx context.Context, query string, args []any) (int64, error) {
	s, err := c.stmts.take(ctx, query)
	if err != nil {
		return 0, err
	}
	defer c.stmts.put(s)
	r, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c *writeConn) exec(ctx context.Context, query string, args []any) (int64, error) {
	n, err := c.do(ctx, query, args)
	return n, failSQLite(query, err)
}

func (c *writeConn) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return queryWith(ctx, c.stmts, query, args)
}
