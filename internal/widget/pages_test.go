package widget_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// fixture is a server with agents.
type fixture struct {
	*testing.T
	server *testkit.Server
	open   string // the id of an agent that may be embedded anywhere
	shop   string // of one on shop.example and below
	secret string // of a private one
}

func newFixture(t *testing.T, options ...testkit.Option) *fixture {
	t.Helper()
	f := &fixture{T: t, server: testkit.Open(t, options...)}
	f.open = f.newAgent(`{"visibility":"public","name":"</script><b>Help"}`)
	f.shop = f.newAgent(`{"visibility":"public","name":"Shop","allowedDomains":["*.Shop.example","localhost"]}`)
	f.secret = f.newAgent(`{"visibility":"private","name":"Secret"}`)
	return f
}

func (f *fixture) newAgent(settings string) string {
	f.Helper()
	agent := f.server.NewAgent(f, f.server.Key)
	if r := f.server.Do(f, http.MethodPut, "/agents/"+agent, f.server.Key, settings); r.Status != http.StatusOK {
		f.Fatalf("%d %s", r.Status, r.Body)
	}
	return agent
}

// get sends a request to a host as a browser from elsewhere does; header holds names and values in turn.
func (f *fixture) get(path string, header ...string) *http.Response {
	return f.do(http.MethodGet, "http://parley.example"+path, header...)
}

func (f *fixture) do(method, url string, header ...string) *http.Response {
	f.Helper()
	r := httptest.NewRequestWithContext(f.Context(), method, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.server.Handler().ServeHTTP(w, r)
	return w.Result()
}

// directives returns the directives of a page's policy.
func directives(h http.Header) map[string]string {
	all := map[string]string{}
	for each := range strings.SplitSeq(h.Get("Content-Security-Policy"), "; ") {
		name, sources, _ := strings.Cut(each, " ")
		all[name] = sources
	}
	return all
}

// What is common to the policies of all pages: no more may be loaded or reached than they name.
const closedPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src IMAGES; font-src 'self'; " +
	"connect-src CONNECT; frame-src 'none'; media-src 'self' blob:; manifest-src 'self'; frame-ancestors ANCESTORS; " +
	"worker-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const (
	ownPaths   = "http://parley.example/api/chat/ http://parley.example/__cb/"
	ownSignals = "wss://parley.example/rtc wss://parley.example/rtc/ https://parley.example/rtc " +
		"https://parley.example/rtc/"
	anyPaths  = " http://*:*/api/chat/"
	shopNames = "http://shop.example:* http://*.shop.example:* http://localhost:* http://*.localhost:*"
)

func TestEveryPageHasItsPolicy(t *testing.T) {
	f := newFixture(t, testkit.WithConfig(func(c *server.Config) { c.BaseURL = "https://parley.example" }))
	deleted := f.newAgent(`{"visibility":"public"}`)
	f.server.Do(f, http.MethodDelete, "/agents/"+deleted, f.server.Key, nil)
	const unknown = "AAAAAAAAAAAAAAAAAAAAA"
	const frame, help = "/chatbot-iframe/", "/help"
	for _, c := range []struct {
		method, path string
		status       int
		ancestors    string
	}{
		{"GET", frame + f.open, 200, "*"},
		{"HEAD", frame + f.open, 200, "*"},
		{"GET", frame + f.open + "/", 200, "*"},
		{"GET", frame + f.open + "?mode=bubble", 200, "*"},
		{"GET", frame + f.shop, 200, shopNames},
		{"GET", frame + f.secret, 404, "*"},
		{"GET", frame + deleted, 404, "*"},
		{"GET", frame + unknown, 404, "*"},
		{"GET", frame, 404, "*"},
		{"GET", frame + "%3Cscript%3E/x?mode=%3Cscript%3E", 404, "*"},
		{"POST", frame + f.open, 405, "*"},
		{"GET", frame + f.open + "?preview=p1.x", 404, "'self'"},
		{"GET", "/" + f.open + help, 200, "'none'"},
		{"HEAD", "/" + f.open + help, 200, "'none'"},
		{"GET", "/" + f.open + help + "/a/b?c", 200, "'none'"},
		{"GET", help + "/" + f.open, 200, "'none'"},
		{"GET", help + "/" + f.open + "/a", 200, "'none'"},
		{"GET", "/" + f.secret + help, 404, "'none'"},
		{"GET", "/" + deleted + help, 404, "'none'"},
		{"GET", help + "/" + unknown, 404, "'none'"},
		{"POST", "/" + f.open + help, 405, "'none'"},
	} {
		r := f.do(c.method, "http://parley.example"+c.path, "Accept-Language", "de")
		if r.StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, r.StatusCode, c.status)
		}
		isHelp := c.ancestors == "'none'"
		images, connect := ownPaths, ownPaths+" "+ownSignals
		if isHelp && c.status == 200 {
			images = "http://parley.example/api/chat/ http://*:*/api/chat/ http://parley.example/__cb/ http://*:*/__cb/"
			connect = "http://parley.example/api/chat/ http://*:*/api/chat/ http://parley.example/__cb/ " + ownSignals
		}
		if strings.Contains(c.path, "preview=") {
			images, connect = "http://parley.example/__cb/", "http://parley.example/__cb/"
		}
		want := strings.NewReplacer("IMAGES", images+" data:", "CONNECT", connect, "ANCESTORS", c.ancestors).
			Replace(closedPolicy)
		if got := r.Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s %s:\n%s\nwant\n%s", c.method, c.path, got, want)
		}
		checkPageHeaders(t, c.path, r.Header, isHelp)
		checkConsoleIsOutOfReach(t, c.path, r.Header)
		if body := readBody(t, r.Body); c.status == 404 && !strings.Contains(body, "nicht verfügbar") ||
			strings.Contains(body, "Secret") || strings.Contains(body, "</script><b>") {
			t.Errorf("%s %s: %s", c.method, c.path, body)
		}
	}
}

