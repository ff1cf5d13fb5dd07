package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/api/mcp"
	"parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

const listTools = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`

// postMessage sends one message as a client program does.
func postMessage(t *testing.T, srv *testkit.Server, key, body string, change func(r *http.Request)) (*http.Response,
	string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+mcp.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return resp, text.String()
}

func TestEndpoint(t *testing.T) {
	srv := testkit.Open(t)
	_, poor := srv.NewAccount(t, admin.NewAccount{Name: "Poor", Plan: "hobby"})
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	port := srv.URL[strings.LastIndexByte(srv.URL, ':'):]
	wantChallenge := `Bearer realm="parley", resource_metadata="` + srv.URL +
		`/.well-known/oauth-protected-resource/api/mcp"`
	for name, c := range map[string]struct {
		key    string
		body   string
		change func(*http.Request)
		status int
		want   string
	}{
		"a list":            {srv.Key, listTools, nil, 200, "service_whoami"},
		"no key":            {"", listTools, nil, 401, "AUTH_MISSING_API_KEY"},
		"a wrong key":       {"wrong", listTools, nil, 401, "AUTH_INVALID_API_KEY"},
		"not a bearer":      {"", listTools, header("Authorization", "Basic abc"), 401, "AUTH_INVALID_API_KEY"},
		"a plan without it": {poor, listTools, nil, 403, "SUBSCRIPTION_API_RESTRICTED_PLAN"},
		"no body":           {srv.Key, "", nil, 400, "VALIDATION_INVALID_JSON"},
		"not JSON":          {srv.Key, "{", nil, 400, "VALIDATION_INVALID_JSON"},
		"several at once":   {srv.Key, "[" + listTools + "]", nil, 400, "VALIDATION_INVALID_BODY"},
		"too much":          {srv.Key, `"` + strings.Repeat("a", 8<<20) + `"`, nil, 413, "REQUEST_TOO_LARGE"},
		"another method":    {srv.Key, "", func(r *http.Request) { r.Method = http.MethodGet }, 405, "METHOD_NOT_ALLOWED"},
		"an end of a session": {srv.Key, "", func(r *http.Request) {
			r.Method = http.MethodDelete
		}, 405, "METHOD_NOT_ALLOWED"},
		"a preflight": {srv.Key, "", func(r *http.Request) {
			r.Method = http.MethodOptions
		}, 405, "METHOD_NOT_ALLOWED"},
		"a path below":   {srv.Key, listTools, func(r *http.Request) { r.URL.Path += "/" }, 404, "NOT_FOUND"},
		"our own origin": {srv.Key, listTools, header("Origin", srv.URL), 200, "service_whoami"},
		"the same by name": {srv.Key, listTools, func(r *http.Request) {
			r.Host = "localhost" + port
			r.Header.Set("Origin", "http://localhost"+port)
		}, 200, "service_whoami"},
		"a foreign origin": {srv.Key, listTools, header("Origin", "https://evil.example"), 403,
			"AUTH_ORIGIN_NOT_ALLOWED"},
		"and without a key":    {"", listTools, header("Origin", "https://evil.example"), 403, "AUTH_ORIGIN_NOT_ALLOWED"},
		"another port":         {srv.Key, listTools, header("Origin", "http://127.0.0.1:1"), 403, "AUTH_ORIGIN_NOT_ALLOWED"},
		"an origin of nowhere": {srv.Key, listTools, header("Origin", "null"), 403, "AUTH_ORIGIN_NOT_ALLOWED"},
		"a rebound name":       {srv.Key, listTools, host("evil.example" + port), 403, "AUTH_ORIGIN_NOT_ALLOWED"},
		"a rebound name, itself": {srv.Key, listTools, func(r *http.Request) {
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		}, 403, "AUTH_ORIGIN_NOT_ALLOWED"},
		"a version of tomorrow": {srv.Key,
			`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2999-01-01", ` +
				`"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}`,
			nil, 200, "protocolVersion"},
		"a notification":      {srv.Key, `{"jsonrpc": "2.0", "method": "notifications/initialized"}`, nil, 202, ""},
		"a session of nobody": {srv.Key, listTools, header("Mcp-Session-Id", "x"), 200, "service_whoami"},
		"other words":         {srv.Key, `{"jsonrpc": "2.0", "id": 1, "method": "tools/none"}`, nil, 200, "tools/none"},
	} {
		resp, text := postMessage(t, srv, c.key, c.body, c.change)
		if resp.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %.300s, want %d %s", name, resp.StatusCode, text, c.status, c.want)
		}
		if challenge := resp.Header.Get("WWW-Authenticate"); (c.status == 401) != (challenge == wantChallenge) {
			t.Errorf("%s: WWW-Authenticate: %s", name, challenge)
		}
		if resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("X-RateLimit-Limit") == "" ||
			resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", name, resp.Header)
		}
	}
}

