// Package dbs opens real databases for tests: SQLite in a temporary folder, and PostgreSQL from the installed binaries.
// Only test files import it.
package dbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

// ForEachDatabase runs f once on each database, new and without tables.
func ForEachDatabase(t *testing.T, f func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	ForEachURL(t, func(t *testing.T, url string) { f(t, Open(t, url)) })
}

// ForEachURL runs f with the URL of each database, for tests that close or kill it and open it again.
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

// Main runs the tests of a package, stops the PostgreSQL they shared and removes its folder.
//
//	func TestMain(m *testing.M) { dbs.Main(m) }
func Main(m *testing.M) {
	status := m.Run()
	stopShared()
	os.Exit(status)
}

// MainWithoutLeaks is Main for packages whose tests must leave no goroutines behind. What cleanups do is done in any
// case.
func MainWithoutLeaks(m *testing.M, cleanups ...func() error) {
	status := m.Run()
	stopShared()
	status = check.RequireNoLeaks(status)
	for _, cleanUp := range cleanups {
		if err := cleanUp(); err != nil && status == 0 {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// ForEachStore runs f once on a store on each database, new and migrated.
func ForEachStore(t *testing.T, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, NewSQLiteStore(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, store.New(Open(t, SharedPostgres(t).NewStore(t)))) })
}

// NewSQLiteStore returns a store on a new SQLite database.
func NewSQLiteStore(t testing.TB) *store.DB {
	t.Helper()
	path := NewSQLitePath(t)
	WriteMigratedSQLite(t, path)
	return store.New(Open(t, path))
}

// NewStore migrates the database and returns a store on it.
func NewStore(t testing.TB, db *sqldb.DB) *store.DB {
	t.Helper()
	if err := sqldb.Migrate(t.Context(), db, store.Migrations()); err != nil {
		t.Fatal(err)
	}
	return store.New(db)
}

// Most tests begin with a migrated database. A process creates it once, and copies it.

// migratedSQLite returns the file of such a database.
var migratedSQLite = sync.OnceValues(func() (text []byte, err error) {
	dir, err := os.MkdirTemp("", "parley-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "parley.db")
	if err := migrateDatabase(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrateDatabase(url string) error {
	ctx := context.Background()
	db, err := sqldb.Open(ctx, sqldb.Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(sqldb.Migrate(ctx, db, store.Migrations()), db.Close())
}

// WriteMigratedSQLite writes a migrated SQLite database.
func WriteMigratedSQLite(t testing.TB, path string) {
	t.Helper()
	text, err := migratedSQLite()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// templateDatabase is the name of a migrated database that others are created from.
const templateDatabase = "template_parley"

// NewStore creates a migrated database, dropped when the test ends, and returns its URL.
func (s *Server) NewStore(t testing.TB) string {
	t.Helper()
	s.templateOnce.Do(func() {
		if _, s.templateErr = s.admin.Exec("create database " + templateDatabase +
			" template template0"); s.templateErr == nil {
			s.templateErr = migrateDatabase(s.databaseURL(templateDatabase))
		}
	})
	if s.templateErr != nil {
		t.Fatal(s.templateErr)
	}
	return s.newDatabase(t, templateDatabase)
}
