package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"parley/internal/console"
	"parley/internal/httpapi"
)

// policies are the headers of every answer of the shell.
var policies = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
		"font-src 'self'; connect-src 'self'; frame-src 'self'; media-src 'self' blob:; " +
		"manifest-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Origin-Agent-Cluster":         "?1",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Permissions-Policy": "microphone=(self), camera=(), geolocation=(), " +
		"publickey-credentials-get=(self), publickey-credentials-create=(self)",
}

const immutable = "public, max-age=31536000, immutable"

func newShell(t *testing.T, baseURL string) *console.Shell {
	t.Helper()
	s, err := console.NewShell(httpapi.Site{URL: baseURL, TrustProxy: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(s *console.Shell, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// anyAsset returns the path of a script that the index names.
func anyAsset(t *testing.T, s *console.Shell) string {
	t.Helper()
	script := regexp.MustCompile(`/console/assets/index-[\w-]+\.js`).FindString(send(s, "GET", "/console/").Body.String())
	if script == "" {
		t.Skip("SKIP: built without the console")
	}
	return script
}

// The preview of a chat is a frame of the host of visitors' pages, which may be another one.
func TestShellShowsFramesOfVisitorsPages(t *testing.T) {
	for pagesURL, want := range map[string]string{
		"":                               "frame-src 'self';",
		"https://chat.shop.example":      "frame-src 'self' https://chat.shop.example/chatbot-iframe/;",
		"http://localhost:8080/":         "frame-src 'self' http://localhost:8080/chatbot-iframe/;",
		"https://a.example; img-src *":   "frame-src 'self';",
		"https://[2001:db8::1]":          "frame-src 'self';",
		"https://a.example/x;script-src": "frame-src 'self' https://a.example/chatbot-iframe/;",
	} {
		s, err := console.NewShell(httpapi.Site{URL: "https://desk.shop.example"}, pagesURL)
		if err != nil {
			t.Fatal(err)
		}
		policy := send(s, "GET", "/console/").Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, want) {
			t.Errorf("%q: %s", pagesURL, policy)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newShell(t, "http://localhost:8080")
	script := anyAsset(t, s)
	for _, c := range []struct {
		method, path string
		status       int
		contentType  string
		cacheControl string
	}{
		{"GET", "/console/", 200, "text/html; charset=utf-8", "no-cache"},
		{"HEAD", "/console/", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/console/agents/abc", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/console/index.html", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", script, 200, "text/javascript; charset=utf-8", immutable},
		{"GET", "/console/console.licenses.txt", 200, "text/plain; charset=utf-8", "no-cache"},
		{"GET", "/console/assets/old-12345678.js", 404, "text/plain; charset=utf-8", "no-cache"},
		{"GET", "/console", 303, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/", 303, "text/html; charset=utf-8", "no-cache"},
		{"POST", "/console/", 405, "text/plain; charset=utf-8", ""},
	} {
		w := send(s, c.method, c.path)
		h := w.Result().Header
		if w.Code != c.status || h.Get("Content-Type") != c.contentType || h.Get("Cache-Control") != c.cacheControl {
			t.Errorf("%s %s: %d %v", c.method, c.path, w.Code, h)
		}
		for name, want := range policies {
			if h.Get(name) != want {
				t.Errorf("%s %s: %s is %q", c.method, c.path, name, h.Get(name))
			}
		}
		if h.Get("Strict-Transport-Security") != "" || h.Get("Set-Cookie") != "" {
			t.Errorf("%s %s: %v", c.method, c.path, h)
		}
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"an https URL":     send(newShell(t, "https://a.example"), "GET", "/console/"),
		"a proxy's header": send(newShell(t, ""), "GET", "/console/", "X-Forwarded-Proto", "http, https"),
	} {
		if w.Header().Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: HTTPS is not required from now on", name)
		}
	}
}

func TestServes(t *testing.T) {
	s := newShell(t, "")
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, c := range []struct {
		method, path, accept string
		want                 bool
	}{
		{"GET", "/", browser, true},
		{"HEAD", "/", browser, true},
		{"GET", "/", "*/*", false},
		{"GET", "/", "", false},
		{"GET", "/", "application/json", false},
		{"POST", "/", browser, false},
		{"GET", "/console", "", true},
		{"GET", "/console/", "", true},
		{"GET", "/console/agents", "", true},
		{"GET", "/console/apiary", "", true},
		{"GET", "/console/api", browser, false},
		{"GET", "/console/api/v1/session", browser, false},
		{"GET", "/consoles", browser, false},
		{"GET", "/api/v2/agents", browser, false},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Header.Set("Accept", c.accept)
		if got := s.Serves(r); got != c.want {
			t.Errorf("%s %s, accepting %q: %v", c.method, c.path, c.accept, got)
		}
	}
}

func TestCaching(t *testing.T) {
	s := newShell(t, "")
	script := anyAsset(t, s)
	for _, path := range []string{"/console/", script} {
		plain, zipped := send(s, "GET", path), send(s, "GET", path, "Accept-Encoding", "br, gzip")
		if zipped.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %v, %v", path, plain.Header(), zipped.Header())
		}
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || string(text) != plain.Body.String() {
			t.Errorf("%s: compressed it is another text: %v", path, err)
		}
		tag := zipped.Header().Get("ETag")
		if tag == plain.Header().Get("ETag") {
			t.Errorf("%s: both forms have the tag %s", path, tag)
		}
		again := send(s, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag)
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s, asked again: %d", path, again.Code)
		}
	}
}
