package ingest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"time"

	"parley/internal/ingest/crawl"
	"parley/internal/outbound"
)

// website is a site on loopback whose pages can be changed.
type website struct {
	*httptest.Server
	mu             sync.Mutex
	pages          map[string]string // by path; others are not found
	requestedPaths []string
	notModified    int                           // requests that were answered with 304
	beforeReply    func(path string) (busy bool) // called before each reply; may be nil
}

// startWebsite starts a website, and lets the service read it.
func (s *testService) startWebsite(pages map[string]string) *website {
	w := &website{pages: pages}
	w.Server = httptest.NewServer(w)
	s.Cleanup(w.Close)
	client := &outbound.Client{AllowedPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	s.Cleanup(client.Close)
	s.Crawler = &crawl.Crawler{Client: client, UserAgent: "parleybot/1.0", Now: time.Now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	s.ReadPage, s.Service.Plan = readPlain, s.planOf
	return w
}

func (w *website) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	text, ok := w.pages[r.URL.Path]
	w.requestedPaths = append(w.requestedPaths, r.URL.Path)
	before := w.beforeReply
	w.mu.Unlock()
	if before != nil && before(r.URL.Path) {
		http.Error(out, "busy", http.StatusInternalServerError)
		return
	}
	if !ok {
		http.NotFound(out, r)
		return
	}
	sum := sha256.Sum256([]byte(text))
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	out.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.mu.Lock()
		w.notModified++
		w.mu.Unlock()
		out.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = out.Write([]byte(text))
}

// set changes a page; an empty text removes it.
func (w *website) set(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text == "" {
		delete(w.pages, path)
		return
	}
	w.pages[path] = text
}

var (
	titlePattern = regexp.MustCompile(`<title>(.*?)</title>`)
	tagPattern   = regexp.MustCompile(`(?s)<title>.*?</title>|<a .*?</a>|<[^>]*>`)
)

// readPlain reads pages without an extractor: as their text without links.
func readPlain(_ context.Context, _, _ string, body []byte) (title, text string, err error) {
	if m := titlePattern.FindSubmatch(body); m != nil {
		title = string(m[1])
	}
	return title, strings.TrimSpace(tagPattern.ReplaceAllString(string(body), "")), nil
}
