package dbs

import (
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
)

// EachStore runs f once on a store over each database, freshly made and up to date.
func EachStore(t *testing.T, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		path := File(t)
		WriteFile(t, path)
		f(t, store.On(Open(t, path)))
	})
	t.Run("postgres", func(t *testing.T) { f(t, store.On(Open(t, Postgres(t).NewStore(t)))) })
}

// Store gives a store over the database, whose schema it brings up to date.
func Store(t testing.TB, db *sqldb.DB) *store.DB {
	t.Helper()
	if err := sqldb.Migrate(t.Context(), db, store.Migrations()); err != nil {
		t.Fatal(err)
	}
	return store.On(db)
}
