package manual

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"parley/docs"
	"parley/internal/text/words"
)

// group is a part of the table of contents.
type group struct {
	Title string
	names []string
}

// contents is the order of the chapters. Each page of the manual is in it once.
var contents = []group{
	{"First steps", []string{"about-parley", "getting-started", "install-and-run", "packages",
		"reverse-proxies", "troubleshooting"}},
	{"The console", []string{"console", "first-run", "signing-in", "inbox-screen", "agents-screen", "agent-settings",
		"sources-screen", "tickets-screen", "helpdesk-setup-screen", "looks-screen", "embed-screen", "playground",
		"insights-screen", "people-screen", "company-screen", "members-screen", "sign-in-screen", "keys-screen",
		"usage-screen", "webhooks-screen", "audit-screen",
		"server-screen", "your-page"}},
	{"Agents", []string{"agents", "sources", "chat", "conversations", "search", "insights", "actions", "handover",
		"helpdesk", "agent-as-code"}},
	{"Your website", []string{"widget", "widget-identity", "help-page"}},
	{"Models", []string{"models", "model-servers", "embeddings", "reranking"}},
	{"Voice", []string{"voice", "voice-talk", "voice-sessions", "voice-browser", "voice-native", "speech"}},
	{"For developers", []string{"clients", "openai-clients", "webhooks", "channels", "mcp", "version-1",
		"errors", "limits"}},
	{"Running the server", []string{"configuration", "command-line", "planning", "accounts-keys-and-plans",
		"storage-and-backup", "moving-accounts", "moving-in", "upgrade", "monitoring", "metrics", "mails",
		"privacy", "audit", "security", "hardening"}},
	{"Measured", []string{"quality", "performance"}},
}

// chapter is a page of the manual.
type chapter struct {
	Name, Title string
	Group       string
	words       string // those of the title, folded
	body        template.HTML
	sections    []section
}

// Path returns the address of the chapter.
func (c *chapter) Path() string { return chapterPath(c.Name) }

// section is a heading with the text below it, as far as the next heading.
type section struct {
	ID, Title string
	Level     int
	lead      string // the beginning of its text
	words     string // those of its text, folded, with a space before and behind each
	heading   string // the same of the heading
}

// readChapters reads and renders all chapters in their order.
func readChapters() (all []*chapter, err error) {
	for _, g := range contents {
		for _, name := range g.names {
			c, err := readChapter(g.Title, name)
			if err != nil {
				return nil, fmt.Errorf("the chapter %s: %w", name, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

func readChapter(groupTitle, name string) (*chapter, error) {
	source, err := docs.Manual.ReadFile("manual/" + name + ".md")
	if err != nil {
		source, err = fs.ReadFile(docs.Measured, name+".md")
	}
	if err != nil {
		return nil, err
	}
	c := &chapter{Name: name, Group: groupTitle}
	root := markdown.Parser().Parse(text.NewReader(source))
	c.readSections(root, source)
	if err := prepareNodes(root); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return nil, err
	}
	c.body = template.HTML(finishHTML(b.String())) //nolint:gosec // pages of ours, whose HTML is left out
	return c, nil
}

// markdown renders no HTML that a page holds.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// readSections reads the title and the sections.
func (c *chapter) readSections(root ast.Node, source []byte) {
	var body strings.Builder
	end := func() {
		if len(c.sections) == 0 {
			return
		}
		s := &c.sections[len(c.sections)-1]
		s.words = foldWords(body.String())
		body.Reset()
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		plain := plainText(n, source)
		switch {
		case isHeading && h.Level == 1:
			c.Title, c.words = plain, foldWords(plain)
			c.sections = append(c.sections, section{Title: plain, Level: 1, heading: c.words})
		case isHeading:
			end()
			id, _ := h.AttributeString("id")
			idText, _ := id.([]byte)
			c.sections = append(c.sections, section{ID: string(idText), Title: plain, Level: h.Level,
				heading: foldWords(plain)})
		case len(c.sections) > 0:
			if s := &c.sections[len(c.sections)-1]; s.lead == "" && n.Kind() == ast.KindParagraph {
				s.lead = shorten(plain)
			}
			body.WriteString(plain + "\n")
		}
	}
	end()
}

// plainText returns the words of a node.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch t := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(t.Value(source))
				if t.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(t.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

const maxLead = 180 // bytes

// shorten cuts a text behind a word.
func shorten(text string) string {
	if len(text) <= maxLead {
		return text
	}
	return text[:strings.LastIndexByte(text[:maxLead], ' ')] + " …"
}

// foldWords returns the words of a text for comparison, with a space before and behind each.
func foldWords(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for t := range words.Tokens(text) {
		b.WriteString(t.Word + " ")
	}
	return b.String()
}

// prepareNodes has links lead to pages of the server, and headings to themselves.
func prepareNodes(root ast.Node) error {
	return ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, isLink := n.(*ast.Link); isLink && entering {
			link.Destination = []byte(pageLink(string(link.Destination)))
		}
		if h, isHeading := n.(*ast.Heading); isHeading && h.Level > 1 && !entering {
			linkHeading(h)
		}
		return ast.WalkContinue, nil
	})
}

// linkHeading makes a heading a link to itself, unless it has a link.
func linkHeading(h *ast.Heading) {
	for n := h.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindLink {
			return
		}
	}
	id, _ := h.AttributeString("id")
	idText, _ := id.([]byte)
	link := ast.NewLink()
	link.Destination = append([]byte("#"), idText...)
	for n := h.FirstChild(); n != nil; n = h.FirstChild() {
		link.AppendChild(link, n)
	}
	h.AppendChild(h, link)
}

// pageLink turns a link to a file of the manual into one to its page. Other links stay.
func pageLink(target string) string {
	file, fragment, hasFragment := strings.Cut(target, "#")
	if strings.Contains(file, ":") || path.Ext(file) != ".md" {
		return target
	}
	link := chapterPath(strings.TrimSuffix(path.Base(file), ".md"))
	if hasFragment {
		link += "#" + fragment
	}
	return link
}

var emptyHeader = regexp.MustCompile(`<th( align="\w+")?></th>`)

// finishHTML has wide tables and code scroll, also by keyboard. What a page quotes is escaped, so that each tag in the
// text is one that the renderer wrote.
func finishHTML(html string) string {
	return strings.NewReplacer(
		"<table>", `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`,
		"</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`,
	).Replace(emptyHeader.ReplaceAllString(html, "<td></td>"))
}
