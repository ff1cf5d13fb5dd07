package admin_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/datadir"
	"parley/internal/httpapi"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
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
	srv := testkit.Open(t)
	handler := admin.Handler(srv.AdminService, slog.New(slog.DiscardHandler))
	replacer := strings.NewReplacer("ACCOUNT", srv.Account, "AGENT", srv.NewAgent(t, srv.Key))
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
	{"GET /accounts/x/invitations", ``, parley.CodeAccountNotFound},
	{"POST /accounts/x/invitations/y/link", ``, parley.CodeAccountNotFound},
	{"POST /accounts/ACCOUNT/invitations/y/link", ``, parley.CodeNotFound},
	{"DELETE /accounts/x/invitations/y", ``, parley.CodeAccountNotFound},
	{"DELETE /accounts/ACCOUNT/invitations/y", ``, parley.CodeNotFound},
	{"PUT /accounts/x/single-sign-on/domains/shop.example/confirmation", ``, parley.CodeAccountNotFound},
	{"PUT /accounts/ACCOUNT/single-sign-on/domains/shop/confirmation", ``, parley.CodeInvalidBody},
	{"POST /webhooks", `{"accountId":"x","endpoint":"http://a.co","events":[]}`, parley.CodeAccountNotFound},
	{"POST /webhooks", `{"agentId":"x","endpoint":"http://a.co","events":[]}`, parley.CodeAgentNotFound},
	{"DELETE /webhooks/x", ``, parley.CodeNotFound},
	{"GET /webhooks?accountId=x", ``, parley.CodeAccountNotFound},
	{"GET /deliveries?accountId=x", ``, parley.CodeAccountNotFound},
	{"GET /deliveries?webhookId=x", ``, parley.CodeNotFound},
	{"GET /voice/sessions?agentId=x", ``, parley.CodeAgentNotFound},
	{"GET /agents/x/synonyms/proposals", ``, parley.CodeAgentNotFound},
	{"POST /agents/x/synonyms", `{"words":["a","b"]}`, parley.CodeAgentNotFound},
	{"POST /agents/AGENT/synonyms", `{"words":["a"]}`, parley.CodeInvalidBody},
	{"POST /deliveries/x/redeliver", ``, parley.CodeNotFound},
	{"GET /deliveries?state=lost", ``, parley.CodeInvalidBody},
	{"POST /accounts/x/reindex", `{"begin":true}`, parley.CodeAccountNotFound},
	{"POST /accounts/x/exports", ``, parley.CodeAccountNotFound},
	{"POST /accounts/x/manifest", `{"documents":[],"prune":false,"dryRun":false}`, parley.CodeAccountNotFound},
	{"GET /agents/x/manifest", ``, parley.CodeAgentNotFound},
	{"POST /agents/x/replay", `{"limit":1}`, parley.CodeAgentNotFound},
	{"GET /agents/x/sources", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/insights?from=2026-02-02&to=2026-01-01", ``, parley.CodeInvalidDateRange},
	{"GET /agents/AGENT/insights?by=moon", ``, parley.CodeInvalidBody},
	{"GET /agents/AGENT/insights/conversations?figure=moon", ``, parley.CodeInvalidBody},
	{"GET /agents/AGENT/insights/conversations", ``, parley.CodeInvalidBody},
	{"GET /agents/AGENT/insights/first-text?from=2026-02-02&to=2026-01-01", ``, parley.CodeInvalidDateRange},
	{"GET /agents/x/insights/first-text", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/insights/sentiment-weeks?from=2026-02-02&to=2026-01-01", ``, parley.CodeInvalidDateRange},
	{"GET /agents/x/insights/sentiment-weeks", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/insights/conversations?figure=refused&from=2026-02-02&to=2026-01-01", ``,
		parley.CodeInvalidDateRange},
	{"GET /agents/x/conversations", ``, parley.CodeAgentNotFound},
	{"PUT /conversations/x/state", `{"step":"end"}`, parley.CodeConversationNotFound},
	{"PUT /conversations/x/claim", `{}`, parley.CodeConversationNotFound},
	{"PUT /conversations/x/assignee", `{"memberId":"y"}`, parley.CodeConversationNotFound},
	{"PUT /conversations/x/snooze", `{"until":null}`, parley.CodeConversationNotFound},
	{"GET /conversations/x/drafts", ``, parley.CodeConversationNotFound},
	{"PUT /conversations/x/drafts", `{"kind":"reply","text":"","seen":0}`, parley.CodeConversationNotFound},
	{"PUT /conversations/x/read-mark", `{"unread":false,"seen":2}`, parley.CodeConversationNotFound},
	{"PUT /conversations/x/read-mark", `{"unread":false,"seen":-1}`, parley.CodeInvalidBody},
	{"GET /conversations/x/thread", ``, parley.CodeConversationNotFound},
	{"GET /accounts/x/inbox", ``, parley.CodeAccountNotFound},
	{"GET /accounts/ACCOUNT/inbox?agentId=x", ``, parley.CodeAgentNotFound},
	{"GET /accounts/ACCOUNT/inbox?view=lost", ``, parley.CodeInvalidBody},
	{"GET /accounts/x/inbox/search?query=sky", ``, parley.CodeAccountNotFound},
	{"GET /accounts/ACCOUNT/inbox/search?sentiment=lost", ``, parley.CodeInvalidBody},
	{"GET /accounts/ACCOUNT/inbox/search?agentId=x", ``, parley.CodeAgentNotFound},
	{"GET /accounts/ACCOUNT/inbox/search?cursor=x", ``, parley.CodeInvalidCursor},
	{"GET /accounts/x/inbox/counts", ``, parley.CodeAccountNotFound},
	{"GET /accounts/x/inbox/unread?conversationIds=y", ``, parley.CodeAccountNotFound},
	{"POST /conversations/x/messages", `{"member":"a@b.co","text":"t"}`, parley.CodeConversationNotFound},
	{"GET /conversations/x/trace", ``, parley.CodeConversationNotFound},
	{"POST /conversations/count", `{"conversationIds":["x"]}`, parley.CodeConversationNotFound},
	{"POST /conversations/count", `{}`, parley.CodeInvalidBody},
	{"POST /conversations/delete", `{"agentId":"x","userId":"u"}`, parley.CodeAgentNotFound},
	{"GET /voice/sessions/x", ``, parley.CodeNotFound},
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
	{"PUT /agents/AGENT/sla-targets", `{"targets":[{"priority":"high"},{"priority":"high"}]}`, parley.CodeInvalidBody},
	{"POST /agents/AGENT/rules", `{"key":"a b","disabled":false,"team":"General"}`, parley.CodeInvalidBody},
	{"POST /agents/AGENT/rules", `{"disabled":false,"team":"x"}`, parley.CodeTicketTeam},
	{"POST /agents/AGENT/rules", `{"disabled":false,"assignee":"a@b.co"}`, parley.CodeTicketMember},
	{"PUT /agents/AGENT/rules/x", `{"team":"General"}`, parley.CodeNotFound},
	{"PUT /agents/AGENT/rules/x", `{"team":"x"}`, parley.CodeTicketTeam},
	{"PUT /agents/AGENT/rules/x", `{"assignee":"a@b.co"}`, parley.CodeTicketMember},
	{"DELETE /agents/AGENT/rules/x", ``, parley.CodeNotFound},
	{"POST /agents/AGENT/rules/x/move", `{"to":1}`, parley.CodeNotFound},
	{"PUT /agents/AGENT/rules/x/enabled", `{"on":true}`, parley.CodeNotFound},
	{"POST /agents/AGENT/route", `{"subject":"s","description":"","email":"","channel":"x"}`, parley.CodeInvalidBody},
	{"POST /agents/AGENT/route", `{"subject":"s","description":"","email":"","priority":"x"}`, parley.CodeInvalidBody},
	{"GET /agents/x/customers", ``, parley.CodeAgentNotFound},
	{"GET /agents/x/customers/y", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/customers/x", ``, parley.CodeNotFound},
	{"POST /agents/AGENT/customers/x/merge", `{"from":"y"}`, parley.CodeNotFound},
	{"POST /agents/AGENT/customers/x/merge", `{"from":"x"}`, parley.CodeInvalidBody},
	{"GET /agents/x/leads", ``, parley.CodeAgentNotFound},
	{"GET /agents/AGENT/leads?cursor=x", ``, parley.CodeInvalidCursor},
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
	srv := testkit.Open(t)
	_, err := admin.RunOn(t.Context(), srv.AdminService, admin.ListSources,
		admin.SourceQuery{AgentID: "nothing", Limit: 1})
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		t.Error(err)
	}
	_, err = admin.RunOn(t.Context(), srv.AdminService, admin.MoveConversation, admin.StateChange{ID: "x", Step: "fly"})
	if e := parley.AsError(err); e.Code != parley.CodeInvalidBody ||
		!strings.Contains(e.Details["step"], "must be one of") {
		t.Error(err)
	}
	if err := srv.DB.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = admin.RunOn(t.Context(), srv.AdminService, admin.ListAccounts, admin.NoInput{})
	var e *parley.Error
	if err == nil || errors.As(err, &e) && e.Err == nil {
		t.Errorf("without a cause: %v", err)
	}
}

// The operator learns by the socket why a database is not available, and whether space would help; nobody learns the
// cause of anything else there.
func TestSocketTellsWhyTheDatabaseIsAway(t *testing.T) {
	data := t.TempDir()
	listener, err := datadir.Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	var failure *parley.Error
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			status, body := admin.RenderForOperator(failure)
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(body)
		})}}
	server.Start()
	defer server.Close()
	client := &admin.Client{DataDir: data, LockTimeout: time.Minute}
	for _, c := range []struct {
		code   parley.Code
		cause  error
		want   string
		isFull bool
	}{
		{parley.CodeUnderMaintenance, fmt.Errorf("%w: insert", sqldb.ErrFull), "sqldb: no room: insert", true},
		{parley.CodeUnderMaintenance, errors.New("connection refused"), "connection refused", false},
		{parley.CodeUnderMaintenance, nil, "", false},
		{parley.CodeInternal, errors.New("a secret"), "", false},
	} {
		failure = parley.WrapError(c.code, c.cause)
		_, err := admin.Run(t.Context(), client, admin.ListAccounts, admin.NoInput{})
		got := ""
		if e := parley.AsError(err); e.Err != nil {
			got = e.Err.Error()
		}
		if !parley.IsCode(err, c.code) || got != c.want || sqldb.IsFull(err) != c.isFull {
			t.Errorf("%s, %v: %v, full: %t", c.code, c.cause, err, sqldb.IsFull(err))
		}
	}
}

