package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const sourceColumns = `
  id,
  account_id,
  agent_id,
  parent_id,
  kind,
  name,
  url,
  size,
  status,
  failure,
  metadata,
  live_version,
  wanted_version,
  created_at,
  updated_at`

func scanSource(scan sqldb.Scan) (s parley.Source, err error) {
	err = scan(
		&s.ID,
		&s.AccountID,
		&s.AgentID,
		nullableText(&s.ParentID),
		&s.Kind,
		&s.Name,
		&s.URL,
		&s.Size,
		&s.Status,
		&s.Failure,
		rawJSONDest{&s.Metadata},
		nullableText(&s.LiveVersion),
		nullableText(&s.WantedVersion),
		timeDest{&s.CreatedAt},
		timeDest{&s.UpdatedAt},
	)
	return s, err
}

// Source finds a source of the agent. Fails with SOURCE_NOT_FOUND.
func (db *DB) Source(ctx context.Context, ref parley.AgentRef, id parley.SourceID) (*parley.Source, error) {
	return db.source(ctx, ref, id, "")
}

// LockSource is Source that keeps every other writer of its row out until the transaction ends.
func (db *DB) LockSource(ctx context.Context, ref parley.AgentRef, id parley.SourceID) (*parley.Source, error) {
	return db.source(ctx, ref, id, db.sql.ForUpdate())
}

func (db *DB) source(ctx context.Context, ref parley.AgentRef, id parley.SourceID, lock string) (*parley.Source,
	error) {
	s, err := sqldb.One(ctx, db.sql, scanSource, `
		select `+sourceColumns+`
		from sources
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`+lock,
		id, ref.Agent, ref.Account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	return &s, nil
}

// SourceFilter narrows a list of sources. Zero fields do not.
type SourceFilter struct {
	Kinds []parley.SourceKind
	Name  string // part of the name, case ignored
}

// Sources lists an agent's sources, newest first. What was found on a site is left out.
func (db *DB) Sources(ctx context.Context, ref parley.AgentRef, f SourceFilter,
	ask parley.PageRequest) (parley.Page[parley.Source], error) {
	if f.Name != "" {
		return db.sourcesByName(ctx, ref, f, ask)
	}
	where, args := f.whereClause(ref)
	var page parley.Page[parley.Source]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from sources
		where `+where, args...); err != nil {
		return page, err
	}
	after := startCursor(ask)
	args = append(args, after.SortValue, after.SortValue, after.ID, ask.Limit+1)
	list, err := sqldb.All(ctx, db.sql, scanSource, `select `+sourceColumns+` from sources where `+where+`
		and (created_at < ? or (created_at = ? and id < ?))
		order by created_at desc, id desc
		limit ?`, args...)
	page.Items, page.Next = cutPage(list, ask.Limit, sourceCursor)
	return page, err
}

// sourcesByName walks all of the agent's sources: the two databases do not agree on the case of letters beyond ASCII.
func (db *DB) sourcesByName(ctx context.Context, ref parley.AgentRef, f SourceFilter,
	ask parley.PageRequest) (parley.Page[parley.Source], error) {
	var page parley.Page[parley.Source]
	where, args := f.whereClause(ref)
	rows, err := db.sql.Query(ctx, `
		select `+sourceColumns+`
		from sources
		where `+where+`
		order by created_at desc, id desc`, args...)
	if err != nil {
		return page, err
	}
	defer func() { _ = rows.Close() }()
	name, seen := strings.ToLower(f.Name), ask.After == nil
	for rows.Next() {
		s, err := scanSource(rows.Scan)
		if err != nil {
			return page, err
		}
		at := sourceCursor(s)
		seen = seen || at.SortValue < ask.After.SortValue
		if strings.Contains(strings.ToLower(s.Name), name) {
			page.Total++
			if seen && len(page.Items) <= ask.Limit {
				page.Items = append(page.Items, s)
			}
		}
		seen = seen || at == *ask.After
	}
	page.Items, page.Next = cutPage(page.Items, ask.Limit, sourceCursor)
	return page, rows.Err()
}

func sourceCursor(s parley.Source) parley.Cursor {
	return parley.Cursor{SortValue: millis(s.CreatedAt), ID: string(s.ID)}
}

func (f SourceFilter) whereClause(ref parley.AgentRef) (string, []any) {
	where, args := `agent_id = ? and account_id = ? and parent_id is null and deleted_at is null`,
		[]any{ref.Agent, ref.Account}
	if len(f.Kinds) > 0 {
		where += ` and kind in (?` + strings.Repeat(`, ?`, len(f.Kinds)-1) + `)`
		for _, k := range f.Kinds {
			args = append(args, k)
		}
	}
	return where, args
}

// CreateSource writes a new source and counts it on its agent. It returns the bytes of all the agent's sources, this
// one included, for the caller's rule on storage; the agent's row is held until commit, so that the rule is exact.
// Fails with AGENT_NOT_FOUND.
func (db *DB) CreateSource(ctx context.Context, s *parley.Source) (total int64, err error) {
	total, _, err = db.updateAgentCounters(ctx, nil, s, s.UpdatedAt)
	if err != nil {
		return 0, err
	}
	_, err = db.sql.Exec(ctx, `
		insert into sources (
		  id,
		  account_id,
		  agent_id,
		  parent_id,
		  kind,
		  name,
		  url,
		  size,
		  status,
		  failure,
		  metadata,
		  live_version,
		  wanted_version,
		  created_at,
		  updated_at
		)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, s.AccountID, s.AgentID, textOrNil(s.ParentID),
		s.Kind, s.Name, s.URL, s.Size, s.Status,
		s.Failure, toJSON(s.Metadata), textOrNil(s.LiveVersion), textOrNil(s.WantedVersion), millis(s.CreatedAt),
		millis(s.UpdatedAt))
	return total, err
}

