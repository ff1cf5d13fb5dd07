package mcp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
)

// Any fault of a message is returned as an error of the protocol.
func TestFaultsAreJSONRPC(t *testing.T) {
	srv := testkit.Open(t)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		body   string
		change func(*http.Request)
		status int
		id     string
		code   int
	}{
		"a method that there is not": {`{"jsonrpc": "2.0", "id": 1, "method": "tools/none"}`, nil, 200, "1", -32601},
		"one by a name":              {`{"jsonrpc": "2.0", "id": "a", "method": "x"}`, nil, 200, `"a"`, -32601},
		"one in a protocol of tomorrow": {`{"jsonrpc": "2.0", "id": 1, "method": "x"}`,
			header("MCP-Protocol-Version", "2026-07-28"), 404, "1", -32601},
		"a notification that there is not": {`{"jsonrpc": "2.0", "method": "notifications/none"}`, nil, 400, "null", -32601},
		"a call without what it needs":     {`{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`, nil, 200, "1", -32602},
		"a call of no tool": {`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none"}}`,
			nil, 200, "1", -32602},
		"a call that cannot be answered":    {`{"jsonrpc": "2.0", "method": "tools/list"}`, nil, 400, "null", -32600},
		"another version":                   {`{"jsonrpc": "1.0", "id": 1, "method": "ping"}`, nil, 400, "1", -32600},
		"no version":                        {`{"id": 1, "method": "ping"}`, nil, 400, "1", -32600},
		"an id that is none":                {`{"jsonrpc": "2.0", "id": {}, "method": "ping"}`, nil, 400, "null", -32600},
		"nothing at all":                    {`{"jsonrpc": "2.0", "id": 1}`, nil, 400, "null", -32600},
		"a number":                          {`7`, nil, 400, "null", -32600},
		"several at once":                   {`[` + listTools + `]`, nil, 400, "null", -32600},
		"not JSON":                          {`{`, nil, 400, "null", -32700},
		"no body":                           {``, nil, 400, "null", -32700},
		"too much":                          {`"` + strings.Repeat("a", 8<<20) + `"`, nil, 413, "null", -32600},
		"a protocol version of nobody":      {listTools, header("MCP-Protocol-Version", "1999-01-01"), 400, "1", -32600},
		"a place in a stream there was not": {listTools, header("Last-Event-ID", "3"), 400, "1", -32600},
		"another type":                      {listTools, header("Content-Type", "text/plain"), 415, "1", -32600},
		"nothing it would take":             {listTools, header("Accept", "text/html"), 400, "1", -32600},
	} {
		resp, text := postMessage(t, srv, srv.Key, c.body, c.change)
		var got struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %d %q", name, resp.StatusCode, text)
			continue
		}
		if resp.StatusCode != c.status || got.Version != "2.0" || string(got.ID) != c.id || got.Error.Code != c.code ||
			got.Error.Message == "" {
			t.Errorf("%s: %d %s, want %d, %d of %s", name, resp.StatusCode, text, c.status, c.code, c.id)
		}
		if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			t.Errorf("%s: Content-Type %s", name, kind)
		}
	}
}

func TestServerReportsTheProgramVersion(t *testing.T) {
	srv := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.Version = "1.2.3" }))
	info := connect(t, srv, srv.Key).InitializeResult().ServerInfo
	if info.Name != "parley" || info.Version != "1.2.3" {
		t.Errorf("%+v", info)
	}
}