// requireCode fails unless the response to a member's request is a failure with the code.
func (mt *memberTest) requireCode(m parley.Member, code parley.Code, route, body string) {
	mt.t.Helper()
	if got := mt.send(m, route, body); !strings.Contains(got, `"code":"`+string(code)+`"`) {
		mt.t.Errorf("%s %s as %s: %s, want %s", route, body, m.Role, got, code)
	}
}

func TestOnlyOwnersManageOwners(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.newMember(mt.Account, parley.RoleOwner, "owner@shop.example")
		mt.newMember(mt.Account, parley.RoleOwner, "second@shop.example")
		mt.newMember(mt.Account, parley.RoleAgent, "agent@shop.example")
		boss := mt.newMember(mt.Account, parley.RoleAdmin, "admin@shop.example")
		members := "/accounts/" + mt.Account + "/members"
		of := func(email string) string { return members + "?email=" + strings.ReplaceAll(email, "@", "%40") }
		refused := parley.CodeInsufficientScope
		mt.requireCode(owner, parley.CodeMethodNotAllowed, "POST "+members, // the operator's
			`{"email":"new@shop.example","name":"New","role":"agent"}`)
		mt.requireCode(boss, refused, "PATCH "+of("agent@shop.example"), `{"role":"owner"}`)
		mt.requireCode(boss, refused, "PATCH "+of("owner@shop.example"), `{"role":"agent"}`)
		mt.requireCode(boss, refused, "DELETE "+of("owner@shop.example"), "")
		mt.requireCode(boss, refused, "POST "+members+"/link"+of("owner@shop.example")[len(members):], "")
		mt.requireCode(boss, refused, "POST /accounts/"+mt.Account+"/invitations",
			`{"email":"new@shop.example","role":"owner"}`)
		link, err := mt.Users.Invite(mt.t.Context(), access.NewInvitation{AccountID: parley.AccountID(mt.Account),
			Email: "new@shop.example", Role: parley.RoleOwner})
		mt.must(err)
		invitation := "/accounts/" + mt.Account + "/invitations/" + string(link.ID)
		mt.requireCode(boss, refused, "POST "+invitation+"/link", "")
		mt.requireCode(boss, refused, "DELETE "+invitation, "")
		list := get[admin.Page[admin.Invitation]](mt, boss, "GET /accounts/"+mt.Account+"/invitations", "").Data
		if len(list) != 1 || list[0].Email != "new@shop.example" || list[0].Role != "owner" ||
			list[0].InvitedBy != "operator" {
			mt.t.Errorf("%+v", list)
		}
		if n := len(run(mt, admin.ListMembers, admin.AccountFilter{AccountID: mt.Account})); n != 4 {
			mt.t.Errorf("%d members, want 4", n)
		}
		get[admin.Member](mt, boss, "PATCH "+of("agent@shop.example"), `{"role":"admin"}`)
		get[admin.Member](mt, owner, "PATCH "+of("agent@shop.example"), `{"role":"owner"}`)
		get[admin.MemberRemovalResult](mt, owner, "DELETE "+of("second@shop.example"), "")
	})
}

