package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// AgentByKey finds an agent by its key in manifests and, in a transaction, keeps every other writer of its row out. now says
// which month's credits to count. Fails with AGENT_NOT_FOUND.
func (db *DB) AgentByKey(ctx context.Context, account parley.AccountID, key string, now time.Time) (*parley.Agent, error) {
	id, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AgentID], `select id from agents where account_id = ? and key = ? and deleted_at is null`, account, key)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAgentNotFound)
	}
	return db.AgentForUpdate(ctx, account, id, now)
}

// AgentForUpdate is Agent that keeps every other writer of the agent's row out until the transaction ends.
func (db *DB) AgentForUpdate(ctx context.Context, account parley.AccountID, id parley.AgentID, now time.Time) (*parley.Agent, error) {
	return db.agent(ctx, account, id, now, db.sql.ForUpdate())
}

// AgentInAnyAccount finds an agent of any account: the operator's view. now says which month's credits to count. Fails with
// AGENT_NOT_FOUND.
func (db *DB) AgentInAnyAccount(ctx context.Context, id parley.AgentID, now time.Time) (*parley.Agent, error) {
	account, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AccountID], `select account_id from agents where id = ? and deleted_at is null`, id)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAgentNotFound)
	}
	return db.agent(ctx, account, id, now, "")
}

// ManagedSource is a source with what manifests know of it.
type ManagedSource struct {
	parley.Source
	Key  string // empty for a source that none manages
	Hash string // of the wanted version's text
}

// ManagedSources lists all of an agent's sources, oldest first, with their keys; what was found on a site is left out.
func (db *DB) ManagedSources(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]ManagedSource, error) {
	return sqldb.All(ctx, db.sql, scanManagedSource, `select coalesce(s.key, ''), coalesce((select v.hash from source_versions v where v.id = s.wanted_version), ''), `+
		sourceColumns+` from sources s where s.agent_id = ? and s.account_id = ? and s.parent_id is null and s.deleted_at is null order by s.created_at, s.id`, agent, account)
}

func scanManagedSource(scan sqldb.Scan) (m ManagedSource, err error) {
	m.Source, err = scanSource(func(dest ...any) error { return scan(append([]any{&m.Key, &m.Hash}, dest...)...) })
	return m, err
}

// SourceByKey finds a source by its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SourceByKey(ctx context.Context, account parley.AccountID, agent parley.AgentID, key string) (*parley.Source, error) {
	s, err := sqldb.One(ctx, db.sql, scanSource, `select `+sourceColumns+` from sources where agent_id = ? and account_id = ? and key = ? and deleted_at is null`,
		agent, account, key)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	return &s, nil
}

// SetSourceKey returns a source its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SetSourceKey(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID, key string) error {
	n, err := db.sql.Exec(ctx, `update sources set key = ? where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, textOrNil(key), id, agent, account)
	return requireChanged(n, err, parley.CodeSourceNotFound)
}
