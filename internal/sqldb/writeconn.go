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
	stmts *statementCache
}

func (e *sqliteEngine) openWriter(ctx context.Context) (*writeConn, error) {
	pool := e.pool(1, writerPragmas)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	c := &writeConn{pool: pool, conn: conn, stmts: newStatementCache(conn.PrepareContext)}
	if err := c.setMaxPages(e.quota.Load()); err != nil {
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

// setMaxPages sets the most pages the file may hold, 0 = as many as SQLite can.
func (c *writeConn) setMaxPages(pages int64) error {
	if pages == 0 {
		pages = math.MaxUint32 - 1
	}
	_, err := c.conn.ExecContext(context.Background(), fmt.Sprintf("pragma max_page_count = %d", pages))
	return err
}

func (e *sqliteEngine) setQuota(ctx context.Context, pages int) error {
	e.quota.Store(int64(pages))
	return e.transact(ctx, Interactive, func(t *transaction) error {
		return t.runner.(*writeConn).setMaxPages(int64(pages))
	})
}

// runStatement runs one of the writer's own statements.
func (c *writeConn) runStatement(query string) error {
	_, err := c.execPrepared(context.Background(), query, nil)
	return err
}

func (c *writeConn) execPrepared(ctx context.Context, query string, args []any) (int64, error) {
	s, err := c.stmts.acquire(ctx, query)
	if err != nil {
		return 0, err
	}
	defer c.stmts.release(s)
	r, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c *writeConn) exec(ctx context.Context, query string, args []any) (int64, error) {
	n, err := c.execPrepared(ctx, query, args)
	return n, mapSQLiteError(query, err)
}

func (c *writeConn) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return queryWith(ctx, c.stmts, query, args)
}