func TestMembersWriteInTheirOwnNames(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		ticket := "/agents/" + ids["agentId"] + "/tickets/" + ids["ticketNumber"]
		body := func(email string) string {
			return fmt.Sprintf(`{"type":"note","member":%q,"text":"Hello"}`, email)
		}
		mt.requireCode(kim, parley.CodeMemberNotFound, "POST "+ticket+"/messages", body(ids["memberEmail"]))
		get[admin.MessageRef](mt, kim, "POST "+ticket+"/messages", body("KIM@shop.example"))
		get[admin.Ticket](mt, kim, "PATCH "+ticket, `{"priority":"high"}`)
		state := "PUT /conversations/" + ids["conversationId"] + "/state"
		get[admin.Conversation](mt, kim, state, `{"step":"takeover"}`)
		messages := get[admin.TicketDetails](mt, kim, "GET "+ticket, "").Messages
		for _, m := range messages[len(messages)-2:] {
			if m.Email != "kim@shop.example" {
				mt.t.Errorf("not written by who was signed in: %+v", m)
			}
		}
	})
}

func TestTicketIsNotChangedPastSomebodyElse(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		ticket := "/agents/" + ids["agentId"] + "/tickets/" + ids["ticketNumber"]
		body := func(priority string, base time.Time) string {
			return fmt.Sprintf(`{"priority":%q,"baseUpdatedAt":%q}`, priority, base.Format(time.RFC3339Nano))
		}
		read := get[admin.TicketDetails](mt, kim, "GET "+ticket, "")
		mt.requireCode(kim, parley.CodeTicketChanged, "PATCH "+ticket, body("low", read.UpdatedAt.Add(-time.Hour)))
		changed := get[admin.Ticket](mt, kim, "PATCH "+ticket, body("high", read.UpdatedAt))
		if changed.Priority != "high" {
			mt.t.Errorf("changed: %+v", changed)
		}
	})
}

