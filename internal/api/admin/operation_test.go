package admin_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/httpapi"
	"parley/internal/testkit"
)

func TestUnknownOperationIsNamed(t *testing.T) {
	handler := admin.Handler(testkit.Open(t).AdminService, slog.New(slog.DiscardHandler))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/futures", http.NoBody))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "does not know the operation GET /futures") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Each failure has a code that its operation declares: the server's OnUndeclaredCode fails the test otherwise.
func TestOperationsFailWithTheirDeclaredCodes(t *testing.T) {
	server := testkit.Open(t)
	handler := admin.Handler(server.AdminService, slog.New(slog.DiscardHandler))
	replacer := strings.NewReplacer("ACCOUNT", server.Account, "AGENT", server.NewAgent(t, server.Key))
	for _, c := range failingRequests {
		method, path, _ := strings.Cut(replacer.Replace(c.route), " ")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(c.body)))
		var reply httpapi.Envelope
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || reply.Error.Code != c.code {
			t.Errorf("%s %s: %d %s, want %s", c.route, c.body, w.Code, w.Body, c.code)
		}
	}
}

var failingRequests = []struct {
	route, body string
	code        parley.Code
}{
	{"PATCH /accounts/x", `{}`, parley.CodeAccountNotFound},
	{"POST /accounts/x/keys", `{"name":"n"}`, parley.CodeAccountNotFound},
	{"DELETE /keys/x", ``, parley.CodeKeyNotFound},
	{"GET /keys?accountId=x", ``, parley.CodeAccountNotFound},
	{"POST /accounts/x/members", `{"email":"a@b.co","name":"A","role":"agent"}`, parley.CodeAccountNotFound},
	{"GET /members?accountId=x", ``, parley.CodeAccountNotFound},
	{"PATCH /accounts/x/members?email=a@b.co", `{"role":"agent"}`, parley.CodeAccountNotFound},
	{"PATCH /accounts/ACCOUNT/members?email=a@b.co", `{"role":"agent"}`, parley.CodeMemberNotFound},
	{"PATCH /accounts/ACCOUNT/members", `{"role":"agent"}`, parley.CodeInvalidBody},
	{"DELETE /accounts/x/members?email=a@b.co", ``, parley.CodeAccountNotFound},
	{"DELETE /accounts/ACCOUNT/members?email=a@b.co", ``, parley.CodeMemberNotFound},
	{"POST /webhooks", `{"accountId":"x","endpoint":"http://a.co","events":[]}`, parley.CodeAccountNotFound},
	{"POST /webhooks", `{"agentId":"x","endpoint":"http://a.co","events":[]}`, parley.CodeAgentNotFound},
	{"DELETE /webhooks/x", ``, parley.CodeNotFound},
	{"GET /agents/x/synonyms/proposals", ``, parley.CodeAgentNotFound},
	{"POST /agents/x/synonyms", `{"words":["a","b"]}`, parley.CodeAgentNotFound},
	{"POST /agents/AGENT/synonyms", `{"words":["a"]}`, parley.CodeInvalidBody},
	{"POST /deliveries/x/redeliver", ``, parley.CodeNotFound},
	{"GET /deliveries?state=lost", ``, parley.CodeInvalidBody},
	{"POST /accounts/x/reindex", `{"begin":true}`, parley.CodeAccountNotFound},
	{"POST /accounts/x/manifest", `{"documents":[],"prune":false,"dryRun":false}`, parley.CodeAccountNotFound},
	{"GET /agents/x/manifest", ``, parley.CodeAgentNotFound},
	{"POST /agents/x/replay", `{"limit":1}`, parley.CodeAgentNotFound},
	{"GET /agents/x/sources", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/insights?from=2026-02-02&to=2026-01-01", ``, parley.CodeInvalidDateRange},
	{"GET /agents/AGENT/insights?by=moon", ``, parley.CodeInvalidBody},
	{"GET /agents/x/conversations", ``, parley.CodeAgentNotFound},
	{"PUT /conversations/x/state", `{"step":"end"}`, parley.CodeConversationNotFound},
	{"POST /conversations/x/messages", `{"member":"a@b.co","text":"t"}`, parley.CodeConversationNotFound},
	{"GET /conversations/x/trace", ``, parley.CodeConversationNotFound},
	{"POST /conversations/count", `{"conversationIds":["x"]}`, parley.CodeConversationNotFound},
	{"POST /conversations/count", `{}`, parley.CodeInvalidBody},
	{"POST /conversations/delete", `{"agentId":"x","userId":"u"}`, parley.CodeAgentNotFound},
	{"POST /voice/sessions/x/end", ``, parley.CodeNotFound},
	{"GET /voice/sessions/x/recording?part=0", ``, parley.CodeNotFound},
	{"POST /agents/AGENT/statuses", `{"key":"a b","category":"new","label":"l","default":false}`,
		parley.CodeInvalidBody},
	{"PATCH /agents/AGENT/statuses/x", `{}`, parley.CodeTicketStatus},
	{"POST /agents/AGENT/statuses/x/default", ``, parley.CodeTicketStatus},
	{"POST /agents/AGENT/statuses/New/archive", ``, parley.CodeInvalidBody},
	{"POST /agents/AGENT/teams", `{"key":"a b","name":"n","default":false}`, parley.CodeInvalidBody},
	{"PATCH /agents/AGENT/teams/x", `{"default":false}`, parley.CodeTicketTeam},
	{"DELETE /agents/AGENT/teams/x", ``, parley.CodeTicketTeam},
	{"PUT /agents/AGENT/teams/General/members/a@b.co", `{}`, parley.CodeTicketMember},
	{"DELETE /agents/AGENT/teams/General/members/a@b.co", ``, parley.CodeTicketMember},
	{"POST /agents/AGENT/rules", `{"key":"a b","disabled":false,"team":"General"}`, parley.CodeInvalidBody},
	{"POST /agents/AGENT/rules", `{"disabled":false,"team":"x"}`, parley.CodeTicketTeam},
	{"POST /agents/AGENT/rules", `{"disabled":false,"assignee":"a@b.co"}`, parley.CodeTicketMember},
	{"DELETE /agents/AGENT/rules/x", ``, parley.CodeNotFound},
	{"POST /agents/AGENT/rules/x/move", `{"to":1}`, parley.CodeNotFound},
	{"PUT /agents/AGENT/rules/x/enabled", `{"on":true}`, parley.CodeNotFound},
	{"POST /agents/AGENT/route", `{"subject":"s","description":"","email":"","channel":"x"}`, parley.CodeInvalidBody},
	{"POST /agents/AGENT/route", `{"subject":"s","description":"","email":"","priority":"x"}`, parley.CodeInvalidBody},
	{"GET /agents/x/customers", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/tickets?statusCategories=new,x", ``, parley.CodeInvalidBody},
	{"GET /agents/AGENT/tickets?channels=x", ``, parley.CodeInvalidBody},
	{"GET /agents/AGENT/tickets?assignee=a@b.co", ``, parley.CodeTicketMember},
	{"GET /agents/AGENT/tickets?team=x", ``, parley.CodeTicketTeam},
	{"GET /agents/AGENT/tickets?customer=a@b.co", ``, parley.CodeNotFound},
	{"POST /agents/AGENT/tickets", `{"subject":"s","description":"d","email":"a@b.co","status":"x"}`,
		parley.CodeTicketStatus},
	{"POST /agents/AGENT/tickets", `{"subject":"s","description":"d","email":"a@b.co","team":"x"}`,
		parley.CodeTicketTeam},
	{"POST /agents/AGENT/tickets", `{"subject":"s","description":"d","email":"a@b.co","assignee":"b@b.co"}`,
		parley.CodeTicketMember},
	{"GET /agents/AGENT/tickets/7", ``, parley.CodeTicketNotFound},
	{"PATCH /agents/AGENT/tickets/7", `{}`, parley.CodeTicketNotFound},
	{"POST /agents/AGENT/tickets/7/messages", `{"type":"note","member":"a@b.co","text":"t"}`,
		parley.CodeTicketNotFound},
}

// A caller in the same process gets the error itself, with its cause; a response holds no cause.
func TestLocalCallKeepsTheCause(t *testing.T) {
	server := testkit.Open(t)
	_, err := admin.RunOn(t.Context(), server.AdminService, admin.ListSources,
		admin.SourceQuery{AgentID: "nothing", Limit: 1})
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		t.Error(err)
	}
	_, err = admin.RunOn(t.Context(), server.AdminService, admin.MoveConversation, admin.StateChange{ID: "x", Step: "fly"})
	if e := parley.AsError(err); e.Code != parley.CodeInvalidBody ||
		!strings.Contains(e.Details["step"], "must be one of") {
		t.Error(err)
	}
	if err := server.DB.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = admin.RunOn(t.Context(), server.AdminService, admin.ListAccounts, admin.NoInput{})
	var e *parley.Error
	if err == nil || errors.As(err, &e) && e.Err == nil {
		t.Errorf("without a cause: %v", err)
	}
}
