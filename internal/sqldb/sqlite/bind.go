package sqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
	"time"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// bind binds the arguments. Texts and bytes are copied into the arena, where they stay until the next statement.
func (s *statement) bind(args []any) error {
	if n := int(lib.Xsqlite3_bind_parameter_count(s.conn.tls, s.handle)); n != len(args) {
		if s.rest == "" || n > len(args) {
			return fmt.Errorf("sqlite: the statement has %d parameters, there are %d arguments", n, len(args))
		}
		args = args[:n]
	}
	if err := s.conn.arguments.reserve(argumentBytes(args)); err != nil {
		return err
	}
	for i, a := range args {
		if err := s.bindOne(int32(i+1), a); err != nil { //nolint:gosec // SQLite allows 32,766
			return err
		}
	}
	return nil
}

func (s *statement) bindOne(i int32, arg any) error {
	tls, h := s.conn.tls, s.handle
	var rc int32
	switch a := arg.(type) {
	case nil:
		rc = lib.Xsqlite3_bind_null(tls, h, i)
	case int64:
		rc = lib.Xsqlite3_bind_int64(tls, h, i, a)
	case int:
		rc = lib.Xsqlite3_bind_int64(tls, h, i, int64(a))
	case float64:
		rc = lib.Xsqlite3_bind_double(tls, h, i, a)
	case string:
		rc = bindText(s, i, a)
	case []byte:
		rc = s.bindBytes(i, a)
	default:
		if text, ok := textOf(a); ok {
			rc = bindText(s, i, text)
			break
		}
		plain, err := plainValue(a)
		if err != nil {
			return err
		}
		return s.bindOne(i, plain)
	}
	if rc != lib.SQLITE_OK {
		return s.conn.newError(rc)
	}
	return nil
}

func bindText(s *statement, i int32, text string) int32 {
	at := s.conn.arguments.copyText(text)
	n := int32(len(text)) //nolint:gosec // reserve has checked it
	return lib.Xsqlite3_bind_text(s.conn.tls, s.handle, i, at, n, lib.SQLITE_STATIC)
}

func (s *statement) bindBytes(i int32, b []byte) int32 {
	if b == nil {
		return lib.Xsqlite3_bind_null(s.conn.tls, s.handle, i)
	}
	at := s.conn.arguments.copyBytes(b)
	n := int32(len(b)) //nolint:gosec // reserve has checked it
	return lib.Xsqlite3_bind_blob(s.conn.tls, s.handle, i, at, n, lib.SQLITE_STATIC)
}

// textOf returns an argument of a type derived from string, as most are, without a copy.
func textOf(arg any) (string, bool) {
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		if _, ok := arg.(driver.Valuer); !ok {
			return v.String(), true
		}
	}
	return "", false
}

// plainValue returns an argument of another type as one of those that bindOne knows.
func plainValue(arg any) (any, error) {
	plain, err := driver.DefaultParameterConverter.ConvertValue(arg)
	switch v := plain.(type) {
	case bool:
		if v {
			return int64(1), err
		}
		return int64(0), err
	case time.Time:
		return nil, fmt.Errorf("sqlite: an argument of type %T", arg)
	}
	return plain, err
}

// argumentBytes returns the size of the texts and bytes among the arguments.
func argumentBytes(args []any) (n int) {
	for _, arg := range args {
		switch a := arg.(type) {
		case string:
			n += len(a)
		case []byte:
			n += len(a)
		case nil, int64, int, float64:
		default:
			if text, ok := textOf(a); ok {
				n += len(text)
			} else if plain, err := plainValue(a); err == nil {
				n += argumentBytes([]any{plain})
			}
		}
	}
	return n
}

// arena is memory of SQLite's for the arguments of one statement at a time. It grows as needed; when it is larger than
// maxKeptBytes, it is freed before the next statement.
type arena struct {
	conn *Conn
	at   uintptr
	size int
	used int
}

const (
	minArenaBytes = 16 << 10
	maxKeptBytes  = 1 << 20
)

// reserve makes space for the arguments of the next statement.
func (a *arena) reserve(n int) error {
	a.used = 0
	switch {
	case n > math.MaxInt32/2:
		return &Error{Code: lib.SQLITE_TOOBIG, Message: "string or blob too big"}
	case n < a.size && a.size <= maxKeptBytes:
		return nil
	}
	a.free()
	size := max(2*n, minArenaBytes)
	if a.at = lib.Xsqlite3_malloc64(a.conn.tls, uint64(size)); a.at == 0 { //nolint:gosec // not negative
		return &Error{Code: lib.SQLITE_NOMEM, Message: "out of memory"}
	}
	a.size = size
	return nil
}

func (a *arena) free() {
	if a.at != 0 {
		lib.Xsqlite3_free(a.conn.tls, a.at)
	}
	a.at, a.size = 0, 0
}

func (a *arena) copyText(text string) uintptr {
	at := a.take(len(text))
	copy(libc.GoBytes(at, len(text)), text)
	return at
}

func (a *arena) copyBytes(b []byte) uintptr {
	at := a.take(len(b))
	copy(libc.GoBytes(at, len(b)), b)
	return at
}

// take returns the address of n bytes. There is always one byte more, so that an empty text has an address as well.
func (a *arena) take(n int) uintptr {
	at := a.at + uintptr(a.used) //nolint:gosec // not negative
	a.used += n
	return at
}
