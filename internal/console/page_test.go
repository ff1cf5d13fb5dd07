package console_test

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
)

// Every page of this server, public or not, has a policy that keeps it from the console, errors and redirects included.
func TestEveryPageHasAPolicy(t *testing.T) {
	ct := openConsole(t, testkit.WithConfig(func(c *server.Config) { c.BaseURL = "https://parley.example" }))
	b := &browser{ct: ct}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 303},
		{"GET", "/console", 303},
		{"GET", "/console/", 200},
		{"GET", "/console/a/x/agents", 200},
		{"POST", "/console/", 405},
		{"GET", "/console/assets/x.js", 404},
		{"GET", "/console/api/v1/session/oidc", 303},
		{"GET", "/console/api/v1/session/oidc/callback?state=%3Cscript%3E", 303},
		{"POST", "/console/api/v1/session/oidc", 405},
		{"GET", "/demo/voice", 200},
		{"HEAD", "/demo/voice", 200},
		{"POST", "/demo/voice", 405},
		{"POST", "/demo/voice/session", 404},
		{"GET", "/demo/voice.css", 200},
		{"GET", "/demo/voice.js", 200},
		{"GET", "/demo/widget/AAAAAAAAAAAAAAAAAAAAA?ticket=x", 404},
		{"GET", "/demo/widget.js", 200},
		{"GET", "/docs", 200},
		{"GET", "/docs/manual", 200},
		{"GET", "/docs/manual/", 303},
		{"GET", "/docs/manual/sources", 200},
		{"GET", "/docs/manual/sources.md", 303},
		{"GET", "/docs/manual/nothing", 404},
		{"GET", "/docs/manual?q=%3Cscript%3E", 200},
		{"POST", "/docs/manual", 405},
	} {
		r := b.newRequest(c.method, c.path, "")
		r.Host, r.RemoteAddr = "parley.example", "192.0.2.1:1234"
		r.Header.Set("Accept", "text/html")
		got := b.serve(r)
		if got.status != c.status {
			t.Errorf("%s %s: %s, want %d", c.method, c.path, got, c.status)
		}
		checkPagePolicy(t, c.method+" "+c.path, got.header, strings.HasPrefix(c.path, "/console") || c.path == "/")
	}
}

func checkPagePolicy(t *testing.T, page string, h http.Header, isConsole bool) {
	t.Helper()
	opener := map[bool]string{true: "same-origin", false: "same-origin-allow-popups"}
	for name, want := range map[string]string{
		"Cross-Origin-Opener-Policy":   opener[isConsole],
		"Cross-Origin-Resource-Policy": "same-origin",
		"Origin-Agent-Cluster":         "?1",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Strict-Transport-Security":    "max-age=31536000",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %s is %q", page, name, h.Get(name))
		}
	}
	directives := map[string]string{}
	for directive := range strings.SplitSeq(h.Get("Content-Security-Policy"), "; ") {
		name, sources, _ := strings.Cut(directive, " ")
		directives[name] = sources
	}
	for _, name := range []string{"default-src", "worker-src", "base-uri", "frame-ancestors", "trusted-types"} {
		if directives[name] != "'none'" {
			t.Errorf("%s: %s is %q", page, name, directives[name])
		}
	}
	if directives["require-trusted-types-for"] != "'script'" || h.Get("Permissions-Policy") == "" {
		t.Errorf("%s: %v", page, h)
	}
	if isConsole {
		return
	}
	for _, name := range []string{"connect-src", "form-action", "frame-src"} {
		for source := range strings.FieldsSeq(directives[name]) {
			if source != "'none'" && !hasPath(source) {
				t.Errorf("%s: %s names %s, where the console may be", page, name, source)
			}
		}
	}
}

// hasPath reports whether a source of a policy names a path of a host.
func hasPath(source string) bool {
	_, rest, _ := strings.Cut(source, "://")
	_, path, _ := strings.Cut(rest, "/")
	return path != "" && !strings.HasPrefix(path, "console")
}

// What is no page is never taken for one.
func TestWhatIsNoPageIsNotTakenForOne(t *testing.T) {
	ct := openConsole(t)
	b := &browser{ct: ct}
	for _, path := range []string{"/nothing", "/docs/", "/openapi.json", "/api/v2/health", "/api/v2/agents",
		"/api/v1/nothing", "/api/mcp", "/rtc", "/sdk/service-voice.js", "/sdk/service-voice.licenses.txt",
		"/console/api/v1/me", "/console/api"} {
		got := b.serve(b.newRequest(http.MethodGet, path, ""))
		if strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v", path, got.header)
		}
	}
}
