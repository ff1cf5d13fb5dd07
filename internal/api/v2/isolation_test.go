package v2_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit"
)

// isolationCases lists every route with a body that makes it succeed. Ids are written as {agentId} and so on wherever a
// client can put them. The test goes through the list in order: what deletes comes last.
var isolationCases = []struct{ route, body string }{
	{"GET /health", ""},
	{"GET /me", ""},
	{"GET /agents", ""},
	{"POST /agents", `{"name": "New"}`},
	{"GET /agents/{agentId}", ""},
	{"PUT /agents/{agentId}", `{"name": "Changed"}`},
	{"PUT /agents/{agentId}/styles", `{"styles": {"chat": {"theme": "dark"}}}`},
	{"PUT /agents/{agentId}/auto-retrain", `{"enabled": false}`},
	{"POST /agents/{agentId}/clone", ""},
	{"POST /agents/{agentId}/train", ""},
	{"POST /agents/{agentId}/chat", `{"message": "Hello", "conversationId": "{conversationId}"}`},
	{"POST /agents/{agentId}/conversations/{conversationId}/tool-result", `{"toolCallId": "{toolCallId}", "output": 1}`},
	{"GET /agents/{agentId}/conversations", ""},
	{"GET /agents/{agentId}/conversations/{conversationId}", ""},
	{"GET /agents/{agentId}/conversations/{conversationId}/messages", ""},
	{"PATCH /agents/{agentId}/conversations/{conversationId}/messages/{messageId}/feedback", `{"feedback": "positive"}`},
	{"GET /agents/{agentId}/users/{userId}/conversations", ""},
	{"GET /agents/{agentId}/conversations/export", ""},
	{"GET /agents/{agentId}/conversations/search", ""},
	{"GET /agents/{agentId}/insights", ""},
	{"POST /agents/{agentId}/conversations/{conversationId}/retry", `{"messageId": "{messageId}"}`},
	{"PATCH /agents/{agentId}/conversations/{conversationId}", `{"paused": false}`},
	{"POST /agents/{agentId}/conversations/{conversationId}/messages", `{"message": "Is anybody there?"}`},
	{"GET /agents/{agentId}/conversations/{conversationId}/events", ""},
	{"GET /agents/{agentId}/sources", ""},
	{"POST /agents/{agentId}/sources", `{"type": "text", "name": "More", "content": "More to read."}`},
	{"GET /agents/{agentId}/sources/summary", ""},
	{"PUT /agents/{agentId}/sources/{sourceId}", `{"content": "The sky is grey."}`},
	{"GET /agents/{agentId}/sources/{sourceId}", ""},
	{"GET /agents/{agentId}/sources/{sourceId}/passages", ""},
	{"POST /agents/{agentId}/sources/{sourceId}/restore", ""},
	{"POST /agents/{agentId}/helpdesk/tickets",
		`{"subject": "Help", "description": "Please.", "customer": {"email": "jo@example.com"}}`},
	{"GET /agents/{agentId}/helpdesk/tickets", ""},
	{"POST /agents/{agentId}/helpdesk/tickets/search", `{"query": "help"}`},
	{"GET /agents/{agentId}/helpdesk/tickets/{ticketNumber}", ""},
	{"PATCH /agents/{agentId}/helpdesk/tickets/{ticketNumber}", `{"priority": "high"}`},
	{"GET /agents/{agentId}/helpdesk/tickets/{ticketNumber}/messages", ""},
	{"POST /agents/{agentId}/helpdesk/tickets/{ticketNumber}/messages",
		`{"type": "reply", "content": "Hello", "authorEmail": "kim@shop.example"}`},
	{"GET /agents/{agentId}/helpdesk/ticket-statuses", ""},
	{"GET /agents/{agentId}/helpdesk/teams", ""},
	{"POST /agents/{agentId}/voice/sessions", `{"conversationId": "{conversationId}"}`},
	{"DELETE /agents/{agentId}/sources/{sourceId}", ""},
	{"DELETE /agents/{agentId}", ""},
}

