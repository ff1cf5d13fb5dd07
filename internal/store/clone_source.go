package store

import (
	"context"
	"database/sql"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// original is what of a source's row decides its copy's.
type original struct {
	id              parley.SourceID
	parent, version string
	size            int64
}

func scanOriginal(scan sqldb.Scan) (o original, err error) {
	var parent, version sql.NullString
	err = scan(&o.id, &parent, &version, &o.size)
	o.parent, o.version = parent.String, version.String
	return o, err
}

// CloneSources writes the rows of the next sources of the original, those whose ids come after one; they wait for their
// content. It gives the last id and whether there may be more. It must be called in a transaction that holds the copy's row.
func (db *DB) CloneSources(ctx context.Context, c Clone, after parley.SourceID) (last parley.SourceID, more bool, err error) {
	list, err := sqldb.All(ctx, db.sql, scanOriginal, `select id, parent_id, coalesce(wanted_version, live_version), size from sources where agent_id = ? and account_id = ?
		and deleted_at is null and status <> 'toBeDeleted' and created_at <= ? and id > ? order by id limit ?`, c.From, c.Account, millis(c.At), after, cloneRows)
	if err != nil || len(list) == 0 {
		return after, false, err
	}
	there, err := db.clonedAlready(ctx, c, list)
	if err != nil {
		return after, false, err
	}
	var missing []original
	for _, o := range list {
		if !there[c.Source(o.id)] {
			missing = append(missing, o)
		}
	}
	return list[len(list)-1].id, len(list) == cloneRows, db.writeClones(ctx, c, missing)
}

// clonedAlready tells which of the copies have a row, be it that of a source deleted since.
func (db *DB) clonedAlready(ctx context.Context, c Clone, list []original) (map[parley.SourceID]bool, error) {
	args := []any{c.To, c.Account}
	for _, o := range list {
		args = append(args, c.Source(o.id))
	}
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from sources where agent_id = ? and account_id = ? and id in (?`+strings.Repeat(`, ?`, len(list)-1)+`)`, args...)
	there := make(map[parley.SourceID]bool, len(ids))
	for _, id := range ids {
		there[parley.SourceID(id)] = true
	}
	return there, err
}

func (db *DB) writeClones(ctx context.Context, c Clone, list []original) error {
	if len(list) == 0 {
		return nil
	}
	var size int64
	args := make([]any, 0, 4*len(list)+3)
	for _, o := range list {
		size += o.size
		args = append(args, string(o.id), string(c.Source(o.id)), c.id(o.parent), c.id(o.version))
	}
	_, err := db.sql.Exec(ctx, `with m (old_id, new_id, parent, version) as (values (?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?)`, len(list)-1)+`)
		insert into sources (id, account_id, agent_id, parent_id, wanted_version, status, kind, name, url, size, metadata, key, next_sync_at, created_at, updated_at)
		select m.new_id, s.account_id, ?, nullif(m.parent, ''), nullif(m.version, ''), 'untrained', s.kind, s.name, s.url, s.size, s.metadata, s.key, s.next_sync_at,
		s.created_at, s.updated_at from m join sources s on s.id = m.old_id where s.agent_id = ? and s.account_id = ?`, append(args, c.To, c.From, c.Account)...)
	if err != nil {
		return err
	}
	n, err := db.sql.Exec(ctx, `update agents set size = size + ?, sources_pending = sources_pending + ? where id = ? and account_id = ? and deleted_at is null`,
		size, len(list), c.To, c.Account)
	return changed(n, err, parley.CodeAgentNotFound)
}

// OriginalSources lists ids of the original's sources that come after one, with those that were deleted meanwhile.
func (db *DB) OriginalSources(ctx context.Context, c Clone, after parley.SourceID) ([]parley.SourceID, error) {
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from sources where agent_id = ? and account_id = ? and id > ? order by id limit ?`,
		c.From, c.Account, after, cloneRows)
	list := make([]parley.SourceID, len(ids))
	for i, id := range ids {
		list[i] = parley.SourceID(id)
	}
	return list, err
}