func checkPageHeaders(t *testing.T, page string, h http.Header, isHelp bool) {
	t.Helper()
	want := map[string]string{
		"Cross-Origin-Opener-Policy":   "",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Origin-Agent-Cluster":         "?1",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Permissions-Policy":           "microphone=(self), camera=(), geolocation=()",
		"Strict-Transport-Security":    "max-age=31536000",
	}
	if strings.Contains(page, "preview=") {
		want["Origin-Agent-Cluster"] = ""
	}
	if isHelp { // the host may be somebody else's, whose other pages are none of this server's
		want["Cross-Origin-Opener-Policy"], want["Strict-Transport-Security"] = "same-origin-allow-popups", ""
	}
	for name, value := range want {
		if h.Get(name) != value {
			t.Errorf("%s: %s is %q", page, name, h.Get(name))
		}
	}
}

// checkConsoleIsOutOfReach fails where a policy lets a page send anything to a path at which the console may be.
func checkConsoleIsOutOfReach(t *testing.T, page string, h http.Header) {
	t.Helper()
	all := directives(h)
	for _, name := range []string{"default-src", "connect-src", "img-src", "form-action", "frame-src", "worker-src"} {
		for source := range strings.FieldsSeq(all[name]) {
			_, rest, _ := strings.Cut(source, "://")
			_, path, _ := strings.Cut(rest, "/")
			if source != "'none'" && source != "data:" &&
				!slices.Contains([]string{"api/chat/", "__cb/", "chatbot-iframe/", "rtc", "rtc/"}, path) {
				t.Errorf("%s: %s names %s, where the console may be", page, name, source)
			}
		}
	}
}

// The help page is shown below the hosts of others: those of the agent, or any where it names none.
func TestHelpPageFindsTheChatWhereItIsShown(t *testing.T) {
	f := newFixture(t)
	many := f.newAgent(`{"visibility":"public","allowedDomains":["` + strings.Join(manyDomains(), `","`) + `"]}`)
	for agent, want := range map[string]string{
		f.open: anyPaths,
		many:   anyPaths,
		f.shop: " http://shop.example:*/api/chat/ http://*.shop.example:*/api/chat/ http://localhost:*/api/chat/" +
			" http://*.localhost:*/api/chat/",
	} {
		got := directives(f.get("/" + agent + "/help").Header)["connect-src"]
		if !strings.HasPrefix(got, "http://parley.example/api/chat/ ") ||
			!strings.Contains(got, want+" http://parley.example/__cb/ ") {
			t.Error(got)
		}
	}
}

func manyDomains() (domains []string) {
	for c := 'a'; c <= 'z'; c++ {
		domains = append(domains, string(c)+".example")
	}
	return domains
}

// A help page works below a host of which four paths lead to this server, wherever the document itself lies.
func TestHelpPageWorksBehindAProxy(t *testing.T) {
	f := newFixture(t)
	target, err := url.Parse(f.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if rest, ok := strings.CutPrefix(r.In.URL.Path, "/help"); ok {
			r.Out.URL.Path = "/" + f.open + "/help" + rest
		}
	}}
	site := http.NewServeMux()
	for _, path := range []string{"/help", "/help/", "/__cb/", "/api/chat/" + f.open + "/"} {
		site.Handle(path, proxy)
	}
	customer := httptest.NewServer(site)
	t.Cleanup(customer.Close)
	for _, path := range []string{"/help", "/help/orders"} {
		h, page := f.fetch(customer.URL + path)
		for _, name := range []string{"/api/chat/", "/__cb/"} {
			if source := " http://*:*" + name; !strings.Contains(directives(h)["img-src"], source) {
				t.Errorf("%s: %v lacks %s", path, h, source)
			}
		}
		for _, address := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if address[1] == "data:," { // the empty icon, which is not asked for
				continue
			}
			if !strings.HasPrefix(address[1], "/__cb/") {
				t.Errorf("%s asks for %s", path, address[1])
			}
			f.fetch(customer.URL + address[1])
		}
		if !strings.Contains(page, `<body data-mode="help">`) {
			t.Errorf("%s: %s", path, page)
		}
	}
	f.fetch(customer.URL + "/api/chat/" + f.open + "/config")
}

// fetch sends a request by the network, which must succeed.
func (f *fixture) fetch(address string) (header http.Header, body string) {
	f.Helper()
	r, err := http.NewRequestWithContext(f.Context(), http.MethodGet, address, nil)
	if err != nil {
		f.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		f.Errorf("%s: %d", address, res.StatusCode)
	}
	return res.Header, readBody(f.T, res.Body)
}

// What a policy cannot name is the host of no page.
func TestAncestorsAreTheAgentsDomains(t *testing.T) {
	f := newFixture(t)
	for domains, want := range map[string]string{
		`null`:                            "*",
		`[]`:                              "'none'",
		`["shop.example","SHOP.example"]`: "http://shop.example:* http://*.shop.example:*",
		`["https://a.example","b.example:80","c example; script-src *","münchen.example"]`: "'none'",
	} {
		agent := f.newAgent(`{"visibility":"public","allowedDomains":` + domains + `}`)
		if got := directives(f.get("/chatbot-iframe/" + agent).Header)["frame-ancestors"]; got != want {
			t.Errorf("%s: %s, want %s", domains, got, want)
		}
	}
}
