package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// LinksByURL lists the agent's links to an address. To be sure of them it must be asked in a transaction that holds the
// agent's row.
func (db *DB) LinksByURL(ctx context.Context, ref parley.AgentRef, url string) ([]parley.Source, error) {
	return sourceTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and kind = ? and url = ? and parent_id is null
		  and deleted_at is null and status <> 'toBeDeleted'
		order by created_at, id`, ref.Agent, ref.Account, parley.SourceLink, url)
}

// PageSource finds the source that was made of a page of a site. Fails with SOURCE_NOT_FOUND.
func (db *DB) PageSource(ctx context.Context, ref parley.AgentRef, site parley.SourceID, url string) (*parley.Source,
	error) {
	return sourceTable.find(ctx, db, parley.CodeSourceNotFound, `
		where parent_id = ? and url = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		site, url, ref.Agent, ref.Account)
}

// SitePages is what the pages of a site add up to.
type SitePages struct {
	Size int64 // bytes
	Live int   // pages that answers rest on
}

// SumSitePages adds up the pages of sites; those without any are left out.
func (db *DB) SumSitePages(ctx context.Context, ref parley.AgentRef,
	sites []parley.SourceID) (map[parley.SourceID]SitePages, error) {
	sums := map[parley.SourceID]SitePages{}
	if len(sites) == 0 {
		return sums, nil
	}
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		var id parley.SourceID
		var p SitePages
		err := scan(&id, &p.Size, &p.Live)
		sums[id] = p
		return struct{}{}, err
	}, `
		select
		  parent_id,
		  cast(sum(size) as bigint),
		  count(live_version)
		from sources
		where agent_id = ? and account_id = ? and deleted_at is null and parent_id in `+placeholders(len(sites))+`
		group by parent_id`, append([]any{ref.Agent, ref.Account}, toAny(sites)...)...)
	return sums, err
}

// CountLivePages counts the pages of a site that answers rest on.
func (db *DB) CountLivePages(ctx context.Context, ref parley.AgentRef, site parley.SourceID) (int, error) {
	return db.count(ctx, `
		from sources
		where parent_id = ? and agent_id = ? and account_id = ? and live_version is not null
		  and deleted_at is null`, site, ref.Agent, ref.Account)
}

// StalePages lists pages of a site that the latest reading found gone or was told to leave out, and those that are
// still to be trained. With complete, they are also those that no sitemap lists any more, unless one could not be read.
func (db *DB) StalePages(ctx context.Context, c Crawl, complete bool) ([]parley.Source, error) {
	goneCondition, args := `state in ('excluded', 'merged') or state = 'failed' and status in (404, 410)`,
		append(c.ownerArgs(), c.ownerArgs()...)
	if complete {
		goneCondition += ` or state = '` + unlisted + `' and not exists (select 1 from crawl_pages where` + crawlWhere +
			` and role <> '' and state = 'failed')`
		args = append(args, c.ownerArgs()...)
	}
	return sourceTable.list(ctx, db, `where parent_id = ? and agent_id = ? and account_id = ? and deleted_at is null
		and (url in (select url from crawl_pages where`+crawlWhere+` and (`+goneCondition+`))
		or status in ('untrained', 'updated')) order by id`, args...)
}

// DeletePageSources deletes all pages of a site from the agent at once and returns their number. Their rows stay for
// EraseSource. It must be called in a transaction that holds the agent.
func (db *DB) DeletePageSources(ctx context.Context, site *parley.Source, now time.Time) (n int, err error) {
	where, args := ` where parent_id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		[]any{site.ID, site.AgentID, site.AccountID}
	var size, live, pending, failed int64
	err = db.sql.QueryRow(ctx, `
		select
		  count(*),
		  coalesce(sum(size), 0),
		  coalesce(sum(case when status = 'trained' then 1 else 0 end), 0),
		  coalesce(sum(case when status in ('trained', 'failed') then 0 else 1 end), 0),
		  coalesce(sum(case when status = 'failed' then 1 else 0 end), 0)
		from sources`+where, args...).
		Scan(&n, &size, &live, &pending, &failed)
	if err != nil || n == 0 {
		return n, err
	}
	var passages int64
	defer db.forgetAgent(site.AccountID.AgentRef(site.AgentID))
	err = db.sql.QueryRow(ctx, `
		update agents set
		  size = size - ?,
		  sources_live = sources_live - ?,
		  sources_pending = sources_pending - ?,
		  sources_failed = sources_failed - ?,
		  passage_version = passage_version + 1
		where id = ? and account_id = ? and deleted_at is null
		returning passage_version`,
		size, live, pending, failed, site.AgentID, site.AccountID).Scan(&passages)
	if err != nil {
		return 0, mapNotFound(err, parley.CodeAgentNotFound)
	}
	err = db.exec(ctx, `
		update sources set
		  status = 'deleted',
		  live_in = case when live_version is null then live_in else ? end,
		  live_version = null,
		  wanted_version = null,
		  updated_at = ?,
		  deleted_at = ?`+where, append([]any{passages, millis(now), millis(now)}, args...)...)
	return n, err
}

// DeletedPageSources lists the pages of a site that are deleted and still have something to erase.
func (db *DB) DeletedPageSources(ctx context.Context, ref parley.AgentRef, site parley.SourceID) ([]parley.SourceID,
	error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.SourceID], `
		select s.id
		from sources s
		where s.parent_id = ? and s.agent_id = ? and s.account_id = ? and s.deleted_at is not null
		  and (s.url <> '' or exists (select 1 from source_versions v where v.source_id = s.id))
		order by s.id`, site, ref.Agent, ref.Account)
}

// EraseCrawlPages forgets the addresses of a deleted link, in chunks in the bulk lane.
func (db *DB) EraseCrawlPages(ctx context.Context, ref parley.AgentRef, source parley.SourceID) error {
	return db.erase(ctx, erasableTable{table: "crawl_pages", keyColumn: "id"}, ref, "source_id = ?", []any{source})
}

// SetNextSync sets when a link is to be read again; nil is never.
func (db *DB) SetNextSync(ctx context.Context, ref parley.AgentRef, id parley.SourceID, at *time.Time) error {
	return db.exec(ctx, `
		update sources set next_sync_at = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, millisOrNil(at), id, ref.Agent, ref.Account)
}

// IsSyncDue reports whether a link is to be read again by now. To be exact it must be asked in a transaction that holds
// its row.
func (db *DB) IsSyncDue(ctx context.Context, ref parley.AgentRef, id parley.SourceID, now time.Time) (bool, error) {
	return db.exists(ctx, `
		from sources s
		join agents a on a.id = s.agent_id
		where s.id = ? and s.agent_id = ? and s.account_id = ? and s.next_sync_at <= ?
		  and a.auto_retrain = 1`, id, ref.Agent, ref.Account, millis(now))
}

// DueLinks lists links that are to be read again by now, of agents with automatic re-sync, at most limit. It is a job
// of the installation and is not limited to one account.
func (db *DB) DueLinks(ctx context.Context, now time.Time, limit int) ([]parley.Source, error) {
	return sourceTable.list(ctx, db, `
		where next_sync_at <= ? and deleted_at is null and kind = ? and parent_id is null
		  and status <> 'toBeDeleted'
		  and agent_id in (select id from agents where auto_retrain = 1 and deleted_at is null)
		order by next_sync_at, id
		limit ?`, millis(now), parley.SourceLink, limit)
}
