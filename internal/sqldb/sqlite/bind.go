package sqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"

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
	return lib.Xsqlite3_bind_text(s.conn.tls, s.handle, i, at, int32(len(text)), lib.SQLITE_STATIC) //nolint:gosec // reserve checks
}

func (s *statement) bindBytes(i int32, b []byte) int32 {
	if b == nil {
		return lib.Xsqlite3_bind_null(s.conn.tls, s.handle, i)
	}
	at := s.conn.arguments.copyBytes(b)
	return lib.Xsqlite3_bind_blob(s.conn.tls, s.handle, i, at, int32(len(b)), lib.SQLITE_STATIC) //nolint:gosec // reserve checks
}

// plainValue returns the argument of a derived type as one of those that bindOne knows.
func plainValue(arg any) (any, error) {
	if v, ok := arg.(driver.Valuer); ok {
		return v.Value()
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return v.Elem().Interface(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		if v.Bool() {
			return int64(1), nil
		}
		return int64(0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Uint() > math.MaxInt64 {
			return nil, fmt.Errorf("sqlite: %d is too large", v.Uint())
		}
		return int64(v.Uint()), nil //nolint:gosec // checked
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("sqlite: an argument of type %T", arg)
}

// argumentBytes is the size of the texts and bytes among the arguments.
func argumentBytes(args []any) (n int) {
	for _, arg := range args {
		switch a := arg.(type) {
		case string:
			n += len(a)
		case []byte:
			n += len(a)
		case nil, int64, int, float64:
		default:
			if plain, err := plainValue(a); err == nil {
				n += argumentBytes([]any{plain})
			}
		}
	}
	return n
}

// An arena is memory of SQLite's for the arguments of one statement at a time. It grows to the largest, up to
// maxKeptBytes; what is larger is given back before the next.
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

// take returns the address of n bytes; there is always one byte more, so that an empty text has an address, too.
func (a *arena) take(n int) uintptr {
	at := a.at + uintptr(a.used) //nolint:gosec // not negative
	a.used += n
	return at
}
