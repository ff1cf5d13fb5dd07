package widget_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/httpapi"
	"parley/internal/widget"
	"parley/web"
)

func newPage(t *testing.T, voiceURL string) *widget.Page {
	t.Helper()
	p, err := widget.New(voiceURL, httpapi.Site{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sendRequest sends a request from this machine; header holds names and values in turn.
func sendRequest(p http.Handler, method, url string, header ...string) *http.Response {
	r := httptest.NewRequest(method, url, nil)
	r.RemoteAddr = "127.0.0.1:50000"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func readBody(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Pages of any site may load the library; the browser asks for it again only when it has changed.
func TestLibraryMayBeLoadedByEverySite(t *testing.T) {
	p := newPage(t, "ws://127.0.0.1:8080")
	const url = "http://127.0.0.1:8080/sdk/service-voice.js"
	want, err := web.Files.ReadFile("built/service-voice.js")
	if err != nil {
		t.Fatal(err)
	}
	plain := sendRequest(p, "GET", url, "Accept-Encoding", "br, gzip;q=0")
	if got := readBody(t, plain.Body); plain.StatusCode != 200 || got != string(want) ||
		plain.Header.Get("Content-Encoding") != "" ||
		plain.Header.Get("Access-Control-Allow-Origin") != "*" ||
		plain.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%d, %d bytes of %d, %v", plain.StatusCode, len(got), len(want), plain.Header)
	}
	small := sendRequest(p, "GET", url, "Accept-Encoding", "br, gzip")
	z, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := readBody(t, z); got != string(want) || small.Header.Get("Content-Encoding") != "gzip" ||
		small.Header.Get("ETag") == plain.Header.Get("ETag") {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), small.Header)
	}
	if again := sendRequest(p, "GET", url, "If-None-Match",
		plain.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("%d", again.StatusCode)
	}
	if refused := sendRequest(p, "POST", url); refused.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%d", refused.StatusCode)
	}
	for _, url := range []string{"http://127.0.0.1/demo/voice", "http://127.0.0.1/demo/voice.js",
		"http://127.0.0.1/sdk/service-voice.licenses.txt"} {
		if r := sendRequest(p, "GET", url); r.StatusCode != 200 || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, %v", url, r.StatusCode, r.Header)
		}
	}
	for _, url := range []string{"http://127.0.0.1/sdk/service-voice.js",
		"http://127.0.0.1/sdk/service-voice.licenses.txt"} {
		if r := sendRequest(p, "GET", url); r.Header.Get("Content-Security-Policy") != "" ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is a file for other pages: %v", url, r.Header)
		}
	}
}

// The policy lets the page join where sessions are, and reach nothing else: neither other hosts nor another path of
// this one, under whichever name.
func TestPolicyNamesPaths(t *testing.T) {
	const (
		own     = "http://127.0.0.1:8080/demo/voice/session"
		signals = "ws://127.0.0.1:8080/rtc ws://127.0.0.1:8080/rtc/ http://127.0.0.1:8080/rtc http://127.0.0.1:8080/rtc/"
		base    = " http://talk.example/demo/voice/session"
	)
	for _, c := range []struct{ voiceURL, baseURL, host, want string }{
		{"wss://talk.example:7443/", "", "127.0.0.1:8080", own + " wss://talk.example:7443/rtc wss://talk.example:7443/rtc/" +
			" https://talk.example:7443/rtc https://talk.example:7443/rtc/"},
		{"ws://127.0.0.1:8080", "", "127.0.0.1:8080", own + " " + signals},
		{"", "", "127.0.0.1:8080", own + " " + signals},
		{"", "https://Talk.example", "127.0.0.1:8080", own + " " + signals + base +
			" ws://talk.example/rtc ws://talk.example/rtc/ http://talk.example/rtc http://talk.example/rtc/"},
		{"ws://a;script-src *", "", "127.0.0.1:8080", own + " " + signals},
		{"ws://[::1]:8080", "", "127.0.0.1:8080", own + " " + signals},
		{"", "", "a;script-src *", "'none'"},
		{"", "", "a b.example", "'none'"},
		{"", "", "[2001:db8::1]", "'none'"},
	} {
		p, err := widget.New(c.voiceURL, httpapi.Site{URL: c.baseURL})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/demo/voice", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		want := "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src " + c.want +
			"; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
			"require-trusted-types-for 'script'; trusted-types 'none'"
		if got := w.Header().Get("Content-Security-Policy"); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", c, got, want)
		}
	}
}

// Policies cannot name an address of IPv6, so the page would not work there.
func TestPageAtIPv6LoopbackLeadsToAName(t *testing.T) {
	for url, want := range map[string]string{
		"http://[::1]:8080/demo/voice": "http://localhost:8080/demo/voice",
		"http://[::1]/demo/voice":      "http://localhost/demo/voice",
	} {
		if r := sendRequest(newPage(t, ""), "GET", url); r.StatusCode != http.StatusTemporaryRedirect ||
			r.Header.Get("Location") != want {
			t.Errorf("%s: %d %v", url, r.StatusCode, r.Header)
		}
	}
}

// Only the page itself, in a browser on this machine, can create sessions.
func TestSessionsAreForThisMachineOnly(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("made")) })
	const origin, url = "http://localhost:8080", "http://localhost:8080/demo/voice/session"
	closed, open := newPage(t, ""), newPage(t, "")
	open.EnableSessions(handler)
	if r := sendRequest(closed, "POST", url, "Origin", origin); r.StatusCode != http.StatusNotFound {
		t.Errorf("not a demo: %d", r.StatusCode)
	}
	if r := sendRequest(open, "POST", url, "Origin", origin); readBody(t, r.Body) != "made" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if r := sendRequest(open, "GET", url, "Origin", origin); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%d", r.StatusCode)
	}
	for name, c := range map[string]struct {
		url    string
		header []string
	}{
		"no page":          {url, nil},
		"another site":     {url, []string{"Origin", "https://evil.example"}},
		"another port":     {url, []string{"Origin", "http://localhost:9090"}},
		"a sandboxed page": {url, []string{"Origin", "null"}},
		"a name bent to loopback": {"http://evil.example:8080/demo/voice/session",
			[]string{"Origin", "http://evil.example:8080"}},
		"through a proxy": {url, []string{"Origin", origin, "X-Forwarded-For", "203.0.113.9"}},
	} {
		if r := sendRequest(open, "POST", c.url, c.header...); r.StatusCode != http.StatusNotFound ||
			r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	far := httptest.NewRequest("POST", url, nil)
	far.RemoteAddr = "192.168.1.7:50000"
	far.Header.Set("Origin", origin)
	w := httptest.NewRecorder()
	if open.ServeHTTP(w, far); w.Code != http.StatusNotFound {
		t.Errorf("from elsewhere: %d", w.Code)
	}
}

// The page shows the button for the demo's agent to those for whom it works, and the field for a token to all.
func TestPageOffersWhatWorks(t *testing.T) {
	p := newPage(t, "")
	p.EnableSessions(http.NotFoundHandler())
	const button, field = `id="call"`, `id="token"`
	for url, demo := range map[string]bool{"http://127.0.0.1:8080/demo/voice": true,
		"http://parley.example/demo/voice": false} {
		if text := readBody(t, sendRequest(p, "GET", url).Body); strings.Contains(text, button) != demo ||
			!strings.Contains(text, field) {
			t.Errorf("%s: %s", url, text)
		}
	}
}
