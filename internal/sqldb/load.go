package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// TableLoad is a table of PostgreSQL and what it is to hold, in the format of Snapshot.CopyTable.
type TableLoad struct {
	Table Table
	Rows  int64
	Open  func() (io.ReadCloser, error)
}

// LoadTables fills tables of a PostgreSQL database in one transaction, in place of what they hold. It fails, and
// changes nothing, if a table does not get its number of rows.
func LoadTables(ctx context.Context, c Config, loads []TableLoad) error {
	c.AllowAsyncCommit = true // the commit below waits for the disk whatever the server is set to
	opened, err := openPostgres(ctx, c)
	if err != nil {
		return err
	}
	e := opened.(*postgresEngine)
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return errors.Join(e.mapError(ctx, "connect", err), e.close())
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local synchronous_commit = on"); err != nil {
			return err
		}
		return loadTables(ctx, tx, loads)
	})
	conn.Release()
	return errors.Join(err, e.close())
}

func loadTables(ctx context.Context, tx pgx.Tx, loads []TableLoad) error {
	if len(loads) == 0 {
		return nil
	}
	names := make([]string, len(loads))
	for i, l := range loads {
		names[i] = quoteName(l.Table.Name)
	}
	if _, err := tx.Exec(ctx, "truncate "+strings.Join(names, ", ")); err != nil {
		return err
	}
	references, err := listReferences(ctx, tx)
	if err != nil {
		return err
	}
	for _, l := range orderLoads(loads, references) {
		if err := l.copyFrom(ctx, tx); err != nil {
			return fmt.Errorf("fill the table %s: %w", l.Table.Name, err)
		}
	}
	return nil
}

func (l TableLoad) copyFrom(ctx context.Context, tx pgx.Tx) error {
	from, err := l.Open()
	if err != nil {
		return err
	}
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, from, "copy "+l.Table.columnList()+" from stdin")
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	if tag.RowsAffected() != l.Rows {
		return fmt.Errorf("it got %d rows instead of %d", tag.RowsAffected(), l.Rows)
	}
	return nil
}

// listReferences lists the tables that each table refers to by foreign keys.
func listReferences(ctx context.Context, tx pgx.Tx) (map[string][]string, error) {
	rows, err := tx.Query(ctx, `
		select cast(f.relname as text), cast(t.relname as text)
		from pg_constraint k
		join pg_class f on f.oid = k.conrelid
		join pg_class t on t.oid = k.confrelid
		join pg_namespace n on n.oid = f.relnamespace
		where k.contype = 'f' and n.nspname = current_schema()`)
	if err != nil {
		return nil, err
	}
	references := map[string][]string{}
	var from, to string
	_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		if from != to {
			references[from] = append(references[from], to)
		}
		return nil
	})
	return references, err
}

// orderLoads puts each table behind those that it refers to.
func orderLoads(loads []TableLoad, references map[string][]string) (ordered []TableLoad) {
	left := slices.Clone(loads)
	for len(left) > 0 {
		waits := func(l TableLoad) bool {
			return slices.ContainsFunc(left, func(other TableLoad) bool {
				return slices.Contains(references[l.Table.Name], other.Table.Name)
			})
		}
		free := slices.DeleteFunc(slices.Clone(left), waits)
		if len(free) == 0 { // tables that refer to each other: PostgreSQL will say so
			return append(ordered, left...)
		}
		ordered = append(ordered, free...)
		left = slices.DeleteFunc(slices.Clone(left), func(l TableLoad) bool { return !waits(l) })
	}
	return ordered
}
