// Package sqldb runs one SQL text on two databases, SQLite and PostgreSQL.
//
// A DB is a pool or a transaction. Statements are written once, in the subset of SQL that both databases support: `?`
// for a parameter, `on conflict`, `returning`, common table expressions. Ids are text, times are integer milliseconds
// UTC, JSON is text, booleans are the integers 0 and 1. The databases differ in ForUpdate, SkipLocked, and the marked
// statements of a migration.
//
// On SQLite every write goes through one writer that commits in groups (writer.go). PostgreSQL groups commits itself,
// and the statements that a transaction queues are sent together (queue.go).
package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"parley"
)

// Dialect is the kind of database behind a DB.
type Dialect int

const (
	SQLite Dialect = iota + 1
	Postgres
)

func (d Dialect) String() string {
	if d == Postgres {
		return "postgres"
	}
	return "sqlite"
}

// systemName returns the database's name in OpenTelemetry's conventions.
func (d Dialect) systemName() string {
	if d == Postgres {
		return "postgresql"
	}
	return "sqlite"
}

// Lane is the priority of a transaction. On SQLite the writer runs waiting Interactive transactions before waiting Bulk
// ones, and bulk writes are made in chunks of at most 200 rows; on PostgreSQL Bulk transactions may use only a few of
// the connections.
type Lane int

const (
	Interactive Lane = iota
	Bulk
)

// Config says which database to open, and how.
type Config struct {
	URL              string       // "postgres://…", else the path of a SQLite file; its folder must exist
	AllowAsyncCommit bool         // without it Open refuses a PostgreSQL whose synchronous_commit is off
	MaxPages         int          // SQLite: how many pages the file may have; 0 = no quota
	Logger           *slog.Logger // nil = slog.Default()
	Program          string       // the version of this program, which is noted of the migrations that it runs

	OnStatement func(query string) // called before each statement is run; may be nil
}

// DB is a pool of connections, or one transaction on them.
type DB struct {
	engine      engine
	tx          *transaction // nil for the pool
	onStatement func(query string)
	program     string
	log         *slog.Logger
}

// engine is what SQLite and PostgreSQL do differently.
type engine interface {
	runner
	dialect() Dialect
	transact(ctx context.Context, lane Lane, fn func(*transaction) error) error
	transactDeferred(ctx context.Context, lane Lane, queued func(*Deferral), fn func(*transaction) error) error
	migrate(ctx context.Context, m migrations) error
	setQuota(ctx context.Context, pages int) error
	close() error
}

// Open opens the database and checks that what it acknowledges is durable.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	open := openSQLite
	if isPostgres(c.URL) {
		open = openPostgres
	}
	e, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &DB{engine: e, onStatement: c.OnStatement, program: c.Program, log: c.Logger}, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Close refuses new transactions, finishes those that are queued and closes the connections.
func (db *DB) Close() error {
	if db.tx != nil {
		return errors.New("sqldb: close of a transaction")
	}
	return db.engine.close()
}

// Dialect returns which database this is.
func (db *DB) Dialect() Dialect { return db.engine.dialect() }

// ForUpdate returns the clause that ends a select whose rows the transaction is about to change. It locks the rows on
// PostgreSQL; SQLite, with its one writer, needs no lock.
func (db *DB) ForUpdate() string {
	if db.Dialect() == Postgres {
		return " for update"
	}
	return ""
}

// SkipLocked is like ForUpdate, but skips rows that other transactions have locked.
func (db *DB) SkipLocked() string {
	if db.Dialect() == Postgres {
		return " for update skip locked"
	}
	return ""
}

// SetQuota changes how many pages a SQLite file may have; 0 removes the limit. PostgreSQL has no such limit and returns
// an error.
func (db *DB) SetQuota(ctx context.Context, pages int) error { return db.engine.setQuota(ctx, pages) }

// EmptyLog has the write-ahead log of SQLite copied into the file and emptied soon, so that neither of the two holds
// what was erased. On PostgreSQL, and in a snapshot, it does nothing.
func (db *DB) EmptyLog() {
	if e, ok := db.engine.(*sqliteEngine); ok {
		e.checkpointer.requestEmptyLog()
	}
}

// ErrFull is among the causes of SERVICE_UNDER_MAINTENANCE when the database can be reached but cannot store: its disk
// or its quota is full, or the disk fails. It is unknown when that will end.
var ErrFull = errors.New("sqldb: no room")

// IsFull reports whether something could not be stored because there is no space for it, in the database or on a disk.
func IsFull(err error) bool { return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) }

// unavailable returns the error for a database that cannot be reached or cannot store: try again in a second.
func unavailable(cause error) error {
	e := parley.WrapError(parley.CodeUnderMaintenance, cause)
	e.RetryAfter = time.Second
	return e
}

var errClosed = errors.New("sqldb: the database is closed")
