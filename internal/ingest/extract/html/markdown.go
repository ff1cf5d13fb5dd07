package html

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

// RenderMarkdown renders what is below n. The tree is changed by it.
func RenderMarkdown(ctx context.Context, n *html.Node) (string, error) {
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithBulletListMarker("-"), commonmark.WithListEndComment(false))))
	conv.Register.RendererFor("table", converter.TagTypeBlock, (&tableRenderer{}).renderTable, converter.PriorityEarly)
	for _, name := range []string{"b", "strong", "em", "i"} { // marks would be in the middle of quotes
		conv.Register.RendererFor(name, converter.TagTypeInline, renderPlain, converter.PriorityEarly)
	}
	conv.Register.RendererFor("dl", converter.TagTypeBlock, renderDefinitions, converter.PriorityEarly)
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

// renderDefinitions writes each term and its text as one.
func renderDefinitions(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var terms, texts []string
	flush := func() {
		if text := joinDefinition(strings.Join(terms, ", "), texts); text != "" {
			_, _ = w.WriteString("\n\n" + text + "\n\n")
		}
		terms, texts = nil, nil
	}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			var b bytes.Buffer
			switch {
			case c.DataAtom == atom.Dt:
				if len(texts) > 0 {
					flush()
				}
				ctx.RenderChildNodes(ctx, &b, c)
				terms = append(terms, draft.CollapseSpaces(b.String()))
			case c.DataAtom == atom.Div && len(findElements(c, hasTag(atom.Dt))) > 0:
				visit(c)
			case c.Type == html.ElementNode || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
				ctx.RenderNodes(ctx, &b, c)
				texts = append(texts, strings.TrimSpace(b.String()))
			}
		}
	}
	visit(n)
	flush()
	return converter.RenderSuccess
}

// joinDefinition writes a term and its texts as one paragraph, or the term above texts of several blocks.
func joinDefinition(term string, texts []string) string {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	if len(texts) == 0 || term == "" {
		return term + strings.Join(texts, "\n\n")
	}
	separator := ": "
	if strings.HasSuffix(term, ":") || strings.HasSuffix(term, "?") || strings.HasSuffix(term, "？") {
		separator = " "
	}
	if slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(text, "\n") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "- ")
	}) {
		return strings.TrimRight(term+separator, " ") + "\n\n" + strings.Join(texts, "\n\n")
	}
	return term + separator + strings.Join(texts, "; ")
}

// tableRenderer renders the tables of one page.
type tableRenderer struct{ repeats draft.RepeatBudget }

// renderTable writes rows with their header. A table that only lays the page out is read as the blocks in it.
func (r *tableRenderer) renderTable(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
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
	var d draft.Builder
	for _, c := range findElements(n, hasTag(atom.Caption)) {
		d.AddParagraph(nodeText(c))
	}
	t := d.NewTable()
	for _, row := range r.rowsOf(n) {
		t.AddRow(row)
	}
	_ = t.Finish()
	_, _ = w.WriteString("\n\n" + d.Text() + "\n\n")
	return converter.RenderSuccess
}

// isLayoutTable reports whether the cells of a table hold what a row cannot: tables, headings, long texts.
func isLayoutTable(n *html.Node) bool {
	if attrValue(n, "role") == "presentation" || attrValue(n, "role") == "none" {
		return true
	}
	blocks := hasTag(atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre, atom.Article, atom.Section)
	heads := len(findElements(n, hasTag(atom.Th))) > 0
	holdsBlock := func(c *html.Node) bool { return c != n && !(heads && c.DataAtom == atom.Pre) }
	isLong := func(cell *html.Node) bool { return len(nodeText(cell)) > layoutCellBytes }
	return slices.ContainsFunc(findElements(n, blocks), holdsBlock) ||
		slices.ContainsFunc(findElements(n, hasTag(atom.Td)), isLong)
}

// cellText returns the words of a cell in one line, with its links.
func cellText(n *html.Node) string {
	for _, a := range findElements(n, hasTag(atom.A)) {
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

// rowsOf returns the cells of a table; what spans rows or columns is in each of them.
func (r *tableRenderer) rowsOf(n *html.Node) (rows [][]string) {
	type span struct {
		left int
		text string
	}
	above := map[int]span{}
	for _, tr := range findElements(n, hasTag(atom.Tr)) {
		var row []string
		fill := func() {
			for s, ok := above[len(row)]; ok && s.left > 0 && len(row) < draft.MaxColumns; s, ok = above[len(row)] {
				above[len(row)] = span{s.left - 1, s.text}
				row = append(row, r.repeats.Take(s.text))
			}
		}
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			fill()
			text, down := cellText(c), draft.ParseSmallInt(attrValue(c, "rowspan"), 1, 1000)
			for i := range draft.ParseSmallInt(attrValue(c, "colspan"), 1, 50) {
				if i > 0 {
					text = r.repeats.Take(text)
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
