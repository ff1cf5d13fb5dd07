package ingest

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"parley/internal/ingest/crawl"
)

// noteEntry remembers the page of a sitemap that is nearest to the front of its site.
func (f *frontier) noteEntry(links []crawl.Link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range links {
		if l.Role == crawl.PageRole && l.ExcludeReason == "" && (f.entry == "" || isNearerFront(l.URL, f.entry)) {
			f.entry = l.URL
		}
	}
}

// isNearerFront compares two addresses by their folders, then by their length.
func isNearerFront(a, b string) bool {
	return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(len(a), len(b)),
		cmp.Compare(a, b)) < 0
}

// isEntry reports whether a page stands for the front page of its site, of which the source has none: the page that a
// crawl begins with, or the nearest of a sitemap.
func (f *frontier) isEntry(ctx context.Context, start, page string) bool {
	switch f.record.Type {
	case crawl.Sitemap:
		f.mu.Lock()
		defer f.mu.Unlock()
		return page == f.entry
	case crawl.WholeSite:
		front, err := url.Parse(start)
		if err != nil || page != start {
			return false
		}
		front.Path, front.RawPath, front.RawQuery = "/", "", ""
		_, isKnown, err := f.Outcome(ctx, front.String())
		return err == nil && !isKnown
	case crawl.Individual: // else thirty pages of one site would hold its contacts thirty times
	}
	return false
}
