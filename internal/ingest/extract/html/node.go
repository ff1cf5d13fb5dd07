package html

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

// Read reads a page that was uploaded as a file: it has no address, and so its links lead nowhere but to full
// addresses.
func Read(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	page, err := readPage(ctx, pageRequest{}, data)
	return page.Document, err
}

// Parse reads any bytes as a page. What is nested deeper than the parser goes is read as a flat run of its words.
func Parse(text string) *html.Node {
	doc, err := html.Parse(strings.NewReader(text))
	if err == nil {
		return doc
	}
	doc = &html.Node{Type: html.DocumentNode}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	doc.AppendChild(body)
	body.AppendChild(&html.Node{Type: html.TextNode, Data: flattenHTML(text)})
	return doc
}

func flattenHTML(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	skip := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); skip == "" && (string(name) == "script" || string(name) == "style") {
				skip = string(name)
			}
			b.WriteByte(' ')
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == skip {
				skip = ""
			}
			b.WriteByte(' ')
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// findElements returns the elements below n that match, in the order of the text.
func findElements(n *html.Node, match func(*html.Node) bool) (all []*html.Node) {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && match(c) {
			all = append(all, c)
		}
	}
	return all
}

func hasTag(names ...atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(names, n.DataAtom) }
}

func attrValue(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// nodeText returns the words below n in one line.
func nodeText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode && !hasTag(atom.Script, atom.Style, atom.Template)(c.Parent):
			b.WriteString(c.Data)
		case c.Type == html.ElementNode && inlineElements[c.DataAtom] == 0:
			b.WriteByte(' ')
		}
	}
	return draft.CollapseSpaces(b.String())
}

// inlineElements are elements that do not part words.
var inlineElements = map[atom.Atom]int{atom.A: 1, atom.Abbr: 1, atom.B: 1, atom.Bdi: 1, atom.Bdo: 1, atom.Cite: 1,
	atom.Code: 1, atom.Em: 1, atom.Font: 1, atom.I: 1, atom.Kbd: 1, atom.Mark: 1, atom.Q: 1, atom.S: 1, atom.Samp: 1,
	atom.Small: 1, atom.Span: 1, atom.Strong: 1, atom.Sub: 1, atom.Sup: 1, atom.Time: 1, atom.U: 1, atom.Var: 1,
	atom.Wbr: 1, atom.Ins: 1, atom.Del: 1, atom.Label: 1}

func removeNode(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// unwrapNode puts what is in n into its place.
func unwrapNode(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	removeNode(n)
}

// PruneHidden opens what readers open, removes what is not text for readers, and makes every link a full address.
func PruneHidden(doc *html.Node, base *url.URL) {
	openPanels(doc)
	removeStruckText(doc)
	keepPictureTexts(doc)
	markRaisedText(doc)
	for _, n := range findElements(doc, isHidden) {
		removeNode(n)
	}
	for _, a := range findElements(doc, hasTag(atom.A)) {
		if a.Parent == nil {
			continue
		}
		if target := AbsoluteURL(base, attrValue(a, "href")); target != "" && target != nodeText(a) && nodeText(a) != "" {
			a.Attr = []html.Attribute{{Key: "href", Val: target}}
		} else {
			unwrapNode(a)
		}
	}
}

// isHidden reports whether no reader sees an element, it is struck out, or it is a control or a picture.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Img,
		atom.Picture, atom.Video, atom.Audio,
		atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Dialog, atom.Datalist, atom.Map:
		return true
	case atom.Del, atom.S, atom.Strike: // what does not hold any more
		return true
	case atom.Noscript: // mostly asks for a script, or counts
		return true
	default:
	}
	return isConcealed(n) || strings.Contains(attrValue(n, "style"), lineThrough)
}

// AbsoluteURL returns a link's full address, or "" for one that does not lead out of the page.
func AbsoluteURL(base *url.URL, ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' || len(ref) > 2000 {
		return ""
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto", "tel":
	default:
		return ""
	}
	return u.String()
}

// pruneFrame removes what frames the text of a page on every page of a site.
func pruneFrame(doc *html.Node) {
	for _, n := range findElements(doc, isFraming) {
		removeNode(n)
	}
}

var framingRoles = map[string]bool{"navigation": true, "banner": true, "contentinfo": true, "search": true,
	"dialog": true, "alertdialog": true, "menu": true, "menubar": true, "toolbar": true, "complementary": true}

func isFraming(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Menu:
		return true
	case atom.Header: // of an article it holds the title
		return len(findElements(n, hasTag(atom.H1))) == 0
	default:
	}
	if framingRoles[strings.ToLower(attrValue(n, "role"))] {
		return true
	}
	mark := strings.ToLower(attrValue(n, "class") + " " + attrValue(n, "id"))
	for _, word := range []string{"cookie-", "cookiebanner", "consent", "breadcrumb", "skip-link", "skip-to", "sidebar",
		"site-footer", "site-header", "share-buttons", "pagination"} {
		if strings.Contains(mark, word) && n.DataAtom != atom.Body && n.DataAtom != atom.Html &&
			n.DataAtom != atom.Main && n.DataAtom != atom.Article {
			return len(nodeText(n)) < 2000
		}
	}
	return false
}
