package store

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var sourceTable = newTable("sources", func(s *parley.Source) []field {
	return []field{
		{"id", &s.ID},
		{"account_id", &s.AccountID},
		{"agent_id", &s.AgentID},
		{"parent_id", nullableText(&s.ParentID)},
		{"kind", &s.Kind},
		{"name", &s.Name},
		{"url", &s.URL},
		{"size", &s.Size},
		{"status", &s.Status},
		{"failure", &s.Failure},
		{"metadata", rawJSONDest{&s.Metadata}},
		{"live_version", nullableText(&s.LiveVersion)},
		{"wanted_version", nullableText(&s.WantedVersion)},
		{"created_at", timeDest{&s.CreatedAt}},
		{"updated_at", timeDest{&s.UpdatedAt}},
	}
})

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
	return sourceTable.find(ctx, db, parley.CodeSourceNotFound, `
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`+lock,
		id, ref.Agent, ref.Account)
}

// SourceFilter narrows a list of sources. Zero fields do not.
type SourceFilter struct {
	Kinds    []parley.SourceKind
	Statuses []parley.SourceStatus
	Name     string // part of the name, case ignored
}

// Sources lists an agent's sources, newest first. What was found on a site is left out.
func (db *DB) Sources(ctx context.Context, ref parley.AgentRef, f SourceFilter,
	ask parley.PageRequest) (parley.Page[parley.Source], error) {
	if f.Name != "" {
		return db.sourcesByName(ctx, ref, f, ask)
	}
	where, args := f.whereClause(ref)
	return sourceTable.page(ctx, db, ask, sourceCursor, where, args...)
}

// sourcesByName walks all of the agent's sources: the two databases do not agree on the case of letters beyond ASCII.
func (db *DB) sourcesByName(ctx context.Context, ref parley.AgentRef, f SourceFilter,
	ask parley.PageRequest) (parley.Page[parley.Source], error) {
	var page parley.Page[parley.Source]
	where, args := f.whereClause(ref)
	rows, err := db.sql.Query(ctx, sourceTable.selectText(`
		where `+where+`
		order by created_at desc, id desc`), args...)
	if err != nil {
		return page, err
	}
	defer func() { _ = rows.Close() }()
	scan := sourceTable.reader()
	name, seen := strings.ToLower(f.Name), ask.After == nil
	for rows.Next() {
		s, err := scan(rows.Scan)
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
		where += ` and kind in ` + placeholders(len(f.Kinds))
		args = append(args, toAny(f.Kinds)...)
	}
	if len(f.Statuses) > 0 {
		where += ` and status in ` + placeholders(len(f.Statuses))
		args = append(args, toAny(f.Statuses)...)
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
	return total, sourceTable.insert(ctx, db, "", s)
}

// HasTextWithHash reports whether the agent has another source of that name and kind whose wanted version has the hash.
// To be exact it must be asked in a transaction that holds the agent's row.
func (db *DB) HasTextWithHash(ctx context.Context, s *parley.Source, hash string) (bool, error) {
	return db.exists(ctx, `
		from source_versions v
		join sources s on s.id = v.source_id and s.wanted_version = v.id
		where v.agent_id = ? and v.hash = ? and s.account_id = ? and s.kind = ? and s.name = ? and s.id <> ?
		  and s.deleted_at is null`,
		s.AgentID, hash, s.AccountID, s.Kind, s.Name, s.ID)
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
	fields := append(sourceTable.pick(s, "name", "url", "size", "status", "failure", "metadata", "live_version",
		"wanted_version", "updated_at"), field{"deleted_at", deleted})
	_, err := db.update(ctx, "sources", fields, `id = ? and agent_id = ? and account_id = ?`, s.ID, s.AgentID, s.AccountID)
	if err != nil || before.LiveVersion == s.LiveVersion {
		return err
	}
	if err = db.exec(ctx, `
		update sources set live_in = ?
		where id = ? and agent_id = ? and account_id = ?`, passages, s.ID, s.AgentID, s.AccountID); err != nil {
		return err
	}
	return db.exec(ctx, `
		update source_versions set state = case when id = ? then 'live' else 'replaced' end
		where id in (?, ?) and source_id = ? and agent_id = ?`,
		s.LiveVersion, s.LiveVersion, before.LiveVersion, s.ID, s.AgentID)
}

// CheckSourceExists fails with SOURCE_NOT_FOUND unless the agent has the source, or had it.
func (db *DB) CheckSourceExists(ctx context.Context, ref parley.AgentRef, id parley.SourceID) error {
	return db.requireRow(ctx, parley.CodeSourceNotFound, `
		from sources
		where id = ? and agent_id = ? and account_id = ?`, id, ref.Agent, ref.Account)
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
	return db.insert(ctx, "source_versions", "",
		append(versionTable.fields(v), field{"account_id", account}, field{"state", "new"})...)
}

var versionTable = newTable("source_versions", func(v *parley.Version) []field {
	return []field{
		{"id", &v.ID},
		{"agent_id", &v.AgentID},
		{"source_id", &v.SourceID},
		{"hash", &v.Hash},
		{"content", rawJSONDest{&v.Content}},
		{"text", &v.Text},
		{"created_at", timeDest{&v.CreatedAt}},
	}
})

// Version finds one state of a source's content, with its text. Fails with SOURCE_NOT_FOUND.
func (db *DB) Version(ctx context.Context, ref parley.AgentRef, source parley.SourceID,
	id parley.VersionID) (*parley.Version, error) {
	return versionTable.find(ctx, db, parley.CodeSourceNotFound, `
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`, id, source, ref.Agent, ref.Account)
}

// HasEarlierVersions reports whether a source has versions that neither answer nor are on their way.
func (db *DB) HasEarlierVersions(ctx context.Context, ref parley.AgentRef, source parley.SourceID) (bool, error) {
	return db.exists(ctx, `
		from source_versions v
		join sources s on s.id = v.source_id
		where v.source_id = ? and v.agent_id = ? and v.account_id = ?
		  and v.id <> coalesce(s.live_version, '') and v.id <> coalesce(s.wanted_version, '')`, source, ref.Agent,
		ref.Account)
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
	defer db.forgetAgent(after.AccountID.AgentRef(after.AgentID))
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
	return managedSourceTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and parent_id is null and deleted_at is null
		order by created_at, id`, ref.Agent, ref.Account)
}

var managedSourceTable = newTable("sources", func(m *ManagedSource) []field {
	return append(sourceTable.fields(&m.Source),
		field{"key", nullableText(&m.Key)},
		field{"(select v.hash from source_versions v where v.id = sources.wanted_version)", nullableText(&m.Hash)})
})

// SourceByKey finds a source by its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SourceByKey(ctx context.Context, ref parley.AgentRef, key string) (*parley.Source, error) {
	return sourceTable.find(ctx, db, parley.CodeSourceNotFound, `
		where agent_id = ? and account_id = ? and key = ? and deleted_at is null`,
		ref.Agent, ref.Account, key)
}

// SetSourceKey returns a source its key in manifests. Fails with SOURCE_NOT_FOUND.
func (db *DB) SetSourceKey(ctx context.Context, ref parley.AgentRef, id parley.SourceID, key string) error {
	return db.execFound(ctx, parley.CodeSourceNotFound, `
		update sources set key = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, textOrNil(key), id, ref.Agent, ref.Account)
}
