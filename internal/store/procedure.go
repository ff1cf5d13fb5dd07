package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var procedureTable = newTable("procedures", func(p *parley.Procedure) []field {
	return []field{
		{"id", &p.ID},
		{"account_id", &p.AccountID},
		{"agent_id", &p.AgentID},
		{"key", &p.Key},
		{"name", &p.Name},
		{"description", &p.Description},
		{"triggers", jsonOr(&p.Triggers, "[]")},
		{"inputs", jsonOr(&p.Inputs, "[]")},
		{"steps", jsonOr(&p.Steps, "[]")},
		{"enabled", &p.Enabled},
		{"position", &p.Position},
		{"created_at", timeDest{&p.CreatedAt}},
		{"updated_at", timeDest{&p.UpdatedAt}},
	}
})

// Procedures lists an agent's procedures in their order, those that are switched off too.
func (db *DB) Procedures(ctx context.Context, ref parley.AgentRef) ([]parley.Procedure, error) {
	return procedureTable.list(ctx, db, `
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutProcedure writes the procedure, in place of the agent's procedure with the same key if there is one; that one
// keeps its id and time of creation, which p then has. Fails with AGENT_NOT_FOUND, and with RESOURCE_ALREADY_EXISTS
// when the name is taken.
func (db *DB) PutProcedure(ctx context.Context, p *parley.Procedure) error {
	put := *p
	err := db.changeTools(ctx, p.AgentRef(), p.UpdatedAt, func(tx *DB) error {
		if err := tx.checkNameFree(ctx, p.AgentID, p.Name, "", p.Key); err != nil {
			return err
		}
		query, args := procedureTable.insertion(overwrite("agent_id, key", "name", "description", "triggers", "inputs",
			"steps", "enabled", "position", "updated_at")+` returning id, created_at`, p)
		return tx.sql.QueryRow(ctx, query, args...).Scan(&put.ID, timeDest{&put.CreatedAt})
	})
	if err == nil {
		p.ID, p.CreatedAt = put.ID, put.CreatedAt
	}
	return err
}

// DropProcedure removes the agent's procedure with the key. Fails with AGENT_NOT_FOUND, and with NOT_FOUND when there
// is none.
func (db *DB) DropProcedure(ctx context.Context, ref parley.AgentRef, key string, now time.Time) error {
	return db.changeTools(ctx, ref, now, func(tx *DB) error {
		return tx.execFound(ctx, parley.CodeNotFound, `
			delete from procedures
			where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
	})
}

// The states of a row of procedure_runs. A run is open while its outcome is null.
const (
	runOpen  = "open"
	runEnded = "ended"
)

var runTable = newTable("procedure_runs", func(r *parley.ProcedureRun) []field {
	return []field{
		{"id", &r.ID},
		{"account_id", &r.AccountID},
		{"agent_id", &r.AgentID},
		{"conversation_id", &r.ConversationID},
		{"procedure_key", &r.Key},
		{"procedure_name", &r.Name},
		{"inputs", jsonOr(&r.Inputs, "{}")},
		{"step", &r.Step},
		{"outcome", nullableText(&r.Outcome)},
		{"started_at", timeDest{&r.StartedAt}},
		{"ended_at", timePointerDest{&r.EndedAt}},
	}
})

// OpenProcedureRun finds the conversation's procedure run that waits for an input, the newest if there are several, or
// nil.
func (db *DB) OpenProcedureRun(ctx context.Context, ref parley.ConversationRef) (*parley.ProcedureRun, error) {
	return runTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and outcome is null
		order by started_at desc, id desc
		limit 1`, ref.Conversation, ref.Agent, ref.Account)
}

// StartProcedureRun writes a new run and ends every other open one of its conversation as abandoned. Fails with
// RESOURCE_NOT_FOUND when the conversation is gone.
func (db *DB) StartProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockConversation(ctx, r.ConversationRef()); err != nil {
			return err
		}
		err := tx.exec(ctx, `
			update procedure_runs set
			  outcome = ?,
			  state = ?,
			  ended_at = ?
			where conversation_id = ? and agent_id = ? and account_id = ? and outcome is null`,
			string(parley.ProcedureAbandoned), runEnded, millis(r.StartedAt), r.ConversationID, r.AgentID, r.AccountID)
		if err != nil {
			return err
		}
		started := *r
		started.Outcome, started.EndedAt = "", nil
		return tx.insert(ctx, "procedure_runs", "", append(runTable.fields(&started), field{"state", runOpen})...)
	})
}

// SaveProcedureRun stores the inputs and the step of an open run.
func (db *DB) SaveProcedureRun(ctx context.Context, r *parley.ProcedureRun) error {
	_, err := db.update(ctx, "procedure_runs", runTable.pick(r, "inputs", "step"),
		`id = ? and agent_id = ? and account_id = ? and outcome is null`, r.ID, r.AgentID, r.AccountID)
	return err
}

// EndProcedureRun ends an open run with its outcome and records it; one that has ended meanwhile stays as it is.
func (db *DB) EndProcedureRun(ctx context.Context, r *parley.ProcedureRun, now time.Time) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		fields := append(runTable.pick(r, "inputs", "step", "outcome"), field{"state", runEnded},
			field{"ended_at", millis(now)})
		n, err := tx.update(ctx, "procedure_runs", fields,
			`id = ? and agent_id = ? and account_id = ? and outcome is null`, r.ID, r.AgentID, r.AccountID)
		if err != nil || n == 0 {
			return err
		}
		return tx.RecordEvents(ctx, r.AccountID, now,
			NewEvent{Kind: parley.EventProcedureEnded, AgentID: r.AgentID, ConversationID: r.ConversationID, Subject: r.ID,
				Payload: map[string]string{"procedure": r.Name, "outcome": string(r.Outcome)}})
	})
}
