//go:build unix

package crawl

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to read the reply of a site is linear in its size.
func TestWork(t *testing.T) {
	at := &url.URL{Scheme: "https", Host: "a.example", Path: "/b/c"}
	canonical := func(ref string) { _, _ = Canonical(at, ref) }
	hostile.Readers(t, map[string]func(text string){
		"robots": func(text string) {
			r := ParseRobots([]byte(text), "parley")
			r.Allows(at)
		},
		"rules":   func(text string) { ParseRobots([]byte("User-agent: *\nDisallow: /"+text), "parley").Allows(at) },
		"sitemap": func(text string) { _, _ = ReadSitemap([]byte(text)) },
		"entries": func(text string) { _, _ = ReadSitemap([]byte("<urlset><url><loc>" + text)) },
		"page":    func(text string) { scanPage(toUTF8([]byte(text), "text/html", true), at, "parley") },
		"reference": func(text string) {
			scanPage([]byte(`<a href="`+text+`"><meta name=robots content="`+text), at, "parley")
		},
		"path": canonical,
		"host": func(text string) {
			canonical("http://" + text)
			canonical("http://" + strings.ReplaceAll(text, "/", "") + ".example/")
		},
		"query":      func(text string) { canonical("?" + text) },
		"directives": func(text string) { new(directives).parseHeader(http.Header{"X-Robots-Tag": {text}}, "parley") },
	})
}

// The same holds for repeated parts of robots.txt and sitemaps.
func TestWorkOfMaps(t *testing.T) {
	sitemap := func(text string) { _, _ = ReadSitemap([]byte(text)) }
	robots := func(text string) {
		ParseRobots([]byte(text), "parley").Allows(&url.URL{Path: strings.Repeat("/ab", 600)})
	}
	for _, c := range []struct {
		kind hostile.Kind
		read func(text string)
	}{
		{hostile.Made("entries", "<urlset>", "<url><loc>http://a.example/</loc></url>", ""), sitemap},
		{hostile.Halves("a long name of an element", "<urlset><", "a", ">", "<b></b>", ""), sitemap},
		{hostile.Made("declarations of encodings", "", `<?xml version="1.0" encoding="koi8-r"?>`, "<urlset>"), sitemap},
		{hostile.Made("attributes", "<urlset", ` a="b"`, ">"), sitemap},
		{hostile.Made("entities", "<urlset><url><loc>", "&a;&amp;", ""), sitemap},
		{hostile.Made("rules", "User-agent: *\n", "Disallow: /a*b*\n", ""), robots},
		{hostile.Made("one rule", "User-agent: *\nDisallow: /", "*a", "$\n"), robots},
		{hostile.Made("agents", "", "User-agent: *\n", "Disallow: /\n"), robots},
	} {
		hostile.RequireLinear(t, hostile.Size(16<<10), c.kind, c.read)
	}
}

// A host name that is longer than any can be is refused before it is mapped.
func TestWorkOfLongHosts(t *testing.T) {
	refuse := func(n rune) func() {
		var host strings.Builder
		for r := '一'; r < '一'+n; r++ {
			host.WriteRune(r)
		}
		return func() {
			if u, err := Canonical(nil, "http://"+host.String()+"/"); err == nil {
				t.Errorf("it is %s", u)
			}
		}
	}
	hostile.RequireGrowth(t, refuse(2_500), refuse(20_000))
	hostile.RequireLinear(t, 64<<10, hostile.Made("labels", "http://", "ü.ä", ".example/"), func(text string) {
		_, _ = Canonical(nil, text)
	})
	if u, err := Canonical(nil, "http://"+strings.Repeat("ü", 50)+".example/"); err != nil ||
		!strings.HasPrefix(u.Host, "xn--") {
		t.Errorf("%v %v", u, err)
	}
}

func FuzzWork(f *testing.F) {
	for _, s := range []string{"Disallow: /*a\n", "<url><loc>a", "<a href=b>", `<?xml encoding="koi8-r"?>`, "%zz/../",
		"ü."} {
		f.Add(s)
	}
	at := &url.URL{Scheme: "https", Host: "a.example", Path: "/b/c"}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) {
			ParseRobots([]byte("User-agent: *\n"+text), "parley").Allows(at)
			_, _ = ReadSitemap([]byte("<urlset>" + text))
			scanPage([]byte(text), at, "parley")
			_, _ = Canonical(at, text)
			_, _ = Canonical(at, "http://"+text)
		})
	})
}