// People are found by a part of what is known of them, but for viewers, who are not shown it.
func TestMembersFindCustomers(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		path := "GET /agents/" + ids["agentId"] + "/customers"
		for query, count := range map[string]int{"MILLER": 1, "jo-own@": 1, "nobody": 0, "%25": 0, "_": 0} {
			if found := get[admin.Page[admin.Customer]](mt, kim, path+"?query="+query, "").Data; len(found) != count {
				mt.t.Errorf("%s finds %+v", query, found)
			}
		}
		viewer := mt.newMember(mt.Account, parley.RoleViewer, "viewer@shop.example")
		mt.requireCode(viewer, parley.CodeInsufficientScope, path+"?query=Miller", "")
		one := get[admin.CustomerDetails](mt, kim, path+"/"+ids["customerId"], "")
		if one.Name != "Jo Miller" || len(one.Tickets) != 1 || one.Tickets[0].Subject != "Help" {
			mt.t.Errorf("%+v", one)
		}
	})
}

func TestReplacedRuleKeepsItsPlace(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "The sky is blue.")
		run(mt, admin.AddRule, admin.NewRule{AgentID: agent, Key: "first", Team: "General", Disabled: true})
		run(mt, admin.AddRule, admin.NewRule{AgentID: agent, Key: "second", Team: "General"})
		all := []parley.Condition{{Field: "subject", Op: "contains", Values: []string{"bill"}}}
		rules := run(mt, admin.ReplaceRule, admin.RuleValues{RuleRef: admin.RuleRef{AgentID: agent, Rule: "first"},
			Name: "Bills", All: all, Team: "General"})
		if len(rules) != 2 || rules[0].Key != "first" || rules[0].Name != "Bills" || rules[0].Enabled ||
			len(rules[0].All) != 1 || rules[1].Key != "second" {
			mt.t.Errorf("rules: %+v", rules)
		}
	})
}

// Weeks end on Sundays, and have the days alone that are asked for.
func TestSentimentsAreCountedByWeek(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		kim := mt.newMember(mt.Account, parley.RoleViewer, "kim@shop.example")
		agent := mt.NewAgent(mt.t, mt.Key)
		for day, sentiment := range map[string]parley.Sentiment{"2026-01-03": parley.SentimentPositive,
			"2026-01-04": parley.SentimentNegative, "2026-01-05": "", "2026-01-07": parley.SentimentNeutral} {
			at, err := time.Parse(time.DateOnly, day)
			mt.must(err)
			mt.must(mt.DB.Transact(mt.t.Context(), sqldb.Interactive, func(tx *store.DB) error {
				_, err := tx.ReplaceInsight(mt.t.Context(), nil, &parley.Insight{AccountID: parley.AccountID(mt.Account),
					AgentID: parley.AgentID(agent), ConversationID: parley.ConversationID(parley.NewTimedUUID()),
					Channel: parley.ChannelWidget, Sentiment: sentiment, CreatedAt: at, GeneratedAt: at})
				return err
			}))
		}
		route := "GET /agents/" + agent + "/insights/sentiment-weeks?from=2026-01-03&to=2026-01-06"
		got := get[admin.SentimentWeeks](mt, kim, route, "")
		want := []admin.SentimentWeek{{From: "2026-01-03", To: "2026-01-04", Positive: 1, Negative: 1},
			{From: "2026-01-05", To: "2026-01-06", Unspecified: 1}}
		if !slices.Equal(got.Weeks, want) {
			mt.t.Errorf("the weeks are %+v", got.Weeks)
		}
	})
}

func TestMembersListWhatAFigureCounts(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		agent := parley.AccountID(mt.Account).AgentRef(parley.AgentID(ids["agentId"]))
		c, err := mt.DB.Conversation(mt.t.Context(), agent.ConversationRef(parley.ConversationID(ids["conversationId"])))
		mt.must(err)
		day := c.CreatedAt.UTC().Format(time.DateOnly)
		route := "GET /agents/" + ids["agentId"] + "/insights/conversations?from=" + day + "&to=" + day + "&figure="
		check := func(in parley.Insight, want map[string]int) {
			mt.t.Helper()
			in.ConversationID, in.AccountID, in.AgentID = c.ID, c.AccountID, c.AgentID
			in.Channel, in.CreatedAt, in.GeneratedAt = c.Channel, c.CreatedAt, c.CreatedAt
			mt.must(mt.DB.Transact(mt.t.Context(), sqldb.Interactive, func(tx *store.DB) error {
				_, err := tx.SaveInsight(mt.t.Context(), &in)
				return err
			}))
			for figure, count := range want {
				found := get[admin.Page[admin.CountedConversation]](mt, kim, route+figure, "").Data
				if len(found) != count || count == 1 && found[0].ID != ids["conversationId"] {
					mt.t.Errorf("%s of %+v: %+v", figure, in, found)
				}
			}
		}
		check(parley.Insight{}, map[string]int{"resolved": 0, "unresolved": 0, "refused": 0})
		check(parley.Insight{Outcome: parley.OutcomeResolved}, map[string]int{"resolved": 1, "unresolved": 0, "refused": 0})
		check(parley.Insight{Outcome: parley.OutcomeResolved, AskedAgain: true},
			map[string]int{"resolved": 0, "unresolved": 1})
		check(parley.Insight{Outcome: parley.OutcomeGivenUp, RefusedAnswers: 1},
			map[string]int{"resolved": 0, "unresolved": 1, "refused": 1})
	})
}

