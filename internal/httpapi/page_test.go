package httpapi_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/httpapi"
)

func TestPagePolicy(t *testing.T) {
	h := http.Header{}
	httpapi.PagePolicy{Sources: []string{"script-src 'self'", "form-action http://a.example/search"}}.Set(h, false)
	want := "default-src 'none'; script-src 'self'; form-action http://a.example/search; worker-src 'none'; " +
		"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	if got := h.Get("Content-Security-Policy"); got != want {
		t.Error(got)
	}
	if h.Get("Strict-Transport-Security") != "" || !strings.Contains(h.Get("Permissions-Policy"), "microphone=()") {
		t.Error(h)
	}
	console := http.Header{}
	httpapi.PagePolicy{IsConsole: true}.Set(console, true)
	if console.Get("Cross-Origin-Opener-Policy") == h.Get("Cross-Origin-Opener-Policy") {
		t.Error("a public page that opens the console can read its window")
	}
	if console.Get("Strict-Transport-Security") == "" || !strings.Contains(console.Get("Content-Security-Policy"),
		"form-action 'none'") {
		t.Error(console)
	}
}

func TestIsHTTPS(t *testing.T) {
	for _, c := range []struct {
		url        string
		trustProxy bool
		isTLS      bool
		forwarded  []string
		want, uses bool
	}{
		{"", false, false, nil, false, false},
		{"", false, true, nil, true, true},
		{"", true, true, []string{"http"}, true, true},
		{"https://a.example", false, false, nil, false, true},
		{"https://a.example", true, false, nil, false, true},
		{"", false, false, []string{"https"}, false, false},
		{"", true, false, []string{"https"}, true, true},
		{"", true, false, []string{"http,HTTPS "}, true, true},
		{"", true, false, []string{"https, http"}, false, false},
		{"", true, false, []string{"https", "http"}, false, false},
		{"", true, false, []string{""}, false, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if c.isTLS {
			r.TLS = &tls.ConnectionState{}
		}
		r.Header["X-Forwarded-Proto"] = c.forwarded
		s := httpapi.Site{URL: c.url, TrustProxy: c.trustProxy}
		if s.IsHTTPS(r) != c.want || s.UsesHTTPS(r) != c.uses {
			t.Errorf("%+v: %v, %v", c, s.IsHTTPS(r), s.UsesHTTPS(r))
		}
	}
}

func TestIsLocal(t *testing.T) {
	for _, c := range []struct {
		from, host, name, value string
		want                    bool
	}{
		{"127.0.0.1:5", "localhost:8080", "", "", true},
		{"127.8.9.1:5", "127.0.0.1", "", "", true},
		{"[::1]:5", "[::1]:8080", "", "", true},
		{"[::ffff:127.0.0.1]:5", "LOCALHOST", "", "", true},
		{"127.0.0.1:5", "parley.localhost:8080", "Origin", "http://parley.localhost:8080", true},
		{"127.0.0.1:5", "localhost:8080", "Origin", "null", true},
		{"127.0.0.1:5", "localhost:8080", "Origin", "https://parley.example", false},
		{"127.0.0.1:5", "parley.example", "", "", false},
		{"127.0.0.1:5", "localhost.example", "", "", false},
		{"192.168.1.2:5", "localhost:8080", "", "", false},
		{"127.0.0.1:5", "localhost:8080", "X-Forwarded-For", "127.0.0.1", false},
		{"127.0.0.1:5", "localhost:8080", "X-Forwarded-Proto", "http", false},
		{"127.0.0.1:5", "localhost:8080", "X-Forwarded-Host", "localhost", false},
		{"127.0.0.1:5", "localhost:8080", "X-Real-Ip", "127.0.0.1", false},
		{"127.0.0.1:5", "localhost:8080", "Forwarded", "for=127.0.0.1", false},
		{"127.0.0.1:5", "localhost:8080", "Via", "1.1 x", false},
		{"@", "localhost:8080", "", "", false},
		{"", "", "", "", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = c.from, c.host
		if c.name != "" {
			r.Header.Set(c.name, c.value)
		}
		if got := httpapi.IsLocal(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestHostsThatPoliciesCanName(t *testing.T) {
	for _, c := range []struct {
		url, host string
		want      []string
	}{
		{"", "a.example", []string{"a.example"}},
		{"https://A.example/", "a.example", []string{"a.example"}},
		{"https://a.example:8443", "B_1.example:80", []string{"b_1.example:80", "a.example:8443"}},
		{"http://[::1]:8080", "[::1]:8080", nil},
		{"", "a.example; script-src *", nil},
		{"", "a.example, b.example", nil},
		{"", "*.example", nil},
		{"", "a.example:99999999", nil},
		{"", "", nil},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if got := (httpapi.Site{URL: c.url}).Hosts(r); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