// requiredStatus is how our conversation must stand for a route to succeed, where it is not ongoing.
var requiredStatus = map[string]parley.ConversationStatus{
	"POST /agents/{agentId}/conversations/{conversationId}/messages": parley.ConversationTakenOver,
	"GET /agents/{agentId}/conversations/{conversationId}/events":    parley.ConversationEnded, // else it would not end
}

// malformedIDs are ids that no thing has, in forms that a careless server trips over.
var malformedIDs = []string{"x", "%00", "%27%20or%201=1--", "..%2F..", "%F0%9F%98%80",
	"00000000-0000-0000-0000-00000000000g", strings.Repeat("a", 3000)}

type resourceIDs = testkit.ResourceIDs

// TestIsolation holds the promise that nobody can reach, or so much as notice, another account's things: the reply
// to their id is the reply to an id that does not exist, byte for byte.
func TestIsolation(t *testing.T) {
	srv := testkit.Open(t)
	ids, foreignIDs := createResources(t, srv, parley.AccountID(srv.Account), srv.Key),
		createResources(t, srv, parley.AccountID(srv.OtherAccount), srv.OtherKey)
	addMember(t, srv, srv.Account, "kim@shop.example")
	unknown := resourceIDs{"agentId": "AAAAAAAAAAAAAAAAAAAAA", "sourceId": "00000000-0000-4000-8000-000000000000",
		"conversationId": "01900000-0000-7000-8000-000000000000",
		"messageId":      "msg_0000000000000000000000", "toolCallId": "call_000000000000000000000",
		"ticketNumber": "999999999"}
	for _, row := range isolationCases {
		for _, name := range []string{"agentId", "sourceId", "conversationId", "messageId", "toolCallId", "ticketNumber"} {
			if !strings.Contains(row.route+row.body, "{"+name+"}") {
				continue
			}
			stranger := requestForComparison(t, srv, row.route, row.body, ids.With(name, foreignIDs[name]))
			missing := requestForComparison(t, srv, row.route, row.body, ids.With(name, unknown[name]))
			if stranger != missing || !strings.HasPrefix(missing, "404 ") {
				t.Errorf("%s with another account's %s:\n%s\nwith an unknown one:\n%s", row.route, name, stranger, missing)
			}
			for _, id := range malformedIDs {
				if got := requestForComparison(t, srv, row.route, row.body, ids.With(name, id)); got != missing {
					t.Errorf("%s with %s %q:\n%s\nwith an unknown one:\n%s", row.route, name, id, got, missing)
				}
			}
		}
		if strings.Contains(row.route, "{") {
			if all, none := requestForComparison(t, srv, row.route, row.body, foreignIDs),
				requestForComparison(t, srv, row.route, row.body, unknown); all != none {
				t.Errorf("%s with all ids another account's:\n%s\nunknown:\n%s", row.route, all, none)
			}
		}
		setStatus(t, srv, ids["conversationId"], requiredStatus[row.route])
		got := requestForComparison(t, srv, row.route, row.body, ids)
		setStatus(t, srv, ids["conversationId"], parley.ConversationOngoing)
		if !strings.HasPrefix(got, "2") {
			t.Errorf("%s with our own ids: %s", row.route, got)
		}
		for name, id := range foreignIDs {
			if strings.Contains(got, id) {
				t.Errorf("%s shows another account's %s", row.route, name)
			}
		}
	}
	for path := range strings.SplitSeq("/agents/{agentId} /agents/{agentId}/sources/{sourceId} "+
		"/agents/{agentId}/conversations/{conversationId}", " ") {
		if got, _ := sendAs(t, srv, srv.OtherKey, "GET", foreignIDs.Substitute(path), ""); got != 200 {
			t.Errorf("%s of the other account did not survive: %d", path, got)
		}
	}
}

func setStatus(t *testing.T, srv *testkit.Server, conversation string, status parley.ConversationStatus) {
	t.Helper()
	if status == "" {
		return
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `update conversations set status = ? where id = ?`, string(status),
		conversation); err != nil {
		t.Fatal(err)
	}
}

