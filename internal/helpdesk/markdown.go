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

// What a member writes, and what the AI answers, is Markdown.
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
			html.WithHardWraps(), // readers of a chat expect a line break where the writer made one
			renderer.WithNodeRenderers(util.Prioritized(safeRenderer{}, 100)),
		),
	)
}

// MarkdownHTML renders Markdown as safe HTML. Text that would be expensive to render is shown without its tables, or as it is.
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
	return strings.TrimSpace(sanitizeHTML(b.String()))
}

// MarkdownText returns Markdown as plain text: without its markup, each link followed by its address.
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

// RenderMessage returns the text of a ticket's message as safe HTML and as plain text. Both are empty for an event, and for a
// message without text.
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
