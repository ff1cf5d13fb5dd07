package sqldb_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

var migrationFiles = fstest.MapFS{
	"0001_first.sql": {Data: []byte(`-- A comment.
create table t (id text primary key, note text);
-- sqlite:
insert into t values ('sqlite', 'x;y');
-- postgres:
insert into t values ('postgres', 'x;y');
`)},
	"0002_more.sql": {Data: []byte("alter table t add column more integer not null default 0;\n")},
	"readme.md":     {Data: []byte("not a migration")},
}

func TestMigrate(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		for range 2 { // the second time there is nothing to do
			if err := sqldb.Migrate(ctx, db, migrationFiles); err != nil {
				t.Fatal(err)
			}
		}
		all, err := sqldb.All(ctx, db, sqldb.Column[string], `select id from t where more = 0`)
		if err != nil || !slices.Equal(all, []string{db.Dialect().String()}) {
			t.Errorf("%v %v", all, err)
		}
	})
}

// An older program uses a newer database as long as that was only added to. Otherwise it says which version is needed.
func TestOlderProgramOnANewerDatabase(t *testing.T) {
	older := fstest.MapFS{"0001_first.sql": migrationFiles["0001_first.sql"]}
	breaking := fstest.MapFS{"0003_breaking.sql": {Data: []byte("-- reader: 0003\nalter table t drop column note;\n")}}
	maps.Copy(breaking, migrationFiles)
	dbs.ForEachURL(t, func(t *testing.T, url string) {
		ctx := t.Context()
		open := func(program string) *sqldb.DB { return dbs.OpenConfig(t, sqldb.Config{URL: url, Program: program}) }
		db := open("2.0.0")
		if err := sqldb.Migrate(ctx, db, migrationFiles); err != nil {
			t.Fatal(err)
		}
		if err := sqldb.Migrate(ctx, db, older); err != nil {
			t.Errorf("after a migration that only adds: %v", err)
		}
		if err := sqldb.Migrate(ctx, db, breaking); err != nil {
			t.Fatal(err)
		}
		for _, files := range []fstest.MapFS{older, migrationFiles} {
			err := sqldb.Migrate(ctx, db, files)
			if err == nil || !strings.Contains(err.Error(), "Install Parley 2.0.0 or newer") {
				t.Errorf("after one that does not: %v", err)
			}
		}
		mustExec(t, db, `delete from migration_readers`)
		if err := sqldb.Migrate(ctx, db, older); err == nil || !strings.Contains(err.Error(), "that last ran on it") {
			t.Errorf("on a database that does not say: %v", err)
		}
	})
}

// A program whose files differ from those that the database has run is refused before it changes anything.
func TestMigrateRefusesAChangedFile(t *testing.T) {
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		if err := sqldb.Migrate(ctx, db, fstest.MapFS{"0001_first.sql": migrationFiles["0001_first.sql"]}); err != nil {
			t.Fatal(err)
		}
		text := string(migrationFiles["0001_first.sql"].Data)
		changed := fstest.MapFS{"0001_first.sql": {Data: []byte(strings.Replace(text, "note text", "note text not null",
			1))}, "0002_more.sql": migrationFiles["0002_more.sql"]}
		if err := sqldb.Migrate(ctx, db, changed); err == nil ||
			!strings.Contains(err.Error(), "0001_first.sql has changed") {
			t.Errorf("a changed file: %v", err)
		}
		mustExec(t, db, `alter table t add column more integer`) // the second file has not run
		mustExec(t, db, `alter table t drop column more`)
		commented := fstest.MapFS{"0001_first.sql": {Data: []byte("-- Another comment.\n" + text)},
			"0002_more.sql": migrationFiles["0002_more.sql"]}
		if err := sqldb.Migrate(ctx, db, commented); err != nil {
			t.Errorf("another comment: %v", err)
		}
	})
}

func TestFailedMigrationIsRolledBack(t *testing.T) {
	broken := fstest.MapFS{"0001_broken.sql": {Data: []byte("create table a (id text);\ncreate table b (id nonsense(;\n")}}
	dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
		if err := sqldb.Migrate(t.Context(), db, broken); err == nil {
			t.Fatal("no error")
		}
		mustExec(t, db, `create table a (id text)`)
	})
}

func TestConcurrentMigrations(t *testing.T) {
	url := dbs.SharedPostgres(t).NewDatabase(t)
	var nodes sync.WaitGroup
	for range 4 {
		db := dbs.Open(t, url)
		nodes.Go(func() {
			if err := sqldb.Migrate(t.Context(), db, migrationFiles); err != nil {
				t.Error(err)
			}
		})
	}
	nodes.Wait()
}
