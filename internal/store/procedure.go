package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const procedureColumns = `id, account_id, agent_id, key, name, description, triggers, inputs, steps, enabled, position, created_at, updated_at`

func scanProcedure(scan sqldb.Scan) (p parley.Procedure, err error) {
	var triggers, inputs, steps sql.NullString
	var created, updated int64
	err = scan(&p.ID, &p.AccountID, &p.AgentID, &p.Key, &p.Name, &p.Description, &triggers, &inputs, &steps, &p.Enabled, &p.Position, &created, &updated)
	if err != nil {
		return p, err
	}
	p.CreatedAt, p.UpdatedAt = timeFromMillis(created), timeFromMillis(updated)
	if err := errorsJoin(fromJSON(triggers, &p.Triggers), fromJSON(inputs, &p.Inputs), fromJSON(steps, &p.Steps)); err != nil {
		return p, fmt.Errorf("procedure %s: %w", p.ID, err)
	}
	return p, nil
}

// Procedures lists an agent's procedures in their order, those that are switched off too.
func (db *DB) Procedures(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Procedure, error) {
	return sqldb.All(ctx, db.sql, scanProcedure, `select `+procedureColumns+` from procedures where agent_id = ? and account_id = ? order by position, key`, agent, account)
}

// PutProcedure writes the procedure, in place of the agent's procedure with the same key if there is one; that one keeps its
// id and birth, which p then has. Fails with AGENT_NOT_FOUND, and with RESOURCE_ALREADY_EXISTS when the name is taken.
func (db *DB) PutProcedure(ctx context.Context, p *parley.Procedure) error {
	put := *p
	var created int64
	err := db.changeTools(ctx, p.AccountID, p.AgentID, p.UpdatedAt, func(tx *DB) error {
		if err := tx.checkNameFree(ctx, p.AgentID, p.Name, "", p.Key); err != nil {
			return err
		}
		return tx.sql.QueryRow(ctx, `insert into procedures (`+procedureColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			on conflict (agent_id, key) do update set name = excluded.name, description = excluded.description, triggers = excluded.triggers,
			inputs = excluded.inputs, steps = excluded.steps, enabled = excluded.enabled, position = excluded.position,
			updated_at = excluded.updated_at returning id, created_at`,
			p.ID, p.AccountID, p.AgentID, p.Key, p.Name, p.Description, listJSON(p.Triggers), listJSON(p.Inputs), listJSON(p.Steps), boolToInt(p.Enabled),
			p.Position, millis(p.CreatedAt), millis(p.UpdatedAt)).Scan(&put.ID, &created)
	})
	if err == nil {
		p.ID, p.CreatedAt = put.ID, timeFromMillis(created)
	}
	return err
}

// DropProcedure removes the agent's procedure with the key. Fails with AGENT_NOT_FOUND, and with NOT_FOUND when there is none.
func (db *DB) DropProcedure(ctx context.Context, account parley.AccountID, agent parley.AgentID, key string, now time.Time) error {
	return db.changeTools(ctx, account, agent, now, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `delete from procedures where agent_id = ? and account_id = ? and key = ?`, agent, account, key)
		return requireChanged(n, err, parley.CodeNotFound)
	})
}
