package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
)

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
func TestCrawlGoesOnInTheNextServer(t *testing.T) {
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
		h := testkit.Open(t, options...)
		key = h.Key
		account := parley.Account{ID: parley.AccountID(h.Account)}
		var agent struct{ ID parley.AgentID }
		if code, body := sendAs(t, h, h.Key, "POST", "/agents", `{"name": "Reader"}`); code != http.StatusCreated ||
			json.Unmarshal([]byte(body), &agent) != nil {
			t.Fatal(code, body)
		}
		var err error
		if link, err = h.Ingest.AddLink(t.Context(), account, parley.Plan{}, agent.ID,
			ingest.Link{URL: listening.URL, Type: crawl.WholeSite}); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "some pages are read", func() bool {
			return sourceChildren(t, h, link).Included == blockedFrom
		})
	})
	close(site.blocked)
	t.Run("goes on", func(t *testing.T) {
		left := func(t testing.TB, c *server.Config) { simulateKill(t, c) }
		h := testkit.Open(t, append(options, left)...)
		testkit.Eventually(t, "all pages are read", func() bool {
			code, body := sendAs(t, h, key, "GET", "/agents/"+string(link.AgentID)+"/sources/"+string(link.ID), "")
			var s struct{ Status string }
			return code == http.StatusOK && json.Unmarshal([]byte(body), &s) == nil && s.Status == "trained"
		})
		if got := sourceChildren(t, h, link); got != (ingest.Children{Included: slowPages + 1, Failed: 1}) {
			t.Errorf("%+v", got)
		}
		if site.requestCounts["/"] != 1 || site.requestCounts["/page1"] != 1 {
			t.Error("pages are read again:", site.requestCounts)
		}
	})
}

func sourceChildren(t *testing.T, h *testkit.Server, link *parley.Source) ingest.Children {
	t.Helper()
	s, err := h.DB.Source(t.Context(), link.AgentRef(), link.ID)
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
