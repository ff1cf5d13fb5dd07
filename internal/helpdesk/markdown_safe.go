package helpdesk

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// safeRenderer renders those parts of Markdown that could do harm: links, images and HTML.
type safeRenderer struct{}

// RegisterFuncs is called by goldmark.
func (s safeRenderer) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindLink, s.link)
	to.Register(ast.KindAutoLink, s.autoLink)
	to.Register(ast.KindImage, s.image)
	to.Register(ast.KindRawHTML, s.rawHTML)
	to.Register(ast.KindHTMLBlock, s.htmlBlock)
}

func (safeRenderer) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	link := node.(*ast.Link)
	href, ok := addressOf(link.Destination)
	if ok && inLink(link) {
		ok = false
	}
	switch {
	case ok && entering:
		openLink(w, href)
	case ok:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (safeRenderer) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := node.(*ast.AutoLink)
	href, ok := autoAddress(link, source)
	ok = ok && !inLink(link)
	if ok {
		openLink(w, href)
	}
	_, _ = w.Write(util.EscapeHTML(link.Label(source)))
	if ok {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// image shows the description of an image as a link to it.
func (safeRenderer) image(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	image := node.(*ast.Image)
	href, ok := addressOf(image.Destination)
	label := imageLabel(image, source)
	ok = ok && !inLink(image)
	if ok {
		openLink(w, href)
	}
	_, _ = w.Write(util.EscapeHTML([]byte(label)))
	if ok {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkSkipChildren, nil
}

func (safeRenderer) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.Write(util.EscapeHTML([]byte(rawText(node.(*ast.RawHTML), source))))
	}
	return ast.WalkSkipChildren, nil
}

func (safeRenderer) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if shown := blockText(node.(*ast.HTMLBlock), source); entering && shown != "" {
		_, _ = w.WriteString(plainHTML(shown) + "\n")
	}
	return ast.WalkSkipChildren, nil
}

func openLink(w util.BufWriter, href []byte) {
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML(href))
	_, _ = w.WriteString(`" rel="noopener noreferrer nofollow">`)
}

// addressOf returns the address that a destination comes down to, unless it is of a scheme that is not linked.
func addressOf(destination []byte) (href []byte, ok bool) {
	href = util.URLEscape(destination, true)
	return href, isLinkable(href)
}

func autoAddress(link *ast.AutoLink, source []byte) (href []byte, ok bool) {
	address := link.URL(source)
	if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(address), []byte("mailto:")) {
		address = append([]byte("mailto:"), address...)
	}
	href = util.URLEscape(address, false)
	return href, isLinkable(href)
}

func isLinkable(href []byte) bool {
	start := strings.ToLower(string(href[:min(len(href), len("https://"))]))
	return strings.HasPrefix(start, "http://") || strings.HasPrefix(start, "https://") || strings.HasPrefix(start, "mailto:")
}

// inLink reports whether a node stands in a link that is shown as one: links do not stand in links.
func inLink(node ast.Node) bool {
	for n := node.Parent(); n != nil; n = n.Parent() {
		if link, is := n.(*ast.Link); is {
			if _, ok := addressOf(link.Destination); ok {
				return true
			}
		}
	}
	return false
}

// commentPattern are the parts of HTML that a reader never sees. One without an end goes to the end.
var commentPattern = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

func rawText(raw *ast.RawHTML, source []byte) string {
	return commentPattern.ReplaceAllString(string(raw.Segments.Value(source)), "")
}

func blockText(block *ast.HTMLBlock, source []byte) string {
	text := block.Lines().Value(source)
	if block.HasClosure() {
		text = append(text, block.ClosureLine.Value(source)...)
	}
	return strings.TrimSpace(commentPattern.ReplaceAllString(string(text), ""))
}

// imageLabel returns the description of an image, or else its address.
func imageLabel(image *ast.Image, source []byte) string {
	var label []byte
	_ = ast.Walk(image, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // it fails only where this does
		switch n := node.(type) {
		case *ast.Text:
			if entering {
				label = append(label, util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(n.Value(source))))...)
			}
		case *ast.AutoLink:
			if entering {
				label = append(label, n.Label(source)...)
			}
		}
		return ast.WalkContinue, nil
	})
	if len(bytes.TrimSpace(label)) == 0 {
		label, _ = addressOf(image.Destination)
	}
	return string(label)
}
