package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/api/mcp"
	"parley/internal/testkit"
)

// bearerTransport sends a key with every request.
type bearerTransport struct {
	key  string
	next http.RoundTripper
}

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return b.next.RoundTrip(r)
}

// connect opens a session with the official Go client.
func connect(t testing.TB, srv *testkit.Server, key string) *sdk.ClientSession {
	t.Helper()
	return connectVia(t, http.DefaultTransport, srv, key)
}

func connectVia(t testing.TB, next http.RoundTripper, srv *testkit.Server, key string) *sdk.ClientSession {
	t.Helper()
	session, err := dial(t.Context(), next, srv, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close the session: %v", err)
		}
	})
	return session
}

func dial(ctx context.Context, next http.RoundTripper, srv *testkit.Server, key string) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: srv.URL + mcp.Path,
		HTTPClient: &http.Client{Transport: bearerTransport{key, next}}}, nil)
}

// callTool calls a tool and returns the text of its result.
func callTool(t testing.TB, session *sdk.ClientSession, tool, args string) (text string, refused bool) {
	t.Helper()
	out, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return out.Content[0].(*sdk.TextContent).Text, out.IsError
}

// callToolInto calls a tool that must succeed, and decodes its result.
func callToolInto(t testing.TB, session *sdk.ClientSession, tool, args string, into any) {
	t.Helper()
	text, refused := callTool(t, session, tool, args)
	if refused {
		t.Fatalf("%s %s: %s", tool, args, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func TestGoClient(t *testing.T) {
	srv := testkit.Open(t)
	session := connect(t, srv, srv.Key)
	if got := session.InitializeResult(); got.ServerInfo.Name != "parley" || got.Instructions == "" {
		t.Errorf("%+v", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 27 {
		t.Fatal(err, len(list.Tools))
	}
	var me struct{ Workspace struct{ ID string } }
	if callToolInto(t, session, "service_whoami", `{}`, &me); me.Workspace.ID != srv.Account {
		t.Error(me)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "service_nothing"}); err == nil {
		t.Error("a missing tool answers")
	}
}

func TestEightSessionsAtOnce(t *testing.T) {
	srv := testkit.Open(t)
	var agent struct{ ID string }
	callToolInto(t, connect(t, srv, srv.Key), "service_create_agent", `{"name": "Shop"}`, &agent)
	var all sync.WaitGroup
	for range 8 {
		session := connect(t, srv, srv.Key)
		all.Go(func() {
			for range 5 {
				args := json.RawMessage(`{"agentId": "` + agent.ID + `", "message": "Hello"}`)
				out, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "service_chat", Arguments: args})
				if err != nil || out.IsError || !strings.Contains(out.Content[0].(*sdk.TextContent).Text, "conversationId") {
					t.Error(out, err)
				}
			}
		})
	}
	all.Wait()
	var page struct{ Pagination struct{ Total int } }
	callToolInto(t, connect(t, srv, srv.Key), "service_export_conversations", `{"agentId": "`+agent.ID+`"}`, &page)
	if page.Pagination.Total != 40 {
		t.Error(page)
	}
}

func TestWrongKeyHasNoSession(t *testing.T) {
	srv := testkit.Open(t)
	if _, err := dial(t.Context(), http.DefaultTransport, srv, "wrong"); err == nil ||
		!strings.Contains(err.Error(), "Unauthorized") {
		t.Error(err)
	}
}
