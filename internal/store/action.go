package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var actionTable = newTable("actions", func(a *parley.Action) []field {
	return []field{
		{"id", &a.ID},
		{"account_id", &a.AccountID},
		{"agent_id", &a.AgentID},
		{"key", &a.Key},
		{"kind", &a.Kind},
		{"name", &a.Name},
		{"description", &a.Description},
		{"triggers", jsonOr(&a.Triggers, "[]")},
		{"inputs", jsonOr(&a.Inputs, "[]")},
		{"config", rawObject(&a.Config)},
		{"secrets", &a.Secrets},
		{"secret_notes", jsonOr(&a.SecretNotes, nil)},
		{"enabled", &a.Enabled},
		{"position", &a.Position},
		{"created_at", timeDest{&a.CreatedAt}},
		{"updated_at", timeDest{&a.UpdatedAt}},
	}
})

// Actions lists an agent's actions in their order, those that are switched off too.
func (db *DB) Actions(ctx context.Context, ref parley.AgentRef) ([]parley.Action, error) {
	return actionTable.list(ctx, db, `
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutAction writes the action, in place of the agent's action with the same key if there is one; that one keeps its id
// and time of creation, which a then has. Fails with AGENT_NOT_FOUND, and with RESOURCE_ALREADY_EXISTS when the
// name is taken.
func (db *DB) PutAction(ctx context.Context, a *parley.Action) error {
	put := *a
	err := db.changeTools(ctx, a.AgentRef(), a.UpdatedAt, func(tx *DB) error {
		if err := tx.checkNameFree(ctx, a.AgentID, a.Name, a.Key, ""); err != nil {
			return err
		}
		query, args := actionTable.insertion(overwrite("agent_id, key", "kind", "name", "description", "triggers", "inputs",
			"config", "secrets", "secret_notes", "enabled", "position", "updated_at")+` returning id, created_at`, a)
		return tx.sql.QueryRow(ctx, query, args...).Scan(&put.ID, timeDest{&put.CreatedAt})
	})
	if err == nil {
		a.ID, a.CreatedAt = put.ID, put.CreatedAt
	}
	return err
}

// DropAction removes the agent's action with the key. Fails with AGENT_NOT_FOUND, and with NOT_FOUND when there is
// none.
func (db *DB) DropAction(ctx context.Context, ref parley.AgentRef, key string, now time.Time) error {
	return db.changeTools(ctx, ref, now, func(tx *DB) error {
		return tx.execFound(ctx, parley.CodeNotFound, `
			delete from actions
			where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
	})
}

// changeTools changes an agent's actions or procedures under its lock, counts the enabled ones again and increments the
// version of the agent's settings.
func (db *DB) changeTools(ctx context.Context, ref parley.AgentRef, now time.Time, change func(tx *DB) error) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		tx.forgetAgent(ref)
		return tx.exec(ctx, `
			update agents set
			  config_version = config_version + 1,
			  updated_at = ?,
			  tools = (select count(*) from actions a where a.agent_id = agents.id and a.enabled = 1)
			    + (select count(*) from procedures p where p.agent_id = agents.id and p.enabled = 1)
			where id = ? and account_id = ?`, millis(now), ref.Agent, ref.Account)
	})
}

// checkNameFree fails when an action or a procedure of the agent other than these two has the name: a model calls both
// by name.
func (db *DB) checkNameFree(ctx context.Context, agent parley.AgentID, name, action, procedure string) error {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select
		  (select count(*) from actions where agent_id = ? and name = ? and key <> ?) + (select count(*)
		    from procedures where agent_id = ? and name = ? and key <> ?)`, agent, name, action, agent, name, procedure)
	if err == nil && n > 0 {
		return parley.NewErrorf(parley.CodeAlreadyExists, "The agent has another action or procedure named %q.", name)
	}
	return err
}
