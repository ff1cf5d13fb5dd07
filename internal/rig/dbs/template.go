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

// Most tests begin on a database that is up to date. It is made once in a process, and copied.

// sqlite is the file of such a database.
var sqlite = sync.OnceValues(func() (text []byte, err error) {
	dir, err := os.MkdirTemp("", "parley-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "parley.db")
	if err := upToDate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func upToDate(url string) error {
	ctx := context.Background()
	db, err := sqldb.Open(ctx, sqldb.Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(sqldb.Migrate(ctx, db, store.Migrations()), db.Close())
}

// WriteFile writes a SQLite database that is up to date.
func WriteFile(t testing.TB, path string) {
	t.Helper()
	text, err := sqlite()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// template is the name of a database that is up to date, from which others are made.
const template = "template_parley"

// NewStore makes a database that is up to date, dropped when the test ends, and gives its URL.
func (s *Server) NewStore(t testing.TB) string {
	t.Helper()
	s.once.Do(func() {
		if _, s.failed = s.admin.Exec("create database " + template + " template template0"); s.failed == nil {
			s.failed = upToDate(s.url(template))
		}
	})
	if s.failed != nil {
		t.Fatal(s.failed)
	}
	return s.newDatabase(t, template)
}