func TestMembersReadLeads(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		mt.must(mt.DB.AddLead(mt.t.Context(), &parley.Lead{ID: parley.NewUUID(), AccountID: parley.AccountID(mt.Account),
			AgentID: parley.AgentID(agent), Name: "Jo Miller", Email: "jo@example.com", Phone: "555 0147",
			Fields: map[string]string{"size": "10", "company": "Shop"}, CreatedAt: time.Now()}))
		route := "GET /agents/" + agent + "/leads"
		full := admin.Lead{Name: "Jo Miller", Email: "jo@example.com", Phone: "555 0147",
			Fields: []admin.LeadField{{Name: "company", Value: "Shop"}, {Name: "size", Value: "10"}}}
		masked := admin.Lead{Name: "[name]", Email: "[email]", Phone: "[phone]", Fields: []admin.LeadField{}}
		for role, want := range map[parley.Role]admin.Lead{parley.RoleAgent: full, parley.RoleViewer: masked} {
			member := mt.newMember(mt.Account, role, string(role)+"@shop.example")
			leads := get[admin.Page[admin.Lead]](mt, member, route, "").Data
			if len(leads) != 1 {
				mt.t.Fatalf("%s: %+v", role, leads)
			}
			want.ID, want.CreatedAt = leads[0].ID, leads[0].CreatedAt
			if diff := cmp.Diff(want, leads[0]); diff != "" {
				mt.t.Errorf("%s: %s", role, diff)
			}
		}
	})
}

func TestPlansAreChosenWhereThereIsOneAccount(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.newMember(mt.Account, parley.RoleOwner, "one@shop.example")
		if list := get[[]admin.Account](mt, owner, "GET /accounts", ""); len(list) != 1 || len(list[0].Plans) != 0 {
			mt.t.Errorf("an owner chooses among several accounts' plans: %+v", list)
		}
		if list := run(mt, admin.ListAccounts, admin.NoInput{}); len(list) < 2 || len(list[0].Plans) == 0 {
			mt.t.Errorf("the operator chooses no plan: %+v", list)
		}
	})
}

func TestWebhooksCountTheDeliveriesOfTheLastDay(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		at := mt.AdminService.Now().Add(-90 * time.Minute).UnixMilli()
		mt.exec(`update webhook_deliveries set created_at = ?, state = 'dead' where id = ?`, at, ids["deliveryId"])
		admins := mt.newMember(mt.Account, parley.RoleAdmin, "one@shop.example")
		list := get[[]admin.Webhook](mt, admins, "GET /webhooks", "")
		if len(list) != 1 {
			mt.t.Fatalf("%+v", list)
		}
		if day := list[0].LastDay; len(day.Counts) != 24 || day.Counts[22] != 1 || day.All != 1 || day.Dead != 1 {
			mt.t.Errorf("%+v", day)
		}
	})
}

// Each list for members, read page by page, is the operator's.
func TestPagesMakeUpTheOperatorsLists(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		agent := ids["agentId"]
		ref := parley.AccountID(mt.Account).AgentRef(parley.AgentID(agent))
		for i := range 2 {
			run(mt, admin.OpenTicket, admin.NewTicket{AgentID: agent, Subject: "Help", Description: "Please.",
				Email: fmt.Sprintf("customer-%d@example.com", i)})
			mt.Do(mt.t, "POST", "/agents/"+agent+"/chat", mt.Key, map[string]any{"message": "Hello", "stream": false})
			mt.Do(mt.t, "POST", "/agents/"+agent+"/sources", mt.Key,
				map[string]any{"type": "text", "name": "More", "content": fmt.Sprintf("More to read, part %d.", i)})
			hook := ids["webhookId"]
			mt.addDelivery(ids, ref)
			mt.exec(`update webhook_deliveries set webhook_id = ? where id = ?`, hook, ids["deliveryId"])
			ids["webhookId"] = hook
		}
		mt.must(mt.Runner.WaitIdle(mt.t.Context()))
		path, all := "/agents/"+agent, 50
		checkPages(mt, path+"/sources?", run(mt, admin.ListSources, admin.SourceQuery{AgentID: agent, Limit: all}),
			func(s admin.Source) string { return s.ID })
		checkPages(mt, path+"/conversations?",
			run(mt, admin.ListConversations, admin.ConversationQuery{AgentID: agent, Limit: all}),
			func(c admin.Conversation) string { return c.ID })
		checkPages(mt, path+"/tickets?", run(mt, admin.ListTickets, admin.TicketQuery{AgentID: agent, Limit: all}),
			func(t admin.Ticket) string { return fmt.Sprint(t.Number) })
		checkPages(mt, path+"/customers?", run(mt, admin.ListCustomers, admin.CustomerQuery{AgentID: agent, Limit: all}),
			func(c admin.Customer) string { return c.ID })
		checkPages(mt, "/voice/sessions?agentId="+agent+"&",
			run(mt, admin.ListVoiceSessions, admin.VoiceSessionQuery{AgentID: agent, Limit: all}),
			func(s admin.VoiceSession) string { return s.ID })
		checkPages(mt, "/deliveries?webhookId="+ids["webhookId"]+"&",
			run(mt, admin.ListDeliveries, admin.DeliveryQuery{WebhookID: ids["webhookId"], Limit: all}),
			func(d admin.Delivery) string { return d.ID })
	})
}

