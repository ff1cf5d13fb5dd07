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

// pageStream reads a page tag by tag, as it comes: without what only a tree shows, such as which part of an unmarked
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
	term         string // of a definition, until its text comes
	inTerm       bool
	controlled   map[string]bool // ids of the panels that openers name
	mainSpan     [2]int          // where the marked main part begins and ends in the text
}

// streamPage reads a page of any number of tags.
func streamPage(ctx context.Context, address, source string) (Page, error) {
	var page Page
	s := &pageStream{page: &page, base: parseAddress(address), seenLinks: map[string]bool{},
		controlled: map[string]bool{}}
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
	s.flushTerm()
	if page.Title == "" {
		page.Title = s.heading1
	}
	page.Text = withTitle(s.finalText(), s.heading1)
	return page, nil
}

// finalText returns the main part where the page marks one that stands for it, or all.
func (p *pageStream) finalText() string {
	all := p.out.Text()
	from, to := min(p.mainSpan[0], len(all)), min(p.mainSpan[1], len(all))
	if to > from && float64(to-from) >= mainShare*float64(len(all)) {
		return strings.TrimLeft(all[from:to], "\n")
	}
	return all
}

func (p *pageStream) handleToken(kind html.TokenType, t html.Token) {
	switch kind {
	case html.TextToken:
		p.addText(t.Data)
	case html.StartTagToken:
		p.startElement(t)
	case html.EndTagToken:
		p.endElement(t.DataAtom)
	case html.SelfClosingTagToken:
		p.startElement(t)
		p.endElement(t.DataAtom)
	case html.ErrorToken, html.CommentToken, html.DoctypeToken:
	}
}

func (p *pageStream) addText(text string) {
	switch {
	case p.inTitle:
		p.page.Title += text
	case p.hiddenTag == 0 && p.blockTag == atom.Pre:
		p.buf = append(p.buf, text...)
	case p.hiddenTag == 0:
		p.buf = append(p.buf, strings.ReplaceAll(text, "\n", " ")...)
	}
}

// isVoidElement reports whether an element has no end tag.
var isVoidElement = hasTag(atom.Img, atom.Input, atom.Embed, atom.Br, atom.Hr, atom.Meta, atom.Link, atom.Base,
	atom.Area, atom.Col, atom.Source, atom.Track, atom.Wbr)

func (p *pageStream) startElement(t html.Token) {
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	if hasTag(atom.A, atom.Area)(n) { // those of the frame lead on, too
		p.page.addLink(n, p.base, p.seenLinks)
	}
	if p.hiddenTag != 0 {
		if t.DataAtom == p.hiddenTag {
			p.hiddenDepth++
		}
		return
	}
	switch n.DataAtom {
	case atom.Html, atom.Meta, atom.Link:
		p.page.readMetadataElement(n, p.base)
	case atom.Base:
		if p.base == nil {
			p.base = parseAddress(attrValue(n, "href"))
		}
	case atom.Title:
		p.inTitle = p.page.Title == ""
		if !p.inTitle {
			p.hiddenTag = atom.Title
		}
	default:
	}
	switch {
	case (!isHidden(n) || p.isPanelOrOpener(n)) && !isOutsideMain(n):
		p.openElement(n)
	case !isVoidElement(n) && n.DataAtom != 0:
		p.hiddenTag, p.hiddenDepth = n.DataAtom, 0
	}
}

// isPanelOrOpener reports whether a hidden element is opened by a click, or is a button that opens one, as far as its
// tag tells.
func (p *pageStream) isPanelOrOpener(n *html.Node) bool {
	if n.DataAtom != atom.Button {
		return isConcealed(n) && (p.controlled[attrValue(n, "id")] || isNamedPanel(n))
	}
	if !isClickable(n) || !controls(n) {
		return false
	}
	for _, id := range strings.Fields(attrValue(n, "aria-controls")) {
		p.controlled[id] = true
	}
	return true
}

// isOutsideMain reports whether an element frames the text of a page, as far as its tag tells.
func isOutsideMain(n *html.Node) bool {
	return hasTag(atom.Nav, atom.Footer, atom.Aside, atom.Menu)(n) || framingRoles[strings.ToLower(attrValue(n, "role"))]
}

func (p *pageStream) openElement(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.Pre:
		p.flushBlock()
		p.blockTag = n.DataAtom
	case atom.Ul, atom.Ol:
		p.flushBlock()
		first := -1
		if n.DataAtom == atom.Ol {
			first = draft.ParseSmallInt(attrValue(n, "start"), 1, 1_000_000) - 1
		}
		p.listCounters = append(p.listCounters, first)
	case atom.Br:
		p.buf = append(p.buf, '\n')
	case atom.A:
		p.linkURL, p.linkFrom = AbsoluteURL(p.base, attrValue(n, "href")), len(p.buf)
	case atom.Dt:
		p.flushBlock()
		p.flushTerm()
		p.inTerm = true
	case atom.Dd:
		p.endTerm()
	case atom.Sup:
		p.buf = append(p.buf, draft.Raised("x")[0])
	case atom.Sub:
		p.buf = append(p.buf, draft.Lowered("x")[0])
	case atom.Main:
		p.flushBlock()
		p.mainSpan[0] = p.out.Size()
	case atom.Table:
		p.closeRow()
		p.flushBlock()
		p.tableDepth++
	case atom.Tr:
		p.closeRow()
	case atom.Td, atom.Th:
		p.closeCell()
		p.inCell = p.tableDepth > 0
	default:
		p.separateBlock(n.DataAtom)
	}
}

