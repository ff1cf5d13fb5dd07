package crawl

import (
	"net/url"
	"strings"
	"testing"
)

func parseURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := Canonical(nil, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

func TestCanonical(t *testing.T) {
	base := parseURL(t, "https://example.com/docs/intro?x=1")
	for ref, want := range map[string]string{
		"":                                       "https://example.com/docs/intro?x=1",
		"#part":                                  "https://example.com/docs/intro?x=1",
		"setup":                                  "https://example.com/docs/setup",
		"../a/./b/../c":                          "https://example.com/a/c",
		"/a/..":                                  "https://example.com/",
		"/a/.":                                   "https://example.com/a/",
		"/%2e%2E/%2e/b":                          "https://example.com/b",
		"../../../..":                            "https://example.com/",
		"/a//b/":                                 "https://example.com/a//b/",
		"?y=2":                                   "https://example.com/docs/intro?y=2",
		"/?":                                     "https://example.com/",
		"//EXAMPLE.com":                          "https://example.com/",
		"HTTP://Example.COM:80/A":                "http://example.com/A",
		"https://example.com:443":                "https://example.com/",
		"https://example.com:0443/":              "https://example.com/",
		"http://example.com:443/":                "http://example.com:443/",
		"https://example.com:/a":                 "https://example.com/a",
		"https://example.com./a":                 "https://example.com/a",
		"https://bücher.example/ü":               "https://xn--bcher-kva.example/%C3%BC",
		"https://BÜCHER.example/":                "https://xn--bcher-kva.example/",
		"https://faß.example/":                   "https://xn--fa-hia.example/",
		"https://日本語。jp/":                        "https://xn--wgv71a119e.jp/",
		"http://１２７.0.0.1/":                      "http://127.0.0.1/",
		"http://[2001:DB8:0:0::1]:8080/":         "http://[2001:db8::1]:8080/",
		"/%7euser/%c3%bc%2f%41":                  "https://example.com/~user/%C3%BC%2FA",
		"/a b|c\"<>^`{}[]":                       "https://example.com/a%20b%7Cc%22%3C%3E%5E%60%7B%7D%5B%5D",
		"/100%/x%zz":                             "https://example.com/100%25/x%25zz",
		`\a\b?c\d`:                               "https://example.com/a/b?c%5Cd",
		" \n/a\tb\r\nc ":                         "https://example.com/abc",
		"/p?utm_source=a&id=7&UTM_X=1&gclid=2":   "https://example.com/p?id=7",
		"/p?fbclid=1#top":                        "https://example.com/p",
		"/p?b=2&a=1&&c":                          "https://example.com/p?b=2&a=1&c",
		"/p?q=a+b%20c%26d":                       "https://example.com/p?q=a+b%20c%26d",
		"/s;jsessionid=8A?x=1":                   "https://example.com/s?x=1",
		"/s?PHPSESSID=1a&x=1&sessionid=2&CFID=3": "https://example.com/s?x=1",
		"/s?sid=0123456789abcdef0123456789ABCDEF&ASPSESSIONIDAB=X": "https://example.com/s",
		"/s?s=shoes&sid=7&session=morning":                         "https://example.com/s?s=shoes&sid=7&session=morning",
		"/a/b;v=1/c":                                               "https://example.com/a/b;v=1/c",
		"/a?b=http://x/?y":                                         "https://example.com/a?b=http://x/?y",
		"///example.org/a":                                         "https://example.org/a",
		"http://r3---s-.a.example/":                                "http://r3---s-.a.example/",
		"http://under_score.example/":                              "http://under_score.example/",
		"http://a.b.c.d.example/" + "x":                            "http://a.b.c.d.example/x",
		"http://8.8.8.8:8080":                                      "http://8.8.8.8:8080/",
		"https://example.com/\xff":                                 "https://example.com/%FF",
		"https://example.com/?\xe3\x81\x82=\xe4":                   "https://example.com/?%E3%81%82=%E4",
	} {
		u, err := Canonical(base, ref)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v %v, want %s", ref, u, err, want)
			continue
		}
		if again, err := Canonical(nil, want); err != nil || again.String() != want {
			t.Errorf("%s is canonical, and becomes %v %v", want, again, err)
		}
	}
}

func TestInvalidAddresses(t *testing.T) {
	for _, ref := range []string{
		"", "docs", "/a", "//a.example", "mailto:a@a.example", "javascript:void(0)", "data:text/html,x",
		"ftp://a.example/", "file:///etc/passwd", "http:", "http:///x",
		"http:a.example", "http://", "http://user@a.example/", "http://user:secret@a.example/", "http://a.example:0/",
		"http://a.example:65536/", "http://a.example:x/",
		"http://a b/", "http://a..b/", "http://.a/", "http://-/%", "http://127.1/", "http://0x7f000001/",
		"http://2130706433/", "http://0177.0.0.1/", "http://1.2.3.4.5/",
		"http://a.0x1/", "http://256.1.1.1/", "http://a.09/", "http://[::1%25eth0]/", "http://[::1", "http://a%00b/",
		"http://a%2fb/", "http://xn--a.example/", "http://a.example%80/", "http://a\\@b/",
		"http://" + strings.Repeat("a", 64) + ".example/", "http://a.example/" + strings.Repeat("a", maxURLBytes),
		"http://a.example\x01/",
	} {
		if u, err := Canonical(nil, ref); err == nil && ref != "http://-/%" && ref != `http://a\@b/` {
			t.Errorf("%q is taken for %s", ref, u)
		} else if err == nil && u.Hostname() == "b" {
			t.Errorf("%q leads to b", ref)
		}
	}
}

func TestSiteOfAnAddress(t *testing.T) {
	p, faults := Site{Start: "https://www.example.com/docs", Kind: WholeSite}.compile()
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for text, want := range map[string]bool{
		"https://example.com/": true, "http://example.com/a": true, "http://www.example.com/": true,
		"https://docs.example.com/": false, "https://example.com:8443/": false,
		"https://example.org/": false, "https://wwwexample.com/": false, "https://www.www.example.com/": false,
	} {
		if got := p.isInside(parseURL(t, text)); got != want {
			t.Errorf("inside(%s) = %v", text, got)
		}
	}
}

func TestTraps(t *testing.T) {
	for path, want := range map[string]bool{"/a/b/a/b/a/b": false, "/a/b/a/b/a/b/a/b": true,
		"/" + strings.Repeat("x/", 2): false, strings.Repeat("/y", 40): true,
		strings.Repeat("//", 8): false} {
		if got := hasRepeatedSegments(path); got != want {
			t.Errorf("windsUp(%s) = %v", path, got)
		}
	}
	for text, want := range map[string]string{
		"/article/123": "/article/0 1", "/2024/05/06/title": "/0/0/0/title 3",
		"/cal?month=1&year=2030": "/cal&month&year 2", "/p?date=2024-01-02": "/p&date 3",
		"/a?b": "/a&b 1", "/": "/ 0",
	} {
		shape, free := urlShape(parseURL(t, "https://a.example"+text))
		if got := shape + " " + string(rune('0'+free)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
