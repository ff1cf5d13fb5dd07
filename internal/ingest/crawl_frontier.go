package ingest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"unicode/utf8"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// frontier keeps the addresses of one crawl in the database, and its progress in the record of the link.
type frontier struct {
	db     *store.DB
	run    store.Crawl
	log    *slog.Logger
	record LinkRecord

	progress     func() []store.NewEvent // returns the events that say that the crawl goes on, if they are due
	recordEvents func(ctx context.Context, tx *store.DB, events []store.NewEvent) error

	mu       sync.Mutex
	counts   crawl.Counts
	position int64
	entry    string // the page nearest to the front of the site
}

var _ crawl.Frontier = (*frontier)(nil)

func (f *frontier) Seed(ctx context.Context, links []crawl.Link) error {
	if err := f.recount(ctx); err != nil {
		return err
	}
	pages := f.crawlPages(links)
	err := f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(ctx, f.run, pages) })
	if err != nil {
		return err
	}
	return f.recount(ctx)
}

// crawlPages makes rows of links, for a transaction that may run twice.
func (f *frontier) crawlPages(links []crawl.Link) []store.CrawlPage {
	f.mu.Lock()
	defer f.mu.Unlock()
	pages := make([]store.CrawlPage, len(links))
	for i, l := range links {
		f.position++
		pages[i] = store.CrawlPage{ID: parley.NewTimedUUID(), URL: l.URL, Role: string(l.Role), Depth: l.Depth,
			Hops: l.Hops, Position: f.position, Reason: l.ExcludeReason}
		if l.ExcludeReason != "" {
			pages[i].State, pages[i].Excluded = string(crawl.Excluded), true
		}
	}
	return pages
}

func (f *frontier) recount(ctx context.Context) error {
	list, err := f.db.CrawlCounts(ctx, f.run)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts, f.position = crawl.Counts{}, 0
	for _, n := range list {
		f.counts.Add(crawl.State(n.State), n.Count)
		f.counts.Bytes += n.Bytes
		f.position = max(f.position, n.LastPosition)
	}
	return nil
}

func (f *frontier) Next(ctx context.Context, n int) (links []crawl.Link, err error) {
	var pages []store.CrawlPage
	err = f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		pages, err = tx.ClaimCrawlPages(ctx, f.run, n)
		return err
	})
	for _, p := range pages {
		links = append(links, crawl.Link{URL: p.URL, Role: crawl.Role(p.Role), Depth: p.Depth, Hops: p.Hops,
			Validators: crawl.Validators{ETag: p.ETag, LastModified: p.LastModified}})
	}
	return links, err
}

func (f *frontier) AddLinks(ctx context.Context, links []crawl.Link) (added crawl.Counts, err error) {
	var states []string
	f.noteEntry(links)
	pages := f.crawlPages(links)
	err = f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		states, err = tx.AddCrawlPages(ctx, f.run, pages)
		return err
	})
	if err != nil {
		return added, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range states {
		added.Add(crawl.State(s), 1)
		f.counts.Add(crawl.State(s), 1)
	}
	return added, nil
}

func (f *frontier) Outcome(ctx context.Context, url string) (crawl.Outcome, bool, error) {
	p, known, err := f.db.CrawledPage(ctx, f.run, url)
	return crawl.Outcome{State: crawl.State(p.State), Reason: p.Reason, MergedInto: p.TargetURL, Status: p.Status,
		Bytes: p.Bytes, Validators: crawl.Validators{ETag: p.ETag, LastModified: p.LastModified}}, known, err
}

func (f *frontier) Finish(ctx context.Context, link crawl.Link, o crawl.Outcome) error {
	if o.State == crawl.Failed || o.State == crawl.Excluded {
		page, _, _ := strings.Cut(link.URL, "?") // a query may be secret
		f.log.Debug("a page was not read", "source", f.run.Source, "page", page, "reason", o.Reason, "err", o.Err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	after := f.counts
	after.Waiting--
	after.Add(o.State, 1)
	after.Bytes += o.Bytes
	p := store.CrawlPage{URL: link.URL, State: string(o.State), Reason: storableUTF8(o.Reason),
		TargetURL: o.MergedInto, Status: o.Status, Bytes: o.Bytes}
	if utf8.ValidString(o.ETag + o.LastModified) { // a header may hold any bytes, which PostgreSQL does not store
		p.ETag, p.LastModified = o.ETag, o.LastModified
	}
	progress := f.progress()
	err := f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if _, err := tx.LockCrawl(ctx, f.run); err != nil {
			return err
		}
		if err := tx.SavePageOutcome(ctx, f.run, p); err != nil || f.record.SiteRecord == nil {
			return err
		}
		err := tx.SaveCrawlMetadata(ctx, f.run, encodeRecord(f.recordWithCounts(after)))
		if err != nil {
			return err
		}
		return f.recordEvents(ctx, tx, progress)
	})
	if err == nil {
		f.counts = after
	}
	return err
}

// currentRecord returns the link's record with the counts so far.
func (f *frontier) currentRecord() LinkRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recordWithCounts(f.counts)
}

func (f *frontier) hasIncluded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts.Included > 0
}

func (f *frontier) recordWithCounts(c crawl.Counts) LinkRecord {
	r := f.record
	if r.SiteRecord != nil {
		site := *r.SiteRecord
		site.Children = Children{c.Included, c.Excluded, c.Failed}
		r.SiteRecord = &site
	}
	return r
}

func (f *frontier) Counts(context.Context) (crawl.Counts, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts, nil
}