// checkPages reads a list one item at a time, and compares it with the operator's.
func checkPages[Item any](mt *memberTest, path string, want []Item, idOf func(Item) string) {
	mt.t.Helper()
	var ids, wanted []string
	for _, item := range want {
		wanted = append(wanted, idOf(item))
	}
	cursor := ""
	for range len(want) + 1 {
		page := get[admin.Page[Item]](mt, mt.owner(), "GET "+path+"limit=1&cursor="+cursor, "")
		for _, item := range page.Data {
			ids = append(ids, idOf(item))
		}
		if isCounted := !strings.Contains(path, "/tickets"); isCounted && page.Pagination.Total != len(want) {
			mt.t.Errorf("%s: %d items in all, want %d", path, page.Pagination.Total, len(want))
		}
		if page.Pagination.Cursor == nil {
			break
		}
		cursor = *page.Pagination.Cursor
	}
	slices.Sort(ids)
	slices.Sort(wanted)
	if !slices.Equal(ids, wanted) || len(want) == 0 {
		mt.t.Errorf("%s: %v, want %v", path, ids, wanted)
	}
}

// TestTwoPeopleChangeAnAgent checks that a change is refused that does not know of the other one, and that the refusal
// has what is needed to show both.
func TestTwoPeopleChangeAnAgent(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "The sky is blue.")
		path, one := "/agents/"+agent+"/settings", mt.owner()
		two := mt.newMember(mt.Account, parley.RoleAdmin, "two@shop.example")
		base := get[admin.AgentSettings](mt, one, "GET "+path, "")
		body := func(version int64, settings string) string {
			return fmt.Sprintf(`{"baseVersion":%d,"settings":%s}`, version, settings)
		}
		changed := get[admin.AgentSettings](mt, one, "PATCH "+path, body(base.Version, `{"name":"Support","temp":0.5}`))
		if changed.Version != base.Version+1 || !strings.Contains(string(changed.Settings), `"name":"Support"`) {
			mt.t.Errorf("changed to %d %s", changed.Version, changed.Settings)
		}
		refused := mt.send(two, "PATCH "+path, body(base.Version, `{"name":"Sales","instructions":"Sell."}`))
		var envelope struct {
			Error struct {
				Code    parley.Code
				Details map[string]string
			}
		}
		status, text, _ := strings.Cut(refused, " ")
		if err := json.Unmarshal([]byte(text), &envelope); err != nil || status != "409" ||
			envelope.Error.Code != parley.CodeAgentChanged {
			mt.t.Fatal(refused)
		}
		details := envelope.Error.Details
		if len(details) != 3 || details["version"] != fmt.Sprint(changed.Version) ||
			details["settings.name"] != `"Support"` || details["settings.instructions"] != `""` {
			mt.t.Errorf("the details are %v", details)
		}
		if same := get[admin.AgentSettings](mt, two, "GET "+path, ""); string(same.Settings) != string(changed.Settings) {
			mt.t.Errorf("refused, and changed to %s", same.Settings)
		}
		last := get[admin.AgentSettings](mt, two, "PATCH "+path, body(changed.Version, `{"name":"Sales"}`))
		if last.Version != changed.Version+1 || !strings.Contains(string(last.Settings), `"temp":0.5`) {
			mt.t.Errorf("changed to %d %s", last.Version, last.Settings)
		}
		for _, bad := range []string{`{"name":""}`, `{"temp":2}`, `{"autoRetrain":true}`} {
			if got := mt.send(one, "PATCH "+path, body(last.Version, bad)); !strings.Contains(got, `"details":{"settings.`) {
				mt.t.Errorf("%s: %s", bad, got)
			}
		}
		mt.requireCode(one, parley.CodeInvalidBody, "PATCH "+path, `{"settings":{"name":"X"}}`)
	})
}

