package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// migrations are the files of Migrate in goose's own words for one dialect.
type migrations struct{ files fs.FS }

// Migrate brings the database up to the newest of the files NNNN_what.sql, each in a transaction of its own. Several
// nodes may do so at once on PostgreSQL. A database that is newer than the files is refused, and so is one on which a
// file has run that says something else by now: nobody knows what such a schema is.
//
// A file is plain statements, each ended by a semicolon at the end of a line. A line `-- postgres:` or `-- sqlite:`
// keeps the one statement after it for that database.
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	m := migrations{renderedFS{files, db.Dialect()}}
	sums, err := m.sums()
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := db.checkUnchanged(ctx, sums); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := db.engine.migrate(ctx, m); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return db.saveSums(ctx, sums)
}

func (m migrations) up(ctx context.Context, dialect goose.Dialect, pool *sql.DB,
	options ...goose.ProviderOption) error {
	options = append(options, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	p, err := goose.NewProvider(dialect, pool, m.files, options...)
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return err
	}
	have, newest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if have > newest {
		return fmt.Errorf("the database is at version %d, this program knows only %d: it belongs to a newer program",
			have, newest)
	}
	return nil
}

// migrationLock makes nodes that start together wait for the one that migrates, asking every second for ten minutes.
func migrationLock() (goose.ProviderOption, error) {
	l, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return nil, err
	}
	return goose.WithSessionLocker(l), nil
}
