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

// migrations are the files of Migrate in goose's format, with only the statements of the dialect, and their sums by
// version.
type migrations struct {
	files fstest.MapFS
	sums  map[int64]migrationSum
}

// Migrate brings the database up to the newest of the files NNNN_what.sql, each in a transaction of its own. Several
// nodes may do so at once on PostgreSQL. A database that is newer than the files is refused, and so is one on which a
// file has run that says something else by now: nobody knows what such a schema is.
//
// A file is plain statements, each ended by a semicolon at the end of a line. A line `-- postgres:` or `-- sqlite:`
// keeps the one statement after it for that database.
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

// migrationSum is a migration file with the SHA-256, in hex, of the statements that it runs on this database. Comments
// do not count.
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

// checkUnchanged fails when a file that this database has run says something else now.
func (db *DB) checkUnchanged(ctx context.Context, now map[int64]migrationSum) error {
	return db.withSums(ctx, func(tx *DB, ran map[int64]string) error {
		for _, version := range slices.Sorted(maps.Keys(ran)) {
			if s, ok := now[version]; ok && s.hash != ran[version] {
				return fmt.Errorf("%s has changed since this database ran it: an applied migration stays as it is, "+
					"changes go into a new file", s.name)
			}
		}
		return nil
	})
}

// saveSums notes the files that this database has run.
func (db *DB) saveSums(ctx context.Context, all map[int64]migrationSum) error {
	return db.withSums(ctx, func(tx *DB, ran map[int64]string) error {
		for version, s := range all {
			if _, ok := ran[version]; ok {
				continue
			}
			if _, err := tx.Exec(ctx, `insert into migration_sums (version, hash) values (?, ?)`, version, s.hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// withSums calls do with what is remembered, while no other node looks or writes.
func (db *DB) withSums(ctx context.Context, do func(tx *DB, ran map[int64]string) error) error {
	const advisoryLockID = 5_081_992_004 // any number that nothing else on this database locks
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
		ran := map[int64]string{}
		_, err := All(ctx, tx, func(scan Scan) (version int64, err error) {
			var hash string
			err = scan(&version, &hash)
			ran[version] = hash
			return version, err
		}, `select version, hash from migration_sums`)
		if err != nil {
			return err
		}
		return do(tx, ran)
	})
}
