package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/sqldb"
)

// field is a column of a table and its value: a pointer to the place in a noun, a columnDest where the database holds
// it in another form, or, where it is only written, the value itself or a func() any that returns it.
type field struct {
	column string
	value  any
}

// columnDest is a place in a noun into which a column is scanned and from which it is written (rows.go).
type columnDest interface {
	sql.Scanner
	arg() any
}

// arg returns the value as an argument of a statement.
func (f field) arg() any {
	switch v := f.value.(type) {
	case nil:
		return nil
	case columnDest:
		return v.arg()
	case func() any:
		return v()
	}
	v := reflect.ValueOf(f.value)
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() { // the databases take longer for a type that is derived from one of these
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int64:
		return v.Int()
	case reflect.Bool:
		return boolToInt(v.Bool())
	default:
		return v.Interface()
	}
}

// table is how a noun is stored: the fields of its rows. What is read from several tables has their join as its name.
type table[T any] struct {
	name        string
	columns     string // what a select reads, one column a line
	fields      func(*T) []field
	insertQuery string           // writes a row
	selects     *sqldb.TextCache // by what follows the name of the table
	records     *sync.Pool
}

// newTable returns the table of a noun. Its fields are listed once for many rows: a value that differs from row to row
// is a pointer, a columnDest or a function.
func newTable[T any](name string, fields func(*T) []field) table[T] {
	t := table[T]{name: name, columns: columnList(fields(new(T))), fields: fields, selects: &sqldb.TextCache{}}
	t.insertQuery = insertQuery(name, t.columns, len(fields(new(T))), 1)
	t.records = &sync.Pool{New: func() any { return newRecord(t) }}
	return t
}

// record is a noun with its fields. It takes longer to list them than to read or write a row, so records are used again
// and again.
type record[T any] struct {
	noun   T
	fields []field
	scan   func(sqldb.Scan) (T, error)
}

func newRecord[T any](t table[T]) *record[T] {
	r := &record[T]{}
	r.fields = t.fields(&r.noun)
	dests, zero := make([]any, len(r.fields)), r.noun
	for i, f := range r.fields {
		dests[i] = f.value
	}
	r.scan = func(scan sqldb.Scan) (noun T, err error) {
		r.noun = zero
		err = scan(dests...)
		if id := reflect.ValueOf(dests[0]); err != nil && id.Kind() == reflect.Pointer && !id.Elem().IsZero() {
			name, _, _ := strings.Cut(t.name, " ")
			err = fmt.Errorf("%s %v: %w", name, id.Elem(), err)
		}
		noun, r.noun = r.noun, zero
		return noun, err
	}
	return r
}

// maxSelectTexts bounds the cache of selects: conditions with lists have a text for each length.
const maxSelectTexts = 64

func (t table[T]) selectText(rest string) string {
	text, ok := t.selects.Find(rest)
	if !ok {
		text = `select ` + t.columns + ` from ` + t.name + ` ` + rest
		t.selects.Add(rest, text, maxSelectTexts)
	}
	return text
}

// columnList lists the columns of fields, one a line.
func columnList(fields []field) string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = "\n  " + f.column
	}
	return strings.Join(columns, ",")
}

// withAlias returns fields of a table that a statement calls by another name.
func withAlias(alias string, fields []field) []field {
	for i := range fields {
		fields[i].column = alias + "." + fields[i].column
	}
	return fields
}

// reader returns a function that scans one row after the other. A column that cannot be read fails with the id of its
// row, which is the first column.
func (t table[T]) reader() func(sqldb.Scan) (T, error) { return newRecord(t).scan }

// list returns all rows of a select; rest is what follows the name of the table.
func (t table[T]) list(ctx context.Context, db *DB, rest string, args ...any) ([]T, error) {
	return t.listFrom(ctx, db, t.selectText(rest), args...)
}

// listFrom returns all rows of a statement that returns the table's columns.
func (t table[T]) listFrom(ctx context.Context, db *DB, query string, args ...any) ([]T, error) {
	r := t.records.Get().(*record[T])
	defer t.records.Put(r)
	return sqldb.All(ctx, db.sql, r.scan, query, args...)
}

// one returns the first row of a select; IsNotFound is true of its error if there is none.
func (t table[T]) one(ctx context.Context, db *DB, rest string, args ...any) (T, error) {
	return t.oneFrom(ctx, db, t.selectText(rest), args...)
}

// oneFrom is one of a statement that returns the table's columns.
func (t table[T]) oneFrom(ctx context.Context, db *DB, query string, args ...any) (T, error) {
	r := t.records.Get().(*record[T])
	defer t.records.Put(r)
	return sqldb.One(ctx, db.sql, r.scan, query, args...)
}

// find returns the first row of a select. Fails with the code if there is none.
func (t table[T]) find(ctx context.Context, db *DB, code parley.Code, rest string, args ...any) (*T, error) {
	v, err := t.one(ctx, db, rest, args...)
	if err != nil {
		return nil, mapNotFound(err, code)
	}
	return &v, nil
}

// findOrNil returns the first row of a select, or nil.
func (t table[T]) findOrNil(ctx context.Context, db *DB, rest string, args ...any) (*T, error) {
	v, err := t.one(ctx, db, rest, args...)
	switch {
	case sqldb.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}

// queueFind has the first row of a select read into found, which is nil if there is none, by the time that the
// transaction needs the result of another statement or commits.
func (t table[T]) queueFind(ctx context.Context, db *DB, found **T, rest string, args ...any) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		*found = nil
		if !rows.Next() {
			return rows.Err()
		}
		r := t.records.Get().(*record[T])
		defer t.records.Put(r)
		noun, err := r.scan(rows.Scan)
		*found = &noun
		return err
	}, t.selectText(rest), args...)
}

