package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const links = "<a href=/a><a href=/b><a href=/c><a href=/d><a href=/e><a href=/f>"

func newABCSite(t *testing.T, robots string) *testSite {
	t.Helper()
	text := "-- / --\n" + links + "\n"
	for _, name := range strings.Split("abcdef", "") {
		text += "-- /" + name + " --\n" + name + "\n"
	}
	if robots != "" {
		text += "-- /robots.txt --\n" + robots + "\n"
	}
	return serve(t, text)
}

func TestTwoRequestsPerHost(t *testing.T) {
	ts := newABCSite(t, "")
	var current, highest atomic.Int32
	both := make(chan struct{})
	ts.override = func(_ http.ResponseWriter, r *http.Request) bool {
		n := current.Add(1)
		defer current.Add(-1)
		if n > highest.Load() {
			highest.Store(n)
		}
		switch r.URL.Path {
		case "/a":
			both <- struct{}{}
		case "/b":
			<-both // so that they run at the same time
		}
		return false
	}
	if s := ts.crawl(t, Site{Start: "/", Kind: WholeSite}); len(s.pages) != 7 || highest.Load() != maxPerHost {
		t.Error(len(s.pages), highest.Load())
	}
}

func TestPausesBetweenRequests(t *testing.T) {
	for _, c := range []struct {
		robots string
		slow   bool
		pause  time.Duration
	}{
		{"", false, 0}, {"", true, slowPause}, {"User-agent: *\nCrawl-delay: 7", false, 7 * time.Second},
		{"User-agent: *\nCrawl-delay: 1", true, slowPause},
		{"User-agent: *\nCrawl-delay: 3600", false, maxCrawlDelay},
	} {
		ts := newABCSite(t, c.robots)
		s := ts.crawl(t, Site{Start: "/", Kind: WholeSite, Slow: c.slow})
		if len(s.pages) != 7 || len(ts.requestTimes) != 8 {
			t.Fatal(len(s.pages), len(ts.requestTimes))
		}
		for i := 2; i < len(ts.requestTimes); i++ { // the first request is for robots.txt
			if pause := ts.requestTimes[i].Sub(ts.requestTimes[i-1]); pause < c.pause || c.pause == 0 && pause > 0 {
				t.Errorf("%+v: %v", c, pause)
			}
		}
	}
}

func TestBusyHosts(t *testing.T) {
	for _, c := range []struct {
		after   string
		times   int // that the host returns a status
		status  int
		want    string
		minimum time.Duration
	}{
		{"", 2, 503, "/a included\n", 3 * time.Second},
		{"7", 1, 429, "/a included\n", 7 * time.Second},
		{"Thu, 01 Jan 2026 00:00:20 GMT", 1, 503, "/a included\n", 20 * time.Second},
		{"-5", 1, 502, "/a included\n", time.Second},
		{"", 9, 429, "/a failed the host answered 429 Too Many Requests\n", 3 * time.Second},
		{"3600", 1, 503, "/a failed the host answered 503 Service Unavailable\n", 0},
		{"", 2, 500, "/a included\n", 3 * time.Second},
		{"", 9, 500, "/a failed the host answered 500 Internal Server Error\n", 3 * time.Second},
	} {
		ts := newABCSite(t, "")
		n := 0
		ts.override = func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/a" || n == c.times {
				return false
			}
			n++
			out.Header().Set("Retry-After", c.after)
			out.WriteHeader(c.status)
			return true
		}
		began := ts.now
		ts.crawl(t, Site{Start: "/a", Kind: Individual}).expect(t, c.want)
		if elapsed := ts.now.Sub(began); elapsed < c.minimum || elapsed > c.minimum+time.Second || n > maxTries {
			t.Errorf("%+v: %v, %d times", c, elapsed, n)
		}
	}
}

func TestUnavailableHosts(t *testing.T) {
	text := ""
	for i := range 40 {
		text += fmt.Sprintf("<a href=/%d>", i)
	}
	ts := serve(t, "-- / --\n"+text+"\n")
	ts.override = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/" || r.URL.Path == "/robots.txt" {
			return false
		}
		out.WriteHeader(http.StatusInternalServerError)
		return true
	}
	s := ts.crawl(t, Site{Start: "/", Kind: WholeSite})
	if s.end != HostUnavailable || !strings.HasPrefix(s.counts(t), "1 included, 0 excluded, 1") ||
		strings.HasSuffix(s.counts(t), " 0 waiting") {
		t.Error(s.end, s.counts(t))
	}
	ts.override = nil
	s.recrawl(t, Site{Start: "/", Kind: WholeSite})
	if s.end != Complete || !strings.HasSuffix(s.counts(t), " 0 waiting") {
		t.Error(s.end, s.counts(t))
	}
}

// As for Google, more than five redirects mean that there is no robots.txt, and only the beginning of a long one
// counts.
func TestEndlessRobots(t *testing.T) {
	ts := newABCSite(t, "HTTP/1.1 302 Found\nLocation: /robots.txt\n\n")
	ts.crawl(t, Site{Start: "/a", Kind: Individual}).expect(t, "/a included\n")
	ts = newABCSite(t, "User-agent: *\nDisallow: /a\n#"+strings.Repeat("x", 6<<20)+"\nDisallow: /b")
	ts.crawl(t, Site{Start: "/a", Kind: Individual}).expect(t, "/a excluded the site's robots.txt asks not to read it\n")
	ts.crawl(t, Site{Start: "/b", Kind: Individual}).expect(t, "/b included\n")
}

func TestUnavailableRobots(t *testing.T) {
	ts := newABCSite(t, "HTTP/1.1 403 Forbidden\n\nno")
	ts.crawl(t, Site{Start: "/a", Kind: Individual}).expect(t, "/a included\n")
	ts = newABCSite(t, "HTTP/1.1 500 Internal Server Error\n\nno")
	c := ts.newCrawler(t)
	run := func() string {
		s := &crawlRecorder{site: ts, memory: &Memory{}, pages: map[string]Page{}}
		if _, err := c.Run(t.Context(), Site{Start: ts.URL + "/a", Kind: Individual}, s.memory, s.visit); err != nil {
			t.Fatal(err)
		}
		return s.lines()
	}
	for range 2 { // the failure is cached for a while
		if got := run(); got != "/a failed the host answered 500 when it was asked for robots.txt\n" ||
			len(ts.requestedPaths) != maxTries {
			t.Error(got, ts.requestedPaths)
		}
	}
	delete(ts.files, "/robots.txt")
	ts.now = ts.now.Add(robotsFailureTTL)
	for range 2 {
		if got := run(); got != "/a included\n" {
			t.Error(got)
		}
	}
	if strings.Join(ts.requestedPaths, " ") != strings.Repeat("/robots.txt ", maxTries+1)+"/a /a" {
		t.Error(ts.requestedPaths)
	}
	ts.now = ts.now.Add(robotsTTL)
	if run(); ts.requestedPaths[len(ts.requestedPaths)-2] != "/robots.txt" {
		t.Error(ts.requestedPaths)
	}
}
