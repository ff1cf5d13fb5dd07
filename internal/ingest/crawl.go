package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// PageReader returns the text of a page: title may be empty. body is UTF-8 unless it is a PDF. An error's text is for
// the operator.
type PageReader func(ctx context.Context, url, contentType string, body []byte) (title, text string, err error)

// errStorageFull ends a crawl that has used up the plan's storage.
var errStorageFull = errors.New("ingest: there is no room for another page")

// CrawlHandlers returns the handlers of jobs that take long, since sites set the pace. They have a runner of their own,
// so that they do not delay others.
func (s *Service) CrawlHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{CrawlJob: s.Crawl}
}

// crawlRun is one run of the job that reads a link.
type crawlRun struct {
	*Service
	source   *parley.Source
	run      store.Crawl
	plan     parley.Plan
	frontier *frontier
}

// Crawl handles CrawlJob: it reads a link, or goes on where a run that died has stopped. Each page goes live as it is
// read. A link that is gone, or read again meanwhile, is dropped.
func (s *Service) Crawl(ctx context.Context, job jobs.Job) error {
	c, err := s.loadCrawl(ctx, job)
	if err != nil || c == nil {
		return ignoreDropped(err)
	}
	if err := s.recordBegin(ctx, c.source); err != nil {
		return ignoreDropped(err)
	}
	end, err := s.Crawler.Run(ctx, linkRecordOf(c.source).toLink(c.source.URL).site(), c.frontier, c.storePage)
	switch {
	case errors.Is(err, errStorageFull):
		reason := fmt.Sprintf("the %s plan's storage is full, so not every page was read", c.plan.Name)
		return ignoreDropped(c.finish(ctx, reason, false))
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

// loadCrawl finds the link of a job, which is to be read; nil when it has been.
func (s *Service) loadCrawl(ctx context.Context, job jobs.Job) (*crawlRun, error) {
	ref, id, err := jobSource(job)
	if err != nil {
		return nil, err
	}
	if _, err := s.DB.Agent(ctx, ref, s.Now()); err != nil {
		return nil, err
	}
	run, err := s.DB.CrawlRun(ctx, ref, id) // before the source: if it is read again in between, this run ends
	if err != nil {
		return nil, err
	}
	src, err := s.DB.Source(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if src.Status != parley.SourceUntrained && src.Status != parley.SourceUpdated {
		return nil, nil
	}
	plan, err := s.accountPlan(ctx, ref.Account)
	if err != nil {
		return nil, err
	}
	c := &crawlRun{Service: s, source: src,
		run: store.Crawl{Account: ref.Account, Agent: ref.Agent, Source: id, Run: run}, plan: plan}
	c.frontier = &frontier{db: s.DB, run: c.run, log: s.logger(), record: linkRecordOf(src),
		progress: func() []store.NewEvent { return s.progressEvents(src) },
		recordEvents: func(ctx context.Context, tx *store.DB, events []store.NewEvent) error {
			return s.recordEvents(ctx, tx, src.AccountID, events)
		}}
	return c, nil
}

func (s *Service) logger() *slog.Logger { return cmp.Or(s.Logger, slog.Default()) }

func (c *crawlRun) isIndividual() bool { return c.frontier.record.SiteRecord == nil }

// maxNameBytes is the most of a page's title that names its source.
const maxNameBytes = 500

// storePage stores a page, as the link's own content or as a source of its own below the link.
func (c *crawlRun) storePage(ctx context.Context, page crawl.Page) error {
	reading := extract.WithOwner(ctx, string(c.run.Account))
	if c.frontier.isEntry(ctx, c.source.URL, page.URL) {
		reading = extract.WithContacts(reading)
	}
	title, text, err := c.ReadPage(reading, page.URL, page.Type, page.Body)
	if err != nil {
		return cmp.Or(ctx.Err(), error(&crawl.Unreadable{Reason: err.Error(), Err: err}))
	}
	text, title = storableUTF8(text), storableUTF8(title)
	if !hasText(text) {
		return &crawl.Unreadable{Reason: "the page holds no text"}
	}
	p := c.newPageWrite(page.URL, title[:runeBoundary(title, maxNameBytes)], text)
	err = c.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return p.store(ctx, tx) })
	if err != nil || p.toTrain == nil {
		return err
	}
	if err = c.train(ctx, p.toTrain); errors.Is(err, errStale) { // read again meanwhile, or deleted
		return nil
	}
	return err
}

// hasText reports whether a text has at least one piece.
func hasText(text string) bool {
	for range EachPiece(text) {
		return true
	}
	return false
}

// pageWrite is a page on its way into the database: its ids and times are made before the transaction, which may run
// twice.
type pageWrite struct {
	*crawlRun
	source  parley.Source // as it is when it is new
	version parley.Version
	toTrain *parley.Source // what is to be trained; nil when the page is as it was
}

func (c *crawlRun) newPageWrite(url, title, text string) *pageWrite {
	now := c.Now()
	p := &pageWrite{crawlRun: c,
		version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: c.run.Agent, CreatedAt: now}}
	setText(&p.version, text)
	if c.isIndividual() {
		p.version.Content = encodeRecord(pageContent{cleanTitle(title)})
	}
	p.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: c.run.Account, AgentID: c.run.Agent,
		ParentID: c.run.Source, Kind: parley.SourceLink,
		Name: cmp.Or(strings.TrimSpace(title), url), URL: url, Size: int64(len(text)), Status: parley.SourceUntrained,
		Metadata: encodeRecord(LinkRecord{Type: crawl.Individual}), WantedVersion: p.version.ID, CreatedAt: now,
		UpdatedAt: now}
	return p
}

