package sqldb

import (
	"database/sql"
	"errors"
	"fmt"

	lib "modernc.org/sqlite/lib"

	"parley/internal/sqldb/sqlite"
)

// sqliteCode returns SQLite's extended result code, 0 when err does not come from it.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func isDuplicateSQLite(err error) bool {
	c := sqliteCode(err)
	return c == lib.SQLITE_CONSTRAINT_UNIQUE || c == lib.SQLITE_CONSTRAINT_PRIMARYKEY || c == lib.SQLITE_CONSTRAINT_ROWID
}

// abortsSQLiteTransaction tells the errors after which SQLite may have rolled back the whole transaction by itself, and
// with it the work of others in the same group.
func abortsSQLiteTransaction(err error) bool {
	switch sqliteCode(err) & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOMEM, lib.SQLITE_BUSY, lib.SQLITE_INTERRUPT,
		lib.SQLITE_CORRUPT, lib.SQLITE_READONLY:
		return true
	}
	return false
}

// mapSQLiteError is the error a caller sees: a full disk, a failing one, want of descriptors and a lock held too long
// pass; the rest is a fault.
func mapSQLiteError(query string, err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = annotateError(query, err)
	switch sqliteCode(err) & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR:
		return unavailable(fmt.Errorf("%w: %w", ErrFull, err))
	case lib.SQLITE_BUSY, lib.SQLITE_CANTOPEN:
		return unavailable(err)
	}
	return err
}
