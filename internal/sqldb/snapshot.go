package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	lib "modernc.org/sqlite/lib"

	"parley/internal/sqldb/sqlite"
)

// Snapshot is a database as it was at one moment, whatever is written to it meanwhile. It is read only, and may be open
// in another process than the server. One goroutine uses it at a time. After a query that failed it is of no use on
// PostgreSQL.
type Snapshot struct {
	DB *DB

	file   *sqlite.Conn  // of SQLite
	tables *pgxpool.Conn // of PostgreSQL
}

// OpenSnapshot opens a database that exists as it is now. It neither locks nor migrates it.
func OpenSnapshot(ctx context.Context, c Config) (*Snapshot, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if isPostgres(c.URL) {
		return openPostgresSnapshot(ctx, c)
	}
	return openSQLiteSnapshot(ctx, c.URL)
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.DB.Close() }

// CopyFile copies a SQLite database as it is in the snapshot to a file that does not exist yet, and returns when the
// copy is on disk.
func (s *Snapshot) CopyFile(ctx context.Context, to string) error {
	if s.file == nil {
		return errors.New("sqldb: PostgreSQL is no file")
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // SQLite would let others read it
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	err = s.file.Backup(ctx, to)
	if code := sqliteCode(err) & 0xff; code == lib.SQLITE_FULL || code == lib.SQLITE_IOERR {
		return fullError{err}
	}
	return err
}

// fullError is the error of a file that could not be written for lack of space.
type fullError struct{ error }

func (e fullError) Unwrap() error { return e.error }

// Is makes errors.Is(err, ErrFull) true.
func (e fullError) Is(target error) bool { return target == ErrFull }

// Table is a table of PostgreSQL with its columns, in their order.
type Table struct {
	Name    string
	Columns []string
}

// Tables lists the tables of a PostgreSQL database, in the order of their names.
func (s *Snapshot) Tables(ctx context.Context) ([]Table, error) { return listTables(ctx, s.DB) }

func listTables(ctx context.Context, db *DB) ([]Table, error) {
	var tables []Table
	var table, column string
	err := Each(ctx, db, []any{&table, &column}, func() {
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, column)
	}, `
		select cast(c.table_name as text), cast(c.column_name as text)
		from information_schema.columns c
		join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
		where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
		order by c.table_name collate "C", c.ordinal_position`)
	return tables, err
}

// CopyTable writes the rows of a table of PostgreSQL in the text format of its command copy, which all versions read,
// and returns their number.
func (s *Snapshot) CopyTable(ctx context.Context, t Table, to io.Writer) (rows int64, err error) {
	if s.tables == nil {
		return 0, errors.New("sqldb: SQLite is copied as a file")
	}
	tag, err := s.tables.Conn().PgConn().CopyTo(ctx, to, "copy "+t.columnList()+" to stdout")
	return tag.RowsAffected(), err
}

// columnList returns the table with its columns, quoted.
func (t Table) columnList() string {
	quoted := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		quoted[i] = quoteName(name)
	}
	return quoteName(t.Name) + " (" + strings.Join(quoted, ", ") + ")"
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// readOnly is the part of an engine that a snapshot does not have.
type readOnly struct{}

var errReadOnly = errors.New("sqldb: a snapshot is read only")

func (readOnly) exec(context.Context, string, []any) (int64, error) { return 0, errReadOnly }

func (readOnly) transact(context.Context, Lane, func(*transaction) error) error { return errReadOnly }

func (readOnly) transactDeferred(context.Context, Lane, func(*Deferral), func(*transaction) error) error {
	return errReadOnly
}

func (readOnly) migrate(context.Context, migrations) error { return errReadOnly }

func (readOnly) setQuota(context.Context, int) error { return errReadOnly }

// sqliteSnapshot is a connection in a transaction that has read, and so sees the file as it was then.
type sqliteSnapshot struct {
	readOnly
	conn *sqlite.Conn
}

func openSQLiteSnapshot(ctx context.Context, file string) (*Snapshot, error) {
	if _, err := os.Stat(file); err != nil { // SQLite would create it
		return nil, err
	}
	conn, err := sqlite.Open(file, readerPragmas...)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	_, err = conn.Exec("begin", nil)
	if err == nil {
		var tables int
		err = queryRow(ctx, conn, "select count(*) from sqlite_schema", &tables)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, errors.Join(err, conn.Close()))
	}
	return &Snapshot{DB: &DB{engine: &sqliteSnapshot{conn: conn}}, file: conn}, nil
}

func (s *sqliteSnapshot) dialect() Dialect { return SQLite }

func (s *sqliteSnapshot) query(ctx context.Context, query string, args []any) (*Rows, error) {
	rows, err := s.conn.Query(ctx, query, args)
	if err != nil {
		return nil, mapSQLiteError(query, err)
	}
	return newSQLiteRows(query, rows, nil), nil
}

func (s *sqliteSnapshot) close() error {
	_, err := s.conn.Exec("rollback", nil)
	return errors.Join(err, s.conn.Close())
}

// postgresSnapshot is a connection in a transaction that sees one state of the database.
type postgresSnapshot struct {
	readOnly
	engine *postgresEngine
	conn   *pgxpool.Conn
}

func openPostgresSnapshot(ctx context.Context, c Config) (*Snapshot, error) {
	c.AllowAsyncCommit = true // nothing is written
	opened, err := openPostgres(ctx, c)
	if err != nil {
		return nil, err
	}
	e := opened.(*postgresEngine)
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, errors.Join(e.mapError(ctx, "connect", err), e.close())
	}
	for _, statement := range []string{"begin isolation level repeatable read, read only", "select 1"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			conn.Release()
			return nil, errors.Join(e.mapError(ctx, statement, err), e.close())
		}
	}
	return &Snapshot{DB: &DB{engine: &postgresSnapshot{engine: e, conn: conn}}, tables: conn}, nil
}

func (s *postgresSnapshot) dialect() Dialect { return Postgres }

func (s *postgresSnapshot) query(ctx context.Context, query string, args []any) (*Rows, error) {
	rows, err := s.conn.Query(ctx, s.engine.rebinder.rebind(query), args...)
	if err != nil {
		return nil, s.engine.mapError(ctx, query, err)
	}
	return s.engine.newRows(ctx, query, s.conn.Conn(), rows, nil)
}

func (s *postgresSnapshot) close() error {
	_, _ = s.conn.Exec(context.Background(), "rollback") // the connection is closed below, whatever this comes to
	s.conn.Release()
	return s.engine.close()
}
