package outbound_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/outbound"
	"parley/internal/testkit/check"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// testSite is a server on a loopback address that counts its connections.
type testSite struct {
	*httptest.Server
	conns atomic.Int32
}

func startSite(t *testing.T, ip string, handler http.HandlerFunc) *testSite {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Skipf("no listener on %s: %v", ip, err)
	}
	s := &testSite{Server: httptest.NewUnstartedServer(handler)}
	s.Server.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func newClient(t *testing.T, allow ...string) *outbound.Client {
	t.Helper()
	list, err := outbound.ParseAllow(allow)
	if err != nil {
		t.Fatal(err)
	}
	c := &outbound.Client{AllowedPrefixes: list}
	t.Cleanup(c.Close)
	return c
}

func fetch(t *testing.T, c *outbound.Client, address string, limits outbound.Limits) (*outbound.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(req, limits)
}

func wantKind(t *testing.T, err error, kind outbound.Kind) *outbound.Error {
	t.Helper()
	var e *outbound.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Reason == "" {
		t.Fatalf("got %v, want kind %d", err, kind)
	}
	for _, secret := range []string{"127.0.0", "key", "secret", "::1"} {
		if strings.Contains(e.Reason, secret) {
			t.Errorf("the reason contains %q: %s", secret, e.Reason)
		}
	}
	return e
}

func helloHandler(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

func TestAllowedAddressesAreFetched(t *testing.T) {
	s := startSite(t, "127.0.0.1", helloHandler)
	reply, err := fetch(t, newClient(t, "127.0.0.0/8"), s.URL+"/a?key=secret", outbound.Limits{})
	if err != nil || string(reply.Body) != "hello" || reply.Status != 200 || reply.URL.Path != "/a" {
		t.Errorf("%+v %v", reply, err)
	}
}

func TestPrivateAddressesAreNotDialled(t *testing.T) {
	four, six := startSite(t, "127.0.0.1", helloHandler), startSite(t, "::1", helloHandler)
	port := func(s *testSite) string { _, p, _ := net.SplitHostPort(s.Listener.Addr().String()); return p }
	c := newClient(t)
	for _, address := range []string{
		four.URL, six.URL, "http://localhost:" + port(four), "http://[::ffff:127.0.0.1]:" + port(four),
		"http://0.0.0.0:" + port(four), "http://[::]:" + port(six),
		"http://127.1:" + port(four), "http://2130706433:" + port(four), "http://[::127.0.0.1]:" + port(four),
	} {
		if _, err := fetch(t, c, address, outbound.Limits{Timeout: 5 * time.Second}); err == nil {
			t.Errorf("%s was fetched", address)
		}
	}
	if four.conns.Load()+six.conns.Load() > 0 {
		t.Error("something connected")
	}
	_, err := fetch(t, c, four.URL, outbound.Limits{})
	wantKind(t, err, outbound.KindRefused)
}

func TestDNSRebindingIsRefused(t *testing.T) {
	s := startSite(t, "127.0.0.1", helloHandler)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c, requests := newClient(t, "127.0.0.9"), 0
	c.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		requests++
		if requests%2 == 1 { // a public address at first, where nothing listens
			return []netip.Addr{netip.MustParseAddr("127.0.0.9")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.9"), netip.MustParseAddr("127.0.0.1")}, nil
	}
	for range 4 {
		if _, err := fetch(t, c, "http://evil.example:"+port, outbound.Limits{}); err == nil {
			t.Error("fetched")
		}
	}
	if s.conns.Load() > 0 || requests != 4 {
		t.Error(s.conns.Load(), "connections,", requests, "look-ups")
	}
}

func TestRedirectsAreChecked(t *testing.T) {
	inside := startSite(t, "127.0.0.2", helloHandler)
	target := inside.URL
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		to, err := url.QueryUnescape(r.URL.Query().Get("to"))
		if err != nil {
			t.Error(err)
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	c := newClient(t, "127.0.0.1")
	for _, to := range []string{target, "http://[::ffff:127.0.0.2]:" + inside.Listener.Addr().String()[10:],
		"file:///etc/passwd", "gopher://a.example/", "http:///x"} {
		if _, err := fetch(t, c, s.URL+"/?to="+url.QueryEscape(to), outbound.Limits{}); err == nil {
			t.Errorf("the redirect to %s was followed", to)
		}
	}
	if inside.conns.Load() > 0 {
		t.Error("something connected")
	}
	_, err := fetch(t, c, s.URL+"/?to="+url.QueryEscape(target), outbound.Limits{})
	wantKind(t, err, outbound.KindRefused)
}

func TestUnreadableRedirectIsReturnedToTheCaller(t *testing.T) {
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://[::1/%zz")
		w.WriteHeader(http.StatusFound)
	})
	c := newClient(t, "127.0.0.1")
	reply, err := fetch(t, c, s.URL, outbound.Limits{MaxRedirects: -1})
	if err != nil || reply.Status != http.StatusFound || reply.Header.Get("Location") == "" {
		t.Error(reply, err)
	}
	_, err = fetch(t, c, s.URL, outbound.Limits{})
	wantKind(t, err, outbound.KindFailed)
}

func TestLongReplyIsTruncatedOnRequest(t *testing.T) {
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	})
	reply, err := fetch(t, newClient(t, "127.0.0.1"), s.URL, outbound.Limits{MaxBytes: 10, Truncate: true})
	if err != nil || string(reply.Body) != "xxxxxxxxxx" {
		t.Error(reply, err)
	}
}