func (p *pageWrite) store(ctx context.Context, tx *store.DB) error {
	p.toTrain = nil
	// before the source's row, always
	a, err := tx.AgentForUpdate(ctx, p.source.AgentRef(), p.version.CreatedAt)
	if err != nil {
		return err
	}
	existing, err := tx.LockCrawl(ctx, p.run)
	if err != nil {
		return err
	}
	if !p.isIndividual() {
		existing, err = tx.PageSource(ctx, p.source.AgentRef(), p.run.Source, p.source.URL)
	}
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return p.create(ctx, tx, a.Size)
	}
	if err != nil {
		return err
	}
	return p.update(ctx, tx, existing, a.Size)
}

func (p *pageWrite) create(ctx context.Context, tx *store.DB, size int64) error {
	if !p.plan.AllowsStorage(size + p.source.Size) {
		return errStorageFull
	}
	s := p.source
	if _, err := tx.CreateSource(ctx, &s); err != nil {
		return err
	}
	p.toTrain = &s
	return p.writeVersion(ctx, tx, &s)
}

func (p *pageWrite) writeVersion(ctx context.Context, tx *store.DB, s *parley.Source) error {
	v := p.version
	v.SourceID = s.ID
	return tx.CreateVersion(ctx, p.run.Account, &v)
}

// update makes the page the wanted version of its source. One with the same content is left alone, or trained if that
// was cut short.
func (p *pageWrite) update(ctx context.Context, tx *store.DB, existing *parley.Source, size int64) error {
	if existing.WantedVersion != "" {
		previous, err := tx.Version(ctx, p.source.AgentRef(), existing.ID, existing.WantedVersion)
		if err != nil {
			return err
		}
		if previous.Hash == p.version.Hash && (p.isIndividual() || existing.Name == p.source.Name) {
			return p.resume(ctx, tx, existing)
		}
	}
	if growth := p.source.Size - existing.Size; growth > 0 && !p.plan.AllowsStorage(size+growth) {
		return errStorageFull
	}
	s, _, err := tx.UpdateSource(ctx, p.source.AgentRef(), existing.ID, func(s *parley.Source) error {
		if !p.isIndividual() {
			s.Name = p.source.Name
		}
		s.SetWantedVersion(&p.version, p.source.Size)
		return nil
	})
	if err != nil {
		return err
	}
	p.toTrain = s
	return p.writeVersion(ctx, tx, s)
}

func (p *pageWrite) resume(ctx context.Context, tx *store.DB, existing *parley.Source) error {
	if existing.LiveVersion != existing.WantedVersion {
		p.toTrain = existing
		return nil
	}
	if p.isIndividual() || existing.Status == parley.SourceTrained {
		return nil
	}
	_, _, err := tx.UpdateSource(ctx, p.source.AgentRef(), existing.ID, func(s *parley.Source) error {
		s.Status, s.Failure, s.UpdatedAt = parley.SourceTrained, "", p.version.CreatedAt
		return nil
	})
	return err
}

// finish ends the crawl: pages that are gone are removed, and the link is trained if any of its pages is. trouble is
// why not all of it was read, and broken whether it may be read another time.
func (c *crawlRun) finish(ctx context.Context, problem string, broken bool) error {
	if err := c.removeLostPages(ctx, problem == "" && c.frontier.hasIncluded()); err != nil {
		return err
	}
	if err := c.frontier.recount(ctx); err != nil {
		return err
	}
	reason, err := c.DB.FirstCrawlFailure(ctx, c.run)
	if err != nil {
		return err
	}
	end := crawlEnding{incompleteReason: problem, failureReason: cmp.Or(problem, reason, "no page was found"),
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
	case problem != "":
		c.logger().Warn("a link was not read to its end", "agent", after.AgentID, "source", after.ID, "reason", problem)
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
	kind := parley.EventSourceTrained
	if after.Status == parley.SourceFailed {
		kind = parley.EventSourceFailed
	}
	return after, tx.RecordEvents(ctx, c.run.Account, e.now, sourceEvent(kind, after))
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
		if _, err := tx.LockCrawl(ctx, c.run); err != nil { // when the link is read again, that reading judges its pages
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
