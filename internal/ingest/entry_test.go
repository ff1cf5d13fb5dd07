package ingest_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/ingest/crawl"
	"parley/internal/ingest/extract"
)

// readWithContacts reads pages as a server does, in this process.
func readWithContacts(ctx context.Context, url, kind string, body []byte) (title, text string, err error) {
	page, err := (&extract.Pool{}).ReadPage(ctx, url, kind, body)
	return page.Title, page.Text, err
}

// What the footers of a site say of how to reach it is kept once, also where the source has no page "/".
func TestContactsAreKeptOnce(t *testing.T) {
	const footer = `</p></main><footer><p>Call 0555 201 88 40</p></footer>`
	page := func(words string) string { return `<main><h1>Bakery</h1><p>` + words + footer }
	pages := map[string]string{
		"/":            page(`Welcome. <a href="/28/">Cakes</a>`),
		"/28/":         page(`Cakes need three days. <a href="/28/rye.html">Rye</a>`),
		"/28/rye.html": page(`The rye bread costs 5 euros.`),
		"/start":       page(`Come in. <a href="/">Front</a> <a href="/28/">Cakes</a>`),
	}
	for start, kind := range map[string]crawl.Kind{"/28/map.xml": crawl.Sitemap, "/whole.xml": crawl.Sitemap,
		"/28/": crawl.WholeSite, "/start": crawl.WholeSite, "/": crawl.WholeSite} {
		forEachDatabase(t, func(s *testService) {
			w := s.startWebsite(pages)
			s.ReadPage = readWithContacts
			locations := func(paths ...string) string {
				return "<urlset><url><loc>" + w.URL + strings.Join(paths, "</loc></url><url><loc>"+w.URL) + "</loc></url></urlset>"
			}
			w.set("/28/map.xml", locations("/28/rye.html", "/28/"))
			w.set("/whole.xml", locations("/28/rye.html", "/28/", "/"))
			s.addLink(w.URL+start, kind)
			s.runJobs()
			if n := strings.Count(s.passageTexts("0555 201 88 40"), "Call 0555 201 88 40"); n != 1 {
				s.Errorf("%s: %d times", start, n)
			}
		})
	}
}
