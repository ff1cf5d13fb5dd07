package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestWholeSite(t *testing.T) {
	ts := serveFile(t, "docs.txtar")
	s := ts.crawl(t, Site{Start: "/#top", Kind: WholeSite})
	s.golden(t, "whole")
	if s.end != Complete || s.counts(t) != "10 included, 5 excluded, 2 failed, 0 waiting" || len(s.pages) != 10 {
		t.Error(s.end, s.counts(t), len(s.pages))
	}
	if p := s.pages["/docs/guide.md"]; p.Type != "text/markdown" || !hasBody(p, "# Guide") {
		t.Errorf("%+v", p)
	}
	if p := s.pages["/docs/manual.pdf"]; p.Type != "application/pdf" || !hasBody(p, "%PDF") {
		t.Errorf("%+v", p)
	}
	times := map[string]int{}
	for _, path := range ts.requestedPaths {
		if times[path]++; times[path] > 1 {
			t.Error(path, "is requested twice")
		}
	}
	for _, path := range []string{"/private/a", "/picture.PNG", "/login", "/docs/unseen", "/docs/nolink", "/docs/never"} {
		if times[path] > 0 {
			t.Error(path, "is requested")
		}
	}
	if ts.agent != "Parley/1.0 (+https://parley.example/crawler)" {
		t.Error(ts.agent)
	}
}

func TestPatterns(t *testing.T) {
	ts := serveFile(t, "docs.txtar")
	ts.crawl(t, Site{Start: "/", Kind: WholeSite, Include: []string{"^/docs/", `^/nothing$`},
		Exclude: []string{"quiet|circle", `\?v=\d`}}).golden(t, "patterns")
	for _, path := range ts.requestedPaths {
		if strings.Contains(path, "quiet") || strings.Contains(path, "?v=1") || strings.Contains(path, "/blog") {
			t.Error(path, "is requested")
		}
	}
}

func TestPatternsMatch(t *testing.T) {
	for _, c := range []struct {
		include, exclude, address string
		want                      bool
	}{
		{"", "", "/a", true}, {"a", "", "/b/a", true}, {"^/a", "", "/b/a", false}, {"^/a$", "", "/a?b", false},
		{"", "a", "/a", false}, {"a", "a", "/a", false},
		{"example", "", "/a", false}, {"https://a.example/a", "", "/a", true},
		{"^https?://a.example/a$", "", "/ab", false}, {"^http://", "", "/a", false},
		{"^/ü", "", "/%C3%BC", true}, {"^/%C3%BC", "", "/ü", true}, {"", "x y", "/x%20y", false},
		{"", `\?page=`, "/a?page=1", false},
	} {
		site := Site{Start: "https://a.example/", Kind: WholeSite}
		if c.include != "" {
			site.Include = []string{c.include}
		}
		if c.exclude != "" {
			site.Exclude = []string{c.exclude}
		}
		p, faults := site.compile()
		if got := p.isWanted(parseURL(t, "https://a.example"+c.address)); got != c.want || len(faults) > 0 {
			t.Errorf("%+v: %v %v", c, got, faults)
		}
	}
}

func TestValidate(t *testing.T) {
	got := Validate(Site{Start: "ftp://a", Kind: "x", Include: []string{"a", "(", strings.Repeat("a", 1001)},
		Exclude: []string{"", `(?=a)`, "x{1001}"}})
	for _, at := range []string{"url", "linkType", "includeOnlyPaths.1", "includeOnlyPaths.2", "excludePaths.0",
		"excludePaths.1", "excludePaths.2"} {
		if got[at] == "" {
			t.Error("nothing is wrong with", at)
		}
		delete(got, at)
	}
	if len(got) > 0 || len(Validate(Site{Start: "https://a.example", Kind: Individual})) > 0 ||
		Validate(Site{Start: "https://a.example", Kind: WholeSite, Exclude: make([]string, 101)})["excludePaths"] == "" {
		t.Error(got)
	}
	if _, err := (&Crawler{}).Run(t.Context(), Site{}, &Memory{}, nil); err == nil {
		t.Error("it runs")
	}
}

