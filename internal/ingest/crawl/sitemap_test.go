package crawl

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func gzipText(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// wideText returns a text in UTF-16 with its mark.
func wideText(text string) []byte {
	b := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

const sitemapText = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ` +
	`xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://a.example/1?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod><image:image><image:loc>` +
	`https://a.example/i.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://a.example/2]]></loc></url>
  <url><loc>https://a.example/3?a=1&b=2</loc></url>
  <loc>https://a.example/stray</loc>
</urlset>`

func TestSitemaps(t *testing.T) {
	index := `<sitemapindex><sitemap><loc>https://a.example/a.xml</loc></sitemap><sitemap><loc>b.xml.gz</loc></sitemap>` +
		`</sitemapindex>`
	for name, c := range map[string]struct {
		body        []byte
		pages, maps string
	}{
		"xml": {[]byte(sitemapText), "https://a.example/1?a=1&b=2 https://a.example/2 https://a.example/3?a=1&b=2", ""},
		"gz":  {gzipText(sitemapText), "https://a.example/1?a=1&b=2 https://a.example/2 https://a.example/3?a=1&b=2", ""},
		"mark": {[]byte("\xEF\xBB\xBF\n" + sitemapText),
			"https://a.example/1?a=1&b=2 https://a.example/2 https://a.example/3?a=1&b=2", ""},
		"index": {[]byte(index), "", "https://a.example/a.xml b.xml.gz"},
		"latin-1": {[]byte("<?xml version='1.0' " +
			"encoding='iso-8859-1'?><urlset><url><loc>https://a.example/\xfc</loc></url></urlset>"),
			"https://a.example/ü", ""},
		"prefix": {[]byte(`<s:urlset xmlns:s="x"><s:url><s:loc>https://a.example/</s:loc></s:url></s:urlset>`),
			"https://a.example/", ""},
		"text": {[]byte("https://a.example/1\r\n\r\n https://a.example/2 \nnothing\n"),
			"https://a.example/1 https://a.example/2", ""},
		"rss": {[]byte(`<rss><channel><link>https://a.example/</link><item><link>https://a.example/1</link></item><item>` +
			`<link>https://a.example/2</link></item></channel></rss>`), "https://a.example/1 https://a.example/2", ""},
		"atom": {[]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/><entry><link ` +
			`rel="alternate" href="https://a.example/1"/><link rel="enclosure" href="https://a.example/x.mp3"/></entry></feed>`),
			"https://a.example/1", ""},
		"utf-16": {wideText(`<?xml version="1.0" encoding="utf-16"?>` +
			`<urlset><url><loc>https://a.example/ü</loc></url></urlset>`),
			"https://a.example/ü", ""},
		"empty": {[]byte(`<urlset></urlset>`), "", ""},
		"doctype": {[]byte(`<!DOCTYPE urlset SYSTEM "x.dtd"><urlset><url><loc>https://a.example/</loc></url></urlset>`),
			"https://a.example/", ""},
	} {
		got, err := ReadSitemap(c.body)
		if err != nil || strings.Join(got.Pages, " ") != c.pages || strings.Join(got.Sitemaps, " ") != c.maps {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestHostileSitemaps(t *testing.T) {
	bomb := `<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b ` +
		`"&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>`
	for name, c := range map[string]struct {
		body []byte
		want error
	}{
		"entities":       {[]byte(bomb), errEntities},
		"entities in gz": {gzipText(bomb), errEntities},
		"gz bomb":        {gzipText(strings.Repeat(" ", maxSitemapBytes+1)), errSitemapTooLarge},
		"a page":         {[]byte("<!doctype html><html><body>hello</body></html>"), errNotSitemap},
		"words":          {[]byte("hello"), errNotSitemap},
		"nothing":        {nil, errNotSitemap},
		"no gz":          {[]byte{0x1f, 0x8b, 1, 2, 3}, errNotSitemap},
		"nesting":        {[]byte("<urlset>" + strings.Repeat("<a>", 1000)), errNotSitemap},
		"something":      {[]byte("<!-- nothing -->"), errNotSitemap},
	} {
		if got, err := ReadSitemap(c.body); !errors.Is(err, c.want) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if got, err := ReadSitemap([]byte("<urlset><url><loc>https://a.example/</loc></url><url")); err == nil ||
		len(got.Pages) != 1 {
		t.Errorf("a broken sitemap has no error, or no page of its beginning: %v %v", got, err)
	}
	if _, err := ReadSitemap(gzipText("hello")[:15]); err == nil {
		t.Error("half a gz is read")
	}
}

func TestSitemapsAreBounded(t *testing.T) {
	var lines, urls strings.Builder
	for i := range maxEntries + 10 {
		fmt.Fprintf(&lines, "https://a.example/%d\n", i)
		fmt.Fprintf(&urls, "<url><loc>https://a.example/%d</loc></url>", i)
	}
	for _, text := range []string{lines.String(), "<urlset>" + urls.String()} {
		if got, err := ReadSitemap([]byte(text)); err != nil || len(got.Pages) != maxEntries {
			t.Error(len(got.Pages), err)
		}
	}
}
