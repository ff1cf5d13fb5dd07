package html

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

// maxTreeTags is how many tags a page may have that is read as a tree; a tree of more would not fit into a child's
// memory.
const maxTreeTags = 300_000

// pageStream reads a page tag by tag, as it comes: without what only a tree tells, such as which part of an unmarked
// page is its article.
type pageStream struct {
	page         *Page
	base         *url.URL
	out          draft.Builder
	buf          []byte    // of the open block or cell
	blockTag     atom.Atom // of the open block: a heading, an item, pre, or 0
	linkURL      string    // of the open anchor
	linkFrom     int       // in words
	inTitle      bool
	hiddenTag    atom.Atom    // what is left out up to its end
	hiddenDepth  int          // of that element within itself
	listCounters []int        // numbers of the open lists' items; -1 for a list without numbers
	tableDepth   int          // open ones
	table        *draft.Table // the innermost, once it has a row
	row          []string
	inCell       bool
	seenLinks    map[string]bool
	heading1     string
	mainSpan     [2]int // where the marked main part begins and ends in the text
}

// streamPage reads a page of any number of tags.
func streamPage(ctx context.Context, address, source string) (Page, error) {
	var page Page
	s := &pageStream{page: &page, base: parseAddress(address), seenLinks: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(source))
	for n := 0; ; n++ {
		if n%1000 == 0 && (ctx.Err() != nil || s.out.IsFull()) {
			break
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		s.handleToken(kind, z.Token())
	}
	if ctx.Err() != nil {
		return page, ctx.Err()
	}
	if s.out.IsFull() {
		return page, draft.ErrTooMuchText
	}
	s.endTable()
	s.flushBlock()
	if page.Title == "" {
		page.Title = s.heading1
	}
	page.Text = withTitle(s.finalText(), s.heading1)
	return page, nil
}

// finalText returns the main part where the page marks one that stands for it, or all.
func (s *pageStream) finalText() string {
	all := s.out.Text()
	from, to := min(s.mainSpan[0], len(all)), min(s.mainSpan[1], len(all))
	if to > from && float64(to-from) >= mainShare*float64(len(all)) {
		return strings.TrimLeft(all[from:to], "\n")
	}
	return all
}

func (s *pageStream) handleToken(kind html.TokenType, t html.Token) {
	switch kind {
	case html.TextToken:
		s.addText(t.Data)
	case html.StartTagToken:
		s.startElement(t)
	case html.EndTagToken:
		s.endElement(t.DataAtom)
	case html.SelfClosingTagToken:
		s.startElement(t)
		s.endElement(t.DataAtom)
	case html.ErrorToken, html.CommentToken, html.DoctypeToken:
	}
}

func (s *pageStream) addText(text string) {
	switch {
	case s.inTitle:
		s.page.Title += text
	case s.hiddenTag == 0 && s.blockTag == atom.Pre:
		s.buf = append(s.buf, text...)
	case s.hiddenTag == 0:
		s.buf = append(s.buf, strings.ReplaceAll(text, "\n", " ")...)
	}
}

// isVoidElement reports whether an element has no end tag.
var isVoidElement = hasTag(atom.Img, atom.Input, atom.Embed, atom.Br, atom.Hr, atom.Meta, atom.Link, atom.Base,
	atom.Area, atom.Col, atom.Source, atom.Track, atom.Wbr)

func (s *pageStream) startElement(t html.Token) {
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	if hasTag(atom.A, atom.Area)(n) { // those of the frame lead on, too
		s.page.addLink(n, s.base, s.seenLinks)
	}
	if s.hiddenTag != 0 {
		if t.DataAtom == s.hiddenTag {
			s.hiddenDepth++
		}
		return
	}
	switch n.DataAtom {
	case atom.Html, atom.Meta, atom.Link:
		s.page.readMetadataElement(n, s.base)
	case atom.Base:
		if s.base == nil {
			s.base = parseAddress(attrValue(n, "href"))
		}
	case atom.Title:
		s.inTitle = s.page.Title == ""
		if !s.inTitle {
			s.hiddenTag = atom.Title
		}
	default:
	}
	switch {
	case !isHidden(n) && !isOutsideMain(n):
		s.openElement(n)
	case !isVoidElement(n) && n.DataAtom != 0:
		s.hiddenTag, s.hiddenDepth = n.DataAtom, 0
	}
}

// isOutsideMain reports whether an element frames the text of a page, as far as its tag tells.
func isOutsideMain(n *html.Node) bool {
	return hasTag(atom.Nav, atom.Footer, atom.Aside, atom.Menu)(n) || framingRoles[strings.ToLower(attrValue(n, "role"))]
}

func (s *pageStream) openElement(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.Pre:
		s.flushBlock()
		s.blockTag = n.DataAtom
	case atom.Ul, atom.Ol:
		s.flushBlock()
		first := -1
		if n.DataAtom == atom.Ol {
			first = draft.ParseSmallInt(attrValue(n, "start"), 1, 1_000_000) - 1
		}
		s.listCounters = append(s.listCounters, first)
	case atom.Br:
		s.buf = append(s.buf, '\n')
	case atom.A:
		s.linkURL, s.linkFrom = AbsoluteURL(s.base, attrValue(n, "href")), len(s.buf)
	case atom.Main:
		s.flushBlock()
		s.mainSpan[0] = s.out.Size()
	case atom.Table:
		s.closeRow()
		s.flushBlock()
		s.tableDepth++
	case atom.Tr:
		s.closeRow()
	case atom.Td, atom.Th:
		s.closeCell()
		s.inCell = s.tableDepth > 0
	default:
		s.separateBlock(n.DataAtom)
	}
}

