package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley/internal/outbound"
	"parley/internal/text/charset"
)

const (
	maxSitemapBytes = 50 << 20 // bytes of a sitemap, unpacked; the protocol's own limit
	maxEntries      = 50_000   // of one sitemap; the protocol's own limit
	maxNesting      = 16       // of its elements
)

var (
	errNotSitemap      = errors.New("it is not a sitemap")
	errSitemapTooLarge = errors.New("the sitemap is too large")
	errEntities        = errors.New("the sitemap declares entities")
)

// Entries is what a sitemap lists, as written: pages, or further sitemaps if it is an index.
type Entries struct {
	Pages, Sitemaps []string
}

// ReadSitemap reads a sitemap or an index of sitemaps, in XML, as a feed (RSS, Atom) or as lines of text, packed with
// gzip or not. What follows the first 50,000 entries is passed over. Documents that declare entities are refused, and
// so is what unpacks to more than 50 MB.
func ReadSitemap(body []byte) (Entries, error) {
	body, err := gunzip(body)
	if err != nil {
		return Entries{}, err
	}
	isWide := bytes.IndexByte(body[:min(len(body), 4)], 0) >= 0 || bytes.HasPrefix(body, []byte("\xff\xfe")) ||
		bytes.HasPrefix(body, []byte("\xfe\xff"))
	if isWide {
		body = []byte(charset.Decode(body, ""))
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if bytes.HasPrefix(text, []byte("<")) {
		return readXML(text, isWide)
	}
	return readLines(text)
}

func gunzip(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errNotSitemap
	}
	body, err = io.ReadAll(io.LimitReader(z, maxSitemapBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the sitemap cannot be unpacked: %w", err)
	case len(body) > maxSitemapBytes:
		return nil, errSitemapTooLarge
	}
	return body, nil
}

func readLines(text []byte) (Entries, error) {
	var e Entries
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if _, err := Canonical(nil, line); err != nil {
			continue
		}
		if e.Pages = append(e.Pages, line); len(e.Pages) == maxEntries {
			break
		}
	}
	if len(e.Pages) == 0 {
		return e, errNotSitemap
	}
	return e, nil
}

// sitemapReader walks through the elements of a sitemap.
type sitemapReader struct {
	hasRoot bool     // the outermost element is one of a sitemap
	path    []string // the elements around, by local name
	loc     strings.Builder
	entries Entries
}

// readXML reads a sitemap or a feed. The encoding that one declares whose bytes are decoded already is that of before.
func readXML(text []byte, isDecoded bool) (Entries, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false // many write & as it is
	d.CharsetReader = charset.FirstDeclared()
	if isDecoded {
		d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	}
	var m sitemapReader
	for len(m.entries.Pages)+len(m.entries.Sitemaps) < maxEntries {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !m.hasRoot {
			return Entries{}, errNotSitemap
		}
		if err != nil {
			return m.entries, fmt.Errorf("the sitemap is broken: %w", err)
		}
		if err := m.readToken(token); err != nil {
			return Entries{}, err
		}
	}
	if !m.hasRoot {
		return Entries{}, errNotSitemap
	}
	return m.entries, nil
}

// Where the address of an entry is.
var (
	pagePaths = [][]string{{"urlset", "url", "loc"}, {"rss", "channel", "item", "link"}, {"RDF", "item", "link"}}
	mapPath   = []string{"sitemapindex", "sitemap", "loc"}
	atomPath  = []string{"feed", "entry", "link"} // in its attribute href
)

// rootNames are the outermost elements of sitemaps and of feeds, which list pages as well.
var rootNames = []string{"urlset", "sitemapindex", "rss", "RDF", "feed"}

func (s *sitemapReader) readToken(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if bytes.Contains(bytes.ToUpper(t), []byte("ENTITY")) {
			return errEntities
		}
	case xml.StartElement:
		if len(s.path) == 0 && !slices.Contains(rootNames, t.Name.Local) {
			return errNotSitemap
		}
		if len(s.path) == maxNesting {
			return errNotSitemap
		}
		s.hasRoot = true
		s.path = append(s.path, t.Name.Local)
		s.loc.Reset()
		if slices.Equal(s.path, atomPath) {
			s.addFeedLink(t)
		}
	case xml.CharData:
		if s.loc.Len() <= maxURLBytes {
			s.loc.Write(t)
		}
	case xml.EndElement:
		s.endElement()
	}
	return nil
}

// addFeedLink adds the page of an entry of a feed; other links of it lead to files and to the feed.
func (s *sitemapReader) addFeedLink(el xml.StartElement) {
	href, rel := "", "alternate"
	for _, a := range el.Attr {
		switch a.Name.Local {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if rel == "alternate" && href != "" {
		s.entries.Pages = append(s.entries.Pages, strings.TrimSpace(href))
	}
}

// endElement adds the address in an entry's own loc; images and videos of an entry have one too, further in.
func (s *sitemapReader) endElement() {
	loc := strings.TrimSpace(s.loc.String())
	switch {
	case loc != "" && slices.ContainsFunc(pagePaths, func(path []string) bool { return slices.Equal(s.path, path) }):
		s.entries.Pages = append(s.entries.Pages, loc)
	case slices.Equal(s.path, mapPath):
		s.entries.Sitemaps = append(s.entries.Sitemaps, loc)
	}
	s.path = s.path[:max(len(s.path)-1, 0)]
	s.loc.Reset()
}

const (
	maxIndexDepth    = 3   // of an index within an index
	maxIndexSitemaps = 500 // sitemaps of one index
)

// fetchSitemap reads an address as a sitemap; what it lists becomes addresses. The start may be a page of a site that
// has one.
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

// addSitemapEntries adds what a sitemap lists. Pages of another site are counted as excluded, so that the operator who
// named the wrong sitemap sees why nothing is read.
func (r *crawlRun) addSitemapEntries(ctx context.Context, link Link, u *url.URL, entries Entries) error {
	var pages []*url.URL
	var maps, strangers []Link
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
		if m, err := Canonical(u, text); err == nil && (len(maps) == 0 || text != "/sitemap.xml") &&
			m.String() != u.String() {
			maps = append(maps, Link{URL: m.String(), Role: SitemapRole, Depth: 1})
		}
	}
	if len(maps) == 0 || reply.Status != http.StatusOK {
		return failedOutcome(errNotSitemap.Error(), errNotSitemap), nil
	}
	return Outcome{State: ReadAsSitemap, Status: reply.Status}, r.addLinks(ctx, maps)
}
