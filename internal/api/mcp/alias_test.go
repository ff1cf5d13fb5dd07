package mcp_test

import (
	"strings"
	"testing"

	"parley/internal/testkit"
)

// TestToolsHaveTheirHostedNames checks that a tool can be called by its name at the hosted service, which is not
// listed.
func TestToolsHaveTheirHostedNames(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key)
	for name, want := range map[string]string{
		`"chatbase_whoami", "arguments": {}`:                              srv.Account,
		`"chatbase_get_agent", "arguments": {"agentId": "` + agent + `"}`: agent,
		`"service_whoami"`:   srv.Account,
		`"chatbase_nothing"`: "chatbase_nothing",
		`"chatbase_"`:        "chatbase_",
	} {
		_, body := postMessage(t, srv, srv.Key,
			`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": `+name+`}}`, nil)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", name, body)
		}
	}
	if _, body := postMessage(t, srv, srv.Key, listTools, nil); strings.Contains(body, "chatbase_") {
		t.Error("the other names are listed")
	}
	_, body := postMessage(t, srv, "wrong",
		`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "chatbase_whoami"}}`, nil)
	if !strings.Contains(body, "AUTH_INVALID_API_KEY") {
		t.Error(body)
	}
}
