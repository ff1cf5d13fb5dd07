package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// VersionSummary is a version of a source without its text.
type VersionSummary struct {
	ID        parley.VersionID
	Hash      string
	Size      int // bytes of its text
	CreatedAt time.Time
}

// SourceVersions lists the versions of a source that are kept, the newest first, at most limit.
func (db *DB) SourceVersions(ctx context.Context, ref parley.AgentRef, source parley.SourceID,
	limit int) ([]VersionSummary, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (v VersionSummary, err error) {
		err = scan(&v.ID, &v.Hash, &v.Size, timeDest{&v.CreatedAt})
		return v, err
	}, `
		select id, hash, octet_length(text), created_at
		from source_versions
		where source_id = ? and agent_id = ? and account_id = ?
		order by created_at desc
		limit ?`, source, ref.Agent, ref.Account, limit)
}

// VersionContent returns the content that the text of a version was extracted from; nil if it is the text itself. Fails
// with SOURCE_NOT_FOUND.
func (db *DB) VersionContent(ctx context.Context, ref parley.AgentRef, source parley.SourceID,
	id parley.VersionID) (content json.RawMessage, err error) {
	_, err = sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		return struct{}{}, scan(rawJSONDest{&content})
	}, `
		select content
		from source_versions
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`, id, source, ref.Agent, ref.Account)
	return content, mapNotFound(err, parley.CodeSourceNotFound)
}

// Progress is how much of something is done.
type Progress struct{ Done, Total int64 }

// VersionsProgress returns of each version how many bytes of its text have become passages, and how many there are.
// Versions that are gone are left out.
func (db *DB) VersionsProgress(ctx context.Context, ref parley.AgentRef,
	ids []parley.VersionID) (map[parley.VersionID]Progress, error) {
	return readProgress(ctx, db, ref, ids, `
		select
		  v.id,
		  coalesce((
		    select p.end_byte
		    from passages p
		    where p.agent_id = v.agent_id and p.source_id = v.source_id and p.version_id = v.id
		    order by p.ordinal desc
		    limit 1), 0),
		  octet_length(v.text)
		from source_versions v
		where v.agent_id = ? and v.account_id = ? and v.id in `, ``)
}

// CrawlsProgress returns of each link how many of the addresses that its reading has found are done.
func (db *DB) CrawlsProgress(ctx context.Context, ref parley.AgentRef,
	ids []parley.SourceID) (map[parley.SourceID]Progress, error) {
	return readProgress(ctx, db, ref, ids, `
		select
		  source_id,
		  cast(sum(case when state = '' then 0 else 1 end) as bigint),
		  count(*)
		from crawl_pages
		where agent_id = ? and account_id = ? and source_id in `, `
		group by source_id`)
}

// readProgress asks for what is of an agent and has one of the ids: a query up to their list, and what follows it.
func readProgress[ID ~string](ctx context.Context, db *DB, ref parley.AgentRef, ids []ID,
	query, rest string) (map[ID]Progress, error) {
	found := map[ID]Progress{}
	if len(ids) == 0 {
		return found, nil
	}
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		var id ID
		var p Progress
		err := scan(&id, &p.Done, &p.Total)
		found[id] = p
		return struct{}{}, err
	}, query+placeholders(len(ids))+rest, append([]any{ref.Agent, ref.Account}, toAny(ids)...)...)
	return found, err
}

// VersionPassage is a passage of a version, by its place in it.
type VersionPassage struct {
	ID         parley.PassageID
	Ordinal    int
	Heading    string
	Start, End int
	Text       string
}

// VersionPassages lists the passages of a version in the order of its text.
func (db *DB) VersionPassages(ctx context.Context, ref parley.AgentRef, source parley.SourceID, id parley.VersionID,
	ask parley.PageRequest) (page parley.Page[VersionPassage], err error) {
	args, after := []any{ref.Agent, source, id, ref.Account}, int64(-1)
	if ask.After != nil {
		after = ask.After.SortValue
	}
	page.Total, err = db.count(ctx, `
		from passages
		where agent_id = ? and source_id = ? and version_id = ? and account_id = ?`, args...)
	if err != nil {
		return page, err
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (p VersionPassage, err error) {
		err = scan(&p.ID, &p.Ordinal, &p.Heading, &p.Start, &p.End, &p.Text)
		return p, err
	}, `
		select id, ordinal, heading, start_byte, end_byte, text
		from passages
		where agent_id = ? and source_id = ? and version_id = ? and account_id = ? and ordinal > ?
		order by ordinal
		limit ?`, append(args, after, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(p VersionPassage) parley.Cursor {
		return parley.Cursor{SortValue: int64(p.Ordinal), ID: string(p.ID)}
	})
	return page, err
}

// ReadPage is a page of a site that is a source below it.
type ReadPage struct {
	URL      string
	ID       parley.SourceID
	ReadAt   time.Time
	Passages int // of the version that answers
}

// ReadPages finds the sources of a site's pages by their addresses. Those that have none are left out.
func (db *DB) ReadPages(ctx context.Context, site *parley.Source, urls []string) ([]ReadPage, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (p ReadPage, err error) {
		err = scan(&p.URL, &p.ID, timeDest{&p.ReadAt}, &p.Passages)
		return p, err
	}, `
		select
		  s.url,
		  s.id,
		  s.updated_at,
		  (
		    select count(*)
		    from passages p
		    where p.agent_id = s.agent_id and p.source_id = s.id and p.version_id = s.live_version)
		from sources s
		where s.parent_id = ? and s.agent_id = ? and s.account_id = ? and s.deleted_at is null and s.url in `+
		placeholders(len(urls)), append([]any{site.ID, site.AgentID, site.AccountID}, toAny(urls)...)...)
}

