package html_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/html"
	"parley/internal/testkit/documents"
)

const longSentence = "<p>The kettle boils a litre of water in two minutes, and it switches off by itself when " +
	"the water boils.</p>"

func readPage(t *testing.T, source string) html.Page {
	t.Helper()
	page, err := html.ReadPage(t.Context(), "https://example.com/help/", "text/html", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// Navigation and other parts around the main text are left out, however the page marks them.
func TestMainText(t *testing.T) {
	menu := "<ul><li><a href=/a>Products</a></li><li><a href=/b>Prices</a></li><li><a href=/c>Imprint</a></li></ul>"
	body := "<h1>Boiling</h1>" + strings.Repeat(longSentence, 12)
	for name, source := range map[string]string{
		"main":    menu + "<main>" + body + "</main>" + menu,
		"role":    "<div class=x>" + menu + "</div><div role=main>" + body + "</div>",
		"article": "<div>" + menu + "</div><article>" + body + "</article>",
		"nav":     "<nav>" + menu + "</nav><div>" + body + "</div><footer>Imprint</footer>",
		"classes": "<div class=site-header>" + menu + "</div><div class=content>" + body +
			"</div><div id=sidebar>Imprint</div>",
		"divs": "<div class=menu>" + menu + "</div><div class=content>" + body + "</div><div class=foot>" + menu +
			"</div>",
	} {
		page := readPage(t, "<html><head><title>Boiling</title></head><body>"+source+"</body></html>")
		if strings.Contains(page.Text, "Imprint") || strings.Count(page.Text, "two minutes") != 12 ||
			!strings.HasPrefix(page.Text, "# Boiling") {
			t.Errorf("%s: %s", name, page.Text)
		}
	}
}

// A page without a main text, and one of separate questions and answers, are read whole.
func TestWholePage(t *testing.T) {
	page := readPage(t, "<body><nav><a href=/a>Products</a> <a href=/b>Prices</a></nav></body>")
	if !strings.Contains(page.Text, "Prices") || len(page.Links) != 2 {
		t.Errorf("%+v", page)
	}
	var faq strings.Builder
	for _, q := range []string{"How long?", "How hot?", "How much?", "How often?"} {
		faq.WriteString("<div class=box><h3>" + q + "</h3><div class=answer>" + strings.Repeat("Some words. ", 10) +
			"</div></div>")
	}
	page = readPage(t, "<body><div class=wrap>"+faq.String()+"</div></body>")
	if strings.Count(page.Text, "### How") != 4 || strings.Count(page.Text, "Some words.") != 40 {
		t.Error(page.Text)
	}
}

func TestPageMetadata(t *testing.T) {
	page := readPage(t,
		`<html lang=pt-BR><head><base href="/docs/"><meta name=robots content="NoIndex, follow"><link rel=canonical `+
			`href=one><title> A
		title </title></head><body><a href="two#x">Two</a><a href="two">Two</a><a href="javascript:alert(1)">no</a><a `+
			`href="//b.example/">B</a><svg><title>icon</title></svg></body></html>`)
	if !page.NoIndex || page.NoFollow || page.Canonical != "https://example.com/docs/one" || page.Language != "pt-BR" ||
		page.Title != "A title" {
		t.Errorf("%+v", page)
	}
	if len(page.Links) != 2 || page.Links[0].URL != "https://example.com/docs/two" ||
		page.Links[1].URL != "https://b.example/" {
		t.Errorf("%+v", page.Links)
	}
	if strings.Contains(page.Text, "javascript") || strings.Contains(page.Text, "icon") {
		t.Error(page.Text)
	}
}

// Layout tables are read as their content; long tables repeat their header in each part.
func TestTables(t *testing.T) {
	page := readPage(t, "<table><tr><td><h2>Left</h2>"+longSentence+
		"</td><td><table><tr><th>A</th><th>B</th></tr><tr><td>1|2</td><td>x<br>y</td></tr></table></td></tr></table>")
	if !strings.Contains(page.Text, "## Left\n\nThe kettle") ||
		!strings.Contains(page.Text, "| A | B |\n| --- | --- |\n| 1\\|2 | x y |") {
		t.Error(page.Text)
	}
	var rows strings.Builder
	for range 100 {
		rows.WriteString("<tr><td>Lid for the kettle</td><td>K-101</td></tr>")
	}
	page = readPage(t, "<table><tr><th>Part</th><th>Number</th></tr>"+rows.String()+"</table>")
	parts := strings.Split(page.Text, "\n\n")
	if len(parts) < 3 || strings.Count(page.Text, "K-101") != 100 {
		t.Errorf("%d parts", len(parts))
	}
	for _, p := range parts {
		if !strings.HasPrefix(p, "| Part | Number |\n") || len(p) > 1000 {
			t.Error(p)
		}
	}
}

func TestCharsetsOfPages(t *testing.T) {
	for contentType, body := range map[string]string{
		"text/html; charset=koi8-r": "<p>\xf7\xcf\xc4\xc1 \xcb\xc9\xd0\xc9\xd4", // Вода кипит
		"text/html": "<meta http-equiv=content-type content='text/html; " +
			"charset=windows-1251'><p>\xc2\xee\xe4\xe0 \xea\xe8\xef\xe8\xf2",
		"": "\xff\xfe<\x00p\x00>\x00\x12\x04>\x044\x040\x04 \x00:\x048\x04?\x048\x04B\x04",
	} {
		page, err := html.ReadPage(t.Context(), "", contentType, []byte(body))
		if err != nil || page.Text != "Вода кипит" {
			t.Errorf("%s: %q %v", contentType, page.Text, err)
		}
	}
}

func FuzzHTML(f *testing.F) {
	documents.AddSamples(f, "../testdata/*.html")
	f.Fuzz(func(t *testing.T, data []byte) { documents.ReadBounded(t, html.Read, data) })
}
