package extract

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostTags is how many tags a page may have that is read as a tree; a tree of more would not fit into a child's memory.
const mostTags = 300_000

// stream reads a page tag by tag, as it comes: without what only a tree tells, such as which part of an unmarked page is its
// article.
type stream struct {
	page     *WebPage
	base     *url.URL
	d        draft
	words    []byte    // of the open block or cell
	kind     atom.Atom // of the open block: a heading, an item, pre, or 0
	link     string    // of the open anchor
	linkFrom int       // in words
	inTitle  bool
	hidden   atom.Atom // what is left out up to its end
	depth    int       // of that element within itself
	lists    []int     // numbers of the open lists' items; -1 for a list without numbers
	tables   int       // open ones
	table    *table    // the innermost, once it has a row
	row      []string
	inCell   bool
	seen     map[string]bool
	heading1 string
	main     [2]int // where the marked main part begins and ends in the text
}

// streamPage reads a page of any number of tags.
func streamPage(ctx context.Context, address, source string) (WebPage, error) {
	var page WebPage
	base, err := url.Parse(address)
	if err != nil || address == "" {
		base = nil
	}
	s := &stream{page: &page, base: base, seen: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(source))
	for n := 0; ; n++ {
		if n%1000 == 0 && (ctx.Err() != nil || s.d.full()) {
			break
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		s.token(kind, z.Token())
	}
	if ctx.Err() != nil {
		return page, ctx.Err()
	}
	if s.d.full() {
		return page, errTooMuchText
	}
	s.endTable()
	s.flush()
	if page.Title == "" {
		page.Title = s.heading1
	}
	page.Text = titled(s.text(), s.heading1)
	return page, nil
}

// text is the main part where the page marks one that stands for it, or all.
func (s *stream) text() string {
	all := s.d.text()
	from, to := min(s.main[0], len(all)), min(s.main[1], len(all))
	if to > from && float64(to-from) >= mainShare*float64(len(all)) {
		return strings.TrimLeft(all[from:to], "\n")
	}
	return all
}

func (s *stream) token(kind html.TokenType, t html.Token) {
	switch kind {
	case html.TextToken:
		s.say(t.Data)
	case html.StartTagToken:
		s.begin(t)
	case html.EndTagToken:
		s.end(t.DataAtom)
	case html.SelfClosingTagToken:
		s.begin(t)
		s.end(t.DataAtom)
	case html.ErrorToken, html.CommentToken, html.DoctypeToken:
	}
}

func (s *stream) say(text string) {
	switch {
	case s.inTitle:
		s.page.Title += text
	case s.hidden == 0 && s.kind == atom.Pre:
		s.words = append(s.words, text...)
	case s.hidden == 0:
		s.words = append(s.words, strings.ReplaceAll(text, "\n", " ")...)
	}
}

// void elements have no end.
var void = tag(atom.Img, atom.Input, atom.Embed, atom.Br, atom.Hr, atom.Meta, atom.Link, atom.Base, atom.Area, atom.Col, atom.Source, atom.Track, atom.Wbr)

func (s *stream) begin(t html.Token) {
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	if tag(atom.A, atom.Area)(n) { // those of the frame lead on, too
		s.page.link(n, s.base, s.seen)
	}
	if s.hidden != 0 {
		if t.DataAtom == s.hidden {
			s.depth++
		}
		return
	}
	switch n.DataAtom {
	case atom.Html, atom.Meta, atom.Link:
		s.page.tell(n, s.base)
	case atom.Base:
		if s.base == nil {
			s.base = baseOf(above(n), "")
		}
	case atom.Title:
		s.inTitle = s.page.Title == ""
		if !s.inTitle {
			s.hidden = atom.Title
		}
	default:
	}
	switch {
	case unseen(n) || outside(n):
		if !void(n) && n.DataAtom != 0 {
			s.hidden, s.depth = n.DataAtom, 0
		}
	default:
		s.open(n)
	}
}

// above gives a tree that holds the element.
func above(n *html.Node) *html.Node {
	doc := &html.Node{Type: html.DocumentNode}
	doc.AppendChild(n)
	return doc
}

// outside tells what stands around the text of a page, as far as one tag does.
func outside(n *html.Node) bool {
	return tag(atom.Nav, atom.Footer, atom.Aside, atom.Menu)(n) || framingRoles[strings.ToLower(attr(n, "role"))]
}

func (s *stream) open(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.Pre:
		s.flush()
		s.kind = n.DataAtom
	case atom.Ul, atom.Ol:
		s.flush()
		first := -1
		if n.DataAtom == atom.Ol {
			first = number(attr(n, "start"), 1, 1_000_000) - 1
		}
		s.lists = append(s.lists, first)
	case atom.Br:
		s.words = append(s.words, '\n')
	case atom.A:
		s.link, s.linkFrom = absolute(s.base, attr(n, "href")), len(s.words)
	case atom.Main:
		s.flush()
		s.main[0] = s.d.b.Len()
	case atom.Table:
		s.closeRow()
		s.flush()
		s.tables++
	case atom.Tr:
		s.closeRow()
	case atom.Td, atom.Th:
		s.closeCell()
		s.inCell = s.tables > 0
	default:
		s.between(n.DataAtom)
	}
}

// between parts what a block parts.
func (s *stream) between(a atom.Atom) {
	if inline[a] == 0 && a != 0 {
		s.flush()
	}
}

func (s *stream) end(a atom.Atom) {
	if s.hidden != 0 {
		if a == s.hidden {
			if s.depth--; s.depth < 0 {
				s.hidden = 0
			}
		}
		return
	}
	switch a {
	case atom.Title:
		s.inTitle = false
	case atom.A:
		s.closeLink()
	case atom.Ul, atom.Ol:
		s.flush()
		s.lists = s.lists[:max(0, len(s.lists)-1)]
	case atom.Main:
		s.flush()
		s.main[1] = s.d.b.Len()
	case atom.Td, atom.Th:
		s.closeCell()
	case atom.Tr:
		s.closeRow()
	case atom.Table:
		s.endTable()
		s.tables = max(0, s.tables-1)
	case atom.Br:
	default:
		s.between(a)
	}
}
