package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// LockHelpdesk blocks every other writer of the agent's helpdesk until the transaction ends: what is assigned, counted
// and set up happens one after the other. It reports whether the helpdesk is there; that of a deleted agent is not.
func (db *DB) LockHelpdesk(ctx context.Context, ref parley.AgentRef) (exists bool, err error) {
	_, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select 1
		from helpdesks
		where agent_id = ? and account_id = ?`+helpdeskAgentExists+db.sql.ForUpdate(), ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// LockHelpdesks is LockHelpdesk of each of the account's agents that has one, and names those agents.
func (db *DB) LockHelpdesks(ctx context.Context, account parley.AccountID) ([]parley.AgentID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.AgentID], `
		select agent_id
		from helpdesks
		where account_id = ?`+helpdeskAgentExists+`
		order by agent_id`+db.sql.ForUpdate(), account)
}

// HasHelpdesk reports whether the helpdesk of an agent has been made.
func (db *DB) HasHelpdesk(ctx context.Context, ref parley.AgentRef) (bool, error) {
	return db.exists(ctx, `
		from helpdesks
		where agent_id = ? and account_id = ?`+helpdeskAgentExists, ref.Agent, ref.Account)
}

const helpdeskAgentExists = ` and exists (select 1 from agents a where a.id = helpdesks.agent_id
	and a.account_id = helpdesks.account_id and a.deleted_at is null)`

// CreateHelpdesk creates the agent's helpdesk, unless there is one. Fails with AGENT_NOT_FOUND.
func (db *DB) CreateHelpdesk(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	if err := db.LockAgent(ctx, ref); err != nil {
		return err
	}
	return db.exec(ctx, `
		insert into helpdesks (
		  agent_id,
		  account_id,
		  last_number,
		  created_at,
		  updated_at
		)
		values (?, ?, 0, ?, ?)
		on conflict do nothing`,
		ref.Agent, ref.Account, millis(now), millis(now))
}

// NextTicketNumber takes the next number of the agent's tickets, and locks the helpdesk as LockHelpdesk does; 0 means
// that there is no helpdesk yet. The number is given back when the transaction fails, so that there are no gaps. It
// also returns the default status of the ticket's category, with which most tickets begin.
func (db *DB) NextTicketNumber(ctx context.Context, ref parley.AgentRef, category parley.StatusCategory) (n int64,
	status parley.StatusID, err error) {
	err = db.sql.QueryRow(ctx, `
		update helpdesks set last_number = last_number + 1
		where agent_id = ? and account_id = ?`+helpdeskAgentExists+`
		returning
		  last_number,
		  (select s.id from ticket_statuses s where s.agent_id = helpdesks.agent_id and s.category = ?
		    and s.is_default = 1)`, ref.Agent, ref.Account, category).
		Scan(&n, nullableText(&status))
	if sqldb.IsNotFound(err) {
		return 0, "", nil
	}
	return n, status, err
}

// HandoverEnabled reports whether a customer's plain wish for a human hands the conversation over; it does until it is
// turned off.
func (db *DB) HandoverEnabled(ctx context.Context, ref parley.AgentRef) (bool, error) {
	on, err := sqldb.One(ctx, db.sql, sqldb.Column[bool], `
		select handover
		from helpdesks
		where agent_id = ? and account_id = ?`, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return true, nil
	}
	return on, err
}

// SetHandoverEnabled turns it on or off. The helpdesk must be there.
func (db *DB) SetHandoverEnabled(ctx context.Context, ref parley.AgentRef, on bool, now time.Time) error {
	return db.execFound(ctx, parley.CodeAgentNotFound, `
		update helpdesks set
		  handover = ?,
		  updated_at = ?
		where agent_id = ? and account_id = ?`, boolToInt(on), millis(now), ref.Agent, ref.Account)
}

var statusTable = newTable("ticket_statuses", func(s *parley.TicketStatus) []field {
	return []field{
		{"id", &s.ID},
		{"account_id", &s.AccountID},
		{"agent_id", &s.AgentID},
		{"key", nullableText(&s.Key)},
		{"category", &s.Category},
		{"external_label", &s.ExternalLabel},
		{"internal_label", &s.InternalLabel},
		{"color", nullableText(&s.Color)},
		{"is_default", &s.IsDefault},
		{"position", &s.Position},
		{"archived_at", timePointerDest{&s.ArchivedAt}},
		{"created_at", timeDest{&s.CreatedAt}},
		{"updated_at", timeDest{&s.UpdatedAt}},
	}
})

// Statuses lists the agent's ticket statuses by their position; by category they are ordered by who knows the
// categories' order. archived says whether those are listed too.
func (db *DB) Statuses(ctx context.Context, ref parley.AgentRef, archived bool) ([]parley.TicketStatus, error) {
	return statusTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and (archived_at is null or ? = 1)
		order by position, created_at, id`, ref.Agent, ref.Account, boolToInt(archived))
}

// Status finds one of the agent's statuses, archived or not. Fails with TICKET_INVALID_STATUS.
func (db *DB) Status(ctx context.Context, ref parley.AgentRef, id parley.StatusID) (*parley.TicketStatus, error) {
	return db.status(ctx, ref, `id = ?`, id)
}

// DefaultStatus finds the default status of a category. Fails with TICKET_INVALID_STATUS where the agent has no
// helpdesk yet.
func (db *DB) DefaultStatus(ctx context.Context, ref parley.AgentRef,
	category parley.StatusCategory) (*parley.TicketStatus, error) {
	return db.status(ctx, ref, `is_default = 1 and category = ?`, category)
}

func (db *DB) status(ctx context.Context, ref parley.AgentRef, condition string, value any) (*parley.TicketStatus,
	error) {
	return statusTable.find(ctx, db, parley.CodeTicketStatus, `
		where agent_id = ? and account_id = ? and `+condition, ref.Agent, ref.Account, value)
}

// PutStatus writes a status in place of the one with its id, if there is one. Of a category with a default, another one
// must have lost that before (UnsetDefault).
func (db *DB) PutStatus(ctx context.Context, s *parley.TicketStatus) error {
	return statusTable.insert(ctx, db, overwrite("id", "key", "external_label", "internal_label", "color", "is_default",
		"position", "archived_at", "updated_at")+`
		where ticket_statuses.agent_id = excluded.agent_id and ticket_statuses.account_id = excluded.account_id`, s)
}

// UnsetDefault unmarks the default status of a category.
func (db *DB) UnsetDefault(ctx context.Context, ref parley.AgentRef, category parley.StatusCategory,
	now time.Time) error {
	return db.exec(ctx, `
		update ticket_statuses set
		  is_default = 0,
		  updated_at = ?
		where agent_id = ? and account_id = ? and category = ? and is_default = 1`,
		millis(now), ref.Agent, ref.Account, category)
}
