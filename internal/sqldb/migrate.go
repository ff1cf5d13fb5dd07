package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing/fstest"

	"github.com/pressly/goose/v3"
)

// migrations are the files of Migrate in goose's format, with the statements of the dialect, and their sums by version.
type migrations struct {
	files fstest.MapFS
	sums  map[int64]migrationSum
}

// Migrate runs those of the files NNNN_name.sql that the database has not run yet, each in a transaction of its own. On
// PostgreSQL several nodes may call it at once. A database that is newer than the files is refused, and so is one that
// has run a file which has changed since: its schema is unknown.
//
// A file holds statements, each ended by a semicolon at the end of a line. A line `-- postgres:` or `-- sqlite:` means
// that the next statement runs on that database only.
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	m, err := newMigrations(files, db.Dialect())
	if err == nil {
		err = db.checkUnchanged(ctx, m.sums)
	}
	if err == nil {
		err = db.engine.migrate(ctx, m)
	}
	if err == nil {
		err = db.saveSums(ctx, m.sums)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
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
	current, newest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > newest {
		return fmt.Errorf("the database is at version %d, this program knows only %d: it belongs to a newer program",
			current, newest)
	}
	return nil
}

// migrationSum is the name of a migration file and the SHA-256, in hex, of the statements that it runs on this
// database. Comments do not count.
type migrationSum struct{ name, hash string }

func newMigrations(files fs.FS, dialect Dialect) (m migrations, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return m, err
	}
	m = migrations{fstest.MapFS{}, map[int64]migrationSum{}}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return m, err
		}
		version, err := goose.NumericComponent(name)
		if err != nil {
			return m, err
		}
		rendered := []byte(render(string(text), dialect))
		hash := sha256.Sum256(rendered)
		m.files[name] = &fstest.MapFile{Data: rendered}
		m.sums[version] = migrationSum{name, hex.EncodeToString(hash[:])}
	}
	return m, nil
}

// checkUnchanged fails when a file that this database has run has changed.
func (db *DB) checkUnchanged(ctx context.Context, files map[int64]migrationSum) error {
	return db.withSums(ctx, func(tx *DB, applied map[int64]string) error {
		for _, version := range slices.Sorted(maps.Keys(applied)) {
			if s, ok := files[version]; ok && s.hash != applied[version] {
				return fmt.Errorf("%s has changed since this database ran it: an applied migration stays as it is, "+
					"changes go into a new file", s.name)
			}
		}
		return nil
	})
}

// saveSums stores the sums of the files that this database has run.
func (db *DB) saveSums(ctx context.Context, files map[int64]migrationSum) error {
	return db.withSums(ctx, func(tx *DB, applied map[int64]string) error {
		for version, s := range files {
			if _, ok := applied[version]; ok {
				continue
			}
			_, err := tx.Exec(ctx, `insert into migration_sums (version, hash) values (?, ?)`, version, s.hash)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// withSums calls do with the stored sums, while no other node reads or writes them.
func (db *DB) withSums(ctx context.Context, do func(tx *DB, applied map[int64]string) error) error {
	const advisoryLockID = 5_081_992_004 // any number that nothing else locks on this database
	return db.Transact(ctx, Interactive, func(tx *DB) error {
		if tx.Dialect() == Postgres {
			if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(?)`, int64(advisoryLockID)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx,
			`create table if not exists migration_sums (version bigint primary key, hash text not null)`); err != nil {
			return err
		}
		applied := map[int64]string{}
		_, err := All(ctx, tx, func(scan Scan) (version int64, err error) {
			var hash string
			err = scan(&version, &hash)
			applied[version] = hash
			return version, err
		}, `select version, hash from migration_sums`)
		if err != nil {
			return err
		}
		return do(tx, applied)
	})
}
