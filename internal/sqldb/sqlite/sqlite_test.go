package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"

	"parley/internal/sqldb/sqlite"
)

func open(t *testing.T) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.Open(filepath.Join(t.TempDir(), "a?b#c%d.db"), "journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func exec(t *testing.T, c *sqlite.Conn, query string, args ...any) int64 {
	t.Helper()
	n, err := c.Exec(query, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scanRow reads the first row of a query.
func scanRow(t *testing.T, c *sqlite.Conn, query string, args []any, dest ...any) error {
	t.Helper()
	rows, err := c.Query(t.Context(), query, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return rows.Scan(dest...)
}

type (
	name  string
	count uint16
)

func TestValuesAreReadAsTheyWereStored(t *testing.T) {
	c := open(t)
	large := strings.Repeat("ä", 3<<20)
	pointed := "pointed"
	for _, tt := range []struct {
		arg  any
		dest func() any // returns a pointer to read it into
		want any
	}{
		{int64(1) << 62, func() any { return new(int64) }, int64(1) << 62},
		{-7, func() any { return new(int) }, -7},
		{count(65535), func() any { return new(count) }, count(65535)},
		{1.5, func() any { return new(float64) }, 1.5},
		{true, func() any { return new(bool) }, true},
		{"a\x00b", func() any { return new(string) }, "a\x00b"},
		{"", func() any { return new(string) }, ""},
		{large, func() any { return new(string) }, large},
		{name("derived"), func() any { return new(name) }, name("derived")},
		{[]byte{}, func() any { return new([]byte) }, []byte{}},
		{[]byte{0, 255}, func() any { return new([]byte) }, []byte{0, 255}},
		{"text", func() any { return new([]byte) }, []byte("text")},
		{[]byte(nil), func() any { return new([]byte) }, []byte(nil)},
		{nil, func() any { return new(any) }, nil},
		{nil, func() any { return new(sql.NullString) }, sql.NullString{}},
		{sql.NullString{String: "x", Valid: true}, func() any { return new(sql.NullString) },
			sql.NullString{String: "x", Valid: true}},
		{&pointed, func() any { return new(string) }, "pointed"},
		{(*string)(nil), func() any { return new(*string) }, (*string)(nil)},
		{"12", func() any { return new(int) }, 12},
	} {
		dest := tt.dest()
		if err := scanRow(t, c, `select ?`, []any{tt.arg}, dest); err != nil {
			t.Errorf("%T: %v", tt.arg, err)
			continue
		}
		if got := fmt.Sprintf("%#v", deref(dest)); got != fmt.Sprintf("%#v", tt.want) {
			t.Errorf("%T was read as %.80s", tt.arg, got)
		}
	}
}

func deref(pointer any) any {
	switch p := pointer.(type) {
	case *int64:
		return *p
	case *int:
		return *p
	case *count:
		return *p
	case *float64:
		return *p
	case *bool:
		return *p
	case *string:
		return *p
	case *name:
		return *p
	case *[]byte:
		return *p
	case *any:
		return *p
	case *sql.NullString:
		return *p
	case **string:
		return *p
	}
	return pointer
}

func TestValuesThatDoNotFitAreRefused(t *testing.T) {
	c := open(t)
	for _, tt := range []struct {
		arg, dest any
	}{
		{nil, new(string)}, {nil, new(int)}, {nil, new(name)}, {70000, new(count)}, {-1, new(count)},
		{"word", new(int)}, {1, new(chan int)}, {1, 1}, {struct{}{}, new(int)}, {^uint64(0), new(int)},
	} {
		if err := scanRow(t, c, `select ?`, []any{tt.arg}, tt.dest); err == nil {
			t.Errorf("%v was read into a %T", tt.arg, tt.dest)
		}
	}
	if err := scanRow(t, c, `select 1, 2`, nil, new(int)); err == nil {
		t.Error("two columns were read into one")
	}
	if _, err := c.Exec(`select ?`, nil); err == nil {
		t.Error("a statement ran without its argument")
	}
}

func TestStatementRunsAgainWithOtherArguments(t *testing.T) {
	c := open(t)
	exec(t, c, `create table t (id integer primary key, body text); create index t_body on t (body)`)
	for i := range 1000 {
		if n := exec(t, c, `insert into t values (?, ?)`, i, strings.Repeat("x", i)); n != 1 {
			t.Fatal(n)
		}
	}
	var sum, rows int
	bodies, err := c.Query(t.Context(), `select body from t order by id limit ?`, []any{500})
	if err != nil {
		t.Fatal(err)
	}
	for bodies.Next() {
		var body []byte
		if err := bodies.Scan(&body); err != nil {
			t.Fatal(err)
		}
		sum, rows = sum+len(body), rows+1
	}
	if bodies.Next() || bodies.Err() != nil || bodies.Close() != nil || bodies.Close() != nil {
		t.Error("the rows do not end", bodies.Err())
	}
	if rows != 500 || sum != 499*500/2 {
		t.Error(rows, sum)
	}
	if n := exec(t, c, `update t set body = ? where id < ?`, bytes.Repeat([]byte{1}, 10), 7); n != 7 {
		t.Error(n)
	}
}

// Runs more statements than the cache keeps, each of them twice.
func TestStatementsLeaveTheFullCache(t *testing.T) {
	c := open(t)
	for range 2 {
		for i := range 600 {
			var n int
			if err := scanRow(t, c, fmt.Sprintf(`select %d + ?`, i), []any{1}, &n); err != nil || n != i+1 {
				t.Fatal(n, err)
			}
		}
	}
}

func TestErrorsHaveTheCodeOfSQLite(t *testing.T) {
	c := open(t)
	exec(t, c, `create table t (id text primary key)`)
	exec(t, c, `insert into t values ('a')`)
	var e *sqlite.Error
	if _, err := c.Exec(`insert into t values ('a')`, nil); !errors.As(err, &e) ||
		e.Code != lib.SQLITE_CONSTRAINT_PRIMARYKEY {
		t.Error(err)
	}
	if err := scanRow(t, c, `insert into t values (?) returning id`, []any{"a"}, new(string)); !errors.As(err, &e) ||
		e.Code != lib.SQLITE_CONSTRAINT_PRIMARYKEY {
		t.Error(err)
	}
	if _, err := c.Exec(`nonsense`, nil); !errors.As(err, &e) || e.Code&0xff != lib.SQLITE_ERROR {
		t.Error(err)
	}
	if _, err := sqlite.Open(filepath.Join(t.TempDir(), "missing", "a.db")); !errors.As(err, &e) ||
		e.Code&0xff != lib.SQLITE_CANTOPEN {
		t.Error(err)
	}
	if n := exec(t, c, `insert into t values ('b')`); n != 1 {
		t.Error("the connection cannot be used after an error")
	}
}

// endless runs until it is interrupted.
const endless = `with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c`

func TestStatementEndsWithItsContext(t *testing.T) {
	c := open(t)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if _, err := c.Query(ctx, endless, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
		var n int
		if err := scanRow(t, c, `select 1`, nil, &n); err != nil || n != 1 {
			t.Error("the next statement was interrupted as well:", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := c.Query(ctx, `select 1 union all select 2`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(t.Context(), `select 1`, nil); err == nil {
		t.Error("a second statement ran while rows were open")
	}
	cancel()
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Query(ctx, `select 1`, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTotalChanges(t *testing.T) {
	c := open(t)
	exec(t, c, `create table t (id integer primary key)`)
	before := c.TotalChanges()
	exec(t, c, `insert into t values (1), (2)`)
	exec(t, c, `delete from t where id = 3`)
	if n := c.TotalChanges() - before; n != 2 {
		t.Error(n)
	}
}
