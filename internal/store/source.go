package store

import (
	"context"
	"database/sql"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

const sourceColumns = `id, account_id, agent_id, parent_id, kind, name, url, size, status, failure, metadata, live_version, wanted_version, created_at, updated_at`

func scanSource(scan sqldb.Scan) (s parley.Source, err error) {
	var parent, metadata, live, wanted sql.NullString
	var created, updated int64
	err = scan(&s.ID, &s.AccountID, &s.AgentID, &parent, &s.Kind, &s.Name, &s.URL, &s.Size, &s.Status, &s.Failure, &metadata, &live, &wanted, &created, &updated)
	s.ParentID, s.Metadata, s.LiveVersion, s.WantedVersion = parley.SourceID(parent.String), rawOrNil(metadata), parley.VersionID(live.String), parley.VersionID(wanted.String)
	s.CreatedAt, s.UpdatedAt = timeFromMillis(created), timeFromMillis(updated)
	return s, err
}

// Source finds a source of the agent. Fails with SOURCE_NOT_FOUND.
func (db *DB) Source(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID) (*parley.Source, error) {
	return db.source(ctx, account, agent, id, "")
}

// LockSource is Source that keeps every other writer of its row out until the transaction ends.
func (db *DB) LockSource(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID) (*parley.Source, error) {
	return db.source(ctx, account, agent, id, db.sql.ForUpdate())
}

func (db *DB) source(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID, lock string) (*parley.Source, error) {
	s, err := sqldb.One(ctx, db.sql, scanSource, `select `+sourceColumns+` from sources where id = ? and agent_id = ? and account_id = ? and deleted_at is null`+lock,
		id, agent, account)
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
func (db *DB) Sources(ctx context.Context, account parley.AccountID, agent parley.AgentID, f SourceFilter, ask parley.PageRequest) (parley.Page[parley.Source], error) {
	if f.Name != "" {
		return db.sourcesByName(ctx, account, agent, f, ask)
	}
	where, args := f.whereClause(account, agent)
	var page parley.Page[parley.Source]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from sources where `+where, args...); err != nil {
		return page, err
	}
	after := startCursor(ask)
	args = append(args, after.SortValue, after.SortValue, after.ID, ask.Limit+1)
	list, err := sqldb.All(ctx, db.sql, scanSource, `select `+sourceColumns+` from sources where `+where+`
		and (created_at < ? or (created_at = ? and id < ?)) order by created_at desc, id desc limit ?`, args...)
	page.Items, page.Next = cutPage(list, ask.Limit, sourceCursor)
	return page, err
}

// sourcesByName walks all of the agent's sources: the two databases do not agree on the case of letters beyond ASCII.
func (db *DB) sourcesByName(ctx context.Context, account parley.AccountID, agent parley.AgentID, f SourceFilter, ask parley.PageRequest) (parley.Page[parley.Source], error) {
	var page parley.Page[parley.Source]
	where, args := f.whereClause(account, agent)
	rows, err := db.sql.Query(ctx, `select `+sourceColumns+` from sources where `+where+` order by created_at desc, id desc`, args...)
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

func (f SourceFilter) whereClause(account parley.AccountID, agent parley.AgentID) (string, []any) {
	where, args := `agent_id = ? and account_id = ? and parent_id is null and deleted_at is null`, []any{agent, account}
	if len(f.Kinds) > 0 {
		where += ` and kind in (?` + strings.Repeat(`, ?`, len(f.Kinds)-1) + `)`
		for _, k := range f.Kinds {
			args = append(args, k)
		}
	}
	return where, args
}

// CreateSource writes a new source and counts it on its agent. It gives the bytes of all the agent's sources, this one
// included, for the caller's rule on storage; the agent's row is held until commit, so that the rule is exact. Fails with
// AGENT_NOT_FOUND.
func (db *DB) CreateSource(ctx context.Context, s *parley.Source) (total int64, err error) {
	total, _, err = db.updateAgentCounters(ctx, nil, s, s.UpdatedAt)
	if err != nil {
		return 0, err
	}
	_, err = db.sql.Exec(ctx, `insert into sources (id, account_id, agent_id, parent_id, kind, name, url, size, status, failure, metadata, live_version, wanted_version,
		created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, s.AccountID, s.AgentID, textOrNil(s.ParentID), s.Kind, s.Name, s.URL, s.Size, s.Status,
		s.Failure, toJSON(s.Metadata), textOrNil(s.LiveVersion), textOrNil(s.WantedVersion), millis(s.CreatedAt), millis(s.UpdatedAt))
	return total, err
}

// HasTextWithHash reports whether the agent has another source of that name and kind whose wanted version has the hash. To be exact it
// must be asked in a transaction that holds the agent's row.
func (db *DB) HasTextWithHash(ctx context.Context, s *parley.Source, hash string) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from source_versions v join sources s on s.id = v.source_id and s.wanted_version = v.id
		where v.agent_id = ? and v.hash = ? and s.account_id = ? and s.kind = ? and s.name = ? and s.id <> ? and s.deleted_at is null`,
		s.AgentID, hash, s.AccountID, s.Kind, s.Name, s.ID)
	return n > 0, err
}

// UpdateSource reads a source, has it changed and writes it back, in one transaction, and keeps the agent's counters: bytes,
// sources by state, and the passage version, which grows when another version goes live. It gives the source and the agent's
// passage version by then. A source set to SourceDeleted is found no more. Fails with AGENT_NOT_FOUND or SOURCE_NOT_FOUND.
func (db *DB) UpdateSource(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID, change func(*parley.Source) error) (*parley.Source, int64, error) {
	var after *parley.Source
	var passages int64
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if err := tx.LockAgent(ctx, account, agent); err != nil { // before the source's row, always
			return err
		}
		s, err := tx.source(ctx, account, agent, id, tx.sql.ForUpdate())
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

// updateSourceRow writes a source back. With another live version comes the agent's passage version from which on it is so: one
// row tells every server's memory what all the passages of a source have to do.
func (db *DB) updateSourceRow(ctx context.Context, before, s *parley.Source, passages int64) error {
	var deleted any
	if s.Status == parley.SourceDeleted {
		deleted = millis(s.UpdatedAt)
	}
	_, err := db.sql.Exec(ctx, `update sources set name = ?, url = ?, size = ?, status = ?, failure = ?, metadata = ?, live_version = ?, wanted_version = ?,
		updated_at = ?, deleted_at = ? where id = ? and agent_id = ? and account_id = ?`, s.Name, s.URL, s.Size, s.Status, s.Failure, toJSON(s.Metadata),
		textOrNil(s.LiveVersion), textOrNil(s.WantedVersion), millis(s.UpdatedAt), deleted, s.ID, s.AgentID, s.AccountID)
	if err != nil || before.LiveVersion == s.LiveVersion {
		return err
	}
	if _, err = db.sql.Exec(ctx, `update sources set live_in = ? where id = ? and agent_id = ? and account_id = ?`, passages, s.ID, s.AgentID, s.AccountID); err != nil {
		return err
	}
	_, err = db.sql.Exec(ctx, `update source_versions set state = case when id = ? then 'live' else 'replaced' end where id in (?, ?) and source_id = ? and agent_id = ?`,
		s.LiveVersion, s.LiveVersion, before.LiveVersion, s.ID, s.AgentID)
	return err
}

// CheckSourceExists fails with SOURCE_NOT_FOUND unless the agent has the source, or had it.
func (db *DB) CheckSourceExists(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID) error {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select 1 from sources where id = ? and agent_id = ? and account_id = ?`, id, agent, account)
	return mapNotFound(err, parley.CodeSourceNotFound)
}
