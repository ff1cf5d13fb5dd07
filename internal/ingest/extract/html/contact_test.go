package html_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/html"
)

// What only the footer says of how to reach a site is kept with its front page, and there alone.
func TestContactsOfTheFooter(t *testing.T) {
	const rest = "<nav><a href=/a>Products</a></nav><main><h1>Kettles</h1><p>We make kettles of steel.</p></main>"
	for footer, want := range map[string]string{
		"<p>Tel. +49 30 123 45 67</p>":                               "Tel. +49 30 123 45 67",
		"<h4>Opening hours</h4><p>Mon–Fri 9:00–17:00</p>":            "Opening hours: Mon–Fri 9:00–17:00",
		"<h4>Hours</h4><ul><li>Mon 9 am - 5 pm<li>Sat 10-14 h</ul>":  "Hours: Mon 9 am - 5 pm\n\nSat 10-14 h",
		"<p>service@kettles.example</p><a href=/imprint>Imprint</a>": "service@kettles.example",
		"<address>Kettles Ltd<br>1 High Street<br>York</address>":    "Kettles Ltd, 1 High Street, York",
		"<p>© 2010-2026 Kettles</p><p>Updated 2026-11-28</p>":        "",
		"<a href=/a>Products</a> <a href=/terms>Terms</a>":           "",
	} {
		source := "<body>" + rest + "<footer>" + footer + "</footer></body>"
		for address, isFront := range map[string]bool{"https://www.kettles.example/": true,
			"https://www.kettles.example": true, "https://www.kettles.example/help": false} {
			page, err := html.ReadPage(t.Context(), address, "text/html; charset=utf-8", []byte(source))
			if err != nil {
				t.Fatal(err)
			}
			text := "# Kettles\n\nWe make kettles of steel."
			if isFront && want != "" {
				text += "\n\n## www.kettles.example\n\n" + want
			}
			if !isFront && want != "" {
				front, err := html.ReadFrontPage(t.Context(), address, "text/html", []byte(source))
				if err != nil || strings.TrimSpace(front.Text) != text+"\n\n## www.kettles.example\n\n"+want {
					t.Errorf("%s, %s: %v %q", address, footer, err, front.Text)
				}
			}
			if strings.TrimSpace(page.Text) != text {
				t.Errorf("%s, %s: %q", address, footer, page.Text)
			}
		}
	}
}
