package sqldb

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// CheckFiles refuses a SQLite database that nobody has open and that lacks acknowledged commits. It changes nothing.
func CheckFiles(database string) error { return checkFiles(database) }

// Schema is how far the schema of a database is, compared with the migrations of this program.
type Schema struct {
	Version int64    // of the newest migration that the database has run; 0 if it has run none
	Newest  int64    // of the newest one that this program has
	Changed []string // the files that have changed since the database ran them
	Reader  int64    // the lowest version that a program must know to use the database
	Advice  string   // which program is needed, where this one cannot use the database; empty otherwise
}

// Schema compares the schema with the files that Migrate takes.
func (s *Snapshot) Schema(ctx context.Context, files fs.FS) (schema Schema, err error) {
	m, err := newMigrations(files, s.DB.Dialect())
	if err != nil {
		return schema, err
	}
	schema.Newest = m.newest()
	hasRun, err := hasTable(ctx, s.DB, "goose_db_version")
	if err != nil || !hasRun {
		return schema, err
	}
	if schema.Version, err = currentVersion(ctx, s.DB); err != nil {
		return schema, err
	}
	if err := s.addReader(ctx, &schema); err != nil {
		return schema, err
	}
	hasSums, err := hasTable(ctx, s.DB, "migration_sums")
	if err != nil || !hasSums {
		return schema, err
	}
	applied, err := readSums(ctx, s.DB)
	schema.Changed = m.changed(applied)
	return schema, err
}

// addReader adds what the database asks of programs. One that has no such table was written by an older program.
func (s *Snapshot) addReader(ctx context.Context, schema *Schema) error {
	r := databaseReader{current: schema.Version, needed: schema.Version}
	hasReaders, err := hasTable(ctx, s.DB, "migration_readers")
	if err == nil && hasReaders {
		r, err = readReader(ctx, s.DB, schema.Newest)
	}
	schema.Reader = r.needed
	if r.current > schema.Newest && r.needed > schema.Newest {
		schema.Advice = r.advice()
	}
	return err
}

// NewestVersion returns the version of the newest of the files that Migrate takes.
func NewestVersion(files fs.FS) (int64, error) {
	m, err := newMigrations(files, SQLite)
	return m.newest(), err
}

// newest returns the version of the newest file; 0 if there are no files.
func (m migrations) newest() (version int64) {
	for v := range m.sums {
		version = max(version, v)
	}
	return version
}

// changed lists the files that are not those of the stored sums, oldest first.
func (m migrations) changed(applied map[int64]string) (names []string) {
	for _, version := range slices.Sorted(maps.Keys(applied)) {
		if s, ok := m.sums[version]; ok && s.hash != applied[version] {
			names = append(names, s.name)
		}
	}
	return names
}

func hasTable(ctx context.Context, db *DB, name string) (bool, error) {
	query := `select count(*) from sqlite_schema where type = 'table' and name = ?`
	if db.Dialect() == Postgres {
		query = `select count(*) from information_schema.tables where table_schema = current_schema() and table_name = ?`
	}
	n, err := One(ctx, db, Column[int], query, name)
	return n > 0, err
}

// maxDamages is how many damages are listed.
const maxDamages = 5

// Damages lists what is wrong with the structure of the database: of a SQLite file its pages and indexes, with deep
// also that indexes hold what their tables do; of PostgreSQL indexes that could not be built.
func (s *Snapshot) Damages(ctx context.Context, deep bool) ([]string, error) {
	if s.DB.Dialect() == Postgres {
		return All(ctx, s.DB, Column[string], `
			select 'the index ' || cast(c.relname as text) || ' is not valid'
			from pg_index i
			join pg_class c on c.oid = i.indexrelid
			join pg_namespace n on n.oid = c.relnamespace
			where n.nspname = current_schema() and not i.indisvalid
			order by c.relname
			limit ?`, maxDamages)
	}
	check := "quick_check"
	if deep {
		check = "integrity_check"
	}
	found, err := All(ctx, s.DB, Column[string], fmt.Sprintf("pragma %s(%d)", check, maxDamages))
	return slices.DeleteFunc(found, func(line string) bool { return line == "ok" }), err
}

// PostgresState is what a PostgreSQL server tells of itself.
type PostgresState struct {
	Version        int       // as its server_version_num, such as 150004
	IsAsync        bool      // commits may be acknowledged before they are on disk
	Clock          time.Time // of the server, when it was asked
	Connections    int       // to all of its databases
	MaxConnections int
}

// PostgresState asks the server.
func (s *Snapshot) PostgresState(ctx context.Context) (state PostgresState, err error) {
	var millis int64
	var commit string
	err = s.DB.QueryRow(ctx, `
		select
		  cast(current_setting('server_version_num') as integer),
		  current_setting('synchronous_commit'),
		  cast(extract(epoch from clock_timestamp()) * 1000 as bigint),
		  (select count(*) from pg_stat_activity where datid is not null),
		  cast(current_setting('max_connections') as integer)`).Scan(&state.Version, &commit, &millis,
		&state.Connections, &state.MaxConnections)
	state.IsAsync, state.Clock = commit == "off", time.UnixMilli(millis)
	return state, err
}
