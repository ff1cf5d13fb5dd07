package v2_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// Addresses by which others were led inside, through everything that fetches what a stranger named: nothing inside
// is reached, even where every name leads to this machine.
func TestInternalAddressesAreNotReached(t *testing.T) {
	reached, port := startCanary(t)
	list := readPayloads(t, port, "ssrf_urls.txt")
	addresses := append(readPayloads(t, port, "Open-Redirect-payloads.txt"), list...)
	srv := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.FetchAllow = []string{"127.9.9.9/32"} }))
	srv.Outbound.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}, nil
	}
	site, requests := serveLures(t, addresses)
	accepted := 0
	for name, enter := range map[string]func(address string) int{
		"individual": newLinkReader(t, srv, "individual"), "crawl": newLinkReader(t, srv, "crawl"),
		"sitemap": newLinkReader(t, srv, "sitemap"),
		"an agent's url": func(address string) int {
			code, _ := sendAs(t, srv, srv.Key, "POST", "/agents", mustMarshal(t, map[string]string{"name": "A", "url": address}))
			return code
		},
	} {
		for _, address := range list {
			if code := enter(address); code != http.StatusCreated && code != http.StatusBadRequest &&
				code != http.StatusConflict {
				t.Errorf("%s: %q is answered with %d", name, address, code)
			} else if code == http.StatusCreated {
				accepted++
			}
		}
	}
	page := newLinkReader(t, srv, "individual")
	for i := range addresses {
		page(site + "/hop/" + strconv.Itoa(i))
	}
	newLinkReader(t, srv, "crawl")(site + "/lures")
	newLinkReader(t, srv, "sitemap")(site + "/map.xml")
	newLinkReader(t, srv, "sitemap")(site + "/index.xml")
	newLinkReader(t, srv, "sitemap")(site + "/") // its robots.txt names sitemaps
	runActions(t, srv, addresses, site)
	if err := srv.CrawlRunner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if accepted < len(list) || requests.Load() < int64(4*len(addresses)) {
		t.Errorf("hardly anything was tried: %d links, %d pages of %d lures", accepted, requests.Load(), len(addresses))
	}
	if n := reached.Load(); n > 0 {
		t.Error(n, "connections")
	}
}

// startCanary listens on every address of this machine, on one port.
func startCanary(t *testing.T) (reached *atomic.Int64, port int) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	reached = &atomic.Int64{}
	listening := httptest.NewUnstartedServer(http.NotFoundHandler())
	_ = listening.Listener.Close()
	listening.Listener = l
	listening.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			reached.Add(1)
		}
	}
	listening.Start()
	t.Cleanup(listening.Close)
	port = l.Addr().(*net.TCPAddr).Port
	// it sees who comes
	if conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port)); err != nil {
		t.Fatal(err)
	} else if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the canary sees who comes", func() bool { return reached.CompareAndSwap(1, 0) })
	return reached, port
}

