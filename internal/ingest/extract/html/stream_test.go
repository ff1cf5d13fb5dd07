package html_test

import (
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
)

const streamedPage = `<!doctype html><html lang="en"><head><title>All kettles</title><style>p{}</style><meta ` +
	`name=robots content="nofollow"><link rel=canonical href="/all"></head>
<body><nav><ul><li><a href="/home">Home</a></li></ul></nav><script>var kettle = "<p>never</p>";</script>
<main><h1>Kettles</h1><p>The kettle boils
at <b>100</b> degrees,<br>less on a <a href="/m#top">mountain</a>.</p><nav>inner <nav>nested</nav> still nav</nav>
<ol><li>Fill it<li>Switch it on</ol><ul><li>Tea<ul><li>Green</li></ul></li></ul>
<table><tr><th>Model<th>Litres</tr><tr><td>K1<td>1.5</tr><tr><td><p>K2</p><p>large</p></td><td>1.7</td></tr></table>
<pre>kettle on
kettle off</pre><p hidden>secret</p><p style="display: none">secret</p><img src=x><p>After a picture.</p></main>
<footer>All rights</footer></body></html>`

const streamedText = "# Kettles\n\nThe kettle boils at 100 degrees,\nless on a " +
	"[mountain](https://example.com/m#top).\n\n1. Fill it\n2. Switch it on\n- Tea\n  - Green\n\n" +
	"| Model | Litres |\n| --- | --- |\n| K1 | 1.5 |\n| K2 large | 1.7 |\n\n```\nkettle on\nkettle off\n```\n\n" +
	"After a picture."

func TestStreamedPage(t *testing.T) {
	page, err := html.StreamPage(t.Context(), "https://example.com/kettles/", streamedPage)
	if err != nil || draft.NormalizeText(page.Text) != streamedText {
		t.Errorf("%v\n%s", err, page.Text)
	}
	if page.Title != "All kettles" || page.Canonical != "https://example.com/all" || !page.NoFollow ||
		page.Language != "en" {
		t.Errorf("%+v", page)
	}
	if len(page.Links) != 2 || page.Links[0].URL != "https://example.com/home" ||
		page.Links[1].URL != "https://example.com/m" {
		t.Error(page.Links)
	}
}
