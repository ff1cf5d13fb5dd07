package mcp_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

// isolationCases lists every tool with arguments that make it succeed. Ids are written as {agentId} and so on wherever
// a client can put them. The test goes through the list in order: what deletes comes last. If an unknown id is not an
// error, empty is the result.
var isolationCases = []struct {
	tool, args string
	empty      string // the result for an unknown id
}{
	{tool: "service_whoami", args: `{}`},
	{tool: "service_list_agents", args: `{}`},
	{tool: "service_create_agent", args: `{"name": "New"}`},
	{tool: "service_get_agent", args: `{"agentId": "{agentId}"}`},
	{tool: "service_update_agent", args: `{"agentId": "{agentId}", "name": "Changed"}`},
	{tool: "service_update_agent_auto_retrain", args: `{"agentId": "{agentId}", "enabled": false}`},
	{tool: "service_clone_agent", args: `{"agentId": "{agentId}"}`},
	{tool: "service_chat", args: `{"agentId": "{agentId}", "message": "Hello", "conversationId": "{conversationId}"}`},
	{tool: "service_update_conversation",
		args: `{"agentId": "{agentId}", "conversationId": "{conversationId}", "paused": false}`},
	{tool: "service_search_conversations", args: `{"searches": [{"agentId": "{agentId}"}]}`, empty: "AGENT_NOT_FOUND"},
	{tool: "service_export_conversations",
		args: `{"agentId": "{agentId}", "conversationId": "{conversationId}", "include": "messages"}`, empty: emptyPage},
	{tool: "service_get_sources_summary", args: `{"agentId": "{agentId}"}`},
	{tool: "service_list_sources", args: `{"agentId": "{agentId}"}`},
	{tool: "service_get_source", args: `{"agentId": "{agentId}", "sourceId": "{sourceId}"}`},
	{tool: "service_create_source",
		args: `{"agentId": "{agentId}", "type": "text", "name": "More", "content": "More to read."}`},
	{tool: "service_update_source",
		args: `{"agentId": "{agentId}", "sourceId": "{sourceId}", "content": "The sky is grey."}`},
	{tool: "service_list_ticket_statuses", args: `{"agentId": "{agentId}"}`},
	{tool: "service_list_helpdesk_teams", args: `{"agentId": "{agentId}"}`},
	{tool: "service_create_ticket",
		args: `{"agentId": "{agentId}", "subject": "Help", "description": "Please.", "customer": {"email": ` +
			`"jo@example.com"}}`},
	{tool: "service_list_tickets", args: `{"agentId": "{agentId}", "includeMessages": true}`},
	{tool: "service_search_tickets", args: `{"agentId": "{agentId}", "query": "help"}`},
	{tool: "service_get_ticket", args: `{"agentId": "{agentId}", "ticketNumber": "{ticketNumber}"}`},
	{tool: "service_update_ticket",
		args: `{"agentId": "{agentId}", "ticketNumber": "{ticketNumber}", "priority": "high"}`},
	{tool: "service_list_ticket_messages", args: `{"agentId": "{agentId}", "ticketNumber": "{ticketNumber}"}`},
	{tool: "service_create_ticket_message",
		args: `{"agentId": "{agentId}", "ticketNumber": "{ticketNumber}", "type": "note", "content": "Hello", ` +
			`"authorEmail": "kim@shop.example"}`},
	{tool: "service_delete_source", args: `{"agentId": "{agentId}", "sourceId": "{sourceId}"}`},
	{tool: "service_delete_agent", args: `{"agentId": "{agentId}"}`},
}

const emptyPage = `"total":0`

// malformedIDs are ids that do not exist, in forms that could break a path; they are encoded as JSON.
var malformedIDs = []string{"", ".", "..", "x", "a/b", "../agents", "a?limit=1#x", "%00", "%2e%2e", `\u0000`, `\ud800`,
	"{nothing}", "' or 1=1--", "😀", `\n`, strings.Repeat("a", 3000)}

type resourceIDs = testkit.ResourceIDs

