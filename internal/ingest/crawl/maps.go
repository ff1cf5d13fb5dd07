package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"parley/internal/outbound"
)

const (
	maxMapDepth  = 3   // of an index within an index
	maxIndexMaps = 500 // sitemaps of one index
)

// readMap reads an address as a sitemap; what it lists becomes addresses. The start may be a page of a site that has one.
func (r *run) readMap(ctx context.Context, link Link, u *url.URL) (Outcome, error) {
	link.Validators = Validators{}
	reply, outcome, err := r.fetch(ctx, link, u, outbound.Limits{Bytes: maxMap, Redirects: -1})
	if err != nil || reply == nil {
		return outcome, err
	}
	if reply.Status >= 300 {
		outcome, err = r.moved(ctx, link, u, reply)
		outcome.Status = reply.Status
		return outcome, err
	}
	entries, broken := ReadSitemap(reply.Body)
	if errors.Is(broken, errNoMap) && link.Depth == 0 {
		return r.lookForMap(ctx, u, reply)
	}
	if err := r.listed(ctx, link, u, entries); err != nil {
		return Outcome{}, err
	}
	if broken != nil {
		outcome = failed(sitemapReason(broken), broken)
	} else {
		outcome = Outcome{State: Read}
	}
	outcome.Status = reply.Status
	return outcome, nil
}

func sitemapReason(err error) string {
	for _, known := range []error{errNoMap, errMapSize, errEntities} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the sitemap is broken"
}

// listed adds what a sitemap lists. Pages of another site are counted as excluded, so that whoever gave the wrong sitemap sees
// why nothing comes of it.
func (r *run) listed(ctx context.Context, link Link, u *url.URL, entries Entries) error {
	pages, maps := []*url.URL{}, []Link{}
	var strangers []Link
	for _, text := range entries.Pages {
		page, err := Canonical(u, text)
		switch {
		case err != nil:
		case r.inside(page):
			pages = append(pages, page)
		default:
			strangers = append(strangers, Link{URL: page.String(), Left: "it belongs to another site"})
		}
	}
	for _, text := range entries.Maps {
		m, err := Canonical(u, text)
		if err == nil && r.inside(m) && link.Depth < maxMapDepth && len(maps) < maxIndexMaps {
			maps = append(maps, Link{URL: m.String(), Role: MapRole, Depth: link.Depth + 1})
		}
	}
	return errors.Join(r.add(ctx, maps), r.found(ctx, pages, Link{Depth: 1}), r.add(ctx, strangers))
}

// lookForMap finds the sitemaps of a site by its robots.txt, else at the usual place.
func (r *run) lookForMap(ctx context.Context, u *url.URL, reply *outbound.Reply) (Outcome, error) {
	robots, err := r.robotsOf(ctx, u)
	if err != nil {
		return hostFailed(err), ctx.Err()
	}
	var maps []Link
	for _, text := range append(robots.Sitemaps, "/sitemap.xml") {
		if m, err := Canonical(u, text); err == nil && (len(maps) == 0 || text != "/sitemap.xml") && m.String() != u.String() {
			maps = append(maps, Link{URL: m.String(), Role: MapRole, Depth: 1})
		}
	}
	if len(maps) == 0 || reply.Status != http.StatusOK {
		return failed(errNoMap.Error(), errNoMap), nil
	}
	return Outcome{State: Read, Status: reply.Status}, r.add(ctx, maps)
}
