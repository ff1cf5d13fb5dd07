// Package sqldb runs one SQL text on two databases, SQLite and PostgreSQL.
//
// A DB is a pool or a transaction. Statements are written once in the subset both databases speak: `?` for a parameter,
// `on conflict`, `returning`, common table expressions; ids are text, times integer milliseconds UTC, JSON is text,
// booleans are the integers 0 and 1. What truly differs is ForUpdate, SkipLocked, and marked statements of a migration.
//
// On SQLite every write goes through one writer that commits in groups (writer.go); on PostgreSQL the server does that,
// and the statements that a transaction queues travel together (queue.go).
package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"strings"
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

// Lane is how urgent a transaction is: on SQLite waiting Interactive ones run before waiting Bulk ones, on PostgreSQL
// Bulk may hold only a few of the connections. On SQLite bulk writes come in chunks of at most 200 rows.
type Lane int

const (
	Interactive Lane = iota
	Bulk
)

// Config is which database to open and how.
type Config struct {
	URL              string       // "postgres://…", else the path of a SQLite file; its folder must exist
	AllowAsyncCommit bool         // else Open refuses a PostgreSQL whose synchronous_commit is off
	MaxPages         int          // SQLite: the most pages the file may hold, 0 = no quota
	Logger           *slog.Logger // nil = slog.Default()

	OnStatement func(query string) // is called before each statement is run; nil = nothing
}

// DB is a pool of connections, or one transaction on them.
type DB struct {
	engine      engine
	tx          *transaction // nil for the pool
	onStatement func(query string)
}

// engine is what each of the two databases does in its own way.
type engine interface {
	runner
	dialect() Dialect
	transact(ctx context.Context, lane Lane, fn func(*transaction) error) error
	migrate(ctx context.Context, m migrations) error
	setQuota(ctx context.Context, pages int) error
	close() error
}

// Open opens the database of the configuration and checks that it keeps what it acknowledges.
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
	return &DB{engine: e, onStatement: c.OnStatement}, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Close refuses new transactions, finishes those already queued and closes the connections.
func (db *DB) Close() error {
	if db.tx != nil {
		return errors.New("sqldb: close of a transaction")
	}
	return db.engine.close()
}

// Dialect returns which database this is.
func (db *DB) Dialect() Dialect { return db.engine.dialect() }

// ForUpdate is the end of a select whose rows the transaction is about to change: the lock PostgreSQL needs and
// SQLite, with its one writer, has already.
func (db *DB) ForUpdate() string {
	if db.Dialect() == Postgres {
		return " for update"
	}
	return ""
}

// SkipLocked is ForUpdate that skips rows that others have locked.
func (db *DB) SkipLocked() string {
	if db.Dialect() == Postgres {
		return " for update skip locked"
	}
	return ""
}

// SetQuota changes the most pages a SQLite file may hold; 0 takes the limit away. PostgreSQL has no such limit and
// answers with an error.
func (db *DB) SetQuota(ctx context.Context, pages int) error { return db.engine.setQuota(ctx, pages) }

// ErrFull is among the causes of SERVICE_UNDER_MAINTENANCE where the database is there and cannot store: its disk or
// its quota is full, or the disk fails. When that ends is unknown.
var ErrFull = errors.New("sqldb: no room")

// unavailable is the answer while the database cannot be reached or cannot store: come back in a second.
func unavailable(cause error) error {
	e := parley.WrapError(parley.CodeUnderMaintenance, cause)
	e.RetryAfter = time.Second
	return e
}

var errClosed = errors.New("sqldb: the database is closed")
