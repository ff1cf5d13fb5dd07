// Package store holds all SQL of the nouns, a file per noun, written once for SQLite and PostgreSQL. It holds no rules:
// it finds, writes and reports what was not found. Every query names its owner, so an id of another owner finds
// nothing.
package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"

	"parley/internal/sqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the schema's files.
func Migrations() fs.FS {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	return dir
}

// DB is the store: a pool, or a transaction inside Transact.
type DB struct {
	sql    *sqldb.DB
	events *eventObservers
	agents *agentCache

	changes *agentChanges // of the transaction; nil for the pool
	effect  string        // what CompleteClaim was told in the transaction
}

// Open opens the database and brings its schema up to date.
func Open(ctx context.Context, cfg sqldb.Config) (*DB, error) {
	db, err := sqldb.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := sqldb.Migrate(ctx, db, Migrations()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return New(db), nil
}

// MigrateTo brings the schema of a database to that of a version, which is not newer than this program's.
func MigrateTo(ctx context.Context, cfg sqldb.Config, version int64) error {
	db, err := sqldb.Open(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(sqldb.MigrateTo(ctx, db, Migrations(), version), db.Close())
}

// New returns a store over an open database whose schema is up to date.
func New(db *sqldb.DB) *DB { return &DB{sql: db, events: &eventObservers{}, agents: &agentCache{}} }

// SQL returns the database below, for the packages that own tables of their own (jobs, retrieval).
func (db *DB) SQL() *sqldb.DB { return db.sql }

// Close finishes what is queued and closes the database.
func (db *DB) Close() error { return db.sql.Close() }

// Transact runs fn in a transaction and returns once it is on disk. fn may be run more than once: it makes no ids,
// reads no clock, calls nothing outside the database, and returns its results only by assignment.
func (db *DB) Transact(ctx context.Context, lane sqldb.Lane, fn func(tx *DB) error) error {
	if db.changes != nil {
		return fn(db)
	}
	changes := agentChanges{cache: db.agents}
	defer changes.end()
	entry, hasWritten := auditEntryOf(ctx), false
	err := db.sql.Transact(ctx, lane, func(tx *sqldb.DB) (err error) {
		hasWritten, err = entry.runAudited(ctx, db.inTransaction(tx, &changes), fn)
		return err
	})
	if err == nil && hasWritten {
		entry.isWritten.Store(true)
	}
	return err
}

func (db *DB) inTransaction(tx *sqldb.DB, changes *agentChanges) *DB {
	return &DB{sql: tx, events: db.events, agents: db.agents, changes: changes}
}

// TransactDeferred is Transact for writes that another transaction follows at once: see sqldb.
func (db *DB) TransactDeferred(ctx context.Context, lane sqldb.Lane, queued func(*sqldb.Deferral),
	fn func(tx *DB) error) error {
	changes := agentChanges{cache: db.agents}
	defer changes.end()
	entry, hasWritten := auditEntryOf(ctx), false
	err := db.sql.TransactDeferred(ctx, lane, queued, func(tx *sqldb.DB) (err error) {
		hasWritten, err = entry.runAudited(ctx, db.inTransaction(tx, &changes), fn)
		return err
	})
	if err == nil && hasWritten {
		entry.isWritten.Store(true)
	}
	return err
}

// EnsureSetting returns a value that belongs to the installation, such as the key that signs cursors. The first to ask
// for it makes it, once for all servers on the database.
func (db *DB) EnsureSetting(ctx context.Context, name string, create func() string) (string, error) {
	const read = `select value from settings where name = ?`
	value, err := sqldb.One(ctx, db.sql, sqldb.Column[string], read, name)
	if !sqldb.IsNotFound(err) {
		return value, err
	}
	created := create()
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		err := tx.exec(ctx, `insert into settings (name, value) values (?, ?) on conflict do nothing`, name, created)
		if err != nil {
			return err
		}
		value, err = sqldb.One(ctx, tx.sql, sqldb.Column[string], read, name)
		return err
	})
	return value, err
}

// FindSetting returns a value of the installation, or the empty text if there is none.
func (db *DB) FindSetting(ctx context.Context, name string) (string, error) {
	value, err := sqldb.One(ctx, db.sql, sqldb.Column[string], `
		select value
		from settings
		where name = ?`, name)
	if sqldb.IsNotFound(err) {
		return "", nil
	}
	return value, err
}

// SetSetting writes a value of the installation, new or not.
func (db *DB) SetSetting(ctx context.Context, name, value string) error {
	return db.exec(ctx, `
		insert into settings (name, value)
		values (?, ?)
		on conflict (name) do update set value = excluded.value`, name, value)
}

// TakeSetting deletes a value of the installation if it is still that one, and reports whether it was: of several that
// try at once, one succeeds.
func (db *DB) TakeSetting(ctx context.Context, name, value string) (bool, error) {
	n, err := db.sql.Exec(ctx, `delete from settings where name = ? and value = ?`, name, value)
	return n > 0, err
}
