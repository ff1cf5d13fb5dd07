package dbs

import (
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
)

// EachStore runs f once on a store over each database, freshly made and migrated.
func EachStore(t *testing.T, f func(t *testing.T, db *store.DB)) {
	t.Helper()
	Each(t, func(t *testing.T, db *sqldb.DB) { f(t, Store(t, db)) })
}

// Store gives a store over the database, whose schema it brings up to date.
func Store(t testing.TB, db *sqldb.DB) *store.DB {
	t.Helper()
	if err := sqldb.Migrate(t.Context(), db, store.Migrations()); err != nil {
		t.Fatal(err)
	}
	return store.On(db)
}
