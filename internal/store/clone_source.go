package store

import (
	"context"
	"database/sql"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// originalSource is what of a source's row decides its copy's.
type originalSource struct {
	id              parley.SourceID
	parent, version string
	size            int64
}

func scanOriginalSource(scan sqldb.Scan) (o originalSource, err error) {
	var parent, version sql.NullString
	err = scan(&o.id, &parent, &version, &o.size)
	o.parent, o.version = parent.String, version.String
	return o, err
}

// CloneSources writes the rows of the next sources of the original, those whose ids come after one; they wait for their
// content. It gives the last id and whether there may be more. It must be called in a transaction that holds the copy's row.
func (db *DB) CloneSources(ctx context.Context, c Clone, after parley.SourceID) (last parley.SourceID, more bool, err error) {
	list, err := sqldb.All(ctx, db.sql, scanOriginalSource, `select id, parent_id, coalesce(wanted_version, live_version), size from sources where agent_id = ? and account_id = ?
		and deleted_at is null and status <> 'toBeDeleted' and created_at <= ? and id > ? order by id limit ?`, c.FromAgent, c.Account, millis(c.StartedAt), after, maxCloneRows)
	if err != nil || len(list) == 0 {
		return after, false, err
	}
	existing, err := db.existingClones(ctx, c, list)
	if err != nil {
		return after, false, err
	}
	var missing []originalSource
	for _, o := range list {
		if !existing[c.SourceID(o.id)] {
			missing = append(missing, o)
		}
	}
	return list[len(list)-1].id, len(list) == maxCloneRows, db.insertClonedSources(ctx, c, missing)
}

// existingClones tells which of the copies have a row, be it that of a source deleted since.
func (db *DB) existingClones(ctx context.Context, c Clone, list []originalSource) (map[parley.SourceID]bool, error) {
	args := []any{c.ToAgent, c.Account}
	for _, o := range list {
		args = append(args, c.SourceID(o.id))
	}
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from sources where agent_id = ? and account_id = ? and id in (?`+strings.Repeat(`, ?`, len(list)-1)+`)`, args...)
	existing := make(map[parley.SourceID]bool, len(ids))
	for _, id := range ids {
		existing[parley.SourceID(id)] = true
	}
	return existing, err
}

func (db *DB) insertClonedSources(ctx context.Context, c Clone, list []originalSource) error {
	if len(list) == 0 {
		return nil
	}
	var size int64
	args := make([]any, 0, 4*len(list)+3)
	for _, o := range list {
		size += o.size
		args = append(args, string(o.id), string(c.SourceID(o.id)), c.newID(o.parent), c.newID(o.version))
	}
	_, err := db.sql.Exec(ctx, `with m (old_id, new_id, parent, version) as (values (?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?)`, len(list)-1)+`)
		insert into sources (id, account_id, agent_id, parent_id, wanted_version, status, kind, name, url, size, metadata, key, next_sync_at, created_at, updated_at)
		select m.new_id, s.account_id, ?, nullif(m.parent, ''), nullif(m.version, ''), 'untrained', s.kind, s.name, s.url, s.size, s.metadata, s.key, s.next_sync_at,
		s.created_at, s.updated_at from m join sources s on s.id = m.old_id where s.agent_id = ? and s.account_id = ?`, append(args, c.ToAgent, c.FromAgent, c.Account)...)
	if err != nil {
		return err
	}
	n, err := db.sql.Exec(ctx, `update agents set size = size + ?, sources_pending = sources_pending + ? where id = ? and account_id = ? and deleted_at is null`,
		size, len(list), c.ToAgent, c.Account)
	return requireChanged(n, err, parley.CodeAgentNotFound)
}

// OriginalSourceIDs lists ids of the original's sources that come after one, with those that were deleted meanwhile.
func (db *DB) OriginalSourceIDs(ctx context.Context, c Clone, after parley.SourceID) ([]parley.SourceID, error) {
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from sources where agent_id = ? and account_id = ? and id > ? order by id limit ?`,
		c.FromAgent, c.Account, after, maxCloneRows)
	list := make([]parley.SourceID, len(ids))
	for i, id := range ids {
		list[i] = parley.SourceID(id)
	}
	return list, err
}
