package crawl

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// A page that sets a cookie and redirects to itself is read, and the cookie goes with the next pages of the crawl only.
func TestCookies(t *testing.T) {
	ts := serve(t, "-- / --\n<p>Come in. <a href=/a>a</a>\n-- /a --\n<p>Words.\n")
	without := 0
	ts.override = func(out http.ResponseWriter, r *http.Request) bool {
		if _, err := r.Cookie("seen"); err == nil || r.URL.Path == "/robots.txt" {
			return false
		}
		without++
		http.SetCookie(out, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(out, r, r.URL.Path, http.StatusFound)
		return true
	}
	for range 2 {
		ts.crawl(t, Site{Start: "/", Kind: WholeSite}).expect(t, "/ included\n/a included\n")
	}
	if without != 2 {
		t.Errorf("asked %d times without the cookie", without)
	}
	n := 0
	ts.override = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			return false
		}
		n++
		http.SetCookie(out, &http.Cookie{Name: "n", Value: strconv.Itoa(n)})
		http.Redirect(out, r, r.URL.Path, http.StatusFound)
		return true
	}
	ts.crawl(t, Site{Start: "/", Kind: Individual}).expect(t, "/ failed it redirects to itself\n")
	if n != maxHops+1 {
		t.Errorf("asked %d times", n)
	}
}

// A check whether a browser asks is no page.
func TestBrowserChecks(t *testing.T) {
	ts := serve(t, "-- / --\n<title>Just a moment...</title><script>window._cf_chl_opt={}</script>Enable JavaScript\n")
	ts.crawl(t, Site{Start: "/", Kind: Individual}).expect(t,
		"/ failed the host answers with a check whether a browser asks\n")
}

// A cookie goes back to the host that has set it, within the bounds of a crawl.
func TestCookieJar(t *testing.T) {
	const at = "http://shop.example/a"
	for name, c := range map[string]struct {
		from string
		set  []string
		to   string
		want string
	}{
		"another page":     {at, []string{"seen=1"}, "http://shop.example/b?x=1", "seen=1"},
		"another host":     {at, []string{"seen=1"}, "http://other.example/a", ""},
		"a host below it":  {at, []string{"seen=1; Domain=shop.example"}, "http://www.shop.example/a", ""},
		"another port":     {at, []string{"seen=1"}, "http://shop.example:81/a", ""},
		"a changed value":  {at, []string{"seen=1", "seen=2"}, at, "seen=2"},
		"taken back":       {at, []string{"seen=1", "seen=; Max-Age=0"}, at, ""},
		"for HTTPS only":   {at, []string{"seen=1; Secure"}, at, ""},
		"over HTTPS":       {"https://shop.example/a", []string{"seen=1; Secure"}, "https://shop.example/", "seen=1"},
		"with a path":      {at, []string{"seen=1; Path=/a; HttpOnly"}, at, "seen=1"},
		"far too long":     {at, []string{"seen=" + strings.Repeat("1", maxCookieBytes)}, at, ""},
		"no cookie at all": {at, []string{"=1", ""}, at, ""},
	} {
		jar, from := &cookieJar{}, mustParseURL(t, c.from)
		jar.keep(from, http.Header{"Set-Cookie": c.set})
		req := &http.Request{URL: mustParseURL(t, c.to), Header: http.Header{}}
		jar.add(req)
		if got := req.Header.Get("Cookie"); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	jar := &cookieJar{}
	for i := range maxCookies + 5 {
		jar.keep(mustParseURL(t, at), http.Header{"Set-Cookie": {"c" + strconv.Itoa(i) + "=1"}})
	}
	if n := len(jar.byHost["shop.example"]); n != maxCookies {
		t.Errorf("%d cookies of a host are kept", n)
	}
}

func mustParseURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
