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

// finish ends the reading: pages that are gone go, and the link is trained if anything of it answers. trouble is why not all of it
// was read, and broken that it may be had another time.
func (c *crawling) finish(ctx context.Context, trouble string, broken bool) error {
	if err := c.sweep(ctx, trouble == "" && c.frontier.included()); err != nil {
		return err
	}
	if err := c.frontier.recount(ctx); err != nil {
		return err
	}
	reason, err := c.DB.CrawlTrouble(ctx, c.run)
	if err != nil {
		return err
	}
	end := ending{trouble: trouble, reason: cmp.Or(trouble, reason, "no page was found"), broken: broken, now: c.Now()}
	var after *parley.Source
	err = c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		after, err = c.end(ctx, tx, end)
		return err
	})
	switch {
	case err != nil:
	case after.Status == parley.SourceFailed:
		c.tellFailure(after, end.reason)
	case trouble != "":
		c.log().Warn("a link was not read to its end", "agent", after.AgentID, "source", after.ID, "reason", trouble)
	}
	return err
}

// ending is how a reading ends.
type ending struct {
	trouble, reason string // why not all was read, and why nothing was
	broken          bool
	now             time.Time
}

func (c *crawling) end(ctx context.Context, tx *store.DB, e ending) (*parley.Source, error) {
	if err := tx.LockAgent(ctx, c.run.Account, c.run.Agent); err != nil { // before the source's row, always
		return nil, err
	}
	if _, err := tx.HoldCrawl(ctx, c.run); err != nil {
		return nil, err
	}
	pages, err := tx.LivePages(ctx, c.run.Account, c.run.Agent, c.run.Source)
	if err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, c.run.Account, c.run.Agent, c.run.Source, func(s *parley.Source) error {
		c.judge(s, pages, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return after, tx.Record(ctx, c.run.Account, e.now, event("source."+string(after.Status), after))
}

// judge sets the state in which the link is left (facts 3.4).
func (c *crawling) judge(s *parley.Source, pages int, e ending) {
	r := c.frontier.told()
	trained := pages > 0
	if r.SiteRecord == nil {
		trained = c.frontier.included() && s.Live != "" && s.Live == s.Wanted
	}
	s.Status, s.Failure, s.UpdatedAt = parley.SourceTrained, e.trouble, e.now
	if !trained {
		s.Status, s.Failure, s.Wanted = parley.SourceFailed, e.reason, s.Live
	}
	if r.SiteRecord != nil {
		r.CrawlStatus = fetched
		if e.broken || !trained {
			r.CrawlStatus = unread
		}
	}
	s.Metadata = r.encoded()
}

// sweep takes the pages out that are gone, left out now or, after a complete reading, not listed any more, and ends the training of
// those that did not get there.
func (c *crawling) sweep(ctx context.Context, complete bool) error {
	if c.individual() {
		return nil
	}
	lost, err := c.DB.LostPages(ctx, c.run, complete)
	if err != nil {
		return err
	}
	for i := range lost {
		page := &lost[i]
		if page.Status == parley.SourceUpdated && page.Live != "" {
			err = c.fail(ctx, page, errors.New("the page could not be read; the server's log says why"))
		} else {
			err = c.remove(ctx, page)
		}
		if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
			return err
		}
	}
	return nil
}

func (c *crawling) remove(ctx context.Context, page *parley.Source) error {
	now := c.Now()
	return c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, c.run.Account, c.run.Agent); err != nil { // before the sources' rows, always
			return err
		}
		if _, err := tx.HoldCrawl(ctx, c.run); err != nil { // when the link is read anew, that reading judges its pages
			return err
		}
		gone, _, err := tx.UpdateSource(ctx, c.run.Account, c.run.Agent, page.ID, func(s *parley.Source) error {
			s.Status, s.Live, s.Wanted, s.UpdatedAt = parley.SourceDeleted, "", "", now
			return nil
		})
		if err != nil {
			return err
		}
		if err := tx.ForgetPage(ctx, c.run, page.URL); err != nil {
			return err
		}
		return c.Queue.Enqueue(ctx, tx.SQL(), chore(EraseJob, gone))
	})
}
