package ingest

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// finish ends the crawl: pages that are gone are removed, and the link is trained if any of its pages is. trouble is
// why not all of it was read, and broken whether it may be read another time.
func (c *crawlRun) finish(ctx context.Context, trouble string, broken bool) error {
	if err := c.removeLostPages(ctx, trouble == "" && c.frontier.hasIncluded()); err != nil {
		return err
	}
	if err := c.frontier.recount(ctx); err != nil {
		return err
	}
	reason, err := c.DB.FirstCrawlFailure(ctx, c.run)
	if err != nil {
		return err
	}
	end := crawlEnding{incompleteReason: trouble, failureReason: cmp.Or(trouble, reason, "no page was found"),
		retryable: broken, now: c.Now()}
	var after *parley.Source
	err = c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		after, err = c.storeEnd(ctx, tx, end)
		return err
	})
	switch {
	case err != nil:
	case after.Status == parley.SourceFailed:
		c.logFailure(after, end.failureReason)
	case trouble != "":
		c.logger().Warn("a link was not read to its end", "agent", after.AgentID, "source", after.ID, "reason", trouble)
	}
	return err
}

// crawlEnding is how a crawl ends.
type crawlEnding struct {
	incompleteReason, failureReason string // why not all was read, and why nothing was
	retryable                       bool
	now                             time.Time
}

func (c *crawlRun) storeEnd(ctx context.Context, tx *store.DB, e crawlEnding) (*parley.Source, error) {
	// before the source's row, always
	if err := tx.LockAgent(ctx, c.source.AgentRef()); err != nil {
		return nil, err
	}
	if _, err := tx.LockCrawl(ctx, c.run); err != nil {
		return nil, err
	}
	pages, err := tx.CountLivePages(ctx, c.source.AgentRef(), c.run.Source)
	if err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, c.source.AgentRef(), c.run.Source, func(s *parley.Source) error {
		c.setFinalStatus(s, pages, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return after, tx.RecordEvents(ctx, c.run.Account, e.now, sourceEvent("source."+string(after.Status), after))
}

// setFinalStatus sets the status of the link after a crawl (docs/interface/sources.md#status).
func (c *crawlRun) setFinalStatus(s *parley.Source, pages int, e crawlEnding) {
	r := c.frontier.currentRecord()
	trained := pages > 0
	if r.SiteRecord == nil {
		trained = c.frontier.hasIncluded() && s.LiveVersion != "" && s.LiveVersion == s.WantedVersion
	}
	s.Status, s.Failure, s.UpdatedAt = parley.SourceTrained, e.incompleteReason, e.now
	if !trained {
		s.Status, s.Failure, s.WantedVersion = parley.SourceFailed, e.failureReason, s.LiveVersion
	}
	if r.SiteRecord != nil {
		r.CrawlStatus = statusFetched
		if e.retryable || !trained {
			r.CrawlStatus = statusFailed
		}
	}
	s.Metadata = encodeRecord(r)
}

// removeLostPages removes the pages that are gone, excluded now or, after a complete crawl, not listed any more, and
// fails those whose training did not end.
func (c *crawlRun) removeLostPages(ctx context.Context, complete bool) error {
	if c.isIndividual() {
		return nil
	}
	lost, err := c.DB.StalePages(ctx, c.run, complete)
	if err != nil {
		return err
	}
	for i := range lost {
		page := &lost[i]
		if page.Status == parley.SourceUpdated && page.LiveVersion != "" {
			err = c.failSource(ctx, page, errors.New("the page could not be read; the server's log says why"))
		} else {
			err = c.removePage(ctx, page)
		}
		if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
			return err
		}
	}
	return nil
}

func (c *crawlRun) removePage(ctx context.Context, page *parley.Source) error {
	now := c.Now()
	return c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		// before the sources' rows, always
		if err := tx.LockAgent(ctx, c.source.AgentRef()); err != nil {
			return err
		}
		if _, err := tx.LockCrawl(ctx, c.run); err != nil { // when the link is read anew, that reading judges its pages
			return err
		}
		removed, _, err := tx.UpdateSource(ctx, c.source.AgentRef(), page.ID, func(s *parley.Source) error {
			s.Status, s.LiveVersion, s.WantedVersion, s.UpdatedAt = parley.SourceDeleted, "", "", now
			return nil
		})
		if err != nil {
			return err
		}
		if err := tx.ClearPageValidators(ctx, c.run, page.URL); err != nil {
			return err
		}
		return c.Queue.Enqueue(ctx, tx.SQL(), newJob(EraseJob, removed))
	})
}
