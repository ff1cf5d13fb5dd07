// Package safehtml turns Markdown and plain text of strangers into HTML that does no harm, and that HTML into text.
package safehtml

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

var (
	markdown = newMarkdown(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	)
	markdownWithoutTables = newMarkdown()
)

func newMarkdown(more ...goldmark.Extender) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(append(more,
			extension.Strikethrough,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
		)...),
		goldmark.WithRendererOptions(
			html.WithHardWraps(), // readers of a chat expect a line break where the writer made one
			renderer.WithNodeRenderers(util.Prioritized(safeRenderer{}, 100)),
		),
	)
}

// FromMarkdown returns Markdown as safe HTML. Text that would be expensive to render is shown without its tables, or as
// it is.
func FromMarkdown(source string) string {
	if isNestedTooDeep(source) || hasTooManyMarks(source) || expandsTooMuch(source) {
		return FromText(source)
	}
	var b strings.Builder
	read := markdown
	if !isWithinCellLimit(source) {
		read = markdownWithoutTables
	}
	if err := read.Convert([]byte(source), &b); err != nil {
		return FromText(source) // a strings.Builder takes everything, so this is never needed
	}
	return strings.TrimSpace(sanitize(b.String()))
}

// FromText returns HTML that shows a plain text as it is.
func FromText(plain string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(plain), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = string(util.EscapeHTML([]byte(line)))
	}
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "<p>" + strings.Join(lines, "<br>\n") + "</p>"
}

// policy holds all that the HTML may contain, whatever the text says. HTML in the text is shown as it is written,
// except comments, which are left out. An image is shown as a link to it, so that reading the text fetches nothing.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "del",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
	)
	p.AllowAttrs("href").Matching(linkPattern).OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile("^" + linkRel + "$")).OnElements("a")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-`)).OnElements("code")
	return p
}

var linkPattern = regexp.MustCompile(`^(?i:https?://|mailto:)`)

const linkRel = "noopener noreferrer nofollow"

// policyForm writes quotes as the renderer of Markdown does. In what the policy returns these sequences are quotes
// only, since it escapes the ampersands of texts.
var policyForm = strings.NewReplacer("&#34;", "&quot;", "&#39;", "'")

func sanitize(rendered string) string { return policyForm.Replace(policy.Sanitize(rendered)) }

// safeRenderer renders links, images and HTML: what would be lost or harmful as it is.
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
	switch ok = ok && !inLink(link); {
	case ok && entering:
		openLink(w, href)
	case ok:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (safeRenderer) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		link := node.(*ast.AutoLink)
		href, ok := autoAddress(link, source)
		writeLink(w, href, ok && !inLink(link), link.Label(source))
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
	writeLink(w, href, ok && !inLink(image), imageLabel(image, source))
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
		_, _ = w.WriteString(FromText(shown) + "\n")
	}
	return ast.WalkSkipChildren, nil
}

// writeLink writes a label, as a link or alone.
func writeLink(w util.BufWriter, href []byte, linked bool, label []byte) {
	if linked {
		openLink(w, href)
	}
	_, _ = w.Write(util.EscapeHTML(label))
	if linked {
		_, _ = w.WriteString("</a>")
	}
}

func openLink(w util.BufWriter, href []byte) {
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML(href))
	_, _ = w.WriteString(`" rel="` + linkRel + `">`)
}

// addressOf returns the address of a link as it is written in HTML; ok is false for one that is not linked.
func addressOf(destination []byte) (href []byte, ok bool) {
	href = util.URLEscape(destination, true)
	return href, linkPattern.Match(href)
}

func autoAddress(link *ast.AutoLink, source []byte) (href []byte, ok bool) {
	address := link.URL(source)
	if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(address), []byte("mailto:")) {
		address = append([]byte("mailto:"), address...)
	}
	href = util.URLEscape(address, false)
	return href, linkPattern.Match(href)
}

// inLink reports whether a node is part of a link that is shown as one: links cannot be nested.
func inLink(node ast.Node) bool {
	for n := node.Parent(); n != nil; n = n.Parent() {
		if link, isLink := n.(*ast.Link); isLink {
			if _, ok := addressOf(link.Destination); ok {
				return true
			}
		}
	}
	return false
}

// commentPattern matches HTML comments. One that is not closed extends to the end.
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
func imageLabel(image *ast.Image, source []byte) (label []byte) {
	_ = ast.Walk(image, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // it fails only where this does
		switch n := node.(type) {
		case *ast.Text:
			if entering {
				label = append(label,
					util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(n.Value(source))))...)
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
	return label
}