var (
	authorityPattern = regexp.MustCompile(`^([A-Za-z]*:?//(?:[^/?#@\\]*@)?)(\[[^\]]*\]|[^/:?#\\]*)(?::\d+)?`)
	ipv4Pattern      = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+`)
)

// readPayloads returns addresses of a list, with the canary's port where they name a host. Hosts outside are not
// for a test.
func readPayloads(t *testing.T, port int, name string) (list []string) {
	t.Helper()
	file, err := os.Open(filepath.Join(check.SharedDir(t, "url-ssrf"), name))
	check.Must(t, err)
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text := strings.TrimSpace(lines.Text()); text != "" && !isExternal(text) {
			list = append(list, authorityPattern.ReplaceAllString(text, "${1}${2}:"+strconv.Itoa(port)))
		}
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::]", "0.0.0.0", "127.1", "[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "2130706433"} {
		list = append(list, "http://"+host+":"+strconv.Itoa(port)+"/"+name)
	}
	return list
}

func isExternal(text string) bool {
	for _, literal := range ipv4Pattern.FindAllString(text, -1) {
		if a, err := netip.ParseAddr(literal); err == nil && a.IsGlobalUnicast() && !a.IsPrivate() {
			return true
		}
	}
	return false
}

// serveLures is a site, on the one address that may be asked, whose pages lead inside in every way a page can.
func serveLures(t *testing.T, list []string) (address string, requests *atomic.Int64) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.9.9.9:0")
	if err != nil {
		t.Skip("SKIP: no other loopback address: ", err)
	}
	requests = &atomic.Int64{}
	listening := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		writeLures(w, r, list)
	}))
	_ = listening.Listener.Close()
	listening.Listener = l
	listening.Start()
	t.Cleanup(listening.Close)
	return listening.URL, requests
}

func writeLures(w http.ResponseWriter, r *http.Request, list []string) {
	kind, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, _ := strconv.Atoi(number) // 0 if there is none
	to := list[min(n, len(list)-1)]
	w.Header().Set("Content-Type", "text/html")
	switch kind {
	case "hop":
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "canonical":
		_, _ = fmt.Fprintf(w, `<link rel="canonical" href="%s"><p>This page says where else it is.</p>`,
			html.EscapeString(to))
	case "refresh":
		_, _ = fmt.Fprintf(w,
			`<meta http-equiv="refresh" content="0; url=%s"><base href="%s"><a href="x">x</a><p>This page goes `+
				`on elsewhere.</p>`,
			html.EscapeString(to), html.EscapeString(to))
	case "lures":
		for i, to := range list {
			_, _ = fmt.Fprintf(w,
				`<a href="/hop/%d">a</a><a href="/canonical/%[1]d">b</a><a href="/refresh/%[1]d">c</a><a href="%s">d</a>`,
				i, html.EscapeString(to))
		}
		_, _ = w.Write([]byte("<p>This page leads to all the others.</p>"))
	case "map.xml":
		_, _ = fmt.Fprintf(w, "<urlset>%s</urlset>", lureElements("url", list))
	case "index.xml":
		_, _ = fmt.Fprintf(w, "<sitemapindex>%s</sitemapindex>", lureElements("sitemap", list))
	case "robots.txt":
		_, _ = w.Write([]byte("Sitemap: " + strings.Join(list, "\nSitemap: ")))
	default:
		_, _ = w.Write([]byte("<p>This page has sitemaps.</p>"))
	}
}

func lureElements(element string, list []string) string {
	var b strings.Builder
	for i, to := range list {
		_, _ = fmt.Fprintf(&b, "<%s><loc>%s</loc></%[1]s><%[1]s><loc>/hop/%[3]d</loc></%[1]s>", element,
			html.EscapeString(to), i)
	}
	return b.String()
}

// newLinkReader creates an agent, and returns what has it read an address.
func newLinkReader(t *testing.T, srv *testkit.Server, kind string) func(string) int {
	t.Helper()
	agent := srv.NewAgent(t, srv.Key)
	return func(address string) int {
		code, _ := sendAs(t, srv, srv.Key, "POST", "/agents/"+agent+"/sources",
			mustMarshal(t, map[string]string{"type": "link", "url": address, "linkType": kind}))
		return code
	}
}

// runActions has actions ask for the addresses, and for what redirects to them. What a definition would refuse is
// stored all the same.
func runActions(t *testing.T, srv *testkit.Server, list []string, site string) {
	t.Helper()
	agent := parley.AgentID(srv.NewAgent(t, srv.Key))
	account := parley.AccountID(srv.Account)
	for i, to := range list {
		for name, address := range map[string]string{"direct": to, "hop": site + "/hop/" + strconv.Itoa(i)} {
			config, err := json.Marshal(map[string]any{"url": address, "method": "POST", "body": map[string]any{}})
			if err != nil {
				t.Fatal(err)
			}
			key := name + strconv.Itoa(i)
			a := parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: account, AgentID: agent, Key: key,
				Kind: parley.ActionHTTP, Name: key, Description: "d",
				Enabled: true, Config: config, CreatedAt: time.Now(), UpdatedAt: time.Now()}
			if err := srv.DB.PutAction(t.Context(), &a); err != nil {
				t.Fatal(err)
			}
		}
	}
	record, err := srv.DB.Agent(t.Context(), account.AgentRef(agent), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	tools, err := srv.Actions.Tools(t.Context(), record)
	if err != nil || len(tools) < len(list) {
		t.Fatal(len(tools), err)
	}
	for _, tool := range tools {
		out := tool.Run(t.Context(),
			chat.Call{Turn: parley.Turn{AccountID: account, AgentID: agent}, Input: json.RawMessage(`{}`)})
		// a lure may lead back to the site itself
		if out.Status == "success" && !strings.Contains(string(out.Data), "This page") {
			t.Errorf("%s succeeds: %s", tool.Name, out.Data)
		}
	}
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// slowSite is a site of pages that lead from one to the next; from one of them on it does not answer while it is
// shut.
type slowSite struct {
	mu            sync.Mutex
	blocked       chan struct{}
	requestCounts map[string]int
}

const slowPages, blockedFrom = 8, 4

func (s *slowSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := 0
	if _, err := fmt.Sscanf(r.URL.Path, "/page%d", &n); err != nil && r.URL.Path != "/" || n > slowPages {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requestCounts[r.URL.Path]++
	s.mu.Unlock()
	if n >= blockedFrom {
		select {
		case <-s.blocked:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w,
		`<title>Page %d</title><main><p>This is what page number %d has to say.</p><a href="/page%d">next</a></main>`,
		n, n, n+1)
}

// A crawl that is cut off in the middle, with its claims and its lease left as a kill -9 leaves them, goes on in
// the next server.
func TestCrawlContinuesAfterARestart(t *testing.T) {
	site := &slowSite{blocked: make(chan struct{}), requestCounts: map[string]int{}}
	listening := httptest.NewServer(site)
	t.Cleanup(listening.Close)
	data := t.TempDir()
	options := []testkit.Option{testkit.WithDatabase(data, ""), testkit.WithConfig(func(c *server.Config) {
		c.FetchAllow = []string{"127.0.0.1/32"}
	})}
	var link *parley.Source
	var key string
	t.Run("cut off", func(t *testing.T) {
		srv := testkit.Open(t, options...)
		key = srv.Key
		account := parley.Account{ID: parley.AccountID(srv.Account)}
		var agent struct{ ID parley.AgentID }
		if code, body := sendAs(t, srv, srv.Key, "POST", "/agents", `{"name": "Reader"}`); code != http.StatusCreated ||
			json.Unmarshal([]byte(body), &agent) != nil {
			t.Fatal(code, body)
		}
		var err error
		if link, err = srv.Ingest.AddLink(t.Context(), parley.Caller{Account: account}, agent.ID,
			ingest.Link{URL: listening.URL, Type: crawl.WholeSite}); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "some pages are read", func() bool {
			return sourceChildren(t, srv, link).Included == blockedFrom
		})
	})
	close(site.blocked)
	t.Run("goes on", func(t *testing.T) {
		left := func(t testing.TB, c *server.Config) { simulateKill(t, c) }
		srv := testkit.Open(t, append(options, left)...)
		testkit.Eventually(t, "all pages are read", func() bool {
			code, body := sendAs(t, srv, key, "GET", "/agents/"+string(link.AgentID)+"/sources/"+string(link.ID), "")
			var s struct{ Status string }
			return code == http.StatusOK && json.Unmarshal([]byte(body), &s) == nil && s.Status == "trained"
		})
		if got := sourceChildren(t, srv, link); got != (ingest.Children{Included: slowPages + 1, Failed: 1}) {
			t.Errorf("%+v", got)
		}
		if site.requestCounts["/"] != 1 || site.requestCounts["/page1"] != 1 {
			t.Error("pages are read again:", site.requestCounts)
		}
	})
}

func sourceChildren(t *testing.T, srv *testkit.Server, link *parley.Source) ingest.Children {
	t.Helper()
	s, err := srv.DB.Source(t.Context(), link.AgentRef(), link.ID)
	if err != nil {
		t.Fatal(err)
	}
	var r ingest.LinkRecord
	if err := json.Unmarshal(s.Metadata, &r); err != nil {
		t.Fatal(err)
	}
	return r.Children
}

// simulateKill returns the database of a server that has shut down the look of one that was killed.
func simulateKill(t testing.TB, c *server.Config) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: c.Database()})
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour).UnixMilli()
	for _, query := range []string{
		fmt.Sprintf(`update jobs set state = 'running', attempts = 1, lease_owner = 'dead', lease_until = %d
			where kind = 'source.crawl'`, later),
		`update crawl_pages set claimed = 1 where state = ''`,
	} {
		if n, err := db.Exec(t.Context(), query); err != nil || n != 1 {
			t.Fatal(n, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
