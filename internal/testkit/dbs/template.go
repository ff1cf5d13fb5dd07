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
