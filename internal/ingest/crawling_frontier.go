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

// frontier keeps the addresses of one reading in the database, and shows in the link's record how far it has come.
type frontier struct {
	db     *store.DB
	run    store.Crawl
	log    *slog.Logger
	record LinkRecord

	mu     sync.Mutex
	counts crawl.Counts
	place  int64
}

var _ crawl.Frontier = (*frontier)(nil)

// Seed implements crawl.Frontier.
func (f *frontier) Seed(ctx context.Context, links []crawl.Link) error {
	if err := f.recount(ctx); err != nil {
		return err
	}
	pages := f.pages(links)
	err := f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return tx.SeedCrawl(ctx, f.run, pages) })
	if err != nil {
		return err
	}
	return f.recount(ctx)
}

// pages makes rows of links, for a transaction that may run twice.
func (f *frontier) pages(links []crawl.Link) []store.CrawlPage {
	f.mu.Lock()
	defer f.mu.Unlock()
	pages := make([]store.CrawlPage, len(links))
	for i, l := range links {
		f.place++
		pages[i] = store.CrawlPage{ID: parley.NewTimedUUID(), URL: l.URL, Role: string(l.Role), Depth: l.Depth, Hops: l.Hops, Place: f.place, Reason: l.Left}
		if l.Left != "" {
			pages[i].State, pages[i].LeftOut = string(crawl.Excluded), true
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
	f.counts, f.place = crawl.Counts{}, 0
	for _, n := range list {
		addTo(&f.counts, crawl.State(n.State), n.Count)
		f.counts.Bytes += n.Bytes
		f.place = max(f.place, n.Last)
	}
	return nil
}

func addTo(c *crawl.Counts, state crawl.State, n int) {
	switch state {
	case crawl.Included, crawl.Unchanged:
		c.Included += n
	case crawl.Excluded:
		c.Excluded += n
	case crawl.Failed:
		c.Failed += n
	case crawl.Merged, crawl.Read:
		c.Other += n
	case crawl.Waiting:
		c.Waiting += n
	}
}

// Next implements crawl.Frontier.
func (f *frontier) Next(ctx context.Context, n int) (links []crawl.Link, err error) {
	var pages []store.CrawlPage
	err = f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		pages, err = tx.ClaimPages(ctx, f.run, n)
		return err
	})
	for _, p := range pages {
		links = append(links, crawl.Link{URL: p.URL, Role: crawl.Role(p.Role), Depth: p.Depth, Hops: p.Hops, Validators: crawl.Validators{Tag: p.Tag, Modified: p.Modified}})
	}
	return links, err
}

// Found implements crawl.Frontier.
func (f *frontier) Found(ctx context.Context, links []crawl.Link) (added crawl.Counts, err error) {
	var states []string
	pages := f.pages(links)
	err = f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		states, err = tx.AddPages(ctx, f.run, pages)
		return err
	})
	if err != nil {
		return added, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range states {
		addTo(&added, crawl.State(s), 1)
		addTo(&f.counts, crawl.State(s), 1)
	}
	return added, nil
}

// Outcome implements crawl.Frontier.
func (f *frontier) Outcome(ctx context.Context, url string) (crawl.Outcome, bool, error) {
	p, known, err := f.db.CrawledPage(ctx, f.run, url)
	return crawl.Outcome{State: crawl.State(p.State), Reason: p.Reason, To: p.To, Status: p.Status, Bytes: p.Bytes,
		Validators: crawl.Validators{Tag: p.Tag, Modified: p.Modified}}, known, err
}

// Done implements crawl.Frontier.
func (f *frontier) Done(ctx context.Context, link crawl.Link, o crawl.Outcome) error {
	if o.State == crawl.Failed || o.State == crawl.Excluded {
		page, _, _ := strings.Cut(link.URL, "?") // a query may be secret
		f.log.Debug("a page was not read", "source", f.run.Source, "page", page, "reason", o.Reason, "err", o.Err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	after := f.counts
	after.Waiting--
	addTo(&after, o.State, 1)
	after.Bytes += o.Bytes
	p := store.CrawlPage{URL: link.URL, State: string(o.State), Reason: strings.ToValidUTF8(storable(o.Reason), "\ufffd"), To: o.To, Status: o.Status, Bytes: o.Bytes}
	if utf8.ValidString(o.Tag + o.Modified) { // a header may hold any bytes, which PostgreSQL does not store
		p.Tag, p.Modified = o.Tag, o.Modified
	}
	err := f.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if _, err := tx.HoldCrawl(ctx, f.run); err != nil {
			return err
		}
		if err := tx.EndPage(ctx, f.run, p); err != nil || f.record.SiteRecord == nil {
			return err
		}
		return tx.NoteProgress(ctx, f.run, f.telling(after).encoded())
	})
	if err == nil {
		f.counts = after
	}
	return err
}

// told is the link's record with the counts so far.
func (f *frontier) told() LinkRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.telling(f.counts)
}

// included reports whether anything was read.
func (f *frontier) included() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts.Included > 0
}

func (f *frontier) telling(c crawl.Counts) LinkRecord {
	r := f.record
	if r.SiteRecord != nil {
		site := *r.SiteRecord
		site.Children = Children{c.Included, c.Excluded, c.Failed}
		r.SiteRecord = &site
	}
	return r
}

// Counts implements crawl.Frontier.
func (f *frontier) Counts(context.Context) (crawl.Counts, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts, nil
}
