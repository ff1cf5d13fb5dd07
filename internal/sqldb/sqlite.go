package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver of migrations
	lib "modernc.org/sqlite/lib"

	"parley/internal/sqldb/sqlite"
)

// sqliteEngine is the SQLite engine: a pool of readers, one writer, and a connection for checkpoints.
type sqliteEngine struct {
	file         string
	log          *slog.Logger
	readers      *readPool
	quota        atomic.Int64
	writer       *writer
	checkpointer *checkpointer
}

// These settings belong to a connection and not to the file, so each connection sets them when it opens. The writer
// makes no checkpoints (wal_autocheckpoint), since they would delay commits.
var (
	writerPragmas = []string{"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)",
		"secure_delete(1)", "wal_autocheckpoint(0)",
		"temp_store(memory)", "cache_size(-16384)"}
	readerPragmas     = []string{"busy_timeout(10000)", "query_only(1)", "temp_store(memory)"}
	checkpointPragmas = []string{fmt.Sprintf("busy_timeout(%d)", maxReaderWait.Milliseconds()), "synchronous(full)"}
	migrationPragmas  = []string{"busy_timeout(60000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)"}
)

func openSQLite(ctx context.Context, c Config) (engine, error) {
	if err := checkFiles(c.URL); err != nil {
		return nil, err
	}
	if err := createPrivate(c.URL, c.Logger); err != nil {
		return nil, err
	}
	e := &sqliteEngine{file: c.URL, log: c.Logger}
	e.quota.Store(int64(c.MaxPages))
	conn, err := e.openWriter()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, err)
	}
	counter, err := e.openCounter(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, errors.Join(err, conn.close()))
	}
	e.readers = newReadPool(max(4, 2*runtime.GOMAXPROCS(0)), func() (*sqlite.Conn, error) {
		return sqlite.Open(e.file, readerPragmas...)
	})
	checkpoints, err := sqlite.Open(e.file, checkpointPragmas...)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, errors.Join(err, conn.close()))
	}
	e.checkpointer = newCheckpointer(checkpoints, counter, e.log)
	e.writer = newWriter(conn, e.openWriter, counter, e.checkpointer.wake, e.log)
	return e, nil
}

// openCounter opens the counter of commits that are in the log alone.
func (e *sqliteEngine) openCounter(ctx context.Context, conn *writeConn) (*commitCounter, error) {
	var count int32
	if err := conn.queryRow(ctx, "pragma user_version", &count); err != nil {
		return nil, err
	}
	return openCommitCounter(e.file, uint32(count)) //nolint:gosec // it wraps as SQLite's does
}

// createPrivate creates a new database that only its owner may read; SQLite creates its side files with the same mode.
// A file that exists is not opened: closing it would release the locks that this process may hold on it.
func createPrivate(file string, log *slog.Logger) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		for _, name := range []string{file, file + "-wal", file + "-shm", file + commitCounterSuffix} {
			restrictPermissions(name, log)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// restrictPermissions lets only the owner read and write a file. A restored backup may have other permissions.
func restrictPermissions(file string, log *slog.Logger) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return
	}
	if err := os.Chmod(file, 0o600); err != nil {
		log.Warn("others may read the database", "file", file, "mode", info.Mode().Perm(), "err", err)
		return
	}
	log.Warn("others could read the database; now only its owner can", "file", file, "was", info.Mode().Perm())
}

func (e *sqliteEngine) dialect() Dialect { return SQLite }

func (e *sqliteEngine) transact(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	return e.writer.submit(ctx, lane, &writeJob{fn: fn})
}

func (e *sqliteEngine) transactDeferred(ctx context.Context, lane Lane, queued func(*Deferral),
	fn func(*transaction) error) error {
	return e.writer.submit(ctx, lane, &writeJob{fn: fn, queued: queued})
}

func (e *sqliteEngine) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = e.transact(ctx, Interactive, func(t *transaction) error {
		n, err = t.exec(ctx, query, args)
		return err
	})
	return n, err
}

func (e *sqliteEngine) query(ctx context.Context, query string, args []any) (*Rows, error) {
	c, err := e.readers.acquire(ctx)
	if err != nil {
		return nil, mapSQLiteError(query, err)
	}
	rows, err := c.Query(ctx, query, args)
	if err != nil {
		e.readers.release(c)
		return nil, mapSQLiteError(query, err)
	}
	return newSQLiteRows(query, rows, func() { e.readers.release(c) }), nil
}

func newSQLiteRows(query string, rows *sqlite.Rows, release func()) *Rows {
	return &Rows{cursor: rows, mapError: func(err error) error { return mapSQLiteError(query, err) }, release: release}
}

// migrate uses a connection of its own: the library wants a pool of database/sql.
func (e *sqliteEngine) migrate(ctx context.Context, m migrations) error {
	p := openSQLPool(e.file, migrationPragmas)
	defer p.Close()
	return m.up(ctx, goose.DialectSQLite3, p)
}

func openSQLPool(path string, pragmas []string) *sql.DB {
	file := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.Clean(path))
	p, err := sql.Open("sqlite", "file:"+file+"?"+url.Values{"_pragma": pragmas}.Encode())
	if err != nil {
		panic(err) // only an unknown driver name
	}
	p.SetMaxOpenConns(1)
	return p
}

func (e *sqliteEngine) close() error {
	if !e.writer.stop() {
		return nil
	}
	return errors.Join(e.checkpointer.stop(), e.readers.close())
}

// sqliteCode returns SQLite's extended result code; 0 for an error that is not SQLite's.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code
	}
	return 0
}

func isDuplicateSQLite(err error) bool {
	c := sqliteCode(err)
	return c == lib.SQLITE_CONSTRAINT_UNIQUE || c == lib.SQLITE_CONSTRAINT_PRIMARYKEY || c == lib.SQLITE_CONSTRAINT_ROWID
}

// abortsSQLiteTransaction reports whether SQLite may have rolled back the whole transaction by itself after this error,
// and with it the other closures of the group.
func abortsSQLiteTransaction(err error) bool {
	switch sqliteCode(err) & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOMEM, lib.SQLITE_BUSY, lib.SQLITE_INTERRUPT,
		lib.SQLITE_CORRUPT, lib.SQLITE_READONLY:
		return true
	}
	return false
}

// mapSQLiteError returns the error for the caller. A full or failing disk, a lack of file descriptors and a lock held
// too long are temporary; any other error is a fault.
func mapSQLiteError(query string, err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = annotateError(query, err)
	switch sqliteCode(err) & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR:
		return unavailable(fmt.Errorf("%w: %w", ErrFull, err))
	case lib.SQLITE_BUSY, lib.SQLITE_CANTOPEN:
		return unavailable(err)
	}
	return err
}
