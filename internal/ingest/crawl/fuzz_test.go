package crawl

import (
	"net/url"
	"strings"
	"testing"
)

func FuzzCanonical(f *testing.F) {
	for _, ref := range []string{"https://a.example/b?c#d", "//b%zz", `\\a\b`, "http://[::1]:80/",
		"../%2e%2e/;jsessionid=1;jsessionid=2", "?utm_a&%75tm_b", "http://ü.example:/%", "http://1.1"} {
		f.Add(ref)
	}
	base := &url.URL{Scheme: "https", Host: "a.example", Path: "/x/y"}
	f.Fuzz(func(t *testing.T, ref string) {
		u, err := Canonical(base, ref)
		if err != nil {
			return
		}
		text := u.String()
		if strings.ContainsAny(text, "#\\ \t\r\n") || len(text) > maxURLBytes || u.User != nil || u.Host == "" ||
			!strings.HasPrefix(u.Path, "/") {
			t.Errorf("%q gives %q", ref, text)
		}
		for _, b := range []byte(text) {
			if b <= ' ' || b > '~' {
				t.Errorf("%q gives %q", ref, text)
			}
		}
		if again, err := Canonical(nil, text); err != nil || again.String() != text {
			t.Errorf("%q gives %q, and that %v %v", ref, text, again, err)
		}
		read, err := url.Parse(text) // as the client does
		if err != nil || read.Host != u.Host || read.EscapedPath() != u.EscapedPath() {
			t.Errorf("%q is read otherwise: %v %v", text, read, err)
		}
		if (&Robots{}).Allows(u) != true || pathShape(u) == "" {
			t.Error(text)
		}
	})
}

func pathShape(u *url.URL) string { s, _ := urlShape(u); return s }

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 3\nSitemap: x"), "/aXb")
	f.Add([]byte("\xEF\xBBuser-agent parley\rallow:/%zz%2a**$$"), "/%41?*")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		u, err := Canonical(nil, "https://a.example/"+path)
		if err != nil {
			return
		}
		robots := ParseRobots(text, "parley")
		if robots.Delay < 0 || len(robots.Sitemaps) > maxSitemaps {
			t.Error(robots.Delay, len(robots.Sitemaps))
		}
		if !robots.Allows(u) && !strings.Contains(strings.ToLower(string(text)), "l") {
			t.Error("forbidden without a rule")
		}
	})
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(sitemapText))
	f.Add(gzipText(sitemapText))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><urlset>&a;</urlset>`))
	f.Add([]byte("https://a.example/\nx"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, _ := ReadSitemap(body)
		if len(e.Pages)+len(e.Sitemaps) > maxEntries {
			t.Error(len(e.Pages), len(e.Sitemaps))
		}
	})
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`<base href="/x/"><a href=a rel=nofollow><a href=b><meta name=robots content=none><link `+
		`rel=canonical href=c><meta http-equiv=refresh content="0;url=d">`),
		"text/html; charset=gbk")
	f.Add([]byte("<?xml version='1.0' encoding='iso-8859-1'?><a href=\xfc>"), "application/xhtml+xml")
	at := &url.URL{Scheme: "https", Host: "a.example", Path: "/"}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		if len(body) > 1<<16 {
			return
		}
		text := toUTF8(body, contentType, true)
		if s := scanPage(text, at, "parley"); len(s.links) > maxLinks {
			t.Error(len(s.links))
		}
	})
}
