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
// walked too. Those of the search index are internal/search's own: it erases them, and its tests check that nothing is
// left.
func (fx *fixture) tableColumns() map[string]map[string]string {
	fx.Helper()
	query := `select m.name, c.name, c.type from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
		and m.name not like 'sqlite_%'`
	if fx.SQL().Dialect() == sqldb.Postgres {
		query = `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'`
	}
	tables := map[string]map[string]string{}
	_, err := sqldb.All(fx, fx.SQL(), func(scan sqldb.Scan) (struct{}, error) {
		var table, column, kind string
		err := scan(&table, &column, &kind)
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][column] = kind
		return struct{}{}, err
	}, query)
	fx.must(err)
	maps.DeleteFunc(tables, func(table string, _ map[string]string) bool { return strings.HasPrefix(table, "search_") })
	return tables
}

// insertMarkedRows writes n rows of the agent with the marker in every column of text.
func (fx *fixture) insertMarkedRows(table string, columns map[string]string, agent parley.AgentID, marker string,
	n int) {
	fx.Helper()
	var names []string
	for name := range columns {
		names = append(names, name)
	}
	slices.Sort(names)
	query := `insert into ` + table + ` (` + strings.Join(names, ", ") + `) values (?` + strings.Repeat(", ?",
		len(names)-1) + `)`
	fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
		for i := range n {
			var args []any
			for _, name := range names {
				args = append(args, fx.columnValue(name, columns[name], agent, marker, i))
			}
			if _, err := tx.SQL().Exec(fx, query, args...); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return nil
	}))
}

func (fx *fixture) columnValue(column, kind string, agent parley.AgentID, marker string, i int) any {
	switch {
	case column == "agent_id":
		return agent
	case column == "account_id":
		return fx.Account.ID
	case column == "state":
		return "done"
	case column == "seq": // of the account's events: one sequence for both agents
		return int64(i)*1000 + int64(marker[len(marker)-1])
	case column == "version" && kind != "text" && kind != "TEXT": // the agent has some already
		return 100 + i
	case kind == "text" || kind == "TEXT":
		return fmt.Sprint(marker, i)
	case kind == "bytea" || kind == "blob":
		return []byte(marker)
	}
	return i
}

func (fx *fixture) queryCount(query string, args ...any) int {
	fx.Helper()
	n, err := sqldb.One(fx, fx.SQL(), sqldb.Column[int], query, args...)
	fx.must(err)
	return n
}

// tablesWithMarker lists in which tables a text with the marker is left.
func (fx *fixture) tablesWithMarker(tables map[string]map[string]string, marker string) (left []string) {
	fx.Helper()
	for table, columns := range tables {
		for column, kind := range columns {
			if strings.EqualFold(kind, "text") &&
				fx.queryCount(`select count(*) from `+table+` where `+column+` like ?`, marker+"%") > 0 {
				left = append(left, table+"."+column)
			}
		}
	}
	slices.Sort(left)
	return left
}

func TestErasedAgentLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		tables, other := fx.tableColumns(), fx.createAgent(fx.Account, testTime)
		fx.must(fx.UpdateAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), func(a *parley.Agent) error {
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
			otherAgents := 3
			if table == "conversation_counts" || table == "insight_agents" || table == "helpdesks" { // a row for each agent
				n, otherAgents = 1, 1
			}
			fx.insertMarkedRows(table, columns, fx.Agent.ID, "planted-a", n)
			fx.insertMarkedRows(table, columns, other.ID, "planted-b", otherAgents)
		}
		otherTables := fx.tablesWithMarker(tables, "planted-b")

		erased, err := fx.EraseAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		if !erased || fx.reloadAgent().Instructions != "planted-a" ||
			fx.queryCount(`select count(*) from messages where agent_id = ?`, fx.Agent.ID) != 205 {
			fx.Fatal("an agent that is not deleted lost rows")
		}
		_, err = fx.SQL().Exec(fx, `update turns set state = 'open' where id = 'planted-a0'`)
		fx.must(err)
		fx.must(fx.DeleteAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime))
		erased, err = fx.EraseAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		if open := fx.queryCount(`select count(*) from turns where agent_id = ?`, fx.Agent.ID); erased || open != 1 {
			fx.Errorf("erased %v with %d open turns", erased, open)
		}
		_, err = fx.SQL().Exec(fx, `update turns set state = 'failed' where id = 'planted-a0'`)
		fx.must(err)
		erased, err = fx.EraseAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		if left := fx.tablesWithMarker(tables, "planted-a"); !erased || len(left) > 0 {
			fx.Errorf("erased %v, left in %v", erased, left)
		}
		for table, columns := range tables {
			if columns["agent_id"] != "" && fx.queryCount(`select count(*) from `+table+` where agent_id = ?`, fx.Agent.ID) > 0 {
				fx.Error("rows left in", table)
			}
		}
		if n := fx.queryCount(`select count(*) from agents where id = ?`, fx.Agent.ID); n > 0 {
			fx.Error("the agent's row is left")
		}
		if after := fx.tablesWithMarker(tables, "planted-b"); !slices.Equal(after, otherTables) ||
			fx.queryCount(`select count(*) from messages where agent_id = ?`, other.ID) != 3 {
			fx.Errorf("the other agent kept %v of %v", after, otherTables)
		}
	})
}

func TestErasedSourceLeavesNoText(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		tables := fx.tableColumns()
		for _, marker := range []string{"planted-a", "planted-b"} {
			for _, table := range []string{"sources", "source_versions", "passages"} {
				fx.insertMarkedRows(table, tables[table], fx.Agent.ID, marker, 1)
			}
		}
		relate := func(query string) {
			fx.Helper()
			_, err := fx.SQL().Exec(fx, query)
			fx.must(err)
		}
		relate(`update sources set deleted_at = null`)
		fx.must(fx.EraseSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "planted-a0"))
		if n := fx.queryCount(`select count(*) from source_versions`); n != 2 {
			fx.Fatal("a source that is not deleted lost its text")
		}
		relate(`update sources set deleted_at = 1 where id = 'planted-a0'`)
		fx.must(fx.EraseSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "planted-a0"))
		fx.must(fx.EraseSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "planted-a0"))
		if n := fx.queryCount(`select count(*) from source_versions where id = 'planted-b0'`); n != 1 {
			fx.Error("the other source lost its text")
		}
		if n := fx.queryCount(`select count(*) from sources where id = 'planted-a0'`); n != 1 {
			fx.Error("the source's row must stay, empty, for the servers that have its passages in memory")
		}
		for _, column := range []string{"source_versions.text", "source_versions.content", "passages.text",
			"sources.name", "sources.metadata"} {
			if slices.Contains(fx.tablesWithMarker(tables, "planted-a"), column) {
				fx.Error("left in", column)
			}
		}
	})
}
