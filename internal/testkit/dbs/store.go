package dbs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
)

// ForEachStore runs f once on a store over each database, new and migrated.
func ForEachStore(t *testing.T, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		path := NewSQLitePath(t)
		WriteMigratedSQLite(t, path)
		f(t, store.New(Open(t, path)))
	})
	t.Run("postgres", func(t *testing.T) { f(t, store.New(Open(t, SharedPostgres(t).NewStore(t)))) })
}

// NewStore returns a store over the database, whose schema it brings up to date.
func NewStore(t testing.TB, db *sqldb.DB) *store.DB {
	t.Helper()
	if err := sqldb.Migrate(t.Context(), db, store.Migrations()); err != nil {
		t.Fatal(err)
	}
	return store.New(db)
}

// Most tests begin on a migrated database. It is created once in a process, and copied.

// migratedSQLite is the file of such a database.
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
	if err := s.makeTemplate(); err != nil {
		t.Fatal(err)
	}
	return s.newDatabase(t, templateDatabase)
}

func (s *Server) migrateTemplate() error {
	if _, err := s.admin.Exec("create database " + templateDatabase + " template template0"); err != nil {
		return err
	}
	return migrateDatabase(s.databaseURL(templateDatabase))
}
