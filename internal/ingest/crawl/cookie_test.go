package crawl

import (
	"net/http"
	"strconv"
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
