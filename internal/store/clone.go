package store

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/sqldb"
)

// Clone is one agent being copied into another of the same account. The copy's rows have ids that follow from the
// copy's id and the id of the row they are copied from, so that copying may be cut short and repeated: no row is
// written twice.
type Clone struct {
	Account            parley.AccountID
	FromAgent, ToAgent parley.AgentID
	StartedAt          time.Time // sources that came to the original later are not part of the copy
}

// maxCloneRows is the most rows one transaction copies; of passages as many as one training step writes.
const (
	maxCloneRows     = 200
	maxClonePassages = 64
)

// SourceID returns the id that a source of the original has in the copy.
func (c Clone) SourceID(id parley.SourceID) parley.SourceID {
	return parley.SourceID(c.newID(string(id)))
}

// VersionID is as SourceID; there is no version of an empty id.
func (c Clone) VersionID(id parley.VersionID) parley.VersionID {
	return parley.VersionID(c.newID(string(id)))
}

// BlobID is as VersionID.
func (c Clone) BlobID(id string) string { return c.newID(id) }

func (c Clone) newID(original string) string {
	if original == "" {
		return ""
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(c.ToAgent)+" "+original)).String()
}

// copiedTable is a table of the original's rows, with its columns besides id, account_id and agent_id. Those that are
// not copied as they are have an expression, where a ? stands for what copyRows is given.
type copiedTable struct {
	table   string
	columns []string
	exprs   map[string]string
}

var (
	copiedActions    = newCopiedTable(actionTable, nil)
	copiedProcedures = newCopiedTable(procedureTable, nil)
	copiedStatuses   = newCopiedTable(statusTable, nil)
	copiedTeams      = newCopiedTable(teamTable, nil)
	copiedBlobs      = newCopiedTable(blobTable, nil) // both rows name the one place
	copiedVersions   = newCopiedTable(versionTable, map[string]string{"source_id": "?", "blob_id": "?", "state": "'new'"},
		"blob_id", "state")
	copiedPassages = copiedTable{table: "passages", columns: []string{
		"source_id",
		"version_id",
		"ordinal",
		"heading",
		"start_byte",
		"end_byte",
		"text",
		"hash",
	}, exprs: map[string]string{"source_id": "?", "version_id": "?"}}
)

// newCopiedTable copies the noun's columns and more of the table.
func newCopiedTable[T any](t table[T], exprs map[string]string, more ...string) copiedTable {
	c := copiedTable{table: t.name, exprs: exprs}
	for _, f := range t.fields(new(T)) {
		if f.column != "id" && f.column != "account_id" && f.column != "agent_id" {
			c.columns = append(c.columns, f.column)
		}
	}
	c.columns = append(c.columns, more...)
	return c
}

// values are the expressions of the columns, of the original's row t.
func (t copiedTable) values() string {
	values := make([]string, len(t.columns))
	for i, column := range t.columns {
		values[i] = cmp.Or(t.exprs[column], `t.`+column)
	}
	return strings.Join(values, ",\n  ")
}