func TestSitemap(t *testing.T) {
	ts := serveFile(t, "docs.txtar")
	ts.crawl(t, Site{Start: "/map-index.xml", Kind: Sitemap}).golden(t, "sitemap")
	s := ts.crawl(t, Site{Start: "/", Kind: Sitemap}) // a page: robots.txt holds the address of the sitemap
	if s.counts(t) != "3 included, 2 excluded, 1 failed, 0 waiting" {
		t.Error(s.lines())
	}
	if _, ok := s.pages["/docs/deep/page"]; ok {
		t.Error("links are followed")
	}
}

func TestInvalidSitemaps(t *testing.T) {
	ts := serve(t, "-- / --\nHello\n-- /sitemap.xml --\n<html>not found</html>\n-- /deep0.xml --\nx\n")
	ts.crawl(t, Site{Start: "/", Kind: Sitemap}).expect(t, "/ read\n/sitemap.xml failed it is not a sitemap\n")
	ts.crawl(t, Site{Start: "/none.xml", Kind: Sitemap}).expect(t, "/none.xml failed the host answered 404 Not Found\n")
	for i := range 6 {
		ts.files[fmt.Sprintf("/n%d.xml", i)] = fmt.Sprintf(
			"<sitemapindex><sitemap><loc>/n%d.xml</loc></sitemap></sitemapindex>", i+1)
	}
	ts.crawl(t, Site{Start: "/n0.xml", Kind: Sitemap}).expect(t,
		"/n0.xml read\n/n1.xml read\n/n2.xml read\n/n3.xml read\n")
}

func (cr *crawlRecorder) expect(t *testing.T, want string) {
	t.Helper()
	if got := cr.lines(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestIndividual(t *testing.T) {
	ts := serveFile(t, "docs.txtar")
	ts.crawl(t, Site{Start: "/docs/", Kind: Individual, Exclude: []string{"."}}).expect(t, "/docs/ included\n")
	ts.crawl(t, Site{Start: "/docs/old", Kind: Individual}).expect(t,
		"/docs/deep/page included\n/docs/old merged /docs/deep/page\n")
	ts.crawl(t, Site{Start: "/private/a", Kind: Individual}).expect(t,
		"/private/a excluded the site's robots.txt asks not to read it\n")
	ts.crawl(t, Site{Start: "/docs/deep/print?v=1", Kind: Individual}).expect(t, "/docs/deep/print?v=1 included\n")
}

func TestRedirectsToPrivateAddressesAreRefused(t *testing.T) {
	inside, reached := startCanary(t)
	ts := serve(t, "-- / --\n<a href=/a>\n-- /robots.txt --\nSitemap: "+inside+"/s.xml\n")
	ts.files["/a"] = "HTTP/1.1 302 Found\nLocation: " + inside + "/secret\n\n"
	ts.files["/b"] = "HTTP/1.1 302 Found\nLocation: file:///etc/passwd\n\n"
	host := strings.TrimPrefix(inside, "http://")
	ts.crawl(t, Site{Start: "/", Kind: WholeSite}).expect(t,
		"/ included\n/a excluded it redirects to another site: "+host+"\n")
	ts.crawl(t, Site{Start: "/a", Kind: WholeSite}).expect(t, "/a failed it redirects to another site: "+host+"\n")
	ts.crawl(t, Site{Start: "/b", Kind: Individual}).expect(t,
		"/b failed it redirects to an address that cannot be read\n")
	s := ts.crawl(t, Site{Start: "/a", Kind: Individual})
	s.expect(t, "/a merged "+inside+"/secret\n"+inside+
		"/secret failed the host's address is not public, and the operator has not allowed it (PARLEY_FETCH_ALLOW)\n")
	s = ts.crawl(t, Site{Start: "/", Kind: Sitemap})
	s.expect(t, "/ read\n"+inside+
		"/s.xml failed the host's address is not public, and the operator has not allowed it (PARLEY_FETCH_ALLOW)\n")
	ts.files["/robots.txt"] = "HTTP/1.1 302 Found\nLocation: " + inside + "/robots.txt\n\n"
	ts.crawl(t, Site{Start: "/", Kind: WholeSite}).expect(t,
		"/ failed the host's address is not public, and the operator has not allowed it (PARLEY_FETCH_ALLOW)\n")
	if reached() > 0 {
		t.Error(reached(), "connections")
	}
}

// A page that is UTF-8 is read as such although it says that each byte is a character.
func TestCharsetsThatAreWrong(t *testing.T) {
	ts := serve(t, `-- / --
<a href=/latin><a href=/meta><a href=/text><a href=/one-byte>
-- /latin --
HTTP/1.1 200 OK
Content-Type: text/html; charset=iso-8859-1

<p>La journée coûte 23 €</p>
-- /meta --
HTTP/1.1 200 OK
Content-Type: text/html

<meta charset="windows-1251"><p>Größe</p>
-- /text --
HTTP/1.1 200 OK
Content-Type: text/plain; charset=iso-8859-15

La caution s’élève à 180 €
-- /one-byte --
HTTP/1.1 200 OK
Content-Type: text/html; charset=iso-8859-1
X-Bytes: iso-8859-1

<p>Größe</p>
`)
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite})
	for path, want := range map[string]string{"/latin": "La journée coûte 23 €", "/meta": "Größe",
		"/text": "La caution s’élève à 180 €", "/one-byte": "Größe"} {
		if p := s.pages[path]; !hasBody(p, want) {
			t.Errorf("%s: %q", path, p.Body)
		}
	}
}

