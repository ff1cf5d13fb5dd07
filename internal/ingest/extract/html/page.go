// Package html reads HTML pages: their main text as Markdown, and what they tell crawlers.
package html

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	readability "github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// Link is a link of a page.
type Link struct {
	URL      string `json:"url"` // full address without its fragment
	NoFollow bool   `json:"noFollow,omitempty"`
}

// Page is the text of a page of a website, and what the page tells crawlers.
type Page struct {
	draft.Document
	Links     []Link `json:"links,omitempty"` // in the order of the page, each address once
	Canonical string `json:"canonical,omitempty"`
	Language  string `json:"language,omitempty"` // as the page declares it: en, pt-BR
	NoIndex   bool   `json:"noIndex,omitempty"`
	NoFollow  bool   `json:"noFollow,omitempty"`
}

// ReadPage reads a page in this process: its main text without what frames it, as Markdown. address is where it was
// found; contentType is what its server said, or empty. Pages of strangers are read through a Pool. A page without text
// is no failure: its links may lead on.
func ReadPage(ctx context.Context, address, contentType string, body []byte) (Page, error) {
	return readSafely(ctx, pageRequest{address, contentType, isFrontPage(address)}, body)
}

// ReadFrontPage reads a page as ReadPage does, one that stands for the front page of its site: its footer says how to
// reach the site.
func ReadFrontPage(ctx context.Context, address, contentType string, body []byte) (Page, error) {
	return readSafely(ctx, pageRequest{address, contentType, true}, body)
}

// pageRequest is what is known of a page before it is read.
type pageRequest struct {
	address, contentType string
	isFront              bool // of its site
}

func readSafely(ctx context.Context, r pageRequest, body []byte) (page Page, err error) {
	defer func() {
		if v := recover(); v != nil {
			page, err = Page{}, draft.NewDamagedError("its reader has given up", fmt.Errorf("page: panic: %v", v))
		}
	}()
	if len(body) > draft.MaxFileBytes {
		return Page{}, draft.NewError("the page is larger than %d MB", draft.MaxFileBytes>>20)
	}
	page, err = readPage(ctx, r, body)
	if err != nil {
		return Page{}, draft.ToError(err)
	}
	page.Title, page.Text = draft.ShortLine(page.Title), draft.NormalizeText(page.Text)
	return page, nil
}

func readPage(ctx context.Context, r pageRequest, body []byte) (Page, error) {
	source := charset.Decode(body, charset.Declared(body, r.contentType))
	if strings.Count(source, "<") > maxTreeTags {
		return streamPage(ctx, r.address, source)
	}
	doc := Parse(source)
	base := baseURL(doc, r.address)
	var page Page
	page.readMetadata(doc, base)
	page.readLinks(doc, base)
	title := ""
	if h1 := findElements(doc, hasTag(atom.H1)); len(h1) > 0 {
		title = nodeText(h1[0])
	}
	page.Title = cmp.Or(page.Title, title)
	PruneHidden(doc, base)
	contacts, err := frontContacts(ctx, doc, r)
	if err != nil {
		return page, err
	}
	text, err := mainText(ctx, doc, base, source)
	if page.Text = withTitle(text, title); contacts != "" {
		page.Text += "\n\n" + contacts
	}
	return page, err
}

// withTitle puts the page's title above a text that has lost it: it is in what frames the text, or has become a
// lesser heading.
func withTitle(text, title string) string {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	switch {
	case title == "" || text == "" || strings.HasPrefix(text, "# ") || strings.Contains(text, "\n# "):
		return text
	case strings.TrimLeft(first, "# ") == title:
		return "# " + title + "\n" + rest
	}
	return "# " + title + "\n\n" + text
}

func baseURL(doc *html.Node, address string) *url.URL {
	base := parseAddress(address)
	for _, n := range findElements(doc, hasTag(atom.Base)) {
		if ref := parseAddress(attrValue(n, "href")); ref != nil {
			if base == nil {
				return ref
			}
			return base.ResolveReference(ref)
		}
	}
	return base
}

// parseAddress returns nil for what is no address.
func parseAddress(text string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || text == "" {
		return nil
	}
	return u
}