// On a public address the Origin must be the configured one, whatever the Host header is; on loopback a proxy may set
// it.
func TestOriginsOfAPublicServer(t *testing.T) {
	srv := testkit.Open(t)
	document := func() ([]byte, error) { return v2.Document(srv.URL, "") }
	admission := &access.Admission{Authenticator: srv.Authenticator, Limiter: srv.Limiter, Now: time.Now}
	handler := mcp.New(mcp.Config{Admit: admission.Admit, REST: srv.Handler(), Document: document,
		BaseURL: "https://support.example", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	public, near := net.IPv4(10, 0, 0, 1), net.IPv4(127, 0, 0, 1)
	for _, c := range []struct {
		at           net.IP
		host, origin string
		status       int
	}{
		{public, "other.example", "", 200}, {public, "other.example", "https://support.example", 200},
		{public, "support.example", "http://support.example", 403},
		{public, "other.example", "https://other.example", 403},
		{near, "support.example", "https://support.example", 200}, {near, "other.example", "", 403},
		{near, "[::1]:8080", "http://[::1]:8080", 200},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
			&net.TCPAddr{IP: c.at, Port: 80}),
			http.MethodPost, mcp.Path, strings.NewReader(listTools))
		r.Host = c.host
		r.Header = http.Header{"Authorization": {"Bearer " + srv.Key}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if handler.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
}

// Each request counts once against the rate limit; the REST operation that a tool calls does not count again.
func TestRequestsAreCountedOnce(t *testing.T) {
	srv := testkit.Open(t, testkit.WithClock(clock.New()), testkit.WithConfig(func(c *server.Config) {
		c.RateLimit = 3
	}))
	whoami := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "service_whoami", "arguments": {}}}`
	for left := 2; left >= 0; left-- {
		resp, text := postMessage(t, srv, srv.Key, whoami, nil)
		if resp.StatusCode != 200 || resp.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(left) ||
			!strings.Contains(text, "workspace") {
			t.Fatal(left, resp.StatusCode, resp.Header, text)
		}
	}
	resp, text := postMessage(t, srv, srv.Key, whoami, nil)
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "10" ||
		!strings.Contains(text, "RATE_LIMIT_TOO_MANY_REQUESTS") {
		t.Error(resp.StatusCode, resp.Header, text)
	}
	if got := srv.Do(t, "GET", "/me", srv.Key, nil).Status; got != 429 {
		t.Error("REST has its own count:", got)
	}
}

func TestMaintenance(t *testing.T) {
	srv := testkit.Open(t)
	srv.Authenticator.SetMaintenance(true)
	resp, text := postMessage(t, srv, srv.Key, listTools, nil)
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" ||
		!strings.Contains(text, "SERVICE_UNDER_MAINTENANCE") {
		t.Error(resp.StatusCode, text)
	}
}

// An account may search ten times a second, in any number of calls; only the eleventh search is refused.
func TestSearchesAreCounted(t *testing.T) {
	srv := testkit.Open(t, testkit.WithClock(clock.New()))
	agent := srv.NewAgent(t, srv.Key)
	session := connect(t, srv, srv.Key)
	five := `{"agentId": "` + agent + `", "searches": [{}, {}, {}, {}, {}]}`
	for range 2 {
		if text, refused := callTool(t, session, "service_search_conversations", five); refused ||
			strings.Contains(text, "error") {
			t.Fatal(text)
		}
	}
	var got struct {
		Results []struct{ Error map[string]any }
	}
	callToolInto(t, session, "service_search_conversations", five, &got)
	for _, r := range got.Results {
		if r.Error["code"] != "RATE_LIMIT_TOO_MANY_REQUESTS" || r.Error["retryAfter"] != 1.0 {
			t.Error(r)
		}
	}
	var all map[string]json.RawMessage
	callToolInto(t, session, "service_whoami", `{}`, &all)
}