func TestCharsets(t *testing.T) {
	ts := serve(t, `-- / --
<a href=/header><a href=/meta><a href=/sjis><a href=/undeclared><a href=/late><a href=/xhtml><a href=/bom><a `+
		`href=/plain><a href=/wrong><a href=/russian><a href=/far>
-- /header --
HTTP/1.1 200 OK
Content-Type: text/html; charset=ISO-8859-15
X-Bytes: iso-8859-15

<p>Größe 5 €</p>
-- /meta --
HTTP/1.1 200 OK
Content-Type: text/html
X-Bytes: gbk

<meta charset="gb2312"><p>客户支持</p>
-- /sjis --
HTTP/1.1 200 OK
Content-Type: text/html
X-Bytes: shift_jis

<meta http-equiv=content-type content="text/html; charset=Shift_JIS"><p>カタカナ</p>
-- /undeclared --
HTTP/1.1 200 OK
Content-Type: text/html
X-Bytes: windows-1252

<p>Größe – 5 €</p>
-- /late --
HTTP/1.1 200 OK
Content-Type: text/html

`+strings.Repeat("<!-- ascii -->", 100)+`<p>Größe ツ</p>
-- /russian --
HTTP/1.1 200 OK
Content-Type: text/html
X-Bytes: windows-1251

<h1>Музей</h1><p>Музей открыт со вторника по воскресенье с десяти до шести часов. Билет стоит триста рублей.</p>
-- /far --
HTTP/1.1 200 OK
Content-Type: text/html
X-Bytes: windows-1250

<head>`+strings.Repeat("<!-- ascii -->", 100)+`<meta charset="windows-1250"></head><p>Łódź, źródło</p>
-- /xhtml --
HTTP/1.1 200 OK
Content-Type: application/xhtml+xml
X-Bytes: iso-8859-2

<?xml version="1.0" encoding="iso-8859-2"?><p>Łódź</p>
-- /bom --
HTTP/1.1 200 OK
Content-Type: text/html; charset=iso-8859-1

`+"\uFEFF"+`<p>Größe</p>
-- /plain --
HTTP/1.1 200 OK
Content-Type: text/plain

<meta charset="gb2312"> Größe
-- /wrong --
HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8
X-Bytes: iso-8859-1

<p>Größe</p>
`)
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite})
	for path, want := range map[string]string{"/header": "Größe 5 €", "/meta": "客户支持", "/sjis": "カタカナ",
		"/undeclared": "Größe – 5 €", "/late": "Größe ツ",
		"/russian": "Музей открыт со вторника", "/far": "Łódź, źródło",
		"/xhtml": "Łódź", "/bom": "Größe", "/plain": "Größe", "/wrong": "Gr\uFFFDe"} {
		if p := s.pages[path]; !hasBody(p, want) || strings.HasPrefix(string(p.Body), "\uFEFF") {
			t.Errorf("%s: %q", path, p.Body)
		}
	}
}