// What an export holds is enough to check the chain elsewhere, and a check shows a row that was changed.
// checkAuditFile checks an export without the server, whole and after an edit of each of its lines.
func (mt *memberTest) checkAuditFile(lines, hash string) {
	mt.t.Helper()
	verify := func(text string) (admin.AuditRow, error) {
		return admin.VerifyAuditFile(strings.NewReader(text), func(*admin.AuditRow) {})
	}
	if last, err := verify(lines); err != nil || last.Hash != hash || string(last.Account) != mt.Account {
		mt.t.Errorf("%+v %v", last, err)
	}
	list := strings.SplitAfter(strings.TrimSuffix(lines, "\n"), "\n")
	for i := range list {
		edited := slices.Clone(list)
		edited[i] = strings.Replace(list[i], `"actor":"`, `"actor":"x`, 1)
		if last, err := verify(strings.Join(edited, "")); !errors.Is(err, admin.ErrAuditBroken) || last.Seq != int64(i) {
			mt.t.Errorf("line %d was edited: %+v %v", i, last, err)
		}
	}
	if _, err := verify("{}" + lines); err == nil {
		mt.t.Error("a row of nothing fits")
	}
	if _, err := verify("<p>" + lines); !parley.IsCode(err, parley.CodeInvalidBody) {
		mt.t.Error(err)
	}
}

func TestAuditIsExportedAndVerified(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.newMember(mt.Account, parley.RoleOwner, "owner@shop.example")
		base := "GET /accounts/" + mt.Account + "/audit"
		mt.send(owner, "POST /accounts/"+mt.Account+"/keys", `{"name":"=1+1"}`)
		_, lines, _ := strings.Cut(mt.send(owner, base+"/export", ""), " ")
		last := ""
		for line := range strings.Lines(lines) {
			var row admin.AuditRow
			mt.must(json.Unmarshal([]byte(line), &row))
			values := []any{row.Account, row.Seq, row.At.UnixMilli(), row.Actor, row.Action, row.Subject, row.Details}
			if row.RequestID != "" || row.Address != "" {
				values = append(values, row.RequestID, row.Address)
			}
			text, err := json.Marshal(values)
			mt.must(err)
			sum := sha256.Sum256(append([]byte(last), text...))
			if row.PreviousHash != last || row.Hash != hex.EncodeToString(sum[:]) {
				t.Errorf("%s does not fit behind %s", line, last)
			}
			last = row.Hash
		}
		if got := mt.send(owner, base+"/verify", ""); !strings.Contains(got, `"hash":"`+last+`"`) ||
			!strings.Contains(got, `"done":true,"broken":false`) {
			t.Error(got)
		}
		table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(mt.send(owner, base+"/export?format=csv", ""),
			"200 "))).ReadAll()
		mt.must(err)
		if n := strings.Count(lines, "\n"); len(table) != n+2 || table[n][8] != last || table[n+1][4] != "audit.export" {
			t.Error(n, table)
		}
		mt.checkAuditFile(lines, last)
		if got := mt.send(owner, base+"/export?from=soon", ""); !strings.HasPrefix(got, "400 ") {
			t.Error(got)
		}
		_, err = mt.DB.SQL().Exec(t.Context(), `update audit_events set actor = 'nobody' where account_id = ? and seq = 2`,
			mt.Account)
		mt.must(err)
		if got := mt.send(owner, base+"/verify", ""); !strings.Contains(got, `"checked":1,`) ||
			!strings.Contains(got, `"broken":true`) {
			t.Error(got)
		}
	})
}

// The lists that members page through say who has made a key, how members sign in, and which owner must stay.
func TestListsOfTheWorkspace(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.newMember(mt.Account, parley.RoleOwner, "owner@shop.example")
		mt.must(mt.DB.SetPasswordHash(t.Context(), owner.User, "x"))
		mt.must(mt.DB.TouchMember(t.Context(), owner.Account, owner.User, time.UnixMilli(0).AddDate(50, 0, 0)))
		mt.send(owner, "POST /accounts/"+mt.Account+"/keys", `{"name":"Shop"}`)
		for route, want := range map[string][]string{
			"GET /members": {`"email":"owner@shop.example"`, `"lastSeenAt":"2020-01-01T00:00:00Z","signsInBy":["password"]`,
				`"lastOwner":true`},
			"GET /members?query=OWNER%40": {`"email":"owner@shop.example"`, `"hasMore":false`},
			"GET /members?query=nobody":   {`"data":[]`},
			"GET /keys?limit=1":           {`"name":"Shop"`, `"createdBy":"owner@shop.example"`, `"hasMore":true`},
			"GET /keys?revoked=true":      {`"data":[]`},
			"GET /accounts/" + mt.Account + "/audit?limit=1": {`"action":"key.create"`, `"name":"Kim"`,
				`"subjectName":"Shop"`},
			"GET /accounts/" + mt.Account + "/audit/choices":         {`{"actor":"operator"}`, `"key.create"`},
			"GET /accounts/" + mt.Account + "/invitations?limit=1":   {`"data":[]`},
			"GET /accounts/" + mt.Account + "/usage/export":          {"200 day,agentId,agent,credits\n"},
			"GET /accounts/" + mt.Account + "/usage/export?by=model": {"200 day,kind,model,credits,charges\n"},
			"GET /accounts/" + mt.Account + "/usage/export?by=day":   {"VALIDATION_INVALID_BODY"},
		} {
			got := mt.send(owner, route, "")
			for _, part := range want {
				if !strings.Contains(got, part) {
					t.Errorf("%s: %s lacks %s", route, got, part)
				}
			}
		}
	})
}

