package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// field is a column of a table and its value: a pointer to the place in a noun, a columnDest where the database holds
// it in another form, or, where it is only written, the value itself.
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
	if f.value == nil {
		return nil
	}
	if d, ok := f.value.(columnDest); ok {
		return d.arg()
	}
	v := reflect.ValueOf(f.value)
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return v.Interface()
}

// table is how a noun is stored: the fields of its rows. What is read from several tables has their join as its name.
type table[T any] struct {
	name    string
	columns string // what a select reads, one column a line
	fields  func(*T) []field
}

func newTable[T any](name string, fields func(*T) []field) table[T] {
	return table[T]{name: name, columns: columnList("", fields(new(T))), fields: fields}
}

// columnList lists the columns of fields, each behind a prefix such as "t.".
func columnList(prefix string, fields []field) string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = "\n  " + prefix + f.column
	}
	return strings.Join(columns, ",")
}

// columnsOf lists the table's columns for a statement that calls the table by another name.
func (t table[T]) columnsOf(alias string) string { return columnList(alias+".", t.fields(new(T))) }

// dests are the places of the table's columns in v.
func (t table[T]) dests(v *T) []any { return destsOf(t.fields(v)) }

func destsOf(fields []field) []any {
	dests := make([]any, len(fields))
	for i, f := range fields {
		dests[i] = f.value
	}
	return dests
}

// reader returns a function that scans one row after the other. A column that cannot be read fails with the id of its
// row, which is the first column.
func (t table[T]) reader() func(sqldb.Scan) (T, error) {
	v, zero := new(T), *new(T)
	dests := t.dests(v)
	return func(scan sqldb.Scan) (T, error) {
		*v = zero
		err := scan(dests...)
		if id := reflect.ValueOf(dests[0]); err != nil && id.Kind() == reflect.Pointer && !id.Elem().IsZero() {
			name, _, _ := strings.Cut(t.name, " ")
			err = fmt.Errorf("%s %v: %w", name, id.Elem(), err)
		}
		return *v, err
	}
}

// list returns all rows of a select; rest is what follows the name of the table.
func (t table[T]) list(ctx context.Context, db *DB, rest string, args ...any) ([]T, error) {
	return sqldb.All(ctx, db.sql, t.reader(), `select `+t.columns+` from `+t.name+` `+rest, args...)
}

// one returns the first row of a select; IsNotFound is true of its error if there is none.
func (t table[T]) one(ctx context.Context, db *DB, rest string, args ...any) (T, error) {
	return sqldb.One(ctx, db.sql, t.reader(), `select `+t.columns+` from `+t.name+` `+rest, args...)
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

// page returns a page of a list that runs from the newest to the oldest.
func (t table[T]) page(ctx context.Context, db *DB, ask parley.PageRequest, cursorOf func(T) parley.Cursor,
	where string, args ...any) (page parley.Page[T], err error) {
	if page.Total, err = db.count(ctx, `from `+t.name+` where `+where, args...); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := t.list(ctx, db, `
		where `+where+` and (created_at < ? or (created_at = ? and id < ?))
		order by created_at desc, id desc
		limit ?`,
		append(args[:len(args):len(args)], after.SortValue, after.SortValue, after.ID, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, cursorOf)
	return page, err
}

// insertQuery returns a statement that writes rows, without what follows the values.
func (t table[T]) insertQuery(rows ...*T) (query string, args []any) {
	list := make([][]field, len(rows))
	for i, row := range rows {
		list[i] = t.fields(row)
	}
	return insertQuery(t.name, list...)
}

// insert writes a row; rest is what follows the values, such as `on conflict`.
func (t table[T]) insert(ctx context.Context, db *DB, row *T, rest string) error {
	query, args := t.insertQuery(row)
	return db.exec(ctx, query+rest, args...)
}

func insertQuery(table string, rows ...[]field) (query string, args []any) {
	for _, fields := range rows {
		for _, f := range fields {
			args = append(args, f.arg())
		}
	}
	row := placeholders(len(rows[0]))
	return `insert into ` + table + ` (` + columnList("", rows[0]) + `) values ` + row +
		strings.Repeat(`, `+row, len(rows)-1), args
}

// insert writes a row whose fields no noun has all of.
func (db *DB) insert(ctx context.Context, table string, fields ...field) error {
	query, args := insertQuery(table, fields)
	return db.exec(ctx, query, args...)
}

// update writes fields of the rows that where finds and returns their number.
func (db *DB) update(ctx context.Context, table string, fields []field, where string, args ...any) (int64, error) {
	columns, values := make([]string, len(fields)), make([]any, 0, len(fields)+len(args))
	for i, f := range fields {
		columns[i], values = f.column+` = ?`, append(values, f.arg())
	}
	values = append(values, args...)
	return db.sql.Exec(ctx, `update `+table+` set `+strings.Join(columns, `, `)+` where `+where, values...)
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
