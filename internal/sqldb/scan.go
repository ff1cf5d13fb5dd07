package sqldb

import (
	"context"
	"database/sql"
	"errors"
)

// Scan copies the columns of one row into the pointers: the Scan of a Row or of Rows.
type Scan func(dest ...any) error

// All reads every row of the statement with scan. The same scan function serves One.
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

// One reads the first row of the statement with scan; IsNotFound is true for its error when there is none.
func One[T any](ctx context.Context, db *DB, scan func(Scan) (T, error), query string, args ...any) (T, error) {
	return scan(db.QueryRow(ctx, query, args...).Scan)
}

// Column is a scan function for rows of a single column: All(ctx, db, sqldb.Column[string], …).
func Column[T any](scan Scan) (T, error) {
	var v T
	err := scan(&v)
	return v, err
}

// IsNotFound reports whether the row asked for does not exist.
func IsNotFound(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// IsDuplicate reports whether a unique index or a primary key refused the row. On PostgreSQL the transaction is lost
// with it: where both outcomes are normal, write `on conflict`.
func IsDuplicate(err error) bool { return isDuplicateSQLite(err) || isDuplicatePostgres(err) }