// HasTextWithHash reports whether the agent has another source of that name and kind whose wanted version has the hash.
// To be exact it must be asked in a transaction that holds the agent's row.
func (db *DB) HasTextWithHash(ctx context.Context, s *parley.Source, hash string) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from source_versions v
		join sources s on s.id = v.source_id and s.wanted_version = v.id
		where v.agent_id = ? and v.hash = ? and s.account_id = ? and s.kind = ? and s.name = ? and s.id <> ?
		  and s.deleted_at is null`,
		s.AgentID, hash, s.AccountID, s.Kind, s.Name, s.ID)
	return n > 0, err
}

// UpdateSource reads a source, has it changed and writes it back, in one transaction, and keeps the agent's counters:
// bytes, sources by state, and the passage version, which grows when another version goes live. It returns the source
// and the agent's passage version by then. A source set to SourceDeleted is no longer found. Fails with AGENT_NOT_FOUND
// or SOURCE_NOT_FOUND.
func (db *DB) UpdateSource(ctx context.Context, ref parley.AgentRef, id parley.SourceID,
	change func(*parley.Source) error) (*parley.Source, int64, error) {
	var after *parley.Source
	var passages int64
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil { // before the source's row, always
			return err
		}
		s, err := tx.source(ctx, ref, id, tx.sql.ForUpdate())
		if err != nil {
			return err
		}
		before := *s
		if err := change(s); err != nil {
			return err
		}
		after = s
		if _, passages, err = tx.updateAgentCounters(ctx, &before, s, s.UpdatedAt); err != nil {
			return err
		}
		return tx.updateSourceRow(ctx, &before, s, passages)
	})
	return after, passages, err
}

// updateSourceRow writes a source back. With another live version comes the agent's passage version from which on it is
// so: one row tells every server's memory what all the passages of a source have to do.
func (db *DB) updateSourceRow(ctx context.Context, before, s *parley.Source, passages int64) error {
	var deleted any
	if s.Status == parley.SourceDeleted {
		deleted = millis(s.UpdatedAt)
	}
	_, err := db.sql.Exec(ctx, `
		update sources set
		  name = ?,
		  url = ?,
		  size = ?,
		  status = ?,
		  failure = ?,
		  metadata = ?,
		  live_version = ?,
		  wanted_version = ?,
		  updated_at = ?,
		  deleted_at = ?
		where id = ? and agent_id = ? and account_id = ?`, s.Name, s.URL, s.Size, s.Status, s.Failure, toJSON(s.Metadata),
		textOrNil(s.LiveVersion), textOrNil(s.WantedVersion), millis(s.UpdatedAt), deleted, s.ID, s.AgentID, s.AccountID)
	if err != nil || before.LiveVersion == s.LiveVersion {
		return err
	}
	if _, err = db.sql.Exec(ctx, `
		update sources set live_in = ?
		where id = ? and agent_id = ? and account_id = ?`, passages, s.ID, s.AgentID, s.AccountID); err != nil {
		return err
	}
	_, err = db.sql.Exec(ctx, `
		update source_versions set state = case when id = ? then 'live' else 'replaced' end
		where id in (?, ?) and source_id = ? and agent_id = ?`,
		s.LiveVersion, s.LiveVersion, before.LiveVersion, s.ID, s.AgentID)
	return err
}

// CheckSourceExists fails with SOURCE_NOT_FOUND unless the agent has the source, or had it.
func (db *DB) CheckSourceExists(ctx context.Context, ref parley.AgentRef, id parley.SourceID) error {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select 1
		from sources
		where id = ? and agent_id = ? and account_id = ?`, id, ref.Agent, ref.Account)
	return mapNotFound(err, parley.CodeSourceNotFound)
}

