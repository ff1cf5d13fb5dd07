// Package dbs opens real databases for tests: SQLite in a temporary folder, and PostgreSQL from the installed binaries.
// Only test files import it.
package dbs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/sqldb"
)

// ForEachDatabase runs f once on each database, new and without tables.
func ForEachDatabase(t *testing.T, f func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	ForEachURL(t, func(t *testing.T, url string) { f(t, Open(t, url)) })
}

// ForEachURL runs f with the configuration URL of each database, for tests that open, kill and open again.
func ForEachURL(t *testing.T, f func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, NewSQLitePath(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, SharedPostgres(t).NewDatabase(t)) })
}

// NewSQLitePath returns the path of a SQLite database that does not exist yet.
func NewSQLitePath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "parley.db")
}

// Open opens the database and closes it when the test ends.
func Open(t testing.TB, url string) *sqldb.DB {
	t.Helper()
	return OpenConfig(t, sqldb.Config{URL: url})
}

// OpenConfig is Open with settings.
func OpenConfig(t testing.TB, c sqldb.Config) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", c.URL, err)
		}
	})
	return db
}

// Main runs the tests of a package, stops the PostgreSQL they shared and removes its folder. Checks, such as one for
// leaked goroutines, run when all servers are stopped.
//
//	func TestMain(m *testing.M) { dbs.Main(m) }
func Main(m *testing.M, checks ...func() error) {
	code := m.Run()
	stopShared()
	for _, check := range checks {
		if err := check(); err != nil && code == 0 {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
