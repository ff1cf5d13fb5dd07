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

	"go.uber.org/goleak"
	"golang.org/x/net/html/charset"

	"parley/internal/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testSite is a site from a txtar file, on a loopback address. A file's name is path and query. What begins with
// HTTP/1.1 is a whole reply; its header X-Bytes names the encoding of the body. SITE stands for the site's address, and
// .gz files are packed.
type testSite struct {
	*httptest.Server
	mu             sync.Mutex
	files          map[string]string
	requestedPaths []string
	agent          string
	now            time.Time
	requestTimes   []time.Time                                             // when each request came, by the clock below
	override       func(w http.ResponseWriter, r *http.Request) (yes bool) // answers in the file's stead
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
	w := &testSite{files: map[string]string{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	name := ""
	for line := range strings.Lines(txtar) {
		if in, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(line, " --\n") {
			name = strings.TrimSuffix(in, " --\n")
			continue
		}
		w.files[name] += strings.ReplaceAll(line, "SITE", w.URL)
	}
	return w
}

func (w *testSite) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requestedPaths, w.agent, w.requestTimes = append(w.requestedPaths, r.URL.RequestURI()), r.UserAgent(),
		append(w.requestTimes, w.now)
	text, ok := w.files[r.URL.RequestURI()]
	stand := w.override
	w.mu.Unlock()
	switch {
	case stand != nil && stand(out, r):
	case !ok:
		http.NotFound(out, r)
	case strings.HasPrefix(text, "HTTP/"):
		w.writeFile(out, r, text)
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

func (w *testSite) writeFile(out http.ResponseWriter, r *http.Request, text string) {
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

// newCrawler turns the site's clock when it sleeps.
func (w *testSite) newCrawler(t *testing.T) *Crawler {
	t.Helper()
	client := &outbound.Client{AllowedPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	t.Cleanup(client.Close)
	return &Crawler{Client: client, UserAgent: "Parley/1.0 (+https://parley.example/crawler)",
		Now: func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = w.now.Add(d)
			return ctx.Err()
		}}
}

// crawlRecorder is what a crawl came to.
type crawlRecorder struct {
	site   *testSite
	memory *Memory
	end    EndReason
	mu     sync.Mutex
	pages  map[string]Page
}

func (w *testSite) crawl(t *testing.T, site Site) *crawlRecorder {
	t.Helper()
	s := &crawlRecorder{site: w, memory: &Memory{}}
	s.recrawl(t, site)
	return s
}

func (s *crawlRecorder) recrawl(t *testing.T, site Site) {
	t.Helper()
	site.Start = s.site.URL + site.Start
	s.pages = map[string]Page{}
	var err error
	s.end, err = s.site.newCrawler(t).Run(t.Context(), site, s.memory, s.visit)
	if err != nil {
		t.Fatal(err)
	}
}

func (s *crawlRecorder) visit(_ context.Context, p Page) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(p.URL)
	if _, twice := s.pages[path]; twice {
		return fmt.Errorf("%s is visited twice", path)
	}
	s.pages[path] = p
	return nil
}

func (s *crawlRecorder) path(url string) string { return strings.TrimPrefix(url, s.site.URL) }

// lines tells it all, an address a line: its state, and why or where.
func (s *crawlRecorder) lines() string {
	var lines []string
	for url, l := range s.memory.links {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s%s", s.path(url), l.outcome.State,
			l.outcome.Reason, s.path(l.outcome.MergedInto))))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func (s *crawlRecorder) counts(t *testing.T) string {
	t.Helper()
	c, err := s.memory.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d included, %d excluded, %d failed, %d waiting", c.Included, c.Excluded, c.Failed, c.Waiting)
}

// golden compares with the section of the file that begins with "-- want NAME --".
func (s *crawlRecorder) golden(t *testing.T, name string) {
	t.Helper()
	want := strings.ReplaceAll(s.site.files["want "+name], s.site.URL, "SITE")
	if got := strings.ReplaceAll(s.lines(), s.site.URL, "SITE"); got != want {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

// startCanary returns a listener that nobody may reach.
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
