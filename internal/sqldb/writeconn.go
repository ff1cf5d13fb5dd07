package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"parley/internal/sqldb/sqlite"
)

// writeConn is the writer's connection. One goroutine uses it, and never with a context that can be cancelled.
type writeConn struct {
	conn *sqlite.Conn
}

func (e *sqliteEngine) openWriter() (*writeConn, error) {
	conn, err := sqlite.OpenWriter(e.file, writerPragmas...)
	if err != nil {
		return nil, err
	}
	c := &writeConn{conn: conn}
	if err := c.setMaxPages(e.quota.Load()); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *writeConn) close() error { return c.conn.Close() }

// setMaxPages sets how many pages the file may have; 0 = as many as SQLite allows.
func (c *writeConn) setMaxPages(pages int64) error {
	if pages == 0 {
		pages = math.MaxUint32 - 1
	}
	return c.runStatement(fmt.Sprintf("pragma max_page_count = %d", pages))
}

func (e *sqliteEngine) setQuota(ctx context.Context, pages int) error {
	e.quota.Store(int64(pages))
	return e.transact(ctx, Interactive, func(t *transaction) error {
		return t.runner.(*writeConn).setMaxPages(int64(pages))
	})
}

// runStatement runs a statement of the writer itself.
func (c *writeConn) runStatement(query string) error {
	_, err := c.conn.Exec(query, nil)
	return err
}

func (c *writeConn) exec(_ context.Context, query string, args []any) (int64, error) {
	n, err := c.conn.Exec(query, args)
	return n, mapSQLiteError(query, err)
}

func (c *writeConn) query(ctx context.Context, query string, args []any) (*Rows, error) {
	rows, err := c.conn.Query(ctx, query, args)
	if err != nil {
		return nil, mapSQLiteError(query, err)
	}
	return newSQLiteRows(query, rows, nil), nil
}

// queryRow reads the one row of a statement.
func (c *writeConn) queryRow(ctx context.Context, query string, dest ...any) error {
	return queryRow(ctx, c.conn, query, dest...)
}

func queryRow(ctx context.Context, c *sqlite.Conn, query string, dest ...any) error {
	rows, err := c.Query(ctx, query, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return rows.Scan(dest...)
}
