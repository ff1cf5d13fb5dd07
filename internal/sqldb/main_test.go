package sqldb_test

import (
	"context"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// mustExec runs a statement, or stops the test.
func mustExec(t testing.TB, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(context.WithoutCancel(t.Context()), query, args...); err != nil {
		t.Fatal(err)
	}
}

// queryInt reads one integer.
func queryInt(t testing.TB, db *sqldb.DB, query string, args ...any) (n int64) {
	t.Helper()
	if err := db.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
