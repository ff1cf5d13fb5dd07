package ingest

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// LinkChange is what is to become of a link; nil fields stay. The settings of an individual page do not matter.
type LinkChange struct {
	Exclude, Include []string
	Slow             *bool
}

// ChangeLink changes how a link is read and reads it again, in any case. What was read before answers meanwhile. Fails with
// AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a source that is no link), SOURCE_PENDING_DELETION or VALIDATION_INVALID_BODY.
func (d *Desk) ChangeLink(ctx context.Context, account parley.Account, agent parley.AgentID, id parley.SourceID, change LinkChange) (*parley.Source, error) {
	now := d.Now()
	var after *parley.Source
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		after, err = d.anew(ctx, tx, account.ID, agent, id, now, change)
		return err
	})
	return after, err
}

// anew begins another reading of a link. Where the patterns are others, nothing that is known of its pages is relied on.
func (d *Desk) anew(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, id parley.SourceID, now time.Time, change LinkChange) (*parley.Source, error) {
	a, err := tx.HoldAgent(ctx, account, agent, now)
	if err != nil {
		return nil, err
	}
	pages, err := tx.LivePages(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	afresh := false
	s, _, err := tx.UpdateSource(ctx, account, agent, id, func(s *parley.Source) (err error) {
		afresh, err = change.onto(s)
		if err != nil {
			return err
		}
		s.Failure, s.UpdatedAt, s.Status = "", now, parley.SourceUntrained
		if s.Live != "" || pages > 0 {
			s.Status = parley.SourceUpdated
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := tx.CrawlAnew(ctx, account, agent, id, afresh, recordOf(s).Type == crawl.Sitemap); err != nil {
		return nil, err
	}
	if err := d.syncLater(ctx, tx, s, a.AutoRetrain); err != nil {
		return nil, err
	}
	if err := d.Queue.Enqueue(ctx, tx.SQL(), crawlChore(s)); err != nil {
		return nil, err
	}
	return s, tx.Record(ctx, account, now, event("source.updated", s))
}

// onto changes the record of the link, and tells whether its patterns are others.
func (c LinkChange) onto(s *parley.Source) (afresh bool, err error) {
	switch {
	case s.Kind != parley.SourceLink || s.Parent != "":
		return false, parley.Fail(parley.CodeSourceNotFound)
	case s.Status == parley.SourceToBeDeleted:
		return false, parley.Fail(parley.CodeSourcePendingDel)
	}
	r := recordOf(s)
	if r.SiteRecord == nil {
		return false, nil
	}
	l := r.link(s.URL)
	if c.Exclude != nil {
		l.Exclude = c.Exclude
	}
	if c.Include != nil {
		l.Include = c.Include
	}
	if c.Slow != nil {
		l.Slow = *c.Slow
	}
	if faults := crawl.Validate(l.site()); len(faults) > 0 {
		return false, &parley.Error{Code: parley.CodeInvalidBody, Message: parley.CodeInvalidBody.DefaultMessage(), Details: faults}
	}
	s.Metadata = l.record().encoded()
	return !slices.Equal(l.Exclude, r.ExcludePaths) || !slices.Equal(l.Include, r.IncludeOnlyPaths), nil
}
