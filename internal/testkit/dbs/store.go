package dbs

import (
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
