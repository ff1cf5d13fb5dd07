// Package sqlite runs statements on a SQLite file. It binds SQLite's own functions without database/sql: a connection
// belongs to one goroutine at a time, keeps its prepared statements and reuses the memory of their arguments.
package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Conn is a connection. One goroutine may use it at a time.
type Conn struct {
	tls        *libc.TLS
	db         uintptr // *sqlite3
	statements statementCache
	arguments  arena
	isReading  bool // rows are open

	mu    sync.Mutex // guards what an interrupt needs
	use   int64      // the number of the statement that may be interrupted
	inUse bool
}

// pointerBytes is the size of a pointer in the memory that SQLite uses.
const pointerBytes = bits.UintSize / 8

// Open opens a file, which it creates if it does not exist, and runs the pragmas, such as "busy_timeout(100)".
func Open(path string, pragmas ...string) (*Conn, error) { return open(path, "", pragmas) }

// OpenWriter is Open for the connection that writes: its commits reach the write-ahead log in one piece.
func OpenWriter(path string, pragmas ...string) (*Conn, error) {
	if err := registerLogWriter(); err != nil {
		return nil, err
	}
	return open(path, logWriterVFS, pragmas)
}

func open(path, vfs string, pragmas []string) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS()}
	c.statements.conn, c.arguments.conn = c, c
	if err := c.open(path, vfs); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	for _, p := range pragmas {
		if _, err := c.Exec("pragma "+p, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", p, err), c.Close())
		}
	}
	return c, nil
}

// open opens the file with a VFS; an empty name is the default one.
func (c *Conn) open(path, vfs string) error {
	name, err := libc.CString(path)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	vfsName := uintptr(0)
	if vfs != "" {
		if vfsName, err = libc.CString(vfs); err != nil {
			return err
		}
		defer libc.Xfree(c.tls, vfsName)
	}
	out := c.tls.Alloc(pointerBytes)
	defer c.tls.Free(pointerBytes)
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE | lib.SQLITE_OPEN_NOMUTEX
	rc := lib.Xsqlite3_open_v2(c.tls, name, out, flags, vfsName)
	c.db = readPointer(out)
	if rc != lib.SQLITE_OK {
		return c.newError(rc)
	}
	lib.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	return nil
}

// readPointer reads a pointer at an address of SQLite's memory.
func readPointer(at uintptr) uintptr {
	b := libc.GoBytes(at, pointerBytes)
	if pointerBytes == 8 {
		return uintptr(binary.NativeEndian.Uint64(b))
	}
	return uintptr(binary.NativeEndian.Uint32(b))
}

// Close closes the connection with its statements. No rows may be open.
func (c *Conn) Close() error {
	if c.tls == nil {
		return nil
	}
	c.statements.clear()
	c.arguments.free()
	var err error
	if rc := lib.Xsqlite3_close_v2(c.tls, c.db); rc != lib.SQLITE_OK {
		err = c.newError(rc)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tls.Close()
	c.tls, c.inUse = nil, false
	return err
}

// Exec runs the statements of a text and returns how many rows the last of them changed. The arguments are those of
// each statement.
func (c *Conn) Exec(query string, args []any) (changed int64, err error) {
	s, err := c.statements.acquire(query)
	if err != nil {
		return 0, err
	}
	defer c.statements.release(s)
	if s.handle != 0 {
		if err := s.run(args); err != nil {
			return 0, err
		}
		changed = lib.Xsqlite3_changes64(c.tls, c.db)
	}
	if s.rest != "" {
		return c.Exec(s.rest, args)
	}
	return changed, nil
}

// TotalChanges returns how many rows have been inserted, updated and deleted on this connection.
func (c *Conn) TotalChanges() int64 { return lib.Xsqlite3_total_changes64(c.tls, c.db) }

// Query runs a statement that returns rows. They must be closed before the next statement. When ctx ends, the statement
// is interrupted and returns the error of ctx.
func (c *Conn) Query(ctx context.Context, query string, args []any) (*Rows, error) {
	if c.isReading {
		return nil, errors.New("sqlite: the rows of an earlier statement are open")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := c.statements.acquire(query)
	if err != nil {
		return nil, err
	}
	if s.handle == 0 || s.rest != "" {
		c.statements.release(s)
		return nil, errors.New("sqlite: a query must be one statement")
	}
	if err := s.bind(args); err != nil {
		s.reset()
		c.statements.release(s)
		return nil, err
	}
	c.isReading = true
	rows := &Rows{statement: s, ctx: ctx, stop: c.interruptAfter(ctx)}
	if rows.onFirst = rows.step(); rows.err != nil {
		return nil, errors.Join(rows.err, rows.Close())
	}
	return rows, nil
}

// interruptAfter interrupts the statement that begins now when ctx ends, until stop is called.
func (c *Conn) interruptAfter(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return nil
	}
	c.mu.Lock()
	c.use++
	use := c.use
	c.inUse = true
	c.mu.Unlock()
	unregister := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.inUse && c.use == use {
			lib.Xsqlite3_interrupt(c.tls, c.db)
		}
	})
	return func() {
		if unregister() {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inUse = false
	}
}

// Error is an error of SQLite with its extended result code.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// newError returns the error of a call that has just failed.
func (c *Conn) newError(rc int32) error {
	e := &Error{Code: int(rc), Message: libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))}
	if c.db != 0 {
		if extended := lib.Xsqlite3_extended_errcode(c.tls, c.db); extended&0xff == rc&0xff {
			e.Code = int(extended)
			if text := libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db)); text != e.Message {
				e.Message += ": " + text
			}
		}
	}
	return e
}
