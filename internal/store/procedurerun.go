package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// How a row of procedure_runs stands. Whether a run is open is told by its outcome, which is null until then.
const (
	runOpen  = "open"
	runEnded = "ended"
)

const runColumns = `id, account_id, agent_id, conversation_id, procedure_key, procedure_name, inputs, step, outcome, started_at, ended_at`

func scanRun(scan sqldb.Scan) (r parley.ProcedureRun, err error) {
	var inputs, outcome sql.NullString
	var started int64
	var ended sql.NullInt64
	err = scan(&r.ID, &r.AccountID, &r.AgentID, &r.ConversationID, &r.Key, &r.Name, &inputs, &r.Step, &outcome, &started, &ended)
	if err != nil {
		return r, err
	}
	r.Outcome, r.StartedAt, r.EndedAt = parley.ProcedureOutcome(outcome.String), timeFromMillis(started), timeOrNil(ended)
	if err := fromJSON(inputs, &r.Inputs); err != nil {
		return r, fmt.Errorf("procedure run %s: %w", r.ID, err)
	}
	return r, nil
}

// OpenProcedureRun finds the conversation's procedure run that waits for an input, the newest if there are several, or nil.
func (db *DB) OpenProcedureRun(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.ProcedureRun, error) {
	r, err := sqldb.One(ctx, db.sql, scanRun, `select `+runColumns+` from procedure_runs where conversation_id = ? and agent_id = ? and account_id = ?
		and outcome is null order by started_at desc, id desc limit 1`, conversation, agent, account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// StartProcedureRun writes a new run and ends every other open one of its conversation as abandoned. Fails with RESOURCE_NOT_FOUND
// when the conversation is gone.
func (db *DB) StartProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockConversation(ctx, r.AccountID, r.AgentID, r.ConversationID); err != nil {
			return err
		}
		_, err := tx.sql.Exec(ctx, `update procedure_runs set outcome = ?, state = ?, ended_at = ? where conversation_id = ? and agent_id = ? and account_id = ?
			and outcome is null`, string(parley.ProcedureAbandoned), runEnded, millis(r.StartedAt), r.ConversationID, r.AgentID, r.AccountID)
		if err != nil {
			return err
		}
		_, err = tx.sql.Exec(ctx, `insert into procedure_runs (id, account_id, agent_id, conversation_id, procedure_key, procedure_name, inputs, step, state,
			started_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.AccountID, r.AgentID, r.ConversationID, r.Key, r.Name, inputsJSON(r.Inputs), r.Step,
			runOpen, millis(r.StartedAt))
		return err
	})
}

// SaveProcedureRun keeps what an open run knows by now, and how far it is.
func (db *DB) SaveProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	_, err := db.sql.Exec(ctx, `update procedure_runs set inputs = ?, step = ? where id = ? and agent_id = ? and account_id = ? and outcome is null`,
		inputsJSON(r.Inputs), r.Step, r.ID, r.AgentID, r.AccountID)
	return err
}

// EndProcedureRun ends an open run with its outcome and records it; one that has ended meanwhile stays as it is.
func (db *DB) EndProcedureRun(ctx context.Context, r *parley.ProcedureRun, now time.Time) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `update procedure_runs set inputs = ?, step = ?, outcome = ?, state = ?, ended_at = ? where id = ? and agent_id = ?
			and account_id = ? and outcome is null`, inputsJSON(r.Inputs), r.Step, string(r.Outcome), runEnded, millis(now), r.ID, r.AgentID, r.AccountID)
		if err != nil || n == 0 {
			return err
		}
		return tx.RecordEvents(ctx, r.AccountID, now, NewEvent{Kind: "procedure.ended", AgentID: r.AgentID, ConversationID: r.ConversationID, Subject: r.ID,
			Payload: map[string]string{"procedure": r.Name, "outcome": string(r.Outcome)}})
	})
}

func inputsJSON(inputs map[string]json.RawMessage) any {
	if inputs == nil {
		return "{}"
	}
	return toJSON(inputs)
}