func TestRedirectLimit(t *testing.T) {
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
		if n == 0 {
			helloHandler(w, r)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
	})
	c := newClient(t, "127.0.0.1")
	if reply, err := fetch(t, c, s.URL+"/5", outbound.Limits{}); err != nil || reply.URL.Path != "/0" {
		t.Error(err)
	}
	_, err := fetch(t, c, s.URL+"/6", outbound.Limits{})
	wantKind(t, err, outbound.KindTooManyRedirects)
	if reply, err := fetch(t, c, s.URL+"/1", outbound.Limits{MaxRedirects: -1}); err != nil ||
		reply.Status != http.StatusFound {
		t.Errorf("%+v %v", reply, err)
	}
}

func TestRequestBodyStaysOnItsHost(t *testing.T) {
	var headers []http.Header
	other := startSite(t, "127.0.0.2", func(_ http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header)
	})
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusFound
		if r.Method == http.MethodPost {
			status = http.StatusTemporaryRedirect
		}
		http.Redirect(w, r, strings.Replace(other.URL, "http://", "http://u:p@", 1), status)
	})
	c := newClient(t, "127.0.0.0/8")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/?key=secret", nil)
	req.Header = http.Header{"Authorization": {"Bearer secret"}, "X-Api-Key": {"secret"}, "Cookie": {"a=secret"},
		"Accept": {"text/html"}}
	if _, err := c.Do(req, outbound.Limits{}); err != nil {
		t.Fatal(err)
	}
	if len(headers) != 1 || headers[0].Get("Accept") != "text/html" ||
		strings.Contains(fmt.Sprint(headers), "secret") || headers[0].Get("Authorization") != "" {
		t.Errorf("the other host got %v", headers)
	}
	post, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader("secret"))
	_, err := c.Do(post, outbound.Limits{})
	wantKind(t, err, outbound.KindRefused)
	if len(headers) != 1 {
		t.Error("the body was sent to it")
	}
}

func TestHeadersStayOnTheSameHost(t *testing.T) {
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/b", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("X-Api-Key"))
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	req.Header.Set("X-Api-Key", "k")
	if reply, err := newClient(t, "127.0.0.1").Do(req, outbound.Limits{}); err != nil || string(reply.Body) != "k" {
		t.Errorf("%+v %v", reply, err)
	}
}

func TestURLsAreRefusedBeforeDialling(t *testing.T) {
	c := newClient(t)
	for _, address := range []string{"ftp://a.example/", "file:///etc/passwd", "http:///x", "http://u:p@a.example/",
		"//a.example"} {
		_, err := fetch(t, c, address, outbound.Limits{})
		wantKind(t, err, outbound.KindRefused)
	}
	_, err := fetch(t, c, "http://a.example/", outbound.Limits{HTTPSOnly: true})
	wantKind(t, err, outbound.KindRefused)
}

func TestEndlessBodies(t *testing.T) {
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		out := io.Writer(w)
		if r.URL.Path == "/bomb" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer func() { _ = z.Close() }()
			out = z
		}
		for piece := make([]byte, 64<<10); ; {
			if _, err := out.Write(piece); err != nil {
				return
			}
		}
	})
	for _, path := range []string{"/", "/bomb"} {
		_, err := fetch(t, newClient(t, "127.0.0.1"), s.URL+path, outbound.Limits{MaxBytes: 300_000})
		wantKind(t, err, outbound.KindTooLarge)
	}
}

func TestSlowHosts(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"slow body": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(10 * time.Millisecond): // of the host, not of the test
				}
			}
		},
	} {
		s := startSite(t, "127.0.0.1", handler)
		_, err := fetch(t, newClient(t, "127.0.0.1"), s.URL, outbound.Limits{Timeout: 200 * time.Millisecond})
		if err == nil {
			t.Error(name, "answered")
		}
		wantKind(t, err, outbound.KindTimeout)
	}
}

func TestCancelledRequests(t *testing.T) {
	began := make(chan struct{})
	s := startSite(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) { close(began); <-r.Context().Done() })
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-began; stop() }()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	_, err := newClient(t, "127.0.0.1").Do(req, outbound.Limits{})
	wantKind(t, err, outbound.KindCanceled)
}

func TestHostsOfTheOperator(t *testing.T) {
	inside := startSite(t, "127.0.0.2", helloHandler)
	s := startSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, inside.URL, http.StatusFound)
			return
		}
		helloHandler(w, r)
	})
	c := newClient(t)
	c.AllowedHosts = []string{s.Listener.Addr().String()}
	if reply, err := fetch(t, c, s.URL, outbound.Limits{}); err != nil || string(reply.Body) != "hello" {
		t.Error(err)
	}
	_, err := fetch(t, c, s.URL+"/away", outbound.Limits{})
	wantKind(t, err, outbound.KindRefused)
	if inside.conns.Load() > 0 {
		t.Error("something connected")
	}
}

func TestFailuresKeepSecrets(t *testing.T) {
	c := newClient(t)
	c.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	_, err := fetch(t, c, "https://a.example/?key=secret", outbound.Limits{})
	if e := wantKind(t, err, outbound.KindFailed); strings.Contains(e.Error(), "secret") {
		t.Error(e)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example/", nil)
	req.Header["X-Key"] = []string{"secret\r\nX: y"}
	_, err = c.Do(req, outbound.Limits{})
	if e := wantKind(t, err, outbound.KindRefused); strings.Contains(e.Error(), "secret") {
		t.Error(e)
	}
}
