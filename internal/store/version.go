package store

import (
	"context"
	"database/sql"

	"parley"
	"parley/internal/sqldb"
)

// CreateVersion writes one state of a source's content.
func (db *DB) CreateVersion(ctx context.Context, account parley.AccountID, v *parley.Version) error {
	_, err := db.sql.Exec(ctx, `insert into source_versions (id, account_id, agent_id, source_id, hash, content, text, state, created_at) values (?, ?, ?, ?, ?, ?, ?, 'new', ?)`,
		v.ID, account, v.AgentID, v.SourceID, v.Hash, toJSON(v.Content), v.Text, millis(v.CreatedAt))
	return err
}

// Version finds one state of a source's content, with its text. Fails with SOURCE_NOT_FOUND.
func (db *DB) Version(ctx context.Context, account parley.AccountID, agent parley.AgentID, source parley.SourceID, id parley.VersionID) (*parley.Version, error) {
	var content sql.NullString
	v, err := sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (parley.Version, error) {
		return scanVersion(func(dest ...any) error { return scan(append([]any{&content}, dest...)...) })
	}, `select content, id, agent_id, source_id, hash, text, created_at from source_versions
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`, id, source, agent, account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	v.Content = rawOrNil(content)
	return &v, nil
}

func scanVersion(scan sqldb.Scan) (v parley.Version, err error) {
	var created int64
	err = scan(&v.ID, &v.AgentID, &v.SourceID, &v.Hash, &v.Text, &created)
	v.CreatedAt = timeFromMillis(created)
	return v, err
}