func TestHistoryOfSettingsSaysWhoAndRestores(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky")
		path, one := "/agents/"+agent, mt.newMember(mt.Account, parley.RoleAdmin, "one@shop.example")
		viewer := mt.newMember(mt.Account, parley.RoleViewer, "")
		base := get[admin.AgentSettings](mt, one, "GET "+path+"/settings", "")
		none := get[admin.AgentHistory](mt, one, "GET "+path+"/history", "")
		if len(none.Versions) != 0 {
			mt.t.Errorf("before any change: %+v", none)
		}
		mt.Do(mt.t, "PUT", path, mt.Key, map[string]any{"temp": 0.5, "channelInstructions": map[string]any{"api": "Short."}})
		changed := get[admin.AgentSettings](mt, one, "PATCH "+path+"/settings", fmt.Sprintf(
			`{"baseVersion":%d,"settings":{"instructions":"Sell.","retentionDays":30}}`, base.Version+1))
		history := get[admin.AgentHistory](mt, viewer, "GET "+path+"/history", "").Versions
		if len(history) != 3 || history[0].By != (admin.Author{Kind: "member", Name: "Kim"}) ||
			fmt.Sprint(history[0].Changed) != "[instructions retentionDays]" || history[1].By.Kind != "key" ||
			fmt.Sprint(history[1].Changed) != "[channelInstructions temp]" || history[2].By.Kind != "unknown" ||
			history[2].Version != base.Version || len(history[2].Changed) != 0 {
			mt.t.Fatalf("%+v", history)
		}
		first := fmt.Sprintf("%s/history/%d", path, base.Version)
		if got := get[admin.AgentSettings](mt, one, "GET "+first, ""); string(got.Settings) != string(base.Settings) {
			mt.t.Errorf("the first version is %s, and was %s", got.Settings, base.Settings)
		}
		mt.requireCode(one, parley.CodeAgentChanged, "POST "+first+"/restore", `{"baseVersion":1}`)
		mt.requireCode(one, parley.CodeNotFound, "GET "+path+"/history/99", "")
		restored := get[admin.AgentSettings](mt, one, "POST "+first+"/restore",
			fmt.Sprintf(`{"baseVersion":%d}`, changed.Version))
		if restored.Version != changed.Version+1 || string(restored.Settings) != string(base.Settings) {
			mt.t.Errorf("restored as %d: %s", restored.Version, restored.Settings)
		}
		again := get[admin.AgentSettings](mt, one, fmt.Sprintf("POST %s/history/%d/restore", path, changed.Version),
			fmt.Sprintf(`{"baseVersion":%d}`, restored.Version))
		if string(again.Settings) != string(changed.Settings) {
			mt.t.Errorf("taken back as %s", again.Settings)
		}
	})
}

func TestServerSaysHowItDoes(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		admins, path := mt.newMember(mt.Account, parley.RoleAdmin, "one@shop.example"), "/accounts/"+mt.Account+"/server"
		mt.exec(`
			insert into jobs (id, kind, key, payload, state, run_at, attempts, max_attempts, backoff_ms, created_at,
				updated_at)
			values ('job_1', 'lost', 'lost', '{}', 'dead', 0, 1, 1, 0, 0, 0)`)
		run(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: mt.Account, ModelServerSettings: secretServer})
		run(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: mt.OtherAccount,
			ModelServerSettings: secretServer})
		state := get[admin.ServerState](mt, admins, "GET "+path, "")
		if state.Version != "1.2.3" || state.StartedAt.IsZero() || !state.CanSeal || state.Mails || !state.Speech.Media {
			mt.t.Errorf("the setup is %+v", state)
		}
		if d := state.Database; d.Kind != mt.DB.SQL().Dialect().String() || d.Version == "" || d.Bytes == 0 {
			mt.t.Errorf("the database is %+v", d)
		}
		if b := state.Backups; b == nil || b.Hours != 12 || b.Keep != 3 || b.InBucket || b.LastAt != nil {
			mt.t.Errorf("the backups are %+v", b)
		}
		if state.Queue.Dead != 1 || len(state.Models) != 1 {
			mt.t.Errorf("the queue is %+v, the servers of models %+v", state.Queue, state.Models)
		}
		if d := state.Disk; runtime.GOOS == "linux" && (d == nil || d.Free <= 0 || d.Free > d.All) {
			mt.t.Errorf("the disk is %+v", d)
		}
		text := mt.send(admins, "GET "+path, "")
		for _, secret := range []string{secretServer.Key, "a key of the tests", mt.OtherAccount, "/dev/null"} {
			if strings.Contains(text, secret) {
				mt.t.Errorf("%s is in %s", secret, text)
			}
		}
	}, testkit.WithConfig(func(c *server.Config) {
		c.Version, c.BackupTo, c.BackupEvery, c.BackupKeep = "1.2.3", "/dev/null/backups", 12*time.Hour, 3
	}))
}

var secretServer = admin.ModelServerSettings{Kind: "chat", Name: "Own", URL: "http://127.0.0.1:1/v1", Model: "m",
	Key: "sk-of-the-tests"}