// page returns a page of a list that runs from the newest to the oldest.
func (t table[T]) page(ctx context.Context, db *DB, ask parley.PageRequest, cursorOf func(T) parley.Cursor,
	where string, args ...any) (page parley.Page[T], err error) {
	if page.Total, err = db.count(ctx, `from `+t.name+` where `+where, args...); err != nil {
		return page, err
	}
	page.Items, page.Next, err = t.pageItems(ctx, db, ask, cursorOf, where, args...)
	return page, err
}

// pageItems returns what is on a page, and the cursor of the next one.
func (t table[T]) pageItems(ctx context.Context, db *DB, ask parley.PageRequest, cursorOf func(T) parley.Cursor,
	where string, args ...any) ([]T, *parley.Cursor, error) {
	after := startCursor(ask)
	list, err := t.list(ctx, db, `
		where `+where+` and (created_at, id) < (?, ?)
		order by created_at desc, id desc
		limit ?`, append(args[:len(args):len(args)], after.SortValue, after.ID, ask.Limit+1)...)
	items, next := cutPage(list, ask.Limit, cursorOf)
	return items, next, err
}

// insert writes rows; rest is what follows the values, such as `on conflict`.
func (t table[T]) insert(ctx context.Context, db *DB, rest string, rows ...*T) error {
	query, args := t.insertion(rest, rows...)
	return db.exec(ctx, query, args...)
}

// queueInsert is insert of one row that does not wait for it.
func (t table[T]) queueInsert(ctx context.Context, db *DB, row *T) error {
	query, args := t.insertion("", row)
	return db.sql.Queue(ctx, query, args...)
}

// insertion returns a statement that writes rows, with its arguments.
func (t table[T]) insertion(rest string, rows ...*T) (query string, args []any) {
	args = t.args(0, rows...)
	if query = t.insertQuery; len(rows) != 1 {
		query = insertQuery(t.name, t.columns, len(args)/len(rows), len(rows))
	}
	return query + rest, args
}

// args returns the values of rows as arguments of a statement, with space for some more.
func (t table[T]) args(more int, rows ...*T) []any {
	r := t.records.Get().(*record[T])
	defer t.records.Put(r)
	args, zero := make([]any, 0, len(rows)*len(r.fields)+more), r.noun
	for _, row := range rows {
		r.noun = *row
		for _, f := range r.fields {
			args = append(args, f.arg())
		}
	}
	r.noun = zero
	return args
}

func insertQuery(table, columns string, fields, rows int) string {
	row := placeholders(fields)
	return `insert into ` + table + ` (` + columns + `) values ` + row + strings.Repeat(`, `+row, rows-1)
}

// insert writes a row whose fields no noun has all of; rest is what follows the values.
func (db *DB) insert(ctx context.Context, table, rest string, fields ...field) error {
	return db.exec(ctx, insertQuery(table, columnList(fields), len(fields), 1)+rest, argsOf(fields)...)
}

func argsOf(fields []field) []any {
	args := make([]any, len(fields))
	for i, f := range fields {
		args[i] = f.arg()
	}
	return args
}

// update writes fields of the rows that where finds and returns their number.
func (db *DB) update(ctx context.Context, table string, fields []field, where string, args ...any) (int64, error) {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = f.column + ` = ?`
	}
	return db.sql.Exec(ctx, `update `+table+` set `+strings.Join(columns, `, `)+` where `+where,
		append(argsOf(fields), args...)...)
}

// overwrite is the end of an insert that takes the columns over into the row that is there already.
func overwrite(key string, columns ...string) string {
	sets := make([]string, len(columns))
	for i, c := range columns {
		sets[i] = c + ` = excluded.` + c
	}
	return ` on conflict (` + key + `) do update set ` + strings.Join(sets, `, `)
}

// pick returns those of the table's fields in v that have the names.
func (t table[T]) pick(v *T, columns ...string) []field {
	var picked []field
	for _, f := range t.fields(v) {
		if slices.Contains(columns, f.column) {
			picked = append(picked, f)
		}
	}
	return picked
}

func (db *DB) exec(ctx context.Context, query string, args ...any) error {
	_, err := db.sql.Exec(ctx, query, args...)
	return err
}

// execFound runs a statement that fails with the code where it changes no row.
func (db *DB) execFound(ctx context.Context, code parley.Code, query string, args ...any) error {
	n, err := db.sql.Exec(ctx, query, args...)
	return requireChanged(n, err, code)
}

// requireRow fails with the code if there is no row; rest begins at `from`.
func (db *DB) requireRow(ctx context.Context, code parley.Code, rest string, args ...any) error {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select 1 `+rest, args...)
	return mapNotFound(err, code)
}

// count returns the number of rows; rest begins at `from`.
func (db *DB) count(ctx context.Context, rest string, args ...any) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) `+rest, args...)
}

// exists reports whether there are rows; rest begins at `from`.
func (db *DB) exists(ctx context.Context, rest string, args ...any) (bool, error) {
	n, err := db.count(ctx, rest, args...)
	return n > 0, err
}
