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
func (d *Service) ChangeLink(ctx context.Context, account parley.Account, agent parley.AgentID, id parley.SourceID, change LinkChange) (*parley.Source, error) {
	now := d.Now()
	var after *parley.Source
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		after, err = d.restartCrawl(ctx, tx, account.ID, agent, id, now, change)
		return err
	})
	return after, err
}

// restartCrawl begins another reading of a link. Where the patterns are others, nothing that is known of its pages is relied on.
func (d *Service) restartCrawl(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, id parley.SourceID, now time.Time, change LinkChange) (*parley.Source, error) {
	a, err := tx.AgentForUpdate(ctx, account, agent, now)
	if err != nil {
		return nil, err
	}
	pages, err := tx.CountLivePages(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	patternsChanged := false
	s, _, err := tx.UpdateSource(ctx, account, agent, id, func(s *parley.Source) (err error) {
		patternsChanged, err = change.applyTo(s)
		if err != nil {
			return err
		}
		s.Failure, s.UpdatedAt, s.Status = "", now, parley.SourceUntrained
		if s.LiveVersion != "" || pages > 0 {
			s.Status = parley.SourceUpdated
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := tx.RestartCrawl(ctx, account, agent, id, patternsChanged, linkRecordOf(s).Type == crawl.Sitemap); err != nil {
		return nil, err
	}
	if err := d.scheduleSync(ctx, tx, s, a.AutoRetrain); err != nil {
		return nil, err
	}
	if err := d.Queue.Enqueue(ctx, tx.SQL(), newCrawlJob(s)); err != nil {
		return nil, err
	}
	return s, tx.RecordEvents(ctx, account, now, sourceEvent("source.updated", s))
}

// applyTo changes the record of the link, and tells whether its patterns are others.
func (c LinkChange) applyTo(s *parley.Source) (patternsChanged bool, err error) {
	switch {
	case s.Kind != parley.SourceLink || s.ParentID != "":
		return false, parley.NewError(parley.CodeSourceNotFound)
	case s.Status == parley.SourceToBeDeleted:
		return false, parley.NewError(parley.CodeSourcePendingDel)
	}
	r := linkRecordOf(s)
	if r.SiteRecord == nil {
		return false, nil
	}
	l := r.toLink(s.URL)
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
	s.Metadata = l.record().encode()
	return !slices.Equal(l.Exclude, r.ExcludePaths) || !slices.Equal(l.Include, r.IncludeOnlyPaths), nil
}
