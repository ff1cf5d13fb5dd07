package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// LockHelpdesk keeps every other writer of the agent's helpdesk out until the transaction ends: what is assigned, counted and
// set up happens one after the other. It reports whether the helpdesk is there; that of a deleted agent is not.
func (db *DB) LockHelpdesk(ctx context.Context, account parley.AccountID, agent parley.AgentID) (exists bool, err error) {
	_, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select 1 from helpdesks where agent_id = ? and account_id = ?`+helpdeskAgentExists+db.sql.ForUpdate(), agent, account)
	if sqldb.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// LockHelpdesks is LockHelpdesk of each of the account's agents that has one, and names those agents.
func (db *DB) LockHelpdesks(ctx context.Context, account parley.AccountID) ([]parley.AgentID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.AgentID], `select agent_id from helpdesks where account_id = ?`+helpdeskAgentExists+` order by agent_id`+db.sql.ForUpdate(), account)
}

// HasHelpdesk reports whether the helpdesk of an agent has been made.
func (db *DB) HasHelpdesk(ctx context.Context, account parley.AccountID, agent parley.AgentID) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from helpdesks where agent_id = ? and account_id = ?`+helpdeskAgentExists, agent, account)
	return n > 0, err
}

const helpdeskAgentExists = ` and exists (select 1 from agents a where a.id = helpdesks.agent_id and a.account_id = helpdesks.account_id and a.deleted_at is null)`

// CreateHelpdesk makes the agent's helpdesk, unless it is there. Fails with AGENT_NOT_FOUND.
func (db *DB) CreateHelpdesk(ctx context.Context, account parley.AccountID, agent parley.AgentID, now time.Time) error {
	if err := db.LockAgent(ctx, account, agent); err != nil {
		return err
	}
	_, err := db.sql.Exec(ctx, `insert into helpdesks (agent_id, account_id, last_number, created_at, updated_at) values (?, ?, 0, ?, ?) on conflict do nothing`,
		agent, account, millis(now), millis(now))
	return err
}

// NextTicketNumber takes the next number of the agent's tickets, and holds the helpdesk as LockHelpdesk does; 0 says that there is no
// helpdesk yet. The number is given back when the transaction fails, so that there are no gaps. It also gives the default status of
// the ticket's category, for most tickets begin with that.
func (db *DB) NextTicketNumber(ctx context.Context, account parley.AccountID, agent parley.AgentID, category parley.StatusCategory) (n int64, status parley.StatusID, err error) {
	err = db.sql.QueryRow(ctx, `update helpdesks set last_number = last_number + 1 where agent_id = ? and account_id = ?`+helpdeskAgentExists+` returning last_number,
		(select s.id from ticket_statuses s where s.agent_id = helpdesks.agent_id and s.category = ? and s.is_default = 1)`, agent, account, category).
		Scan(&n, textDest[parley.StatusID]{&status})
	if sqldb.IsNotFound(err) {
		return 0, "", nil
	}
	return n, status, err
}

// HandoverEnabled reports whether a customer's plain wish for a human hands the conversation over; it does until somebody turns it off.
func (db *DB) HandoverEnabled(ctx context.Context, account parley.AccountID, agent parley.AgentID) (bool, error) {
	on, err := sqldb.One(ctx, db.sql, sqldb.Column[bool], `select handover from helpdesks where agent_id = ? and account_id = ?`, agent, account)
	if sqldb.IsNotFound(err) {
		return true, nil
	}
	return on, err
}

// SetHandoverEnabled turns it on or off. The helpdesk must be there.
func (db *DB) SetHandoverEnabled(ctx context.Context, account parley.AccountID, agent parley.AgentID, on bool, now time.Time) error {
	n, err := db.sql.Exec(ctx, `update helpdesks set handover = ?, updated_at = ? where agent_id = ? and account_id = ?`, boolToInt(on), millis(now), agent, account)
	return requireChanged(n, err, parley.CodeAgentNotFound)
}

// LockAndTouchAgent says that somebody wrote to the agent, and reports whether it masks what is kept. It holds the agent's row until the
// transaction ends. Fails with AGENT_NOT_FOUND.
func (db *DB) LockAndTouchAgent(ctx context.Context, account parley.AccountID, agent parley.AgentID, now time.Time) (redacts bool, err error) {
	redacts, err = sqldb.One(ctx, db.sql, sqldb.Column[bool], `update agents set last_message_at = case when coalesce(last_message_at, 0) < ? then ? else last_message_at end
		where id = ? and account_id = ? and deleted_at is null returning redact`, millis(now), millis(now), agent, account)
	return redacts, mapNotFound(err, parley.CodeAgentNotFound)
}
