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

	"parley/internal/sqldb/sqlite"
)

// sqliteEngine is the SQLite engine: a pool of readers, one writer, and a connection that does nothing but checkpoints.
type sqliteEngine struct {
	file         string
	log          *slog.Logger
	readers      *readPool
	quota        atomic.Int64
	writer       *writer
	checkpointer *checkpointer
}

// Each kind of connection sets these itself, since every one of them is a setting of the connection and not of the
// file. Checkpoints stay off the commit path, so the writer makes none of its own.
var (
	writerPragmas = []string{"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)",
		"secure_delete(1)", "wal_autocheckpoint(0)",
		"temp_store(memory)", "cache_size(-16384)"}
	readerPragmas     = []string{"busy_timeout(10000)", "query_only(1)", "temp_store(memory)"}
	checkpointPragmas = []string{"busy_timeout(200)", "synchronous(full)"}
	migrationPragmas  = []string{"busy_timeout(60000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)"}
)

func openSQLite(ctx context.Context, c Config) (engine, error) {
	if err := checkFiles(c.URL); err != nil {
		return nil, err
	}
	if err := createPrivate(c.URL, c.Logger); err != nil {
		return nil, err
	}
	l := &sqliteEngine{file: c.URL, log: c.Logger}
	l.quota.Store(int64(c.MaxPages))
	conn, err := l.openWriter()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, err)
	}
	counter, err := l.openCounter(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, errors.Join(err, conn.close()))
	}
	l.readers = newReadPool(max(4, 2*runtime.GOMAXPROCS(0)), func() (*sqlite.Conn, error) {
		return sqlite.Open(l.file, readerPragmas...)
	})
	checkpoints, err := sqlite.Open(l.file, checkpointPragmas...)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.URL, errors.Join(err, conn.close()))
	}
	l.checkpointer = newCheckpointer(checkpoints, counter, l.log)
	l.writer = newWriter(conn, l.openWriter, counter, l.checkpointer.wake, l.log)
	return l, nil
}

// openCounter begins to keep account of what is in the log alone.
func (l *sqliteEngine) openCounter(ctx context.Context, conn *writeConn) (*commitCounter, error) {
	var count int32
	if err := conn.queryRow(ctx, "pragma user_version", &count); err != nil {
		return nil, err
	}
	return openCommitCounter(l.file, uint32(count)) //nolint:gosec // it wraps as SQLite's does
}

// createPrivate makes a new database readable by its owner only; SQLite creates its side files with the same mode. A
// file that exists is not opened: closing it here would drop the locks this process may already hold on it.
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

// restrictPermissions takes a file from others that they may read or write, as a restored backup may let them.
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

func (l *sqliteEngine) dialect() Dialect { return SQLite }

func (l *sqliteEngine) transact(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	return l.writer.submit(ctx, lane, fn)
}

func (l *sqliteEngine) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = l.transact(ctx, Interactive, func(t *transaction) error {
		n, err = t.exec(ctx, query, args)
		return err
	})
	return n, err
}

func (l *sqliteEngine) query(ctx context.Context, query string, args []any) (*Rows, error) {
	c, err := l.readers.acquire(ctx)
	if err != nil {
		return nil, mapSQLiteError(query, err)
	}
	rows, err := c.Query(ctx, query, args)
	if err != nil {
		l.readers.release(c)
		return nil, mapSQLiteError(query, err)
	}
	return newSQLiteRows(query, rows, func() { l.readers.release(c) }), nil
}

func newSQLiteRows(query string, rows *sqlite.Rows, release func()) *Rows {
	return &Rows{cursor: rows, mapError: func(err error) error { return mapSQLiteError(query, err) }, release: release}
}

// migrate uses a connection of its own: the library wants a pool of database/sql.
func (l *sqliteEngine) migrate(ctx context.Context, m migrations) error {
	p := openSQLPool(l.file, migrationPragmas)
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

func (l *sqliteEngine) close() error {
	if !l.writer.stop() {
		return nil
	}
	return errors.Join(l.checkpointer.stop(), l.readers.close())
}