// copyTables copies all rows of the original in the tables.
func (db *DB) copyTables(ctx context.Context, c Clone, tables ...copiedTable) error {
	for _, t := range tables {
		ids, err := db.originalIDs(ctx, c, t.table)
		if err != nil {
			return err
		}
		if err := db.copyRows(ctx, c, t, ids); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) originalIDs(ctx context.Context, c Clone, table string) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select id
		from `+table+`
		where agent_id = ? and account_id = ?
		order by id`, c.FromAgent, c.Account)
}

// copyRows copies rows of the original under their new ids, inside the database; those that are there already stay.
func (db *DB) copyRows(ctx context.Context, c Clone, t copiedTable, ids []string, values ...any) error {
	if len(ids) == 0 {
		return nil
	}
	args := make([]any, 0, 2*len(ids)+len(values)+3)
	for _, id := range ids {
		args = append(args, id, c.newID(id))
	}
	args = append(append(append(args, c.ToAgent), values...), c.FromAgent, c.Account)
	return db.exec(ctx, `
		with m (old_id, new_id) as (values (?, ?)`+strings.Repeat(`, (?, ?)`, len(ids)-1)+`)
		insert into `+t.table+` (
		  id,
		  account_id,
		  agent_id,
		  `+strings.Join(t.columns, ",\n  ")+`
		)
		select
		  m.new_id,
		  t.account_id,
		  ?,
		  `+t.values()+`
		from m
		join `+t.table+` t on t.id = m.old_id
		where t.agent_id = ? and t.account_id = ?
		on conflict do nothing`, args...)
}

// CloneActionsAndProcedures copies the original's actions, with their secrets as they are sealed, and procedures, and
// counts them.
func (db *DB) CloneActionsAndProcedures(ctx context.Context, c Clone) error {
	if err := db.copyTables(ctx, c, copiedActions, copiedProcedures); err != nil {
		return err
	}
	defer db.forgetAgent(c.Account.AgentRef(c.ToAgent))
	return db.exec(ctx, `
		update agents set
		  tools = (select count(*) from actions where agent_id = ? and enabled = 1) + (select count(*)
		    from procedures where agent_id = ? and enabled = 1)
		where id = ? and account_id = ?`, c.ToAgent, c.ToAgent, c.ToAgent, c.Account)
}

// CloneSize is how much there is to copy.
type CloneSize struct {
	Sources, Passages int
}

// CloneSize counts what the original has.
func (db *DB) CloneSize(ctx context.Context, c Clone) (w CloneSize, err error) {
	if w.Sources, err = db.count(ctx, `
		from sources
		where agent_id = ? and account_id = ? and deleted_at is null`, c.FromAgent, c.Account); err != nil {
		return w, err
	}
	w.Passages, err = db.count(ctx, `from passages where agent_id = ? and account_id = ?`, c.FromAgent, c.Account)
	return w, err
}

// CloneHelpdesk copies what the original's helpdesk is made of: its statuses, its teams with their members, its rules,
// its SLA targets and its handover. Tickets and customers stay with the original. Where that has no helpdesk the copy
// has none either.
func (db *DB) CloneHelpdesk(ctx context.Context, c Clone) error {
	n, err := db.sql.Exec(ctx, `
		insert into helpdesks (
		  agent_id,
		  account_id,
		  last_number,
		  handover,
		  targets,
		  created_at,
		  updated_at
		)
		select
		  ?,
		  account_id,
		  0,
		  handover,
		  targets,
		  created_at,
		  updated_at
		from helpdesks
		where agent_id = ? and account_id = ?
		on conflict do nothing`, c.ToAgent, c.FromAgent, c.Account)
	if err != nil || n == 0 {
		return err
	}
	if err := db.copyTables(ctx, c, copiedStatuses, copiedTeams); err != nil {
		return err
	}
	return errors.Join(db.cloneTeamMembers(ctx, c), db.cloneRules(ctx, c))
}

// cloneTeamMembers copies who is in which team. In the copy nobody has had a turn.
func (db *DB) cloneTeamMembers(ctx context.Context, c Clone) error {
	teams, err := db.originalIDs(ctx, c, "teams")
	for _, team := range teams {
		if err != nil {
			return err
		}
		err = db.exec(ctx, `
			insert into team_members (
			  team_id,
			  user_id,
			  account_id,
			  agent_id,
			  max_open,
			  hours,
			  away,
			  last_turn,
			  joined_at
			)
			select
			  ?,
			  user_id,
			  account_id,
			  ?,
			  max_open,
			  hours,
			  away,
			  0,
			  joined_at
			from team_members
			where team_id = ? and agent_id = ? and account_id = ?
			on conflict do nothing`,
			c.newID(team), c.ToAgent, team, c.FromAgent, c.Account)
	}
	return err
}

func (db *DB) cloneRules(ctx context.Context, c Clone) error {
	rules, err := db.Rules(ctx, c.Account.AgentRef(c.FromAgent))
	if err != nil {
		return err
	}
	for _, r := range rules {
		r.ID, r.AgentID, r.TeamID = parley.RuleID(c.newID(string(r.ID))), c.ToAgent, parley.TeamID(c.newID(string(r.TeamID)))
		if err := db.PutRule(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}