func (p *Page) readMetadata(doc *html.Node, base *url.URL) {
	for _, n := range findElements(doc, hasTag(atom.Html, atom.Title, atom.Meta, atom.Link)) {
		if n.DataAtom == atom.Title && p.Title == "" && hasTag(atom.Head)(n.Parent) {
			p.Title = nodeText(n)
		}
		p.readMetadataElement(n, base)
	}
}

func (p *Page) readMetadataElement(n *html.Node, base *url.URL) {
	switch n.DataAtom {
	case atom.Html:
		p.Language = draft.ShortLine(attrValue(n, "lang"))
	case atom.Meta:
		if name := strings.ToLower(attrValue(n, "name")); name == "robots" || name == "parley" {
			words := strings.ToLower(attrValue(n, "content"))
			p.NoIndex = p.NoIndex || strings.Contains(words, "noindex") || strings.Contains(words, "none")
			p.NoFollow = p.NoFollow || strings.Contains(words, "nofollow") || strings.Contains(words, "none")
		}
	case atom.Link:
		if strings.EqualFold(attrValue(n, "rel"), "canonical") && p.Canonical == "" {
			p.Canonical = AbsoluteURL(base, attrValue(n, "href"))
		}
	default:
	}
}

// maxLinks bounds how many links of one page are returned.
const maxLinks = 10_000

func (p *Page) readLinks(doc *html.Node, base *url.URL) {
	seen := map[string]bool{}
	for _, n := range findElements(doc, hasTag(atom.A, atom.Area)) {
		p.addLink(n, base, seen)
	}
}

func (p *Page) addLink(n *html.Node, base *url.URL, seen map[string]bool) {
	target, _, _ := strings.Cut(AbsoluteURL(base, attrValue(n, "href")), "#")
	if !strings.HasPrefix(target, "http") || seen[target] || len(p.Links) >= maxLinks {
		return
	}
	seen[target] = true
	p.Links = append(p.Links,
		Link{URL: target, NoFollow: strings.Contains(strings.ToLower(attrValue(n, "rel")), "nofollow")})
}

// Shares of the page's text that its main part must have to stand for the page.
const (
	mainShare           = 0.25 // of what the page itself marks as main
	articleShare        = 0.6  // of what readability finds
	minArticleBytes     = 2500 // bytes it may be content with where most of the rest is links
	maxReadabilityBytes = 1 << 20
)

// mainText finds the text of a page: what the page marks as its main part, or what readability takes for the article,
// or everything but the frame, or everything. The document must be pruned of what is hidden.
func mainText(ctx context.Context, doc *html.Node, base *url.URL, source string) (string, error) {
	framed := len(nodeText(doc))
	pruneFrame(doc)
	all := len(nodeText(doc))
	if all*10 < framed && all < 200 { // the frame was the page
		whole := Parse(source)
		PruneHidden(whole, base)
		return RenderMarkdown(ctx, whole)
	}
	if main := markedMainElement(doc); main != nil && float64(len(nodeText(main))) >= mainShare*float64(all) {
		return RenderMarkdown(ctx, main)
	}
	if all < maxReadabilityBytes && all > 500 {
		if article := findArticle(doc, base); article != nil {
			n := len(nodeText(article))
			if float64(n) >= articleShare*float64(all) || n > minArticleBytes && linkShare(doc) > 0.5 {
				return RenderMarkdown(ctx, article)
			}
		}
	}
	return RenderMarkdown(ctx, doc)
}

// markedMainElement returns the one element that the page says to be its main part.
func markedMainElement(doc *html.Node) *html.Node {
	for _, match := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.DataAtom == atom.Main || attrValue(n, "role") == "main" },
		hasTag(atom.Article),
	} {
		if found := findElements(doc, match); len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

func findArticle(doc *html.Node, base *url.URL) *html.Node {
	if base == nil || base.Host == "" {
		base = &url.URL{Scheme: "http", Host: "localhost"}
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = 50_000
	article, err := parser.ParseDocument(doc, base)
	if err != nil {
		return nil
	}
	return article.Node
}

func linkShare(doc *html.Node) float64 {
	linked := 0
	for _, a := range findElements(doc, hasTag(atom.A)) {
		linked += len(nodeText(a))
	}
	return float64(linked) / float64(max(len(nodeText(doc)), 1))
}