// If a run is stopped in the middle of each page and the next run continues with the same frontier, every page is
// visited in the end.
func TestInterruptedCrawlIsResumed(t *testing.T) {
	whole := serveFile(t, "docs.txtar").crawl(t, Site{Start: "/", Kind: WholeSite})
	ts := serveFile(t, "docs.txtar")
	site := Site{Start: ts.URL + "/", Kind: WholeSite}
	s := &crawlRecorder{site: ts, memory: &Memory{}, pages: map[string]Page{}}
	stops := 0
	for {
		ctx, stop := context.WithCancel(t.Context())
		_, err := ts.newCrawler(t).Run(ctx, site, s.memory, func(_ context.Context, p Page) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if _, known := s.pages[s.path(p.URL)]; !known {
				stop() // as if it had crashed before it could store that
			}
			s.pages[s.path(p.URL)] = p
			return nil
		})
		stop()
		if err == nil {
			break
		}
		if stops++; !errors.Is(err, context.Canceled) || stops > 100 {
			t.Fatal(err)
		}
	}
	want := strings.ReplaceAll(whole.lines(), whole.site.URL, ts.URL)
	if got := orderCircle(s.lines()); got != want || len(s.pages) != len(whole.pages) {
		t.Errorf("after %d stops\n%s\nwant\n%s", stops, got, want)
	}
}

// orderCircle tells of the addresses that redirect to each other as if the first one had been read first: a crawl that
// was stopped between the two reads them in any order.
func orderCircle(lines string) string {
	swapped := strings.NewReplacer("/docs/circle-a", "/docs/circle-b", "/docs/circle-b", "/docs/circle-a")
	_, a, found := strings.Cut(lines, "\n/docs/circle-a failed ")
	if !found {
		return lines
	}
	reason, b, _ := strings.Cut(a, "\n")
	second, _, _ := strings.Cut(b, "\n")
	both := "/docs/circle-a failed " + reason + "\n" + second
	return strings.Replace(lines, both, swapped.Replace(second)+"\n/docs/circle-b failed "+reason, 1)
}

func TestRecrawl(t *testing.T) {
	ts := serve(t,
		"-- / --\nHTTP/1.1 200 OK\nContent-Type: text/html\nETag: \"1\"\n\n<a href=/a><a href=/b><a href=/c>\n-- "+
			"/a --\nHTTP/1.1 200 OK\nContent-Type: text/html\nETag: \"a1\"\n\nA\n"+
			"-- /b --\nHTTP/1.1 200 OK\nContent-Type: text/html\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\n\n"+
			"B\n-- /c --\nC\n")
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite})
	ts.files["/a"] = strings.Replace(ts.files["/a"], "a1", "a2", 1) + "new"
	delete(ts.files, "/c")
	s.memory.PrepareRecrawl()
	s.recrawl(t, Site{Start: "/", Kind: WholeSite})
	s.expect(t, "/ unchanged\n/a included\n/b included\n/c failed the host answered 404 Not Found\n")
	if len(s.pages) != 2 || !hasBody(s.pages["/a"], "new") || s.pages["/a"].ETag != `"a2"` {
		t.Errorf("%+v", s.pages)
	}
	s.memory.PrepareRecrawl()
	s.recrawl(t, Site{Start: "/", Kind: WholeSite})
	if len(s.pages) != 1 || s.counts(t) != "3 included, 0 excluded, 0 failed, 0 waiting" {
		t.Errorf("%+v %s", s.pages, s.counts(t))
	}
}

