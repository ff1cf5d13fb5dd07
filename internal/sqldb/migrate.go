package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/pressly/goose/v3"
)

// migrations are the files of Migrate in goose's format, with the statements of the dialect, and their sums by version.
type migrations struct {
	files fstest.MapFS
	sums  map[int64]migrationSum
}

// Migrate runs those of the files NNNN_name.sql that the database has not run yet, each in a transaction of its own. On
// PostgreSQL several nodes may call it at once. A database that has run a file which has changed since is refused: its
// schema is unknown. One that is newer than the files is refused if what has come needs a newer program.
//
// A file holds statements, each ended by a semicolon at the end of a line. A line `-- postgres:` or `-- sqlite:` means
// that the next statement runs on that database only. A file only adds to the schema, so that programs which do not
// know it work on; one that does not has a line `-- reader: NNNN` with the lowest version that a program must know to
// use the database after it, its own as a rule.
func Migrate(ctx context.Context, db *DB, files fs.FS) error {
	m, err := newMigrations(files, db.Dialect())
	hasRun := false
	if err == nil {
		hasRun, err = db.checkUnchanged(ctx, m)
	}
	if err == nil && !hasRun {
		err = db.engine.migrate(ctx, m)
		if err == nil {
			err = db.saveSums(ctx, m.sums)
		}
	}
	if err == nil {
		err = db.checkReader(ctx, m)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// MigrateTo is Migrate up to a version, for a database that is to be filled with what one of that version held.
func MigrateTo(ctx context.Context, db *DB, files fs.FS, version int64) error {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	older := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		n, err := goose.NumericComponent(name)
		if err != nil {
			return err
		}
		if n <= version {
			older[name] = &fstest.MapFile{Data: text}
		}
	}
	return Migrate(ctx, db, older)
}

func (m migrations) up(ctx context.Context, dialect goose.Dialect, pool *sql.DB,
	options ...goose.ProviderOption) error {
	options = append(options, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	p, err := goose.NewProvider(dialect, pool, m.files, options...)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// migrationSum is a migration file.
type migrationSum struct {
	name   string
	hash   string // SHA-256, in hex, of the statements that it runs on this database; comments do not count
	reader int64  // the lowest version that a program must know after it; 0 if it only adds
}

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
		m.sums[version] = migrationSum{name, hex.EncodeToString(hash[:]), readerOf(string(text))}
	}
	return m, nil
}

// checkUnchanged fails when a file that this database has run has changed, and reports whether it has run all files.
func (db *DB) checkUnchanged(ctx context.Context, m migrations) (hasRun bool, err error) {
	err = db.withSums(ctx, func(tx *DB, applied map[int64]string) error {
		if changed := m.changed(applied); len(changed) > 0 {
			return fmt.Errorf("%s has changed since this database ran it: an applied migration stays as it is, "+
				"changes go into a new file", changed[0])
		}
		var err error
		hasRun, err = m.haveRun(ctx, tx, applied)
		return err
	})
	return hasRun, err
}

// haveRun reports whether the database has run all files: it has their sums, which are stored behind them.
func (m migrations) haveRun(ctx context.Context, db *DB, applied map[int64]string) (bool, error) {
	for version := range m.sums {
		if _, ok := applied[version]; !ok {
			return false, nil
		}
	}
	if len(m.sums) == 0 {
		return false, nil
	}
	current, err := currentVersion(ctx, db)
	return current >= m.newest(), err
}

// currentVersion returns the newest migration that the database has run.
func currentVersion(ctx context.Context, db *DB) (int64, error) {
	return One(ctx, db, Column[int64], `select coalesce(max(version_id), 0) from goose_db_version`)
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
			if err := tx.saveReader(ctx, version, s.reader, db.program); err != nil {
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
		if _, err := tx.Exec(ctx, createReaders); err != nil {
			return err
		}
		applied, err := readSums(ctx, tx)
		if err != nil {
			return err
		}
		return do(tx, applied)
	})
}

// readSums reads the stored sums by the versions of their files.
func readSums(ctx context.Context, db *DB) (map[int64]string, error) {
	applied := map[int64]string{}
	var version int64
	var hash string
	err := Each(ctx, db, []any{&version, &hash}, func() { applied[version] = hash },
		`select version, hash from migration_sums`)
	return applied, err
}
