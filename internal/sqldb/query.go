package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/tracing"
)

// runner runs statements: a pool, or the connection of a transaction. Its errors are mapped already (mapError).
type runner interface {
	exec(ctx context.Context, query string, args []any) (int64, error)
	query(ctx context.Context, query string, args []any) (*Rows, error)
}

// queuer is a runner that can keep a statement back until another one needs a result.
type queuer interface {
	queue(s queuedStatement)
}

func (db *DB) runner() runner {
	if db.tx != nil {
		return db.tx
	}
	return db.engine
}

// Exec runs a statement and returns how many rows it changed. Outside a transaction it runs in one of its own.
//
// Arguments may be strings, integers, floats, bytes, bool (stored as 0 or 1), json.RawMessage (stored as text), types
// derived from them, and nil. A time.Time is refused: times are stored as milliseconds.
func (db *DB) Exec(ctx context.Context, query string, args ...any) (affected int64, err error) {
	if args, err = convertArgs(args); err != nil {
		return 0, err
	}
	span := db.observe(ctx, query)
	defer func() { endSpan(span, err) }()
	return db.runner().exec(ctx, query, args)
}

// observe tells who watches of a statement, and begins its span if it is part of a trace.
func (db *DB) observe(ctx context.Context, query string) *tracing.Span {
	if db.onStatement != nil {
		db.onStatement(query)
	}
	if tracing.FromContext(ctx) == nil {
		return nil
	}
	operation := strings.ToUpper(strings.Fields(query)[0])
	_, span := tracing.Start(ctx, operation, tracing.Client, tracing.Attribute{Key: tracing.DBOperation, Value: operation},
		tracing.Attribute{Key: tracing.DBSystem, Value: db.Dialect().systemName()})
	return span
}

// endSpan ends the span of a statement. What the database says of a failure may hold values, so it is left out.
func endSpan(s *tracing.Span, err error) {
	if err != nil {
		s.Fail("failed")
	}
	s.End()
}

// Query runs a statement that returns rows. The caller closes them before the next statement of the same transaction.
// Outside a transaction it only reads: a write with `returning` needs one.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*Rows, error) {
	args, err := convertArgs(args)
	if err != nil {
		return nil, err
	}
	span := db.observe(ctx, query)
	rows, err := db.runner().query(ctx, query, args)
	endSpan(span, err)
	return rows, err
}

// QueryRow is Query for at most one row. Its Scan returns an error for which IsNotFound is true when there is none.
func (db *DB) QueryRow(ctx context.Context, query string, args ...any) *Row {
	rows, err := db.Query(ctx, query, args...)
	return &Row{rows: rows, err: err}
}

// Rows is the result of a Query. It is closed when Next returns false; Close may be called any number of times.
type Rows struct {
	cursor   cursor
	mapError func(error) error
	release  func() // called when the rows are closed; may be nil
}

// cursor goes through the rows of a statement on one of the databases.
type cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Next goes to the next row.
func (r *Rows) Next() bool {
	if r.cursor.Next() {
		return true
	}
	_ = r.Close()
	return false
}

// Scan copies the columns of the row.
func (r *Rows) Scan(dest ...any) error { return r.mapError(r.cursor.Scan(dest...)) }

// Err returns why Next returned false; nil after the last row.
func (r *Rows) Err() error { return r.mapError(r.cursor.Err()) }

// Close ends the statement.
func (r *Rows) Close() error {
	err := r.cursor.Close()
	if r.release != nil {
		r.release()
		r.release = nil
	}
	return r.mapError(err)
}

// Row is the result of a QueryRow.
type Row struct {
	rows *Rows
	err  error
}

// Scan copies the columns of the row, or returns an error for which IsNotFound is true.
func (r *Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	return r.rows.Close()
}

var errTime = errors.New("sqldb: a time.Time as an argument; store its UnixMilli")

// convertArgs converts the arguments to types that both drivers store in the same way.
func convertArgs(args []any) ([]any, error) {
	copied := false
	for i, a := range args {
		var p any
		switch a := a.(type) {
		case bool:
			p = int64(0)
			if a {
				p = int64(1)
			}
		case json.RawMessage:
			if a != nil {
				p = string(a)
			}
		case time.Time, *time.Time:
			return nil, errTime
		default:
			continue
		}
		if !copied {
			args, copied = slices.Clone(args), true
		}
		args[i] = p
	}
	return args, nil
}

// annotateError puts the beginning of the statement before the error. Statements hold no values, so no user's data
// reaches the log this way.
func annotateError(query string, err error) error {
	line := strings.Join(strings.Fields(query), " ")
	if len(line) > 60 {
		line = line[:60] + "…"
	}
	return fmt.Errorf("%s: %w", line, err)
}

// Scan copies the columns of one row into the pointers: the Scan of a Row or of Rows.
type Scan func(dest ...any) error

// All reads every row of the statement with scan. One takes the same scan functions.
//
//	agents, err := sqldb.All(ctx, tx, scanAgent, `select … from agents where account_id = ?`, account)
func All[T any](ctx context.Context, db *DB, scan func(Scan) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Each reads every row of the statement into the pointers of dest and calls f after each. It is All of many rows
// without memory for every one.
func Each(ctx context.Context, db *DB, dest []any, f func(), query string, args ...any) error {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		f()
	}
	return rows.Err()
}

// One reads the first row of the statement with scan. When there is none, IsNotFound is true for its error.
func One[T any](ctx context.Context, db *DB, scan func(Scan) (T, error), query string, args ...any) (T, error) {
	return scan(db.QueryRow(ctx, query, args...).Scan)
}

// Column is a scan function for rows of a single column: All(ctx, db, sqldb.Column[string], …).
func Column[T any](scan Scan) (T, error) {
	var v T
	err := scan(&v)
	return v, err
}

// IsNotFound reports whether a query of one row found none.
func IsNotFound(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// IsDuplicate reports whether a unique index or a primary key refused the row. On PostgreSQL the transaction has then
// failed: where both outcomes are normal, write `on conflict`.
func IsDuplicate(err error) bool { return isDuplicateSQLite(err) || isDuplicatePostgres(err) }