// createResources returns the key's account one of each thing.
func createResources(t *testing.T, srv *testkit.Server, account parley.AccountID, key string) resourceIDs {
	t.Helper()
	var agent struct{ ID parley.AgentID }
	var source struct{ ID string }
	var answer struct {
		Data struct {
			ID       parley.MessageID
			Metadata struct{ ConversationID parley.ConversationID }
		}
	}
	make := func(path, body string, into any) {
		t.Helper()
		status, reply := sendAs(t, srv, key, "POST", path, body)
		if err := json.Unmarshal([]byte(reply), into); err != nil || status/100 != 2 {
			t.Fatalf("%s: %d %s", path, status, reply)
		}
	}
	make("/agents", `{"name": "Agent"}`, &agent)
	if status, reply := sendAs(t, srv, key, "PUT", "/agents/"+string(agent.ID), `{"voiceSettings": {}}`); status != 200 {
		t.Fatal(status, reply)
	}
	make("/agents/"+string(agent.ID)+"/sources", `{"type": "text", "name": "Text", "content": "The sky is blue."}`,
		&source)
	make("/agents/"+string(agent.ID)+"/chat", `{"message": "Hello", "userId": "of-`+string(agent.ID)+`"}`, &answer)
	call := parley.ToolCall{ID: parley.NewUUID(), AccountID: account, AgentID: agent.ID,
		ConversationID: answer.Data.Metadata.ConversationID, MessageID: answer.Data.ID,
		CallID: parley.NewCallID(), Tool: "where_am_i", RunsOnClient: true, Input: json.RawMessage("{}"),
		Status: parley.ToolPending, CreatedAt: time.Now()}
	if err := srv.DB.AddToolCalls(t.Context(), []parley.ToolCall{call}); err != nil {
		t.Fatal(err)
	}
	return resourceIDs{"agentId": string(agent.ID), "sourceId": source.ID,
		"conversationId": string(call.ConversationID), "messageId": string(call.MessageID), "toolCallId": call.CallID,
		"userId": "of-" + string(agent.ID), "ticketNumber": createTicket(t, srv, key, account.AgentRef(agent.ID))}
}

// createTicket opens a ticket and returns its number, which no agent of the other account has.
func createTicket(t *testing.T, srv *testkit.Server, key string, ref parley.AgentRef) string {
	t.Helper()
	if status, body := sendAs(t, srv, key, "GET", "/agents/"+string(ref.Agent)+"/helpdesk/teams", ""); status != 200 {
		t.Fatal(status, body)
	}
	if string(ref.Account) == srv.OtherAccount {
		if _, err := srv.DB.SQL().Exec(t.Context(),
			`update helpdesks set last_number = 98765431 where agent_id = ? and account_id = ?`, ref.Agent,
			ref.Account); err != nil {
			t.Fatal(err)
		}
	}
	var ticket struct{ TicketNumber int64 }
	status, body := sendAs(t, srv, key, "POST", "/agents/"+string(ref.Agent)+"/helpdesk/tickets",
		`{"subject": "Help", "description": "Please.", "customer": {"email": "jo@example.com"}}`)
	if err := json.Unmarshal([]byte(body), &ticket); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	return strconv.FormatInt(ticket.TicketNumber, 10)
}

// requestForComparison sends a route's request with our key and returns all of the reply that a stranger could
// compare.
func requestForComparison(t *testing.T, srv *testkit.Server, route, body string, ids resourceIDs) string {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	status, reply := sendAs(t, srv, srv.Key, method, ids.Substitute(path), ids.Substitute(body))
	return fmt.Sprint(status, " ", reply)
}

func sendAs(t *testing.T, srv *testkit.Server, key, method, path, body string) (int, string) {
	t.Helper()
	reply := srv.Do(t, method, path, key, body)
	return reply.Status, string(reply.Body)
}

var noFilter store.ConversationFilter

// createAgent creates an agent and returns its id.
func createAgent(t *testing.T, srv *testkit.Server) string {
	t.Helper()
	status, body := sendAs(t, srv, srv.Key, "POST", "/agents", `{"name": "Agent"}`)
	var created struct{ ID string }
	if err := json.Unmarshal([]byte(body), &created); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	return created.ID
}
