package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// HasEarlierVersions reports whether a source has versions that neither answer nor are on their way.
func (db *DB) HasEarlierVersions(ctx context.Context, account parley.AccountID, agent parley.AgentID, source parley.SourceID) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from source_versions v join sources s on s.id = v.source_id
		where v.source_id = ? and v.agent_id = ? and v.account_id = ? and v.id <> coalesce(s.live_version, '') and v.id <> coalesce(s.wanted_version, '')`, source, agent, account)
	return n > 0, err
}

// EraseEarlierVersions erases what the earlier versions of a source said, in chunks in the bulk lane.
func (db *DB) EraseEarlierVersions(ctx context.Context, account parley.AccountID, agent parley.AgentID, source parley.SourceID) error {
	const live = ` not in (select live_version from sources where id = ? and live_version is not null)`
	const wanted = ` not in (select wanted_version from sources where id = ? and wanted_version is not null)`
	args := []any{source, source, source}
	err := db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, account, agent, "source_id = ? and version_id"+live+" and version_id"+wanted, args)
	if err != nil {
		return err
	}
	return db.erase(ctx, erasableTable{table: "source_versions", keyColumn: "id", maxRows: maxEraseVersions}, account, agent, "source_id = ? and id"+live+" and id"+wanted, args)
}
