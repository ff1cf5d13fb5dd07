package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// CitedSource is what has become of the version of a source that a citation names.
type CitedSource struct {
	Deleted          bool          // the source is deleted
	LiveVersion      *CitedVersion // what the agent answers from; nil while there is none
	RequestedVersion *CitedVersion // the version of that hash, which may be the live one; nil once it is erased
}

// CitedVersion is a version without its text, which may have megabytes.
type CitedVersion struct {
	ID   parley.VersionID
	Hash string
	Size int // bytes of its text
}

// CitedSource finds the source's live version and the newest one of the hash; an empty hash asks for the live one.
// Deleted sources are found too. Fails with SOURCE_NOT_FOUND when the agent never had the source.
func (db *DB) CitedSource(ctx context.Context, ref parley.AgentRef, source parley.SourceID, hash string) (CitedSource,
	error) {
	c, err := sqldb.One(ctx, db.sql, scanCitedSource, `
		select
		  case when s.deleted_at is null and s.status <> ? then 0 else 1 end,
		  coalesce(v.id, ''),
		  coalesce(v.hash, ''),
		  coalesce(octet_length(v.text), 0)
		from sources s
		left join source_versions v on v.id = s.live_version and v.source_id = s.id
		  and v.agent_id = s.agent_id and v.account_id = s.account_id
		where s.id = ? and s.agent_id = ? and s.account_id = ?`, parley.SourceToBeDeleted, source, ref.Agent, ref.Account)
	if err != nil || c.Deleted {
		return c, mapNotFound(err, parley.CodeSourceNotFound)
	}
	if hash == "" || c.LiveVersion != nil && c.LiveVersion.Hash == hash {
		c.RequestedVersion = c.LiveVersion
		return c, nil
	}
	earlier, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (v CitedVersion, err error) {
		err = scan(&v.ID, &v.Hash, &v.Size)
		return v, err
	}, `
		select id, hash, octet_length(text)
		from source_versions
		where hash = ? and source_id = ? and agent_id = ? and account_id = ?
		order by created_at desc, id desc
		limit 1`, hash, source, ref.Agent, ref.Account)
	if err == nil && len(earlier) > 0 {
		c.RequestedVersion = &earlier[0]
	}
	return c, err
}

func scanCitedSource(scan sqldb.Scan) (c CitedSource, err error) {
	var v CitedVersion
	err = scan(
		&c.Deleted,
		&v.ID,
		&v.Hash,
		&v.Size,
	)
	if err != nil {
		return c, err
	}
	if v.ID != "" && !c.Deleted {
		c.LiveVersion = &v
	}
	return c, nil
}

// VersionBytes returns the bytes [start, end) of a version's text, as far as there are any; characters at its ends may
// be cut. Fails with SOURCE_NOT_FOUND.
func (db *DB) VersionBytes(ctx context.Context, ref parley.AgentRef, source parley.SourceID, id parley.VersionID, start,
	end int) ([]byte, error) {
	bytes := `cast(text as blob)`
	if db.sql.Dialect() == sqldb.Postgres {
		bytes = `convert_to(text, 'UTF8')`
	}
	span, err := sqldb.One(ctx, db.sql, sqldb.Column[[]byte], `select substr(`+bytes+`, ?, ?) from source_versions
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`, start+1, end-start, id, source, ref.Agent,
		ref.Account)
	return span, mapNotFound(err, parley.CodeSourceNotFound)
}

// IncrementPassageVersion increments the agent's passage version, for what retrieval has to notice besides a source
// that goes live, and returns it. Fails with AGENT_NOT_FOUND.
func (db *DB) IncrementPassageVersion(ctx context.Context, ref parley.AgentRef) (version int64, err error) {
	defer db.forgetAgent(ref)
	err = db.sql.QueryRow(ctx, `
		update agents set passage_version = passage_version + 1
		where id = ? and account_id = ? and deleted_at is null
		returning passage_version`, ref.Agent, ref.Account).Scan(&version)
	return version, mapNotFound(err, parley.CodeAgentNotFound)
}
