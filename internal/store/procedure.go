package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const procedureColumns = `
  id,
  account_id,
  agent_id,
  key,
  name,
  description,
  triggers,
  inputs,
  steps,
  enabled,
  position,
  created_at,
  updated_at`

func scanProcedure(scan sqldb.Scan) (p parley.Procedure, err error) {
	err = scan(
		&p.ID,
		&p.AccountID,
		&p.AgentID,
		&p.Key,
		&p.Name,
		&p.Description,
		jsonDest{&p.Triggers},
		jsonDest{&p.Inputs},
		jsonDest{&p.Steps},
		&p.Enabled,
		&p.Position,
		timeDest{&p.CreatedAt},
		timeDest{&p.UpdatedAt},
	)
	if err != nil {
		return p, fmt.Errorf("procedure %s: %w", p.ID, err)
	}
	return p, nil
}

// Procedures lists an agent's procedures in their order, those that are switched off too.
func (db *DB) Procedures(ctx context.Context, ref parley.AgentRef) ([]parley.Procedure, error) {
	return sqldb.All(ctx, db.sql, scanProcedure, `
		select `+procedureColumns+`
		from procedures
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutProcedure writes the procedure, in place of the agent's procedure with the same key if there is one; that one
// keeps its id and birth, which p then has. Fails with AGENT_NOT_FOUND, and with RESOURCE_ALREADY_EXISTS when the name
// is taken.
func (db *DB) PutProcedure(ctx context.Context, p *parley.Procedure) error {
	put := *p
	var created int64
	err := db.changeTools(ctx, p.AgentRef(), p.UpdatedAt, func(tx *DB) error {
		if err := tx.checkNameFree(ctx, p.AgentID, p.Name, "", p.Key); err != nil {
			return err
		}
		return tx.sql.QueryRow(ctx, `insert into procedures (`+procedureColumns+`)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			on conflict (agent_id, key) do update set
			  name = excluded.name,
			  description = excluded.description,
			  triggers = excluded.triggers,
			  inputs = excluded.inputs,
			  steps = excluded.steps,
			  enabled = excluded.enabled,
			  position = excluded.position,
			  updated_at = excluded.updated_at
			returning id, created_at`,
			p.ID, p.AccountID, p.AgentID, p.Key, p.Name, p.Description, listJSON(p.Triggers), listJSON(p.Inputs),
			listJSON(p.Steps), boolToInt(p.Enabled),
			p.Position, millis(p.CreatedAt), millis(p.UpdatedAt)).Scan(&put.ID, &created)
	})
	if err == nil {
		p.ID, p.CreatedAt = put.ID, timeFromMillis(created)
	}
	return err
}

// DropProcedure removes the agent's procedure with the key. Fails with AGENT_NOT_FOUND, and with NOT_FOUND when there
// is none.
func (db *DB) DropProcedure(ctx context.Context, ref parley.AgentRef, key string, now time.Time) error {
	return db.changeTools(ctx, ref, now, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `
			delete from procedures
			where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
		return requireChanged(n, err, parley.CodeNotFound)
	})
}

// The states of a row of procedure_runs. A run is open while its outcome is null.
const (
	runOpen  = "open"
	runEnded = "ended"
)

const runColumns = `
  id,
  account_id,
  agent_id,
  conversation_id,
  procedure_key,
  procedure_name,
  inputs,
  step,
  outcome,
  started_at,
  ended_at`

func scanRun(scan sqldb.Scan) (r parley.ProcedureRun, err error) {
	err = scan(
		&r.ID,
		&r.AccountID,
		&r.AgentID,
		&r.ConversationID,
		&r.Key,
		&r.Name,
		jsonDest{&r.Inputs},
		&r.Step,
		nullableText(&r.Outcome),
		timeDest{&r.StartedAt},
		timePointerDest{&r.EndedAt},
	)
	if err != nil {
		return r, fmt.Errorf("procedure run %s: %w", r.ID, err)
	}
	return r, nil
}

// OpenProcedureRun finds the conversation's procedure run that waits for an input, the newest if there are several, or
// nil.
func (db *DB) OpenProcedureRun(ctx context.Context, ref parley.ConversationRef) (*parley.ProcedureRun, error) {
	r, err := sqldb.One(ctx, db.sql, scanRun, `
		select `+runColumns+`
		from procedure_runs
		where conversation_id = ? and agent_id = ? and account_id = ? and outcome is null
		order by started_at desc, id desc
		limit 1`, ref.Conversation, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// StartProcedureRun writes a new run and ends every other open one of its conversation as abandoned. Fails with
// RESOURCE_NOT_FOUND when the conversation is gone.
func (db *DB) StartProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockConversation(ctx, r.ConversationRef()); err != nil {
			return err
		}
		_, err := tx.sql.Exec(ctx, `
			update procedure_runs set
			  outcome = ?,
			  state = ?,
			  ended_at = ?
			where conversation_id = ? and agent_id = ? and account_id = ? and outcome is null`,
			string(parley.ProcedureAbandoned), runEnded, millis(r.StartedAt), r.ConversationID, r.AgentID, r.AccountID)
		if err != nil {
			return err
		}
		_, err = tx.sql.Exec(ctx, `
			insert into procedure_runs (
			  id,
			  account_id,
			  agent_id,
			  conversation_id,
			  procedure_key,
			  procedure_name,
			  inputs,
			  step,
			  state,
			  started_at
			)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.AccountID, r.AgentID, r.ConversationID, r.Key, r.Name,
			inputsJSON(r.Inputs), r.Step,
			runOpen, millis(r.StartedAt))
		return err
	})
}

// SaveProcedureRun stores the inputs and the step of an open run.
func (db *DB) SaveProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	_, err := db.sql.Exec(ctx, `
		update procedure_runs set
		  inputs = ?,
		  step = ?
		where id = ? and agent_id = ? and account_id = ? and outcome is null`,
		inputsJSON(r.Inputs), r.Step, r.ID, r.AgentID, r.AccountID)
	return err
}

// EndProcedureRun ends an open run with its outcome and records it; one that has ended meanwhile stays as it is.
func (db *DB) EndProcedureRun(ctx context.Context, r *parley.ProcedureRun, now time.Time) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `
			update procedure_runs set
			  inputs = ?,
			  step = ?,
			  outcome = ?,
			  state = ?,
			  ended_at = ?
			where id = ? and agent_id = ? and account_id = ? and outcome is null`, inputsJSON(r.Inputs), r.Step,
			string(r.Outcome), runEnded, millis(now), r.ID, r.AgentID, r.AccountID)
		if err != nil || n == 0 {
			return err
		}
		return tx.RecordEvents(ctx, r.AccountID, now,
			NewEvent{Kind: "procedure.ended", AgentID: r.AgentID, ConversationID: r.ConversationID, Subject: r.ID,
				Payload: map[string]string{"procedure": r.Name, "outcome": string(r.Outcome)}})
	})
}

func inputsJSON(inputs map[string]json.RawMessage) any {
	if inputs == nil {
		return "{}"
	}
	return toJSON(inputs)
}
