package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// renderMarkdown renders what is below n. The tree is changed by it.
func renderMarkdown(ctx context.Context, n *html.Node) (string, error) {
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithBulletListMarker("-"), commonmark.WithListEndComment(false))))
	conv.Register.RendererFor("table", converter.TagTypeBlock, (&repeats{}).renderTable, converter.PriorityEarly)
	for _, name := range []string{"b", "strong", "em", "i"} { // marks would stand in the midst of quotes
		conv.Register.RendererFor(name, converter.TagTypeInline, renderPlain, converter.PriorityEarly)
	}
	conv.Register.RendererFor("dt", converter.TagTypeBlock, renderPlain, converter.PriorityEarly)
	for _, h := range findElements(n, hasTag(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)) {
		text := nodeText(h)
		for c := h.FirstChild; c != nil; c = h.FirstChild {
			h.RemoveChild(c)
		}
		h.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	out, err := conv.ConvertNode(n, converter.WithContext(ctx))
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(string(out)), nil
}

func renderPlain(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	ctx.RenderChildNodes(ctx, w, n)
	return converter.RenderSuccess
}

// renderTable writes rows with their header. A table that only lays the page out is read as the blocks in it.
func (r *repeats) renderTable(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if isLayoutTable(n) {
		for _, cell := range findElements(n, hasTag(atom.Td, atom.Th, atom.Caption)) {
			if enclosingTable(cell) != n {
				continue
			}
			var b bytes.Buffer
			ctx.RenderChildNodes(ctx, &b, cell)
			_, _ = w.WriteString("\n\n")
			_, _ = w.Write(bytes.TrimSpace(b.Bytes()))
			_, _ = w.WriteString("\n\n")
		}
		return converter.RenderSuccess
	}
	var d textBuilder
	for _, c := range findElements(n, hasTag(atom.Caption)) {
		d.addParagraph(nodeText(c))
	}
	t := d.newTable()
	for _, row := range r.rowsOf(n) {
		t.addRow(row)
	}
	_ = t.finish()
	_, _ = w.WriteString("\n\n" + d.text() + "\n\n")
	return converter.RenderSuccess
}

// isLayoutTable reports a table whose cells hold what a row cannot: tables, headings, long texts.
func isLayoutTable(n *html.Node) bool {
	if attrValue(n, "role") == "presentation" || attrValue(n, "role") == "none" {
		return true
	}
	heads := len(findElements(n, hasTag(atom.Th))) > 0
	for _, c := range findElements(n, hasTag(atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre, atom.Article, atom.Section)) {
		if c != n && !(heads && c.DataAtom == atom.Pre) {
			return true
		}
	}
	for _, cell := range findElements(n, hasTag(atom.Td)) {
		if len(nodeText(cell)) > 1500 {
			return true
		}
	}
	return false
}

// cellText returns the words of a cell in one line, with its links.
func cellText(n *html.Node) string {
	links := findElements(n, hasTag(atom.A))
	for _, a := range links {
		if target, label := attrValue(a, "href"), nodeText(a); target != "" && label != "" {
			a.InsertBefore(&html.Node{Type: html.TextNode, Data: "["}, a.FirstChild)
			a.AppendChild(&html.Node{Type: html.TextNode, Data: "](" + target + ")"})
		}
	}
	return nodeText(n)
}

func enclosingTable(n *html.Node) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Table {
			return p
		}
	}
	return nil
}

// rowsOf returns the cells of a table; what spans rows or columns stands in each of them.
func (r *repeats) rowsOf(n *html.Node) (rows [][]string) {
	type span struct {
		left int
		text string
	}
	above := map[int]span{}
	for _, tr := range findElements(n, hasTag(atom.Tr)) {
		var row []string
		fill := func() {
			for s, ok := above[len(row)]; ok && s.left > 0 && len(row) < maxColumns; s, ok = above[len(row)] {
				above[len(row)] = span{s.left - 1, s.text}
				row = append(row, r.of(s.text))
			}
		}
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			fill()
			text, down := cellText(c), parseSmallInt(attrValue(c, "rowspan"), 1, 1000)
			for i := range parseSmallInt(attrValue(c, "colspan"), 1, 50) {
				if i > 0 {
					text = r.of(text)
				}
				if down > 1 {
					above[len(row)] = span{down - 1, text}
				}
				row = append(row, text)
			}
		}
		fill()
		rows = append(rows, row)
	}
	return rows
}

// parseSmallInt reads a small number out of a file; other is for what is none.
func parseSmallInt(s string, other, most int) int {
	n := 0
	for _, c := range strings.TrimSpace(s) {
		if c < '0' || c > '9' {
			return other
		}
		if n = n*10 + int(c-'0'); n > most {
			return most
		}
	}
	if n == 0 {
		return other
	}
	return n
}
