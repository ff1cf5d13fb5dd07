package sqldb

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
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

	Program       string // the version of the program that ran the newest migration; empty if it is not known
	ReaderProgram string // the same of the migration that a program must know
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
	schema.Reader, schema.ReaderProgram, schema.Program = r.needed, r.program, r.currentProgram
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

// Pages returns how many pages a SQLite database has, and how many of them hold nothing.
func (s *Snapshot) Pages(ctx context.Context) (all, unused int64, err error) {
	err = s.DB.QueryRow(ctx, `
		select page_count, freelist_count
		from pragma_page_count, pragma_freelist_count`).Scan(&all, &unused)
	return all, unused, err
}

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

// Index is an index of the schema.
type Index struct {
	Name      string
	Statement string // that makes it
}

// MissingIndexes lists the indexes that the files of Migrate make, up to the version of the database, and that it does
// not have.
func (s *Snapshot) MissingIndexes(ctx context.Context, files fs.FS) (missing []Index, err error) {
	m, err := newMigrations(files, s.DB.Dialect())
	if err != nil {
		return nil, err
	}
	version, err := currentVersion(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	query := `select name from sqlite_schema where type = 'index'`
	if s.DB.Dialect() == Postgres {
		query = `select cast(indexname as text) from pg_indexes where schemaname = current_schema()`
	}
	present, err := All(ctx, s.DB, Column[string], query)
	isPresent := func(i Index) bool { return slices.Contains(present, i.Name) }
	return slices.DeleteFunc(m.indexes(version), isPresent), err
}

// indexStatement is a statement that makes or drops an index.
var indexStatement = regexp.MustCompile(`(?im)^\s*(create|drop) (?:unique )?index (\w+)[^;]*;`)

// indexes lists the indexes that the schema of a version has, in the order in which they were made. Parley drops no
// table that has any.
func (m migrations) indexes(version int64) (list []Index) {
	for _, v := range slices.Sorted(maps.Keys(m.sums)) {
		if v > version {
			break
		}
		for _, found := range indexStatement.FindAllStringSubmatch(string(m.files[m.sums[v].name].Data), -1) {
			statement, name := strings.Join(strings.Fields(found[0]), " "), found[2]
			list = slices.DeleteFunc(list, func(i Index) bool { return i.Name == name })
			if strings.EqualFold(found[1], "create") {
				list = append(list, Index{name, statement})
			}
		}
	}
	return list
}
