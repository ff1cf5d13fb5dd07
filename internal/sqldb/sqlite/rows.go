package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strconv"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Rows are the rows of a statement.
type Rows struct {
	statement *statement
	ctx       context.Context
	stop      func() // no longer interrupts when ctx ends; may be nil
	err       error
	onFirst   bool // the first row has been read, and Next has not been called
	ended     bool // there is no further row
	closed    bool
}

// Next goes to the next row. It returns false after the last one and when the statement has failed: see Err.
func (r *Rows) Next() bool {
	if r.onFirst {
		r.onFirst = false
		return true
	}
	if r.closed || r.ended {
		return false
	}
	return r.step()
}

func (r *Rows) step() (hasRow bool) {
	hasRow, err := r.statement.step()
	if err != nil && r.ctx.Err() != nil {
		err = r.ctx.Err()
	}
	r.err, r.ended = err, !hasRow
	return hasRow
}

// Err returns why Next returned false; nil after the last row.
func (r *Rows) Err() error { return r.err }

// Close ends the statement. It may be called again.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed, r.onFirst = true, false
	if r.stop != nil {
		r.stop()
	}
	r.statement.reset()
	c := r.statement.conn
	c.statements.release(r.statement)
	c.isReading = false
	return nil
}

// Scan copies the columns of the row into the pointers, as database/sql does.
func (r *Rows) Scan(dest ...any) error {
	if r.closed {
		return fmt.Errorf("sqlite: the rows are closed")
	}
	s := r.statement
	if n := int(lib.Xsqlite3_data_count(s.conn.tls, s.handle)); n != len(dest) {
		return fmt.Errorf("sqlite: %d columns, %d destinations", n, len(dest))
	}
	for i, d := range dest {
		if err := s.scanColumn(int32(i), d); err != nil { //nolint:gosec // SQLite allows 32,767 columns
			return fmt.Errorf("sqlite: column %d: %w", i, err)
		}
	}
	return nil
}

func (s *statement) scanColumn(i int32, dest any) error {
	switch d := dest.(type) {
	case *string:
		if s.columnType(i) == lib.SQLITE_NULL {
			return errNull(dest)
		}
		*d = s.columnText(i)
	case *int64:
		return s.scanInt(i, dest, func(n int64) { *d = n })
	case *int:
		return s.scanInt(i, dest, func(n int64) { *d = int(n) })
	case *bool:
		return s.scanInt(i, dest, func(n int64) { *d = n != 0 })
	case *[]byte:
		*d = s.columnBytes(i)
	case *any:
		*d = s.columnValue(i)
	case sql.Scanner:
		return d.Scan(s.columnValue(i))
	default:
		return s.scanReflected(i, reflect.ValueOf(dest))
	}
	return nil
}

func errNull(dest any) error { return fmt.Errorf("converting NULL to %T is unsupported", dest) }

// scanInt calls set with the integer of a column.
func (s *statement) scanInt(i int32, dest any, set func(int64)) error {
	n, err := s.columnInt(i, dest)
	if err == nil {
		set(n)
	}
	return err
}

func (s *statement) columnInt(i int32, dest any) (int64, error) {
	switch s.columnType(i) {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(s.conn.tls, s.handle, i), nil
	case lib.SQLITE_NULL:
		return 0, errNull(dest)
	}
	return strconv.ParseInt(s.columnText(i), 10, 64)
}

func (s *statement) scanReflected(i int32, dest reflect.Value) error {
	if dest.Kind() != reflect.Pointer || dest.IsNil() {
		return fmt.Errorf("the destination is no pointer but %s", dest.Type())
	}
	to := dest.Elem()
	if to.Kind() == reflect.Pointer {
		if s.columnType(i) == lib.SQLITE_NULL {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return s.scanColumn(i, to.Interface())
	}
	if to.Kind() != reflect.Slice && s.columnType(i) == lib.SQLITE_NULL {
		return errNull(dest.Interface())
	}
	return s.setReflected(i, to)
}

func (s *statement) setReflected(i int32, to reflect.Value) error {
	switch to.Kind() {
	case reflect.String:
		to.SetString(s.columnText(i))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := s.columnInt(i, to.Interface())
		if err != nil || to.OverflowInt(n) {
			return fmt.Errorf("%d does not fit %s: %w", n, to.Type(), err)
		}
		to.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := s.columnInt(i, to.Interface())
		if err != nil || n < 0 || to.OverflowUint(uint64(n)) {
			return fmt.Errorf("%d does not fit %s: %w", n, to.Type(), err)
		}
		to.SetUint(uint64(n))
	case reflect.Bool:
		n, err := s.columnInt(i, to.Interface())
		if err != nil {
			return err
		}
		to.SetBool(n != 0)
	case reflect.Float32, reflect.Float64:
		to.SetFloat(lib.Xsqlite3_column_double(s.conn.tls, s.handle, i))
	case reflect.Slice:
		if to.Type().Elem().Kind() != reflect.Uint8 {
			return fmt.Errorf("a destination of type %s", to.Type())
		}
		to.SetBytes(s.columnBytes(i))
	default:
		return fmt.Errorf("a destination of type %s", to.Type())
	}
	return nil
}

func (s *statement) columnType(i int32) int32 {
	return lib.Xsqlite3_column_type(s.conn.tls, s.handle, i)
}

func (s *statement) columnText(i int32) string {
	at := lib.Xsqlite3_column_text(s.conn.tls, s.handle, i)
	n := lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, i)
	if at == 0 || n == 0 {
		return ""
	}
	return string(libc.GoBytes(at, int(n)))
}

// columnBytes returns a copy of a column's bytes; nil for NULL.
func (s *statement) columnBytes(i int32) []byte {
	if s.columnType(i) == lib.SQLITE_NULL {
		return nil
	}
	at := lib.Xsqlite3_column_blob(s.conn.tls, s.handle, i)
	n := lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, i)
	b := make([]byte, n)
	if n > 0 {
		copy(b, libc.GoBytes(at, int(n)))
	}
	return b
}

// columnValue returns the column as it is stored: int64, float64, string, []byte or nil.
func (s *statement) columnValue(i int32) any {
	switch s.columnType(i) {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(s.conn.tls, s.handle, i)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(s.conn.tls, s.handle, i)
	case lib.SQLITE_TEXT:
		return s.columnText(i)
	case lib.SQLITE_BLOB:
		return s.columnBytes(i)
	}
	return nil
}
