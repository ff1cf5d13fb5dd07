package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// tableColumns reads the columns and types of every table from the database itself, so that a table that comes later is
// walked too. Those of the search index are internal/search's own: it erases them, and its tests hold that nothing is
// left.
func (w *fixture) tableColumns() map[string]map[string]string {
	w.Helper()
	query := `select m.name, c.name, c.type from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
		and m.name not like 'sqlite_%'`
	if w.SQL().Dialect() == sqldb.Postgres {
		query = `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'`
	}
	tables := map[string]map[string]string{}
	_, err := sqldb.All(w, w.SQL(), func(scan sqldb.Scan) (struct{}, error) {
		var table, column, kind string
		err := scan(&table, &column, &kind)
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][column] = kind
		return struct{}{}, err
	}, query)
	w.must(err)
	maps.DeleteFunc(tables, func(table string, _ map[string]string) bool { return strings.HasPrefix(table, "search_") })
	return tables
}

// insertMarkedRows writes n rows of the agent with the marker in every column of text.
func (w *fixture) insertMarkedRows(table string, columns map[string]string, agent parley.AgentID, marker string,
	n int) {
	w.Helper()
	var names []string
	for name := range columns {
		names = append(names, name)
	}
	slices.Sort(names)
	query := `insert into ` + table + ` (` + strings.Join(names, ", ") + `) values (?` + strings.Repeat(", ?",
		len(names)-1) + `)`
	w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
		for i := range n {
			var args []any
			for _, name := range names {
				args = append(args, w.columnValue(name, columns[name], agent, marker, i))
			}
			if _, err := tx.SQL().Exec(w, query, args...); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return nil
	}))
}

func (w *fixture) columnValue(column, kind string, agent parley.AgentID, marker string, i int) any {
	switch {
	case column == "agent_id":
		return agent
	case column == "account_id":
		return w.Account.ID
	case column == "state":
		return "done"
	case column == "seq": // of the account's events: one sequence for both agents
		return int64(i)*1000 + int64(marker[len(marker)-1])
	case kind == "text" || kind == "TEXT":
		return fmt.Sprint(marker, i)
	case kind == "bytea" || kind == "blob":
		return []byte(marker)
	}
	return i
}

func (w *fixture) queryCount(query string, args ...any) int {
	w.Helper()
	n, err := sqldb.One(w, w.SQL(), sqldb.Column[int], query, args...)
	w.must(err)
	return n
}

// tablesWithMarker tells in which tables a text with the marker is left.
func (w *fixture) tablesWithMarker(tables map[string]map[string]string, marker string) (left []string) {
	w.Helper()
	for table, columns := range tables {
		for column, kind := range columns {
			if strings.EqualFold(kind, "text") &&
				w.queryCount(`select count(*) from `+table+` where `+column+` like ?`, marker+"%") > 0 {
				left = append(left, table+"."+column)
			}
		}
	}
	slices.Sort(left)
	return left
}

func TestErasedAgentLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		tables, sister := w.tableColumns(), w.createAgent(w.Account, testTime)
		w.must(w.UpdateAgent(w, w.Account.ID.AgentRef(w.Agent.ID), func(a *parley.Agent) error {
			a.Instructions = "planted-a"
			return nil
		}))
		for table, columns := range tables {
			if columns["agent_id"] == "" {
				continue
			}
			n := 3
			if table == "messages" {
				n = 205 // more than one chunk
			}
			sisters := 3
			if table == "conversation_counts" || table == "insight_agents" || table == "helpdesks" { // a row for each agent
				n, sisters = 1, 1
			}
			w.insertMarkedRows(table, columns, w.Agent.ID, "planted-a", n)
			w.insertMarkedRows(table, columns, sister.ID, "planted-b", sisters)
		}
		sisterTables := w.tablesWithMarker(tables, "planted-b")

		erased, err := w.EraseAgent(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		if !erased || w.reloadAgent().Instructions != "planted-a" ||
			w.queryCount(`select count(*) from messages where agent_id = ?`, w.Agent.ID) != 205 {
			w.Fatal("an agent that is not deleted lost rows")
		}
		_, err = w.SQL().Exec(w, `update turns set state = 'open' where id = 'planted-a0'`)
		w.must(err)
		w.must(w.DeleteAgent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime))
		erased, err = w.EraseAgent(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		if open := w.queryCount(`select count(*) from turns where agent_id = ?`, w.Agent.ID); erased || open != 1 {
			w.Errorf("gone %v with %d open turns", erased, open)
		}
		_, err = w.SQL().Exec(w, `update turns set state = 'failed' where id = 'planted-a0'`)
		w.must(err)
		erased, err = w.EraseAgent(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		if left := w.tablesWithMarker(tables, "planted-a"); !erased || len(left) > 0 {
			w.Errorf("gone %v, left in %v", erased, left)
		}
		for table, columns := range tables {
			if columns["agent_id"] != "" && w.queryCount(`select count(*) from `+table+` where agent_id = ?`, w.Agent.ID) > 0 {
				w.Error("rows left in", table)
			}
		}
		if n := w.queryCount(`select count(*) from agents where id = ?`, w.Agent.ID); n > 0 {
			w.Error("the agent's row is left")
		}
		if after := w.tablesWithMarker(tables, "planted-b"); !slices.Equal(after, sisterTables) ||
			w.queryCount(`select count(*) from messages where agent_id = ?`, sister.ID) != 3 {
			w.Errorf("the other agent kept %v of %v", after, sisterTables)
		}
	})
}

func TestErasedSourceLeavesNoText(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		tables := w.tableColumns()
		for _, marker := range []string{"planted-a", "planted-b"} {
			for _, table := range []string{"sources", "source_versions", "passages"} {
				w.insertMarkedRows(table, tables[table], w.Agent.ID, marker, 1)
			}
		}
		relate := func(query string) {
			w.Helper()
			_, err := w.SQL().Exec(w, query)
			w.must(err)
		}
		relate(`update sources set deleted_at = null`)
		w.must(w.EraseSource(w, w.Account.ID.AgentRef(w.Agent.ID), "planted-a0"))
		if n := w.queryCount(`select count(*) from source_versions`); n != 2 {
			w.Fatal("a source that is not deleted lost its text")
		}
		relate(`update sources set deleted_at = 1 where id = 'planted-a0'`)
		w.must(w.EraseSource(w, w.Account.ID.AgentRef(w.Agent.ID), "planted-a0"))
		w.must(w.EraseSource(w, w.Account.ID.AgentRef(w.Agent.ID), "planted-a0"))
		if n := w.queryCount(`select count(*) from source_versions where id = 'planted-b0'`); n != 1 {
			w.Error("the other source lost its text")
		}
		if n := w.queryCount(`select count(*) from sources where id = 'planted-a0'`); n != 1 {
			w.Error("the source's row must stay, empty, for the servers that have its passages in memory")
		}
		for _, column := range []string{"source_versions.text", "source_versions.content", "passages.text",
			"sources.name", "sources.metadata"} {
			if slices.Contains(w.tablesWithMarker(tables, "planted-a"), column) {
				w.Error("left in", column)
			}
		}
	})
}