// CitedSources returns what each of the agent's newest turns cited that ended well since a time, the newest first, at
// most limit: the sources of its answer, each once. Trials in the playground are left out.
func (db *DB) CitedSources(ctx context.Context, ref parley.AgentRef, since time.Time,
	limit int) ([][]parley.SourceID, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) ([]parley.SourceID, error) {
		var citations []parley.Citation
		if err := scan(nullableList(&citations)); err != nil {
			return nil, fmt.Errorf("citations: %w", err)
		}
		var sources []parley.SourceID
		for i := range citations {
			if id := citations[i].SourceID; !slices.Contains(sources, id) {
				sources = append(sources, id)
			}
		}
		return sources, nil
	}, `
		select m.citations
		from (
		  select message_id, conversation_id
		  from turns
		  where agent_id = ? and account_id = ? and state = 'done' and started_at >= ?
		  order by started_at desc
		  limit ?) answered
		join conversations c on c.id = answered.conversation_id
		join messages m on m.id = answered.message_id
		where c.channel <> 'Playground'`, ref.Agent, ref.Account, millis(since), limit)
}

// SitesOfPages returns the site of each source that is a page of one.
func (db *DB) SitesOfPages(ctx context.Context, ref parley.AgentRef,
	pages []parley.SourceID) (map[parley.SourceID]parley.SourceID, error) {
	sites := map[parley.SourceID]parley.SourceID{}
	for part := range slices.Chunk(pages, 200) {
		_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
			var page, site parley.SourceID
			err := scan(&page, &site)
			sites[page] = site
			return struct{}{}, err
		}, `
			select id, parent_id
			from sources
			where parent_id is not null and agent_id = ? and account_id = ? and id in `+placeholders(len(part)),
			append([]any{ref.Agent, ref.Account}, toAny(part)...)...)
		if err != nil {
			return nil, err
		}
	}
	return sites, nil
}

// OpenWork is what an agent's people and customers wait for.
type OpenWork struct {
	Waiting    int       // conversations in which the customer waits for a person, as the inbox lists them
	FirstWords []float64 // milliseconds until the first text of answers, in no order
}

// OpenWork looks at the agent's conversations that wait for a person, and at those of its newest turns that ended well
// since a time; at most limit of each, so that it costs the same however long an agent has answered. Trials in the
// playground are left out.
func (db *DB) OpenWork(ctx context.Context, ref parley.AgentRef, since time.Time, limit int) (w OpenWork, err error) {
	w.Waiting, err = db.CountInbox(ctx, ref.Account, InboxFilter{View: InboxWaiting, Agent: ref.Agent}, limit)
	if err != nil {
		return w, err
	}
	w.FirstWords, err = db.firstTexts(ctx, ref, millis(since), math.MaxInt64, limit)
	return w, err
}

// FirstTexts lists after how many milliseconds there was the first text of an agent's answers that were begun from a
// time to before another, at most limit, the newest, in no order. Trials in the playground are left out.
func (db *DB) FirstTexts(ctx context.Context, ref parley.AgentRef, from, before time.Time,
	limit int) ([]float64, error) {
	return db.firstTexts(ctx, ref, millis(from), millis(before), limit)
}

func (db *DB) firstTexts(ctx context.Context, ref parley.AgentRef, from, before int64,
	limit int) ([]float64, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (float64, error) {
		var trace parley.Trace
		err := scan(traceDest{&trace})
		return trace.Millis.FirstToken, err
	}, `
		select answered.trace
		from (
		  select trace, conversation_id
		  from turns
		  where agent_id = ? and account_id = ? and state = 'done' and started_at >= ? and started_at < ?
		  order by started_at desc
		  limit ?) answered
		join conversations c on c.id = answered.conversation_id
		where c.channel <> 'Playground' and answered.trace is not null`, ref.Agent, ref.Account, from, before, limit)
}
