package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"parley/internal/outbound"
)

const (
	maxIndexDepth    = 3   // of an index within an index
	maxIndexSitemaps = 500 // sitemaps of one index
)

// fetchSitemap reads an address as a sitemap; what it lists becomes addresses. The start may be a page of a site that has one.
func (r *crawlRun) fetchSitemap(ctx context.Context, link Link, u *url.URL) (Outcome, error) {
	link.Validators = Validators{}
	reply, outcome, err := r.fetch(ctx, link, u, outbound.Limits{MaxBytes: maxSitemapBytes, MaxRedirects: -1})
	if err != nil || reply == nil {
		return outcome, err
	}
	if reply.Status >= 300 {
		outcome, err = r.followRedirect(ctx, link, u, reply)
		outcome.Status = reply.Status
		return outcome, err
	}
	entries, broken := ReadSitemap(reply.Body)
	if errors.Is(broken, errNotSitemap) && link.Depth == 0 {
		return r.findSitemaps(ctx, u, reply)
	}
	if err := r.addSitemapEntries(ctx, link, u, entries); err != nil {
		return Outcome{}, err
	}
	if broken != nil {
		outcome = failedOutcome(sitemapReason(broken), broken)
	} else {
		outcome = Outcome{State: ReadAsSitemap}
	}
	outcome.Status = reply.Status
	return outcome, nil
}

func sitemapReason(err error) string {
	for _, known := range []error{errNotSitemap, errSitemapTooLarge, errEntities} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the sitemap is broken"
}

// addSitemapEntries adds what a sitemap lists. Pages of another site are counted as excluded, so that whoever gave the wrong sitemap sees
// why nothing comes of it.
func (r *crawlRun) addSitemapEntries(ctx context.Context, link Link, u *url.URL, entries Entries) error {
	pages, maps := []*url.URL{}, []Link{}
	var strangers []Link
	for _, text := range entries.Pages {
		page, err := Canonical(u, text)
		switch {
		case err != nil:
		case r.isInside(page):
			pages = append(pages, page)
		default:
			strangers = append(strangers, Link{URL: page.String(), ExcludeReason: "it belongs to another site"})
		}
	}
	for _, text := range entries.Sitemaps {
		m, err := Canonical(u, text)
		if err == nil && r.isInside(m) && link.Depth < maxIndexDepth && len(maps) < maxIndexSitemaps {
			maps = append(maps, Link{URL: m.String(), Role: SitemapRole, Depth: link.Depth + 1})
		}
	}
	return errors.Join(r.addLinks(ctx, maps), r.addPageLinks(ctx, pages, Link{Depth: 1}), r.addLinks(ctx, strangers))
}

// findSitemaps finds the sitemaps of a site by its robots.txt, else at the usual place.
func (r *crawlRun) findSitemaps(ctx context.Context, u *url.URL, reply *outbound.Response) (Outcome, error) {
	robots, err := r.robotsFor(ctx, u)
	if err != nil {
		return hostFailedOutcome(err), ctx.Err()
	}
	var maps []Link
	for _, text := range append(robots.Sitemaps, "/sitemap.xml") {
		if m, err := Canonical(u, text); err == nil && (len(maps) == 0 || text != "/sitemap.xml") && m.String() != u.String() {
			maps = append(maps, Link{URL: m.String(), Role: SitemapRole, Depth: 1})
		}
	}
	if len(maps) == 0 || reply.Status != http.StatusOK {
		return failedOutcome(errNotSitemap.Error(), errNotSitemap), nil
	}
	return Outcome{State: ReadAsSitemap, Status: reply.Status}, r.addLinks(ctx, maps)
}
