package store

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// CloneBlobs copies the rows of the original's blobs; there is none of an empty id.
func (db *DB) CloneBlobs(ctx context.Context, c Clone, blobs ...string) error {
	ids := slices.DeleteFunc(slices.Clone(blobs), func(id string) bool { return id == "" })
	return db.copyRows(ctx, c, copiedBlobs, ids)
}

// CloneVersion copies one version of a source's content with the row of its file. It must be called in a transaction
// that holds the copy and its source. Fails with SOURCE_NOT_FOUND when the original's version is gone.
func (db *DB) CloneVersion(ctx context.Context, c Clone, source parley.SourceID, version parley.VersionID) error {
	blob, err := sqldb.One(ctx, db.sql, sqldb.Column[string], `
		select coalesce(blob_id, '')
		from source_versions
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`,
		version, source, c.FromAgent, c.Account)
	if err != nil {
		return mapNotFound(err, parley.CodeSourceNotFound)
	}
	if blob != "" {
		if err := db.copyRows(ctx, c, copiedBlobs, []string{blob}); err != nil {
			return err
		}
	}
	return db.copyRows(ctx, c, copiedVersions, []string{string(version)}, c.SourceID(source), textOrNil(c.newID(blob)))
}

// ClonePassages copies the next passages of a version, with their vectors, and reports whether there may be more. It
// must be called in a transaction that holds the copy and its source.
func (db *DB) ClonePassages(ctx context.Context, c Clone, source parley.SourceID, version parley.VersionID) (more bool,
	err error) {
	last, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], `
		select coalesce(max(ordinal), -1)
		from passages
		where agent_id = ? and account_id = ? and source_id = ? and version_id = ?`,
		c.ToAgent, c.Account, c.SourceID(source), c.VersionID(version))
	if err != nil {
		return false, err
	}
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select id
		from passages
		where agent_id = ? and account_id = ? and source_id = ? and version_id = ? and ordinal > ?
		order by ordinal
		limit ?`, c.FromAgent, c.Account, source, version, last, maxClonePassages)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	if err := db.copyRows(ctx, c, copiedPassages, ids, c.SourceID(source), c.VersionID(version)); err != nil {
		return false, err
	}
	err = db.exec(ctx, `
		insert into passage_vectors (
		  agent_id,
		  text_hash,
		  model,
		  vector
		)
		select
		  ?,
		  v.text_hash,
		  v.model,
		  v.vector
		from passage_vectors v
		where v.agent_id = ?
		  and v.text_hash in (select hash from passages where agent_id = ? and source_id = ?
		    and version_id = ? and ordinal > ?)
		on conflict do nothing`,
		c.ToAgent, c.FromAgent, c.ToAgent, c.SourceID(source), c.VersionID(version), last)
	return len(ids) == maxClonePassages, err
}

// originalSource is what of a source's row decides its copy's.
type originalSource struct {
	id              parley.SourceID
	parent, version string
	size            int64
}

var originalSourceTable = newTable("sources", func(o *originalSource) []field {
	return []field{
		{"id", &o.id},
		{"parent_id", nullableText(&o.parent)},
		{"coalesce(wanted_version, live_version)", nullableText(&o.version)},
		{"size", &o.size},
	}
})

// CloneSources writes the rows of the next sources of the original, those whose ids come after one; they wait for their
// content. It returns the last id and whether there may be more. It must be called in a transaction that has locked the
// copy's row.
func (db *DB) CloneSources(ctx context.Context, c Clone, after parley.SourceID) (last parley.SourceID, more bool,
	err error) {
	list, err := originalSourceTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and deleted_at is null and status <> 'toBeDeleted'
		  and created_at <= ? and id > ?
		order by id
		limit ?`, c.FromAgent, c.Account, millis(c.StartedAt), after, maxCloneRows)
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

// existingClones lists which of the copies have a row, even that of a source deleted since.
func (db *DB) existingClones(ctx context.Context, c Clone, list []originalSource) (map[parley.SourceID]bool, error) {
	args := []any{c.ToAgent, c.Account}
	for _, o := range list {
		args = append(args, c.SourceID(o.id))
	}
	ids, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.SourceID], `
		select id
		from sources
		where agent_id = ? and account_id = ? and id in `+placeholders(len(list)), args...)
	existing := make(map[parley.SourceID]bool, len(ids))
	for _, id := range ids {
		existing[id] = true
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
	err := db.exec(ctx, `
		with m (old_id, new_id, parent, version) as (values (?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?)`, len(list)-1)+`)
		insert into sources (
		  id,
		  account_id,
		  agent_id,
		  parent_id,
		  wanted_version,
		  status,
		  kind,
		  name,
		  url,
		  size,
		  metadata,
		  key,
		  next_sync_at,
		  created_at,
		  updated_at
		)
		select
		  m.new_id,
		  s.account_id,
		  ?,
		  nullif(m.parent, ''),
		  nullif(m.version, ''),
		  'untrained',
		  s.kind,
		  s.name,
		  s.url,
		  s.size,
		  s.metadata,
		  s.key,
		  s.next_sync_at,
		  s.created_at,
		  s.updated_at
		from m
		join sources s on s.id = m.old_id
		where s.agent_id = ? and s.account_id = ?`,
		append(args, c.ToAgent, c.FromAgent, c.Account)...)
	if err != nil {
		return err
	}
	return db.execFound(ctx, parley.CodeAgentNotFound, `
		update agents set
		  size = size + ?,
		  sources_pending = sources_pending + ?
		where id = ? and account_id = ? and deleted_at is null`,
		size, len(list), c.ToAgent, c.Account)
}

// OriginalSourceIDs lists ids of the original's sources that come after one, with those that were deleted meanwhile.
func (db *DB) OriginalSourceIDs(ctx context.Context, c Clone, after parley.SourceID) ([]parley.SourceID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.SourceID], `
		select id
		from sources
		where agent_id = ? and account_id = ? and id > ?
		order by id
		limit ?`, c.FromAgent, c.Account, after, maxCloneRows)
}
