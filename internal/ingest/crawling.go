package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/store"
)

// PageReader makes text of a page: title may be empty. body is UTF-8 unless it is a PDF. An error's text is for the operator.
type PageReader func(ctx context.Context, url, contentType string, body []byte) (title, text string, err error)

// errStorageFull ends a reading that has used up the plan's storage.
var errStorageFull = errors.New("ingest: there is no room for another page")

// CrawlHandlers returns what does the jobs that take long, since sites set the pace: a runner of their own keeps them from
// standing in the way of the others.
func (d *Service) CrawlHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{CrawlJob: d.Crawl}
}

// crawlRun is one run of the job that reads a link.
type crawlRun struct {
	*Service
	source   *parley.Source
	run      store.Crawl
	plan     parley.Plan
	frontier *frontier
}

// Crawl handles CrawlJob: it reads a link, or goes on where a run that died has stopped. Each page goes live as it is read. A
// link that is gone, or read anew meanwhile, is dropped.
func (d *Service) Crawl(ctx context.Context, job jobs.Job) error {
	about, err := jobs.DecodePayload[jobPayload](job)
	if err != nil {
		return err
	}
	c, err := d.loadCrawl(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key))
	if err != nil || c == nil {
		return ignoreDropped(err)
	}
	end, err := d.Crawler.Run(ctx, linkRecordOf(c.source).toLink(c.source.URL).site(), c.frontier, c.storePage)
	switch {
	case errors.Is(err, errStorageFull):
		return ignoreDropped(c.finish(ctx, fmt.Sprintf("the %s plan's storage is full, so not every page was read", c.plan.Name), false))
	case err == nil:
		return ignoreDropped(c.finish(ctx, endReasons[end], end == crawl.HostUnavailable))
	case !isDropped(err) && job.Attempts >= job.MaxAttempts && ctx.Err() == nil:
		return errors.Join(err, ignoreDropped(c.finish(ctx, "the link could not be read; the server's log says why", true)))
	}
	return ignoreDropped(err)
}

// endReasons tell the operator why not all of a site was read.
var endReasons = map[crawl.EndReason]string{
	crawl.PageLimit:       "the site has more pages than are read of one",
	crawl.ByteLimit:       "the site has more text than is read of one",
	crawl.HostUnavailable: "the host did not answer any more, so not every page was read",
}

func ignoreDropped(err error) error {
	if isDropped(err) {
		return nil
	}
	return err
}

// loadCrawl finds a link that is to be read; nil when it has been.
func (d *Service) loadCrawl(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.SourceID) (*crawlRun, error) {
	if _, err := d.DB.Agent(ctx, account, agent, d.Now()); err != nil {
		return nil, err
	}
	run, err := d.DB.CrawlRun(ctx, account, agent, id) // before the source: if it is read anew in between, this run ends
	if err != nil {
		return nil, err
	}
	s, err := d.DB.Source(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	if s.Status != parley.SourceUntrained && s.Status != parley.SourceUpdated {
		return nil, nil
	}
	plan, err := d.accountPlan(ctx, account)
	if err != nil {
		return nil, err
	}
	c := &crawlRun{Service: d, source: s, run: store.Crawl{Account: account, Agent: agent, Source: id, Run: run}, plan: plan}
	c.frontier = &frontier{db: d.DB, run: c.run, log: d.logger(), record: linkRecordOf(s)}
	return c, nil
}

func (d *Service) logger() *slog.Logger {
	if d.Logger == nil {
		return slog.Default()
	}
	return d.Logger
}

func (c *crawlRun) isIndividual() bool { return c.frontier.record.SiteRecord == nil }
