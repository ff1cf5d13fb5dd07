package crawl

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html/charset"

	"parley/internal/outbound"
	"parley/internal/testkit/check"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// testSite is a site from a txtar file, on a loopback address. A file's name is path and query. Content that begins
// with HTTP/1.1 is a whole reply; its header X-Bytes names the encoding of the body. SITE stands for the site's
// address, and .gz files are compressed.
type testSite struct {
	*httptest.Server
	mu             sync.Mutex
	files          map[string]string
	requestedPaths []string
	agent          string
	now            time.Time
	// the time of each request, by the clock below
	requestTimes []time.Time
	override     func(w http.ResponseWriter, r *http.Request) (handled bool) // if set, it answers instead of the file
}

func serveFile(t *testing.T, name string) *testSite {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, string(text))
}

func serve(t *testing.T, txtar string) *testSite {
	t.Helper()
	ts := &testSite{files: map[string]string{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	ts.Server = httptest.NewServer(ts)
	t.Cleanup(ts.Close)
	name := ""
	for line := range strings.Lines(txtar) {
		if in, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(line, " --\n") {
			name = strings.TrimSuffix(in, " --\n")
			continue
		}
		ts.files[name] += strings.ReplaceAll(line, "SITE", ts.URL)
	}
	return ts
}

func (ts *testSite) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	ts.mu.Lock()
	ts.requestedPaths, ts.agent, ts.requestTimes = append(ts.requestedPaths, r.URL.RequestURI()), r.UserAgent(),
		append(ts.requestTimes, ts.now)
	text, ok := ts.files[r.URL.RequestURI()]
	override := ts.override
	ts.mu.Unlock()
	switch {
	case override != nil && override(out, r):
	case !ok:
		http.NotFound(out, r)
	case strings.HasPrefix(text, "HTTP/"):
		ts.writeFile(out, r, text)
	case strings.HasSuffix(r.URL.Path, ".gz"):
		_, _ = out.Write(gzipText(text))
	case strings.HasSuffix(r.URL.Path, ".txt"):
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(out, text)
	default:
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(out, text)
	}
}

func (ts *testSite) writeFile(out http.ResponseWriter, r *http.Request, text string) {
	head, body, _ := strings.Cut(text, "\n\n")
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n")), r)
	if err != nil {
		panic(err)
	}
	bytes := []byte(body)
	if label := res.Header.Get("X-Bytes"); label != "" {
		encoding, _ := charset.Lookup(label)
		if bytes, err = encoding.NewEncoder().Bytes(bytes); err != nil {
			panic(err)
		}
	}
	for name, values := range res.Header {
		out.Header()[name] = values
	}
	if tag := res.Header.Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		out.WriteHeader(http.StatusNotModified)
		return
	}
	out.WriteHeader(res.StatusCode)
	_, _ = out.Write(bytes)
}

// newCrawler returns a crawler that advances the site's clock when it sleeps.
func (ts *testSite) newCrawler(t *testing.T) *Crawler {
	t.Helper()
	client := &outbound.Client{AllowedPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	t.Cleanup(client.Close)
	return &Crawler{Client: client, UserAgent: "Parley/1.0 (+https://parley.example/crawler)",
		Now: func() time.Time { ts.mu.Lock(); defer ts.mu.Unlock(); return ts.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			ts.now = ts.now.Add(d)
			return ctx.Err()
		}}
}

// crawlRecorder records the results of a crawl.
type crawlRecorder struct {
	site   *testSite
	memory *Memory
	end    EndReason
	mu     sync.Mutex
	pages  map[string]Page
}

func (ts *testSite) crawl(t *testing.T, site Site) *crawlRecorder {
	t.Helper()
	s := &crawlRecorder{site: ts, memory: &Memory{}}
	s.recrawl(t, site)
	return s
}

func (cr *crawlRecorder) recrawl(t *testing.T, site Site) {
	t.Helper()
	site.Start = cr.site.URL + site.Start
	cr.pages = map[string]Page{}
	var err error
	cr.end, err = cr.site.newCrawler(t).Run(t.Context(), site, cr.memory, cr.visit)
	if err != nil {
		t.Fatal(err)
	}
}

func (cr *crawlRecorder) visit(_ context.Context, p Page) error {
	cr.mu.Lock()
	defer cr.mu.Unlock()
	path := cr.path(p.URL)
	if _, twice := cr.pages[path]; twice {
		return fmt.Errorf("%s is visited twice", path)
	}
	cr.pages[path] = p
	return nil
}

func (cr *crawlRecorder) path(url string) string { return strings.TrimPrefix(url, cr.site.URL) }

// lines returns a line for each address, with its state and the reason or the target.
func (cr *crawlRecorder) lines() string {
	var lines []string
	for url, l := range cr.memory.links {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s%s", cr.path(url), l.outcome.State,
			l.outcome.Reason, cr.path(l.outcome.MergedInto))))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func (cr *crawlRecorder) counts(t *testing.T) string {
	t.Helper()
	c, err := cr.memory.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d included, %d excluded, %d failed, %d waiting", c.Included, c.Excluded, c.Failed, c.Waiting)
}

// golden compares the results with the section of the file that begins with "-- want NAME --".
func (cr *crawlRecorder) golden(t *testing.T, name string) {
	t.Helper()
	want := strings.ReplaceAll(cr.site.files["want "+name], cr.site.URL, "SITE")
	if got := strings.ReplaceAll(cr.lines(), cr.site.URL, "SITE"); got != want {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

// startCanary starts a listener on a private address, which no request may reach.
func startCanary(t *testing.T) (address string, reached func() int) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:0")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip("SKIP: no second loopback address: ", err)
	}
	var mu sync.Mutex
	n := 0
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	_ = server.Listener.Close()
	server.Listener = l
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateNew {
			n++
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func hasBody(p Page, text string) bool { return bytes.Contains(p.Body, []byte(text)) }
