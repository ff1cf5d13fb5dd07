package store_test

import (
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// schemaColumn is a column as the database describes it.
type schemaColumn struct {
	table, name, kind string
	isNullable        bool
}

// Every table and every column of the schema is archived or listed as left out, with a reason, and nothing else is.
// Whoever adds one decides which.
func TestArchiveNamesEveryColumn(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		reasons := map[string]string{}
		for _, l := range store.ArchiveLeavesOut() {
			reasons[l.Name] = l.Reason
		}
		seen := map[string]bool{}
		for _, c := range schemaColumns(t, db) {
			place := c.table + "." + c.name
			seen[c.table], seen[place] = true, true
			table := store.FindArchiveTable(c.table)
			if table == nil {
				if reasons[c.table] == "" {
					t.Errorf("the table %s is neither archived nor left out with a reason", c.table)
				}
				continue
			}
			if reasons[c.table] != "" {
				t.Errorf("the table %s is archived and left out", c.table)
			}
			if c.name != "account_id" {
				checkArchiveColumn(t, table, c, reasons[place])
			}
		}
		checkNothingElse(t, seen)
	})
}

func checkArchiveColumn(t *testing.T, table *store.ArchiveTable, c schemaColumn, reason string) {
	t.Helper()
	for _, a := range table.Columns {
		if a.Name != c.name {
			continue
		}
		want := map[store.ArchiveKind]string{store.ArchiveNat32: "integer", store.ArchiveFlag: "integer",
			store.ArchiveNat: "bigint", store.ArchiveInt: "bigint", store.ArchiveTime: "bigint",
			store.ArchiveReal: "double precision"}[a.Kind]
		if want == "" {
			want = "text"
		}
		if reason != "" || c.kind != want || c.isNullable != a.IsNullable {
			t.Errorf("%s.%s is %s, null: %t; it is archived as %s, null: %t; left out because: %q", c.table, c.name, c.kind,
				c.isNullable, a.Kind, a.IsNullable, reason)
		}
		return
	}
	if reason == "" {
		t.Errorf("the column %s of %s is neither archived nor left out with a reason", c.name, c.table)
	}
}

// checkNothingElse fails for what is listed and not in the schema.
func checkNothingElse(t *testing.T, seen map[string]bool) {
	t.Helper()
	for _, l := range store.ArchiveLeavesOut() {
		if !seen[l.Name] {
			t.Errorf("%s is left out, but is not in the schema", l.Name)
		}
	}
	for _, table := range store.ArchiveTables() {
		for _, c := range table.Columns {
			if place := table.Name + "." + c.Name; !seen[place] {
				t.Errorf("%s is archived, but is not in the schema", place)
			}
		}
	}
}

func schemaColumns(t *testing.T, db *store.DB) []schemaColumn {
	t.Helper()
	query := `
		select l.name, c.name, lower(c.type), case when c."notnull" = 0 and c.pk = 0 then 1 else 0 end
		from pragma_table_list l, pragma_table_info(l.name) c
		where l.schema = 'main' and l.type in ('table', 'virtual') and l.name not like 'sqlite_%'`
	if db.SQL().Dialect() == sqldb.Postgres {
		query = `
			select cast(c.table_name as text), cast(c.column_name as text), cast(c.data_type as text),
			  case when c.is_nullable = 'YES' then 1 else 0 end
			from information_schema.columns c
			join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
			where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'`
	}
	list, err := sqldb.All(t.Context(), db.SQL(), func(scan sqldb.Scan) (c schemaColumn, err error) {
		err = scan(&c.table, &c.name, &c.kind, &c.isNullable)
		return c, err
	}, query)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d columns, %v", len(list), err)
	}
	return list
}
