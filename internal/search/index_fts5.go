package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/internal/sqldb"
)

// fts5Index is the index on SQLite: two contentless FTS5 tables, whose rowids are our ids. A range of rowids is taken
// by FTS5 itself, in either direction, so that no other table decides where it begins to look.
type fts5Index struct{}

var _ Index = fts5Index{}

// Begin does nothing: SQLite has one writer, with settings of its own.
func (fts5Index) Begin(context.Context, *sqldb.DB, bool) error { return nil }

// Put writes the rows by their ids: FTS5 makes another segment whenever an id is lower than the one before.
func (fts5Index) Put(ctx context.Context, tx *sqldb.DB, t table, rows []row) error {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	return inChunks(rows, func(some []row) error {
		args := make([]any, 0, 2*len(some))
		for _, r := range some {
			args = append(args, r.id, strings.Join(r.tokens, " "))
		}
		return tx.Queue(ctx, `insert or replace into `+string(t)+` (rowid, words) values `+
			repeatPlaceholders("(?, ?)", len(some)), args...)
	})
}

func (fts5Index) Delete(ctx context.Context, tx *sqldb.DB, t table, ids []int64) error {
	return inChunks(ids, func(some []int64) error {
		return tx.Queue(ctx, `
			delete from `+string(t)+` where rowid in (`+repeatPlaceholders("?", len(some))+`)`, toAny(some)...)
	})
}

// listQuery reads the table in which FTS5 keeps the sizes of its rows: it has the rowids in order.
func (fts5Index) listQuery(t table) string {
	return `select id from ` + string(t) + `_docsize where id between ? and ? order by id limit ?`
}

func (f fts5Index) ListIDs(ctx context.Context, db *sqldb.DB, t table, in idRange, limit int) ([]int64, error) {
	return sqldb.All(ctx, db, sqldb.Column[int64], f.listQuery(t), in.from, in.to, limit)
}

func (fts5Index) findQuery(t table) string {
	return `
		select rowid
		from ` + string(t) + `
		where ` + string(t) + ` match ? and rowid between ? and ? order by rowid desc limit ?`
}

func (f fts5Index) Find(ctx context.Context, db *sqldb.DB, t table, e expr, in idRange, limit int) ([]int64, error) {
	return queryIDs(ctx, db, f.findQuery(t), e.format(`"`, " AND ", " OR "), in.from, in.to, limit)
}

func (f fts5Index) FindFew(ctx context.Context, db *sqldb.DB, t table, e expr, agent int64, numbers []int64,
	limit int) ([]int64, error) {
	return f.Find(ctx, db, t, e, conversationRange(agent, numbers[len(numbers)-1], numbers[0]), limit)
}

// format writes the expression with the database's quotes and operators. A token holds no quote, no backslash and no
// space.
func (e expr) format(quote, and, or string) string {
	all := make([]string, len(e.groups))
	for i, g := range e.groups {
		all[i] = anyTokenExpr(g, quote, or)
	}
	text := strings.Join(all, and)
	if len(e.looseTokens) == 0 {
		return text
	}
	return "(" + text + ")" + or + "(" + quote + multiBucketToken + quote + and + anyTokenExpr(e.looseTokens, quote,
		or) + ")"
}

func anyTokenExpr(tokens []string, quote, or string) string {
	text := quote + strings.Join(tokens, quote+or+quote) + quote
	if len(tokens) == 1 {
		return text
	}
	return "(" + text + ")"
}

// inChunks hands on the list in pieces of few sizes, so that there are few statements to prepare.
func inChunks[T any](list []T, do func([]T) error) error {
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

func repeatPlaceholders(s string, n int) string { return strings.Repeat(", "+s, n)[2:] }

func toAny[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}