func TestCanonicalLinks(t *testing.T) {
	ts := serve(t, `-- / --
<a href=/a1><a href=/a2><a href=/b1><a href=/c><a href=/d><a href=/e1>
-- /a1 --
<link rel=canonical href=/a2>
-- /a2 --
<link rel=canonical href=/a1>
-- /b1 --
<link rel=canonical href=/b>
-- /b --
B
-- /c --
<link rel=canonical href=https://other.example/>
-- /d --
<link rel=canonical href=/x><link rel=canonical href=/y>
-- /e1 --
<link rel=canonical href=/e2>
`)
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite})
	a := "/a1 included\n/a2 merged /a1\n" // the one that is read first is dropped
	if strings.Contains(s.lines(), "/a1 merged") {
		a = "/a1 merged /a2\n/a2 included\n"
	}
	s.expect(t, "/ included\n"+a+
		"/b included\n/b1 merged /b\n/c included\n/d included\n/e1 merged /e2\n/e2 failed the host answered 404 Not Found\n")
}

func TestTrapsAreBounded(t *testing.T) {
	ts := serve(t, "")
	n := 0
	ts.override = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			return false
		}
		ts.mu.Lock()
		n++
		base := n * 10
		ts.mu.Unlock()
		out.Header().Set("Content-Type", "text/html")
		for i := range 10 { // a calendar, a path that winds up, filters
			fmt.Fprintf(out, "<a href='/cal/%d/%d'><a href='deeper%d/'><a href='/list?size=%d&color=%d'>", base, base+i,
				i%2, base+i, i)
		}
		return true
	}
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite, Limits: Limits{Depth: 5}})
	shapes := map[string]int{}
	for path := range s.pages {
		shape, _ := urlShape(parseURL(t, ts.URL+path))
		shapes[shape]++
	}
	if s.end != Complete || shapes["/cal/0/0"] != maxVariants ||
		shapes["/list&color&size"]+shapes["/list&size&color"] != maxVariants {
		t.Error(s.end, shapes)
	}
	s = ts.crawl(t, Site{Start: "/", Kind: WholeSite, Limits: Limits{Pages: 20}})
	if s.end != PageLimit || len(s.pages) != 20 {
		t.Error(s.end, len(s.pages))
	}
	if s = ts.crawl(t, Site{Start: "/", Kind: WholeSite, Limits: Limits{Bytes: 3000}}); s.end != ByteLimit ||
		len(s.pages) > 10 {
		t.Error(s.end, len(s.pages))
	}
	if s = ts.crawl(t, Site{Start: "/", Kind: WholeSite, Limits: Limits{PageBytes: 10}}); !strings.Contains(s.lines(),
		"too large") {
		t.Error(s.lines())
	}
}

func TestFrontierIsBounded(t *testing.T) {
	ts := serve(t, "")
	n := 0
	ts.override = func(out http.ResponseWriter, _ *http.Request) bool {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		n++
		out.Header().Set("Content-Type", "text/html")
		for i := range 900 {
			fmt.Fprintf(out, "<a href='/%d-%d'>", n, i)
		}
		return true
	}
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite, Limits: Limits{Pages: 10}})
	if len(s.memory.links) > 1100+2*addBatchSize || len(s.pages) != 10 {
		t.Error(len(s.memory.links), len(s.pages))
	}
}

func TestVisits(t *testing.T) {
	ts := serve(t, "-- / --\n<a href=/a><a href=/b>\n-- /a --\nA\n-- /b --\nB\n")
	s, broken := &crawlRecorder{site: ts, memory: &Memory{}}, errors.New("disk full")
	run := func(visit func(string) error) error {
		_, err := ts.newCrawler(t).Run(t.Context(), Site{Start: ts.URL + "/", Kind: WholeSite}, s.memory,
			func(_ context.Context, p Page) error { return visit(s.path(p.URL)) })
		return err
	}
	err := run(func(path string) error {
		switch path {
		case "/a":
			return fmt.Errorf("extract: %w", &Unreadable{Reason: "it holds no text"})
		case "/b":
			panic("a parser")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.expect(t, "/ included\n/a failed it holds no text\n/b failed the page could not be read\n")
	s.memory = &Memory{}
	if err := run(func(string) error { return broken }); !errors.Is(err, broken) || s.lines() != "/\n/a\n/b\n" {
		t.Error(err, s.lines())
	}
	if err := run(func(string) error {
		return nil
	}); err != nil || s.counts(t) != "3 included, 0 excluded, 0 failed, 0 waiting" {
		t.Error(err, s.lines())
	}
}
