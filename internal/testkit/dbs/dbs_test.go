package dbs_test

import (
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

func TestEachDatabaseIsEmpty(t *testing.T) {
	for range 2 {
		dbs.ForEachDatabase(t, func(t *testing.T, db *sqldb.DB) {
			if _, err := db.Exec(t.Context(), `create table t (id text primary key)`); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestKillAndStart(t *testing.T) {
	t.Parallel()
	server := dbs.StartPostgres(t)
	db := dbs.Open(t, server.NewDatabase(t))
	ctx := t.Context()
	if _, err := db.Exec(ctx, `create table t (id text primary key)`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		server.Kill(t)
		if _, err := db.Exec(ctx, `insert into t values ('lost')`); !parley.IsCode(err, parley.CodeUnderMaintenance) {
			t.Fatalf("while the server is down: %v", err)
		}
		server.Start(t)
		if _, err := db.Exec(ctx, `insert into t values ('a') on conflict do nothing`); err != nil {
			t.Fatalf("after its restart: %v", err)
		}
	}
}