func (p *pageStream) separateBlock(a atom.Atom) {
	if inlineElements[a] == 0 && a != 0 && !(a == atom.Button && p.blockTag != 0) {
		p.flushBlock()
	}
}

func (p *pageStream) endElement(a atom.Atom) {
	if p.hiddenTag != 0 {
		if a == p.hiddenTag {
			if p.hiddenDepth--; p.hiddenDepth < 0 {
				p.hiddenTag = 0
			}
		}
		return
	}
	switch a {
	case atom.Title:
		p.inTitle = false
	case atom.A:
		p.closeLink()
	case atom.Ul, atom.Ol:
		p.flushBlock()
		p.listCounters = p.listCounters[:max(0, len(p.listCounters)-1)]
	case atom.Dt:
		p.endTerm()
	case atom.Dl:
		p.flushBlock()
		p.flushTerm()
	case atom.Sup, atom.Sub:
		p.buf = append(p.buf, draft.Raised("x")[2])
	case atom.Main:
		p.flushBlock()
		p.mainSpan[1] = p.out.Size()
	case atom.Td, atom.Th:
		p.closeCell()
	case atom.Tr:
		p.closeRow()
	case atom.Table:
		p.endTable()
		p.tableDepth = max(0, p.tableDepth-1)
	case atom.Br:
	default:
		p.separateBlock(a)
	}
}

func (p *pageStream) closeLink() {
	if p.linkFrom > len(p.buf) {
		p.linkURL = ""
	}
	if p.linkURL == "" { // one that has been closed, or was never opened
		return
	}
	if label := draft.CollapseSpaces(string(p.buf[p.linkFrom:])); label != "" && label != p.linkURL {
		p.buf = append(p.buf[:p.linkFrom], "["+label+"]("+p.linkURL+")"...)
	}
	p.linkURL = ""
}

// flushBlock ends the open block. In a cell it only parts words.
func (p *pageStream) flushBlock() {
	if p.inCell {
		p.buf = append(p.buf, ' ')
		return
	}
	text, kind := string(p.buf), p.blockTag
	p.buf, p.blockTag, p.linkURL = p.buf[:0], 0, ""
	switch level := slices.Index(headingTags, kind); {
	case level >= 0:
		if p.heading1 == "" && kind == atom.H1 {
			p.heading1 = draft.CollapseSpaces(text)
		}
		p.out.AddHeading(level+1, text)
	case kind == atom.Pre:
		if strings.TrimSpace(text) != "" {
			p.out.AddBlock("```\n" + strings.Trim(text, "\n") + "\n```")
		}
	case kind == atom.Li:
		p.out.AddItem(len(p.listCounters)-1, p.nextMarker(text), text)
	case p.inTerm:
		p.term += text
	case p.term != "" && strings.TrimSpace(text) != "":
		p.out.AddParagraph(joinDefinition(p.term, []string{draft.CollapseSpaces(text)}))
		p.term = ""
	default:
		p.out.AddParagraph(text)
	}
}

// endTerm ends a term, which is written with its text.
func (p *pageStream) endTerm() {
	p.flushBlock()
	p.inTerm = false
	p.term = draft.CollapseSpaces(p.term)
}

// flushTerm writes a term that has no text.
func (p *pageStream) flushTerm() {
	p.out.AddParagraph(p.term)
	p.term, p.inTerm = "", false
}

var headingTags = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// nextMarker returns the sign before an item, which is counted where it says something.
func (p *pageStream) nextMarker(text string) string {
	last := len(p.listCounters) - 1
	if last < 0 || p.listCounters[last] < 0 {
		return "-"
	}
	if strings.TrimSpace(text) != "" {
		p.listCounters[last]++
	}
	return strconv.Itoa(p.listCounters[last]) + "."
}

func (p *pageStream) closeCell() {
	if p.inCell {
		p.row = append(p.row, string(p.buf))
		p.buf, p.inCell, p.linkURL = p.buf[:0], false, ""
	}
}

// layoutCellBytes is from how many bytes on a cell holds what a row cannot: the table lays the page out.
const layoutCellBytes = 1500

func (p *pageStream) closeRow() {
	p.closeCell()
	row := p.row
	p.row = nil
	if len(row) == 0 {
		return
	}
	if slices.ContainsFunc(row, func(cell string) bool { return len(cell) > layoutCellBytes }) {
		p.closeTable()
		for _, cell := range row {
			p.out.AddParagraph(cell)
		}
		return
	}
	if p.table == nil {
		p.table = p.out.NewTable()
	}
	p.table.AddRow(row)
}

// closeTable writes what the table holds back. That it is too large shows in the text.
func (p *pageStream) closeTable() {
	if p.table != nil {
		_ = p.table.Finish()
		p.table = nil
	}
}

// endTable ends the innermost table with its open row.
func (p *pageStream) endTable() {
	p.closeRow()
	p.closeTable()
}
