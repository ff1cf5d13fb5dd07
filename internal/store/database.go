package store

import (
	"context"

	"parley/internal/sqldb"
)

// DatabaseFacts are what a database tells of itself.
type DatabaseFacts struct {
	Dialect sqldb.Dialect
	Version string
	Bytes   int64 // of all that it holds
}

// DatabaseFacts asks the database what it is.
func (db *DB) DatabaseFacts(ctx context.Context) (DatabaseFacts, error) {
	query := `
		select sqlite_version(), page_count * page_size
		from pragma_page_count, pragma_page_size`
	if db.sql.Dialect() == sqldb.Postgres {
		query = `select current_setting('server_version'), pg_database_size(current_database())`
	}
	f := DatabaseFacts{Dialect: db.sql.Dialect()}
	err := db.sql.QueryRow(ctx, query).Scan(&f.Version, &f.Bytes)
	return f, err
}
