// Package crawl reads web sites, politely and within bounds. It knows neither accounts nor sources: a Frontier
// remembers which addresses are known and what came of them, and a function is called with every page. Where the
// frontier is in a database, a crawl that dies is continued where it was.
//
// A site is one host, with or without www. before it, over http and https. Pages are followed from link to link
// (WholeSite), taken from sitemaps (Sitemap), or are just the one (Individual). robots.txt is obeyed (RFC 9309, as
// Google reads it), and so are Crawl-delay up to 30 s, noindex, nofollow and Retry-After. Redirects are addresses like
// any other: each is checked, against the site, the patterns, robots.txt and, when it is dialled, by outbound.
package crawl

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"parley/internal/outbound"
)

// Crawler reads sites. What it knows of hosts, their robots.txt and when they may be asked again, is shared by all that
// it reads at a time. It must not be copied after its first use.
type Crawler struct {
	Client    *outbound.Client
	UserAgent string // User-Agent: a product token, a version, and where to read about it
	Now       func() time.Time
	Sleep     func(context.Context, time.Duration) error // nil for the real clock; fails when the context ends

	hosts  hosts
	robots robotsCache
}

// EndReason says why a crawl ended.
type EndReason string

// The ends of a crawl.
const (
	Complete  EndReason = "complete"   // every address that was found is done
	PageLimit EndReason = "page limit" // Limits.Pages are read, and there are more
	ByteLimit EndReason = "byte limit" // Limits.Bytes are read, and there are more
	// the host has failed maxHostFailures times in a row; what is left may be tried later
	HostUnavailable EndReason = "host is away"
)

// Run reads a site, and calls visit with each page that is new or has changed, from up to two goroutines at a time.
// Whatever the frontier holds from an earlier run, complete or not, is continued; a page that was being read when that
// run died is read again. A visit may fail with an *Unreadable, which concerns that page only; any other error ends the
// run, and so do errors of the frontier and the context. The site must be valid (Validate).
func (c *Crawler) Run(ctx context.Context, site Site, frontier Frontier,
	visit func(context.Context, Page) error) (EndReason, error) {
	p, faults := site.compile()
	if len(faults) > 0 {
		return "", fmt.Errorf("crawl: the site is not valid: %v", faults)
	}
	if err := frontier.Seed(ctx, p.seed()); err != nil {
		return "", err
	}
	counts, err := frontier.Counts(ctx)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &crawlRun{Crawler: c, crawlPlan: p, frontier: frontier, visit: visit, counts: counts,
		mergedInto: map[string]string{}, traps: trapDetector{}}
	return r.crawlAll(ctx, stop)
}

// crawlRun is one run over one site.
type crawlRun struct {
	*Crawler
	*crawlPlan
	frontier Frontier
	visit    func(context.Context, Page) error
	cookies  cookieJar

	mu           sync.Mutex
	counts       Counts
	hostFailures int               // in a row, because of the host
	mergedInto   map[string]string // address → the one it was given up for, in this run
	readPages    readPages
	traps        trapDetector
}

// maxHostFailures is how many addresses may fail in a row because their host does.
const maxHostFailures = 10

// crawlAll reads as many addresses at a time as the host can bear.
func (r *crawlRun) crawlAll(ctx context.Context, stop func()) (EndReason, error) {
	results := make(chan error)
	busy, width := 0, maxPerHost
	if r.Slow {
		width = 1
	}
	for {
		end, free := r.freeSlots(width, busy)
		links, err := r.claimLinks(ctx, free)
		for _, link := range links {
			busy++
			go func() { results <- r.processLink(ctx, link) }()
		}
		if busy == 0 && err == nil {
			return end, nil
		}
		if err == nil {
			err = <-results
			busy--
		}
		if err != nil {
			stop()
			for ; busy > 0; busy-- {
				<-results
			}
			return "", err
		}
	}
}

// freeSlots returns how many more addresses may be under way, and what it means if there are none.
func (r *crawlRun) freeSlots(width, busy int) (EndReason, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.Limits.Pages - r.counts.Included - busy
	switch {
	case r.counts.Waiting == 0: // as seen here; the frontier has the last word
		return Complete, width - busy
	case r.hostFailures >= maxHostFailures:
		return HostUnavailable, 0
	case r.counts.Bytes >= r.Limits.Bytes:
		return ByteLimit, 0
	case left <= 0:
		return PageLimit, 0
	}
	return Complete, min(width-busy, left)
}

func (r *crawlRun) claimLinks(ctx context.Context, n int) ([]Link, error) {
	if err := ctx.Err(); err != nil || n <= 0 {
		return nil, err
	}
	return r.frontier.Next(ctx, n)
}

// processLink reads one address, and records its outcome in the frontier.
func (r *crawlRun) processLink(ctx context.Context, link Link) error {
	outcome, err := r.readLink(ctx, link)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := r.frontier.Finish(ctx, link, outcome); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.Waiting--
	r.counts.Add(outcome.State, 1)
	r.counts.Bytes += outcome.Bytes
	if outcome.isHostFailure {
		r.hostFailures++
	} else if outcome.Status > 0 {
		r.hostFailures = 0
	}
	return nil
}

// readLink reads one address. A panic while reading it is a failure of that address only.
func (r *crawlRun) readLink(ctx context.Context, link Link) (outcome Outcome, err error) {
	defer func() {
		if v := recover(); v != nil {
			outcome, err = Outcome{State: Failed, Reason: "the page could not be read",
				Err: fmt.Errorf("panic: %v\n%s", v, debug.Stack())}, nil
		}
	}()
	u, err := Canonical(nil, link.URL)
	if err != nil {
		return failedOutcome("the address is not valid: "+err.Error(), err), nil
	}
	if link.Role == SitemapRole {
		return r.fetchSitemap(ctx, link, u)
	}
	return r.readPage(ctx, link, u)
}