// SourceSum counts an agent's sources of one kind.
type SourceSum struct {
	Kind    parley.SourceKind
	Count   int
	Size    int64 // bytes
	Pending int   // on their way in, to a newer version, or out
}

// SourceSums counts an agent's sources by kind; kinds without any are left out. What was found on a site counts with
// it.
func (db *DB) SourceSums(ctx context.Context, ref parley.AgentRef) ([]SourceSum, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s SourceSum, err error) {
		err = scan(&s.Kind, &s.Count, &s.Size, &s.Pending)
		return s, err
	}, `
		select
		  kind,
		  sum(case when parent_id is null then 1 else 0 end),
		  sum(size),
		  sum(case when status in (?, ?, ?) then 1 else 0 end)
		from sources
		where agent_id = ? and account_id = ? and deleted_at is null
		group by kind
		order by kind`,
		parley.SourceUntrained, parley.SourceUpdated, parley.SourceToBeDeleted, ref.Agent, ref.Account)
}

// CreateVersion writes one state of a source's content.
func (db *DB) CreateVersion(ctx context.Context, account parley.AccountID, v *parley.Version) error {
	_, err := db.sql.Exec(ctx, `
		insert into source_versions (
		  id,
		  account_id,
		  agent_id,
		  source_id,
		  hash,
		  content,
		  text,
		  state,
		  created_at
		)
		values (?, ?, ?, ?, ?, ?, ?, 'new', ?)`,
		v.ID, account, v.AgentID, v.SourceID, v.Hash, toJSON(v.Content), v.Text, millis(v.CreatedAt))
	return err
}

// Version finds one state of a source's content, with its text. Fails with SOURCE_NOT_FOUND.
func (db *DB) Version(ctx context.Context, ref parley.AgentRef, source parley.SourceID,
	id parley.VersionID) (*parley.Version, error) {
	var content sql.NullString
	v, err := sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (parley.Version, error) {
		return scanVersion(func(dest ...any) error { return scan(append([]any{&content}, dest...)...) })
	}, `
		select
		  content,
		  id,
		  agent_id,
		  source_id,
		  hash,
		  text,
		  created_at
		from source_versions
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`, id, source, ref.Agent, ref.Account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	v.Content = rawOrNil(content)
	return &v, nil
}

func scanVersion(scan sqldb.Scan) (v parley.Version, err error) {
	err = scan(
		&v.ID,
		&v.AgentID,
		&v.SourceID,
		&v.Hash,
		&v.Text,
		timeDest{&v.CreatedAt},
	)
	return v, err
}

