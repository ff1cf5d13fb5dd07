package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/pressly/goose/v3"
)

// migrationSum is a migration file with the SHA-256, in hex, of the statements that it runs on this database. Comments
// do not count.
type migrationSum struct{ name, hash string }

// sums returns every migration file by its version.
func (m migrations) sums() (map[int64]migrationSum, error) {
	names, err := fs.Glob(m.files, "*.sql")
	if err != nil {
		return nil, err
	}
	all := map[int64]migrationSum{}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(m.files, name)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256(text)
		all[version] = migrationSum{name, hex.EncodeToString(hash[:])}
	}
	return all, nil
}

// checkUnchanged fails when a file that this database has run says something else now.
func (db *DB) checkUnchanged(ctx context.Context, now map[int64]migrationSum) error {
	return db.withSums(ctx, func(tx *DB, ran map[int64]string) error {
		for _, version := range slices.Sorted(maps.Keys(ran)) {
			if s, ok := now[version]; ok && s.hash != ran[version] {
				return fmt.Errorf("%s has changed since this database ran it: an applied migration stays as it "+
					"is, changes go into a new file",
					s.name)
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
		rows, err := tx.Query(ctx, `select version, hash from migration_sums`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		ran := map[int64]string{}
		for rows.Next() {
			var version int64
			var hash string
			if err := rows.Scan(&version, &hash); err != nil {
				return err
			}
			ran[version] = hash
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return do(tx, ran)
	})
}
