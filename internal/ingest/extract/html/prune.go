package html

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// PruneHidden removes what is not text for readers, and makes every link a full address.
func PruneHidden(doc *html.Node, base *url.URL) {
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

// isHidden reports whether no reader sees an element, or it is a control or a picture.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Img,
		atom.Picture, atom.Video, atom.Audio,
		atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Dialog, atom.Datalist, atom.Map:
		return true
	case atom.Noscript: // mostly asks for a script, or counts
		return true
	default:
	}
	style := strings.ReplaceAll(strings.ToLower(attrValue(n, "style")), " ", "")
	return hasAttr(n, "hidden") && attrValue(n, "hidden") != "until-found" || strings.Contains(style, "display:none") ||
		strings.Contains(style, "visibility:hidden")
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