// separateBlock parts what a block parts.
func (s *pageStream) separateBlock(a atom.Atom) {
	if inlineElements[a] == 0 && a != 0 {
		s.flushBlock()
	}
}

func (s *pageStream) endElement(a atom.Atom) {
	if s.hiddenTag != 0 {
		if a == s.hiddenTag {
			if s.hiddenDepth--; s.hiddenDepth < 0 {
				s.hiddenTag = 0
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
		s.flushBlock()
		s.listCounters = s.listCounters[:max(0, len(s.listCounters)-1)]
	case atom.Main:
		s.flushBlock()
		s.mainSpan[1] = s.out.Size()
	case atom.Td, atom.Th:
		s.closeCell()
	case atom.Tr:
		s.closeRow()
	case atom.Table:
		s.endTable()
		s.tableDepth = max(0, s.tableDepth-1)
	case atom.Br:
	default:
		s.separateBlock(a)
	}
}

func (s *pageStream) closeLink() {
	if s.linkFrom > len(s.buf) {
		s.linkURL = ""
	}
	if s.linkURL == "" { // one that has been closed, or was never opened
		return
	}
	if label := draft.CollapseSpaces(string(s.buf[s.linkFrom:])); label != "" && label != s.linkURL {
		s.buf = append(s.buf[:s.linkFrom], "["+label+"]("+s.linkURL+")"...)
	}
	s.linkURL = ""
}

// flushBlock ends the open block. In a cell it only parts words.
func (s *pageStream) flushBlock() {
	if s.inCell {
		s.buf = append(s.buf, ' ')
		return
	}
	text, kind := string(s.buf), s.blockTag
	s.buf, s.blockTag, s.linkURL = s.buf[:0], 0, ""
	switch level := slices.Index(headingTags, kind); {
	case level >= 0:
		if s.heading1 == "" && kind == atom.H1 {
			s.heading1 = draft.CollapseSpaces(text)
		}
		s.out.AddHeading(level+1, text)
	case kind == atom.Pre:
		if strings.TrimSpace(text) != "" {
			s.out.AddBlock("```\n" + strings.Trim(text, "\n") + "\n```")
		}
	case kind == atom.Li:
		s.out.AddItem(len(s.listCounters)-1, s.nextMarker(text), text)
	default:
		s.out.AddParagraph(text)
	}
}

var headingTags = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// nextMarker returns the sign before an item, which is counted where it says something.
func (s *pageStream) nextMarker(text string) string {
	last := len(s.listCounters) - 1
	if last < 0 || s.listCounters[last] < 0 {
		return "-"
	}
	if strings.TrimSpace(text) != "" {
		s.listCounters[last]++
	}
	return strconv.Itoa(s.listCounters[last]) + "."
}

func (s *pageStream) closeCell() {
	if s.inCell {
		s.row = append(s.row, string(s.buf))
		s.buf, s.inCell, s.linkURL = s.buf[:0], false, ""
	}
}

// layoutCellBytes is from how many bytes on a cell holds what a row cannot: the table lays the page out.
const layoutCellBytes = 1500

func (s *pageStream) closeRow() {
	s.closeCell()
	row := s.row
	s.row = nil
	if len(row) == 0 {
		return
	}
	if slices.ContainsFunc(row, func(cell string) bool { return len(cell) > layoutCellBytes }) {
		s.closeTable()
		for _, cell := range row {
			s.out.AddParagraph(cell)
		}
		return
	}
	if s.table == nil {
		s.table = s.out.NewTable()
	}
	s.table.AddRow(row)
}

// closeTable writes what the table holds back. That it is too large shows in the text.
func (s *pageStream) closeTable() {
	if s.table != nil {
		_ = s.table.Finish()
		s.table = nil
	}
}

// endTable ends the innermost table with its open row.
func (s *pageStream) endTable() {
	s.closeRow()
	s.closeTable()
}
