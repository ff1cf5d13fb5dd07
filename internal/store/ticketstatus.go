package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const statusColumns = `id, account_id, agent_id, key, category, external_label, internal_label, color, is_default, position, archived_at, created_at, updated_at`

func scanStatus(scan sqldb.Scan) (s parley.TicketStatus, err error) {
	err = scan(&s.ID, &s.AccountID, &s.AgentID, textDest[string]{&s.Key}, &s.Category, &s.ExternalLabel, &s.InternalLabel, textDest[string]{&s.Color}, &s.IsDefault,
		&s.Position, timePointerDest{&s.ArchivedAt}, timeDest{&s.CreatedAt}, timeDest{&s.UpdatedAt})
	return s, err
}

// Statuses lists the agent's ticket statuses by their position; by category they are ordered by who knows the categories' order.
// archived says whether those are listed too.
func (db *DB) Statuses(ctx context.Context, account parley.AccountID, agent parley.AgentID, archived bool) ([]parley.TicketStatus, error) {
	return sqldb.All(ctx, db.sql, scanStatus, `select `+statusColumns+` from ticket_statuses where agent_id = ? and account_id = ? and (archived_at is null or ? = 1)
		order by position, created_at, id`, agent, account, boolToInt(archived))
}

// Status finds one of the agent's statuses, archived or not. Fails with TICKET_INVALID_STATUS.
func (db *DB) Status(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.StatusID) (*parley.TicketStatus, error) {
	return db.status(ctx, account, agent, `id = ?`, id)
}

// DefaultStatus finds the default status of a category. Fails with TICKET_INVALID_STATUS where the agent has no helpdesk yet.
func (db *DB) DefaultStatus(ctx context.Context, account parley.AccountID, agent parley.AgentID, category parley.StatusCategory) (*parley.TicketStatus, error) {
	return db.status(ctx, account, agent, `is_default = 1 and category = ?`, category)
}

func (db *DB) status(ctx context.Context, account parley.AccountID, agent parley.AgentID, which string, value any) (*parley.TicketStatus, error) {
	s, err := sqldb.One(ctx, db.sql, scanStatus, `select `+statusColumns+` from ticket_statuses where agent_id = ? and account_id = ? and `+which, agent, account, value)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeTicketStatus)
	}
	return &s, nil
}

// PutStatus writes a status in place of the one with its id, if there is one. Of a category with a default, another one must have
// lost that before (UnsetDefault).
func (db *DB) PutStatus(ctx context.Context, s *parley.TicketStatus) error {
	_, err := db.sql.Exec(ctx, `insert into ticket_statuses (`+statusColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (id) do update set key = excluded.key, external_label = excluded.external_label, internal_label = excluded.internal_label, color = excluded.color,
		is_default = excluded.is_default, position = excluded.position, archived_at = excluded.archived_at, updated_at = excluded.updated_at
		where ticket_statuses.agent_id = excluded.agent_id and ticket_statuses.account_id = excluded.account_id`,
		s.ID, s.AccountID, s.AgentID, textOrNil(s.Key), s.Category, s.ExternalLabel, s.InternalLabel, textOrNil(s.Color), boolToInt(s.IsDefault), s.Position,
		millisOrNil(s.ArchivedAt), millis(s.CreatedAt), millis(s.UpdatedAt))
	return err
}

// UnsetDefault takes the mark off the default status of a category.
func (db *DB) UnsetDefault(ctx context.Context, account parley.AccountID, agent parley.AgentID, category parley.StatusCategory, now time.Time) error {
	_, err := db.sql.Exec(ctx, `update ticket_statuses set is_default = 0, updated_at = ? where agent_id = ? and account_id = ? and category = ? and is_default = 1`,
		millis(now), agent, account, category)
	return err
}
