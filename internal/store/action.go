package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const actionColumns = `
  id,
  account_id,
  agent_id,
  key,
  kind,
  name,
  description,
  triggers,
  inputs,
  config,
  secrets,
  enabled,
  position,
  created_at,
  updated_at`

func scanAction(scan sqldb.Scan) (a parley.Action, err error) {
	err = scan(
		&a.ID,
		&a.AccountID,
		&a.AgentID,
		&a.Key,
		&a.Kind,
		&a.Name,
		&a.Description,
		jsonDest{&a.Triggers},
		jsonDest{&a.Inputs},
		rawJSONDest{&a.Config},
		&a.Secrets,
		&a.Enabled,
		&a.Position,
		timeDest{&a.CreatedAt},
		timeDest{&a.UpdatedAt},
	)
	if err != nil {
		return a, fmt.Errorf("action %s: %w", a.ID, err)
	}
	return a, nil
}

// Actions lists an agent's actions in their order, those that are switched off too.
func (db *DB) Actions(ctx context.Context, ref parley.AgentRef) ([]parley.Action, error) {
	return sqldb.All(ctx, db.sql, scanAction, `
		select `+actionColumns+`
		from actions
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutAction writes the action, in place of the agent's action with the same key if there is one; that one keeps its id
// and birth, which a then has. Fails with AGENT_NOT_FOUND, and with RESOURCE_ALREADY_EXISTS when the name is taken.
func (db *DB) PutAction(ctx context.Context, a *parley.Action) error {
	put := *a
	var created int64
	err := db.changeTools(ctx, a.AgentRef(), a.UpdatedAt, func(tx *DB) error {
		if err := tx.checkNameFree(ctx, a.AgentID, a.Name, a.Key, ""); err != nil {
			return err
		}
		return tx.sql.QueryRow(ctx, `insert into actions (`+actionColumns+`)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			on conflict (agent_id, key) do update set
			  kind = excluded.kind,
			  name = excluded.name,
			  description = excluded.description,
			  triggers = excluded.triggers,
			  inputs = excluded.inputs,
			  config = excluded.config,
			  secrets = excluded.secrets,
			  enabled = excluded.enabled,
			  position = excluded.position,
			  updated_at = excluded.updated_at
			returning id, created_at`,
			a.ID, a.AccountID, a.AgentID, a.Key, a.Kind, a.Name, a.Description, listJSON(a.Triggers),
			listJSON(a.Inputs), objectJSON(a.Config),
			a.Secrets, boolToInt(a.Enabled), a.Position, millis(a.CreatedAt), millis(a.UpdatedAt)).Scan(&put.ID, &created)
	})
	if err == nil {
		a.ID, a.CreatedAt = put.ID, timeFromMillis(created)
	}
	return err
}

// DropAction removes the agent's action with the key. Fails with AGENT_NOT_FOUND, and with NOT_FOUND when there is
// none.
func (db *DB) DropAction(ctx context.Context, ref parley.AgentRef, key string, now time.Time) error {
	return db.changeTools(ctx, ref, now, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `
			delete from actions
			where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
		return requireChanged(n, err, parley.CodeNotFound)
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
		_, err := tx.sql.Exec(ctx, `
			update agents set
			  config_version = config_version + 1,
			  updated_at = ?,
			  tools = (select count(*) from actions a where a.agent_id = agents.id and a.enabled = 1)
			    + (select count(*) from procedures p where p.agent_id = agents.id and p.enabled = 1)
			where id = ? and account_id = ?`, millis(now), ref.Agent, ref.Account)
		return err
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
