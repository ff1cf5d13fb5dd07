package extract

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	readability "github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Link is a link of a page.
type Link struct {
	URL      string `json:"url"` // full address without its fragment
	NoFollow bool   `json:"noFollow,omitempty"`
}

// WebPage is what a page of a website says, and what it says about itself to crawlers.
type WebPage struct {
	Document
	Links     []Link `json:"links,omitempty"` // in the order of the page, each address once
	Canonical string `json:"canonical,omitempty"`
	Language  string `json:"language,omitempty"` // as the page declares it: en, pt-BR
	NoIndex   bool   `json:"noIndex,omitempty"`
	NoFollow  bool   `json:"noFollow,omitempty"`
}

// Page reads a page in this process: its main text without what frames it, as Markdown. address is where it was found;
// contentType is what its server said, or empty. Pages of strangers are read through a Pool. A page without text is no failure:
// its links may lead on.
func Page(ctx context.Context, address, contentType string, body []byte) (page WebPage, err error) {
	defer func() {
		if v := recover(); v != nil {
			page, err = WebPage{}, broken("its reader has given up", fmt.Errorf("page: panic: %v", v))
		}
	}()
	if len(body) > mostBytes {
		return WebPage{}, refuse("the page is larger than %d MB", mostBytes>>20)
	}
	page, err = readPage(ctx, address, contentType, body)
	if err != nil {
		return WebPage{}, asError(err)
	}
	page.Title, page.Text = oneLine(page.Title), tidy(page.Text)
	return page, nil
}

func readPage(ctx context.Context, address, contentType string, body []byte) (WebPage, error) {
	source := decode(body, declaredIn(body, contentType))
	if strings.Count(source, "<") > mostTags {
		return streamPage(ctx, address, source)
	}
	doc := parseHTML(source)
	base := baseOf(doc, address)
	var page WebPage
	page.aboutItself(doc, base)
	page.links(doc, base)
	h1 := find(doc, tag(atom.H1))
	title := ""
	if len(h1) > 0 {
		title = textOf(h1[0])
	}
	if page.Title == "" {
		page.Title = title
	}
	text, err := mainText(ctx, doc, base, source)
	page.Text = titled(text, title)
	return page, err
}

// titled puts the page's title above a text that has lost it: it stands in what frames the text, or has become a lesser heading.
func titled(text, title string) string {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	switch {
	case title == "" || text == "" || strings.HasPrefix(text, "# ") || strings.Contains(text, "\n# "):
		return text
	case strings.TrimLeft(first, "# ") == title:
		return "# " + title + "\n" + rest
	}
	return "# " + title + "\n\n" + text
}

func baseOf(doc *html.Node, address string) *url.URL {
	base, err := url.Parse(address)
	if err != nil || address == "" {
		base = nil
	}
	for _, n := range find(doc, tag(atom.Base)) {
		if ref, err := url.Parse(strings.TrimSpace(attr(n, "href"))); err == nil && attr(n, "href") != "" {
			if base == nil {
				return ref
			}
			return base.ResolveReference(ref)
		}
	}
	return base
}

func (p *WebPage) aboutItself(doc *html.Node, base *url.URL) {
	for _, n := range find(doc, tag(atom.Html, atom.Title, atom.Meta, atom.Link)) {
		if n.DataAtom == atom.Title && p.Title == "" && tag(atom.Head)(n.Parent) {
			p.Title = textOf(n)
		}
		p.tell(n, base)
	}
}

// tell notes what one element says about the page.
func (p *WebPage) tell(n *html.Node, base *url.URL) {
	switch n.DataAtom {
	case atom.Html:
		p.Language = oneLine(attr(n, "lang"))
	case atom.Meta:
		if name := strings.ToLower(attr(n, "name")); name == "robots" || name == "parley" {
			words := strings.ToLower(attr(n, "content"))
			p.NoIndex = p.NoIndex || strings.Contains(words, "noindex") || strings.Contains(words, "none")
			p.NoFollow = p.NoFollow || strings.Contains(words, "nofollow") || strings.Contains(words, "none")
		}
	case atom.Link:
		if strings.EqualFold(attr(n, "rel"), "canonical") && p.Canonical == "" {
			p.Canonical = absolute(base, attr(n, "href"))
		}
	default:
	}
}

// mostLinks bounds how many links of one page are told.
const mostLinks = 10_000

func (p *WebPage) links(doc *html.Node, base *url.URL) {
	seen := map[string]bool{}
	for _, n := range find(doc, tag(atom.A, atom.Area)) {
		p.link(n, base, seen)
	}
}

func (p *WebPage) link(n *html.Node, base *url.URL, seen map[string]bool) {
	target, _, _ := strings.Cut(absolute(base, attr(n, "href")), "#")
	if !strings.HasPrefix(target, "http") || seen[target] || len(p.Links) >= mostLinks {
		return
	}
	seen[target] = true
	p.Links = append(p.Links, Link{URL: target, NoFollow: strings.Contains(strings.ToLower(attr(n, "rel")), "nofollow")})
}

// Shares of the page's text that its main part must have to stand for the page.
const (
	mainShare     = 0.25 // of what the page itself marks as main
	articleShare  = 0.6  // of what readability finds
	articleEnough = 2500 // bytes it may be content with where most of the rest is links
	readableBytes = 1 << 20
)

// mainText finds the text of a page: what the page marks as its main part, or what readability takes for the article, or
// everything but the frame, or everything.
func mainText(ctx context.Context, doc *html.Node, base *url.URL, source string) (string, error) {
	prune(doc, base)
	framed := len(textOf(doc))
	pruneFrame(doc)
	all := len(textOf(doc))
	if all*10 < framed && all < 200 { // the frame was the page
		whole := parseHTML(source)
		prune(whole, base)
		return markdown(ctx, whole)
	}
	if main := marked(doc); main != nil && float64(len(textOf(main))) >= mainShare*float64(all) {
		return markdown(ctx, main)
	}
	if all < readableBytes && all > 500 {
		if article := articleIn(doc, base); article != nil {
			n := len(textOf(article))
			if float64(n) >= articleShare*float64(all) || n > articleEnough && linkShare(doc) > 0.5 {
				return markdown(ctx, article)
			}
		}
	}
	return markdown(ctx, doc)
}

// marked gives the one element that the page says to be its main part.
func marked(doc *html.Node) *html.Node {
	for _, match := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" },
		tag(atom.Article),
	} {
		if found := find(doc, match); len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

func articleIn(doc *html.Node, base *url.URL) *html.Node {
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
	for _, a := range find(doc, tag(atom.A)) {
		linked += len(textOf(a))
	}
	return float64(linked) / float64(max(len(textOf(doc)), 1))
}