// TestIsolation checks for tools what it checks for REST: no account can reach, or even detect, objects of another one.
func TestIsolation(t *testing.T) {
	srv := testkit.Open(t)
	srv.Search.Allow = nil
	session, stranger := connect(t, srv, srv.Key), connect(t, srv, srv.OtherKey)
	ids, foreignIDs := createResources(t, srv, session), createResources(t, srv, stranger)
	addMember(t, srv, srv.Account)
	unknown := resourceIDs{"agentId": "AAAAAAAAAAAAAAAAAAAAA", "sourceId": "00000000-0000-4000-8000-000000000000",
		"conversationId": "01900000-0000-7000-8000-000000000000", "ticketNumber": "999999999"}
	for _, row := range isolationCases {
		for name := range ids {
			if !strings.Contains(row.args, "{"+name+"}") {
				continue
			}
			ask := func(id string) string {
				text, refused := callTool(t, session, row.tool, ids.Substitute(strings.ReplaceAll(row.args, "{"+name+"}", id)))
				if notFound := strings.Contains(text, "NOT_FOUND"); !notFound && (row.empty != emptyPage ||
					!strings.Contains(text, emptyPage)) || notFound && !refused && row.empty == "" {
					t.Errorf("%s with %s %q: refused %v: %s", row.tool, name, id, refused, text)
				}
				return text
			}
			missing := ask(unknown[name])
			for _, id := range append([]string{foreignIDs[name]}, malformedIDs...) {
				if row.empty == emptyPage && name == "conversationId" && (id == "" || id == `\u0000`) {
					continue // an empty filter is no filter
				}
				if got := ask(id); got != missing {
					t.Errorf("%s with %s %.40q:\n%s\nwith an unknown one:\n%s", row.tool, name, id, got, missing)
				}
			}
		}
		text, refused := callTool(t, session, row.tool, ids.Substitute(row.args))
		if refused || strings.Contains(text, "NOT_FOUND") {
			t.Errorf("%s with our own ids: %s", row.tool, text)
		}
		for name, id := range foreignIDs {
			if strings.Contains(text, id) {
				t.Errorf("%s shows another account's %s", row.tool, name)
			}
		}
	}
	for _, args := range []string{"service_get_agent " + isolationCases[3].args,
		"service_get_source " + isolationCases[13].args} {
		tool, args, _ := strings.Cut(args, " ")
		if text, refused := callTool(t, stranger, tool, foreignIDs.Substitute(args)); refused {
			t.Errorf("%s of the other account did not survive: %s", tool, text)
		}
	}
}

// untestedIDs are ids that the rows leave out: one that the client chooses, and those whose error is not "not found",
// which the tests of REST cover.
var untestedIDs = []string{"userId", "statusId", "assigneeId", "teamId", "authorId"}

func TestEveryToolHasARow(t *testing.T) {
	srv := testkit.Open(t)
	list, err := connect(t, srv, srv.Key).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, row := range isolationCases {
		rows[row.tool]++
	}
	for _, tool := range list.Tools {
		if rows[tool.Name] != 1 {
			t.Errorf("%s: %d rows in the isolation test", tool.Name, rows[tool.Name])
		}
		for name := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if strings.HasSuffix(name, "Id") && !slices.Contains(untestedIDs, name) &&
				!strings.Contains(isolationArgs(tool.Name), "{"+name+"}") {
				t.Errorf("%s: its row lacks %s", tool.Name, name)
			}
		}
	}
	if len(rows) != len(list.Tools) {
		t.Error("rows of tools that do not exist")
	}
}

func isolationArgs(tool string) string {
	for _, row := range isolationCases {
		if row.tool == tool {
			return row.args
		}
	}
	return ""
}

// createResources creates one object of each kind in the session's account.
func createResources(t *testing.T, srv *testkit.Server, session *sdk.ClientSession) resourceIDs {
	t.Helper()
	var agent, source struct{ ID string }
	var answer struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	callToolInto(t, session, "service_create_agent", `{"name": "Agent"}`, &agent)
	id, err := json.Marshal(agent.ID)
	if err != nil {
		t.Fatal(err)
	}
	callToolInto(t, session, "service_create_source",
		`{"agentId": `+string(id)+`, "type": "text", "name": "Text", "content": "The sky is blue."}`, &source)
	callToolInto(t, session, "service_chat", `{"agentId": `+string(id)+`, "message": "Hello"}`, &answer)
	var list struct {
		Data []struct{ TicketNumber int64 }
	}
	callToolInto(t, session, "service_create_ticket", `{"agentId": `+string(id)+
		`, "subject": "S", "description": "D", "customer": {"email": "jo@example.com"}}`, &struct{}{})
	// The other account has its own numbers.
	if _, err := srv.DB.SQL().Exec(t.Context(), `update tickets set number = number + 98765430 where account_id = ?`,
		srv.OtherAccount); err != nil {
		t.Fatal(err)
	}
	callToolInto(t, session, "service_list_tickets", `{"agentId": `+string(id)+`}`, &list)
	return resourceIDs{"agentId": agent.ID, "sourceId": source.ID,
		"conversationId": answer.Data.Metadata.ConversationID,
		"ticketNumber":   strconv.FormatInt(list.Data[0].TicketNumber, 10)}
}

// addMember adds a member, whose address the rows name, to the account's team.
func addMember(t *testing.T, srv *testkit.Server, account string) {
	t.Helper()
	if _, err := admin.RunOn(t.Context(), srv.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: "kim@shop.example", Name: "Kim", Role: "agent"}); err != nil {
		t.Fatal(err)
	}
}
