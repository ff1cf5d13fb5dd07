//go:build unix

package html_test

import (
	"context"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	costly "parley/internal/testkit/hostile"
)

func readPageWork(ctx context.Context) func(text string) {
	return func(text string) {
		_, _ = html.ReadPage(ctx, "https://a.example/", "text/html", []byte(text))
	}
}

func streamPageWork(ctx context.Context) func(text string) {
	return func(text string) { _, _ = html.StreamPage(ctx, "https://a.example/", text) }
}

// The time to read a page is linear in its size.
func TestWorkOfTexts(t *testing.T) {
	costly.Readers(t,
		map[string]func(text string){"page": readPageWork(t.Context()), "stream": streamPageWork(t.Context())})
}

// The same holds for repeated elements of pages.
func TestWorkOfRepeatedElements(t *testing.T) {
	page, stream := readPageWork(t.Context()), streamPageWork(t.Context())
	for _, c := range []struct {
		kind costly.Kind
		read func(text string)
	}{
		{costly.Made("paragraphs", "", "<p>a b</p>", ""), page},
		{costly.Made("links", "", "<a href=/b>a</a> ", ""), page},
		{costly.Made("links within a cell", "<table><tr><td>", "<a href=/b>a</a> ", "</table>"), page},
		{costly.Made("rows", "<table>", "<tr><td>a<td>b", "</table>"), page},
		{costly.Made("spans", "<table>", "<tr><td rowspan=9 colspan=50>a<td>b", "</table>"), page},
		{costly.Made("items", "<ul>", "<li>a", "</ul>"), page},
		{costly.Made("boxes", "", "<div class=sidebar><header>a</header></div>", ""), page},
		{costly.Made("headings", "", "<h1>a</h1><p>b", ""), page},
		{costly.Made("articles", "", "<article><p>so it goes, on and on, for ever", ""), page},
		{costly.Made("breaks", "<p>", "a<br>", ""), page},
		{costly.Made("attributes", "<p", " a=b", ">c"), page},
		{costly.Made("ends of links", "<p>", "a</a>", ""), stream},
		{costly.Made("rows that stream", "<table>", "<tr><td>a<td>b", "</table>"), stream},
		{costly.Made("lists that stream", "", "<ul><li>a", ""), stream},
	} {
		t.Run(c.kind.Name, func(t *testing.T) { costly.RequireLinear(t, costly.Size(16<<10), c.kind, c.read) })
	}
}

func FuzzPageWork(f *testing.F) {
	for _, s := range []string{"<p>a</a>", "<td rowspan=2>", "<b><p>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		costly.RequireBounded(t, unit, func(text string) {
			_, _ = draft.ReadDocument(t.Context(), html.Read, "a", []byte(text))
			_, _ = html.StreamPage(t.Context(), "https://a.example/", text)
		})
	})
}
