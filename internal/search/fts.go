package search

import (
	"context"
	"strings"

	"parley/internal/sqldb"
)

// fts is the index on SQLite: two contentless FTS5 tables, whose rowids are our ids. A range of rowids is taken by FTS5 itself,
// in either direction, so that no other table decides where it begins to look.
type fts struct{}

var _ Index = fts{}

func (fts) Put(ctx context.Context, tx *sqldb.DB, t table, rows []row) error {
	return inSteps(rows, func(some []row) error {
		args := make([]any, 0, 2*len(some))
		for _, r := range some {
			args = append(args, r.id, strings.Join(r.tokens, " "))
		}
		_, err := tx.Exec(ctx, `insert or replace into `+string(t)+` (rowid, words) values `+repeated("(?, ?)", len(some)), args...)
		return err
	})
}

func (fts) Drop(ctx context.Context, tx *sqldb.DB, t table, ids []int64) error {
	return inSteps(ids, func(some []int64) error {
		_, err := tx.Exec(ctx, `delete from `+string(t)+` where rowid in (`+repeated("?", len(some))+`)`, anys(some)...)
		return err
	})
}

// heldQuery reads the table in which FTS5 keeps the sizes of its rows: it has the rowids in order.
func (fts) heldQuery(t table) string {
	return `select id from ` + string(t) + `_docsize where id between ? and ? order by id limit ?`
}

func (f fts) Held(ctx context.Context, db *sqldb.DB, t table, in span, limit int) ([]int64, error) {
	return sqldb.All(ctx, db, sqldb.Column[int64], f.heldQuery(t), in.from, in.to, limit)
}

func (fts) findQuery(t table) string {
	return `select rowid from ` + string(t) + ` where ` + string(t) + ` match ? and rowid between ? and ? order by rowid desc limit ?`
}

func (f fts) Find(ctx context.Context, db *sqldb.DB, t table, e expr, in span, limit int) ([]int64, error) {
	return sqldb.All(ctx, db, sqldb.Column[int64], f.findQuery(t), e.text(`"`, " AND ", " OR "), in.from, in.to, limit)
}

// text writes the expression with the database's quotes and operators. A token holds no quote, no backslash and no space.
func (e expr) text(quote, and, or string) string {
	all := make([]string, len(e.groups))
	for i, g := range e.groups {
		all[i] = anyOf(g, quote, or)
	}
	text := strings.Join(all, and)
	if len(e.loose) == 0 {
		return text
	}
	return "(" + text + ")" + or + "(" + quote + parted + quote + and + anyOf(e.loose, quote, or) + ")"
}

func anyOf(tokens []string, quote, or string) string {
	text := quote + strings.Join(tokens, quote+or+quote) + quote
	if len(tokens) == 1 {
		return text
	}
	return "(" + text + ")"
}

// inSteps hands on the list in pieces of few sizes, so that there are few statements to prepare.
func inSteps[T any](list []T, do func([]T) error) error {
	for _, size := range []int{64, 16, 4, 1} {
		for len(list) >= size {
			if err := do(list[:size]); err != nil {
				return err
			}
			list = list[size:]
		}
	}
	return nil
}

func repeated(s string, n int) string { return strings.Repeat(", "+s, n)[2:] }

func anys[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}
