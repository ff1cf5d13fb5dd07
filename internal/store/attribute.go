package store

import (
	"context"
	"database/sql"

	"parley"
	"parley/internal/sqldb"
)

const attributeColumns = `account_id, agent_id, name, label, type, description, created_at, updated_at, archived_at`

func scanAttribute(scan sqldb.Scan) (a parley.Attribute, err error) {
	var created, updated int64
	var archived sql.NullInt64
	err = scan(&a.AccountID, &a.AgentID, &a.Name, &a.Label, &a.Type, &a.Description, &created, &updated, &archived)
	a.CreatedAt, a.UpdatedAt, a.ArchivedAt = timeFromMillis(created), timeFromMillis(updated), timeOrNil(archived)
	return a, err
}

// Attributes lists the custom attributes of an agent's contacts by name, archived ones too.
func (db *DB) Attributes(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Attribute, error) {
	return sqldb.All(ctx, db.sql, scanAttribute, `select `+attributeColumns+` from custom_attributes where agent_id = ? and account_id = ? order by name`, agent, account)
}

// LockAttribute finds a custom attribute that is about to be changed. Fails with NOT_FOUND.
func (db *DB) LockAttribute(ctx context.Context, account parley.AccountID, agent parley.AgentID, name string) (*parley.Attribute, error) {
	a, err := sqldb.One(ctx, db.sql, scanAttribute, `select `+attributeColumns+` from custom_attributes where agent_id = ? and account_id = ? and name = ?`+db.sql.ForUpdate(), agent, account, name)
	if sqldb.IsNotFound(err) {
		return nil, parley.NewErrorf(parley.CodeNotFound, "Custom attribute not found.")
	}
	return &a, err
}

// SaveAttribute writes a custom attribute, new or changed. It must be called in a transaction that holds the agent.
func (db *DB) SaveAttribute(ctx context.Context, a *parley.Attribute) error {
	_, err := db.sql.Exec(ctx, `insert into custom_attributes (`+attributeColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (agent_id, name) do update set label = excluded.label, description = excluded.description, updated_at = excluded.updated_at, archived_at = excluded.archived_at`,
		a.AccountID, a.AgentID, a.Name, a.Label, string(a.Type), a.Description, millis(a.CreatedAt), millis(a.UpdatedAt), millisOrNil(a.ArchivedAt))
	return err
}