// HasEarlierVersions reports whether a source has versions that neither answer nor are on their way.
func (db *DB) HasEarlierVersions(ctx context.Context, ref parley.AgentRef, source parley.SourceID) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from source_versions v
		join sources s on s.id = v.source_id
		where v.source_id = ? and v.agent_id = ? and v.account_id = ?
		  and v.id <> coalesce(s.live_version, '') and v.id <> coalesce(s.wanted_version, '')`, source, ref.Agent,
		ref.Account)
	return n > 0, err
}

// EraseEarlierVersions erases what the earlier versions of a source said, in chunks in the bulk lane.
func (db *DB) EraseEarlierVersions(ctx context.Context, ref parley.AgentRef, source parley.SourceID) error {
	const live = ` not in (select live_version from sources where id = ? and live_version is not null)`
	const wanted = ` not in (select wanted_version from sources where id = ? and wanted_version is not null)`
	args := []any{source, source, source}
	err := db.erase(ctx, erasableTable{table: "passages", keyColumn: "id"}, ref,
		"source_id = ? and version_id"+live+" and version_id"+wanted, args)
	if err != nil {
		return err
	}
	return db.erase(ctx, erasableTable{table: "source_versions", keyColumn: "id", maxRows: maxEraseVersions}, ref,
		"source_id = ? and id"+live+" and id"+wanted, args)
}

// updateAgentCounters moves the agent's counters from what a source was (nil for none) to what it is.
func (db *DB) updateAgentCounters(ctx context.Context, before, after *parley.Source, now time.Time) (size,
	passages int64, err error) {
	b, a := countSource(before), countSource(after)
	var live int
	var trained any
	if before != nil && before.LiveVersion != after.LiveVersion {
		live = 1
		if after.Status == parley.SourceTrained {
			trained = millis(now)
		}
	}
	err = db.sql.QueryRow(ctx, `
		update agents set
		  size = size + ?,
		  sources_live = sources_live + ?,
		  sources_pending = sources_pending + ?,
		  sources_failed = sources_failed + ?,
		  passage_version = passage_version + ?,
		  last_trained_at = coalesce(?, last_trained_at)
		where id = ? and account_id = ? and deleted_at is null
		returning size, passage_version`,
		a.size-b.size, a.Live-b.Live, a.Pending-b.Pending, a.Failed-b.Failed, live, trained, after.AgentID,
		after.AccountID).Scan(&size, &passages)
	return size, passages, mapNotFound(err, parley.CodeAgentNotFound)
}

type sourceCount struct {
	size int64
	parley.SourceCounts
}

func countSource(s *parley.Source) (c sourceCount) {
	if s == nil || s.Status == parley.SourceDeleted {
		return c
	}
	c.size = s.Size
	switch s.Status {
	case parley.SourceTrained:
		c.Live = 1
	case parley.SourceFailed:
		c.Failed = 1
	default:
		c.Pending = 1
	}
	return c
}

// ManagedSource is a source with what manifests know of it.
type ManagedSource struct {
	parley.Source
	Key  string // empty for a source that none manages
	Hash string // of the wanted version's text
}

// ManagedSources lists all of an agent's sources, oldest first, with their keys; what was found on a site is left out.
func (db *DB) ManagedSources(ctx context.Context, ref parley.AgentRef) ([]ManagedSource, error) {
	return sqldb.All(ctx, db.sql, scanManagedSource, `
		select
		  coalesce(s.key, ''),
		  coalesce((select v.hash from source_versions v where v.id = s.wanted_version), ''),
		   `+
		sourceColumns+
		` from sources s where s.agent_id = ? and s.account_id = ? and s.parent_id is null and s.deleted_at is null
			order by s.created_at, s.id`,
		ref.Agent, ref.Account)
}

func scanManagedSource(scan sqldb.Scan) (m ManagedSource, err error) {
	m.Source, err = scanSource(func(dest ...any) error { return scan(append([]any{&m.Key, &m.Hash}, dest...)...) })
	return m, err
}

// SourceByKey finds a source by its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SourceByKey(ctx context.Context, ref parley.AgentRef, key string) (*parley.Source, error) {
	s, err := sqldb.One(ctx, db.sql, scanSource, `
		select `+sourceColumns+`
		from sources
		where agent_id = ? and account_id = ? and key = ? and deleted_at is null`,
		ref.Agent, ref.Account, key)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	return &s, nil
}

// SetSourceKey returns a source its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SetSourceKey(ctx context.Context, ref parley.AgentRef, id parley.SourceID, key string) error {
	n, err := db.sql.Exec(ctx, `
		update sources set key = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, textOrNil(key), id, ref.Agent, ref.Account)
	return requireChanged(n, err, parley.CodeSourceNotFound)
}
