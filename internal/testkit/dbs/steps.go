package dbs

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// CountSteps returns how many steps SQLite's machine takes to read all rows of a query of a file. The arguments are
// texts and numbers; the machine converts them.
func CountSteps(t testing.TB, file, query string, args ...any) int {
	t.Helper()
	for _, arg := range args {
		query = strings.Replace(query, "?", fmt.Sprintf("'%v'", arg), 1)
	}
	c := &stepCounter{t: t, tls: libc.NewTLS()}
	defer c.tls.Close()
	c.out = c.tls.Alloc(pointerBytes)
	defer c.tls.Free(pointerBytes)
	db := c.open(file)
	defer lib.Xsqlite3_close_v2(c.tls, db)
	return c.count(db, query)
}

const pointerBytes = 8 // in the memory that SQLite uses

// stepCounter calls SQLite's own functions, since the program has no use for the number of steps.
type stepCounter struct {
	t   testing.TB
	tls *libc.TLS
	out uintptr // where functions write their result
}

func (c *stepCounter) text(s string) uintptr {
	c.t.Helper()
	at, err := libc.CString(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return at
}

func (c *stepCounter) result() uintptr {
	return uintptr(binary.NativeEndian.Uint64(libc.GoBytes(c.out, pointerBytes)))
}

func (c *stepCounter) open(file string) uintptr {
	c.t.Helper()
	name := c.text(file)
	defer libc.Xfree(c.tls, name)
	if rc := lib.Xsqlite3_open_v2(c.tls, name, c.out, lib.SQLITE_OPEN_READWRITE, 0); rc != lib.SQLITE_OK {
		c.t.Fatalf("open %s: %d", file, rc)
	}
	return c.result()
}

func (c *stepCounter) count(db uintptr, query string) int {
	c.t.Helper()
	text := c.text(query)
	defer libc.Xfree(c.tls, text)
	if rc := lib.Xsqlite3_prepare_v3(c.tls, db, text, -1, 0, c.out, 0); rc != lib.SQLITE_OK {
		c.t.Fatalf("%d: %s", rc, query)
	}
	statement := c.result()
	defer lib.Xsqlite3_finalize(c.tls, statement)
	rc := lib.Xsqlite3_step(c.tls, statement)
	for rc == lib.SQLITE_ROW {
		rc = lib.Xsqlite3_step(c.tls, statement)
	}
	if rc != lib.SQLITE_DONE {
		c.t.Fatalf("%d: %s", rc, query)
	}
	return int(lib.Xsqlite3_stmt_status(c.tls, statement, lib.SQLITE_STMTSTATUS_VM_STEP, 0))
}
