package helpdesk

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"parley"
	"parley/internal/store"
)

// What a member writes, and what the AI answers, is Markdown. The HTML made of it is safe to put into a page: it holds no element,
// no attribute and no address but those of this list, whatever the text says.
//
//	elements:   p br hr h1 … h6 blockquote pre code em strong del a ul ol li table thead tbody tr th td
//	attributes: a href rel, ol start, th td align, code class="language-…"
//	addresses:  http, https, mailto
//
// HTML in the text is shown as it is written, except comments, which are left out. An image is shown as a link to it, so that
// reading a message fetches nothing.
var (
	markdown              = newMarkdown(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)))
	markdownWithoutTables = newMarkdown()
)

func newMarkdown(more ...goldmark.Extender) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(append(more,
			extension.Strikethrough,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
		)...),
		goldmark.WithRendererOptions(
			html.WithHardWraps(), // a chat's reader expects a line end where the writer made one
			renderer.WithNodeRenderers(util.Prioritized(safeRenderer{}, 100)),
		),
	)
}

// MarkdownHTML renders Markdown as safe HTML. Text that is built to be dear to render is shown without its tables, or as it is.
func MarkdownHTML(source string) string {
	if isNestedTooDeep(source) || hasTooManyMarks(source) || expandsTooMuch(source) {
		return plainHTML(source)
	}
	var b strings.Builder
	read := markdown
	if !isWithinCellLimit(source) {
		read = markdownWithoutTables
	}
	if err := read.Convert([]byte(source), &b); err != nil {
		return plainHTML(source) // a strings.Builder takes everything, so this is never needed
	}
	return strings.TrimSpace(b.String())
}

// MarkdownText returns the plain text that Markdown shows: without marks, each link followed by its address.
func MarkdownText(source string) string { return textOf(MarkdownHTML(source)) }

// plainHTML shows a text as it is: what customers write is not Markdown.
func plainHTML(plain string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(plain), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = string(util.EscapeHTML([]byte(line)))
	}
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "<p>" + strings.Join(lines, "<br>\n") + "</p>"
}

// RenderMessage returns what a ticket's message says, as safe HTML and as plain text. Both are empty of an event, and of a message without
// text.
func RenderMessage(m *parley.TicketMessage) (html, plain string) {
	text := m.Text()
	switch {
	case m.Type == store.MessageTypeEvent:
		return "", ""
	case m.Author == parley.AuthorUser:
		return plainHTML(text), text
	}
	html = MarkdownHTML(text)
	return html, textOf(html)
}
