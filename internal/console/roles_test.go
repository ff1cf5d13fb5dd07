package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	v2 "parley/internal/api/v2"
	"parley/internal/console"
	"parley/internal/httpapi"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
)

// consoleOperation is an operation with its address below /console/api, and whether a role may call it.
type consoleOperation struct {
	httpapi.Operation
	address string // such as /v1/agents/{agentId}
	may     func(parley.Role) bool
}

// roleOperations lists what depends on roles, out of the tables of routes and of permissions.
func roleOperations() (list []consoleOperation) {
	_, members, rest := console.Operations()
	for _, op := range members {
		may := func(r parley.Role) bool { return access.May(r, op.Permission) }
		list = append(list, consoleOperation{op, "/v1" + op.Path, may})
	}
	for _, op := range rest {
		list = append(list, consoleOperation{op, "/v2" + op.Path, func(r parley.Role) bool {
			isGranted := func(s parley.Scope) bool { return s == "" || slices.Contains(access.Scopes(r), s) }
			return isGranted(op.Scope) && isGranted(op.AdditionalScope) &&
				(v2.CanHidePersonalData(&op) || access.SeesPersonalData(parley.Member{Role: r}))
		}})
	}
	return list
}

var unknownIDs = testkit.ResourceIDs{
	"accountId": "00000000-0000-4000-8000-000000000000", "agentId": "AAAAAAAAAAAAAAAAAAAAA",
	"attachmentId": "00000000-0000-4000-8000-000000000000", "conversationId": "01900000-0000-7000-8000-000000000000",
	"deliveryId": "01900000-0000-7000-8000-000000000000", "keyId": "00000000-0000-4000-8000-000000000000",
	"invitationId": "00000000-0000-4000-8000-000000000000",
	"member":       "stranger@nowhere.example", "messageId": "msg_0000000000000000000000",
	"rule": "00000000-0000-4000-8000-000000000000", "sessionId": "01900000-0000-7000-8000-000000000000",
	"sourceId": "00000000-0000-4000-8000-000000000000", "status": "00000000-0000-4000-8000-000000000000",
	"team": "00000000-0000-4000-8000-000000000000", "ticketNumber": "999999999", "userId": "nobody",
	"webhookId": "00000000-0000-4000-8000-000000000000", "modelServerId": "00000000-0000-4000-8000-000000000000",
	"customerId": "00000000-0000-4000-8000-000000000000",
	"version":    "999999999", "key": "nothing", "domain": "nowhere.example",
	"savedReplyId": "00000000-0000-4000-8000-000000000000", "savedViewId": "00000000-0000-4000-8000-000000000000",
	"fileId": "00000000-0000-4000-8000-000000000000", "code": "BBBB-BBBB",
	"channelId": "00000000-0000-4000-8000-000000000000",
}

// newResources makes an agent with what it holds in an account.
func (ct *consoleTest) newResources(account, key string) testkit.ResourceIDs {
	ct.t.Helper()
	agent := ct.NewAgent(ct.t, key, "# Sky\n\nThe sky is blue.")
	var sources struct{ Data []struct{ ID string } }
	ct.Do(ct.t, "GET", "/agents/"+agent+"/sources", key, nil).Decode(ct.t, http.StatusOK, &sources)
	var answer struct {
		Data struct {
			ID       string
			Metadata struct{ ConversationID string }
		}
	}
	ct.Do(ct.t, "POST", "/agents/"+agent+"/chat", key, map[string]any{"userId": "jo-customer",
		"message": "What colour is the sky? Write to jo@customer.example", "stream": false}).
		Decode(ct.t, http.StatusOK, &answer)
	ticket, err := admin.RunOn(ct.t.Context(), ct.AdminService, admin.OpenTicket, admin.NewTicket{AgentID: agent,
		Subject: "Help", Description: "Call me: +1 212 555 0147", Email: "jo@customer.example", Name: "Jo Miller"})
	ct.must(err)
	_, err = ct.DB.SQL().Exec(ct.t.Context(), `update tickets set number = 98765431 where account_id = ?`,
		ct.OtherAccount)
	ct.must(err)
	number := "98765431"
	if account == ct.Account {
		number = "1"
		if ticket.Number != 1 {
			ct.t.Fatal(ticket.Number)
		}
	}
	ids := testkit.ResourceIDs{}
	for name, id := range unknownIDs {
		ids[name] = id
	}
	ids["accountId"], ids["agentId"], ids["sourceId"] = account, agent, sources.Data[0].ID
	ids["conversationId"], ids["messageId"] = answer.Data.Metadata.ConversationID, answer.Data.ID
	ids["ticketNumber"], ids["customerId"], ids["userId"] = number, ticket.Customer.ID, "jo-customer"
	ct.Do(ct.t, "PUT", "/agents/"+agent, key, map[string]any{"temp": 0.5})
	ids["version"] = "1"
	ids["key"] = ct.addTools(agent)
	codes, err := ct.AdminService.Pairings.Begin(ct.t.Context(), "laptop", "192.0.2.1")
	ct.must(err)
	ids["code"] = codes.User
	return ids
}

// addTools adds an action and a procedure with the same key to an agent, and returns it.
func (ct *consoleTest) addTools(agent string) string {
	ct.t.Helper()
	action, err := admin.RunOn(ct.t.Context(), ct.AdminService, admin.AddAction, admin.NewAction{AgentID: agent,
		Key: "look", Kind: "client", ToolSettings: admin.ToolSettings{Name: "look", Description: "When?"}})
	ct.must(err)
	_, err = admin.RunOn(ct.t.Context(), ct.AdminService, admin.AddProcedure, admin.NewProcedure{AgentID: agent,
		Key: action.Key, Steps: []parley.ProcedureStep{{Text: "Hello"}},
		ToolSettings: admin.ToolSettings{Name: "greet", Description: "When?"}})
	ct.must(err)
	return action.Key
}

var malformedIDs = []string{"x", "%00", "%27%20or%201=1--", "..%2F..", "%F0%9F%98%80", strings.Repeat("a", 3000)}

// TestRoles calls every operation in every role with ids that are the member's own, another account's, unknown and
// malformed. Who lacks the permission gets the same reply to all of them. Who has it cannot tell another account's from
// unknown ones.
func TestRoles(t *testing.T) { forEachConsole(t, checkRoles) }

func checkRoles(ct *consoleTest) {
	t := ct.t
	own, foreign := ct.newResources(ct.Account, ct.Key), ct.newResources(ct.OtherAccount, ct.OtherKey)
	for _, role := range parley.Roles() {
		b := ct.newMember(ct.Account, role, string(role)+"@shop.example")
		for _, op := range roleOperations() {
			if op.may(role) {
				checkStrangers(t, b, op, foreign)
				checkOwn(t, b, role, op, own)
				continue
			}
			checkRefusals(t, b, op, []testkit.ResourceIDs{own, foreign, unknownIDs})
		}
		ct.clock.Advance(time10s)
	}
}

const time10s = 10e9 // after which the limit of requests is as new

// requiredQueries are what paths cannot be read without.
var requiredQueries = map[string]string{"/agents/{agentId}/insights/conversations": "?figure=resolved"}

func (op *consoleOperation) send(b *browser, ids testkit.ResourceIDs) reply {
	body := ""
	if op.Method != http.MethodGet {
		body = "{}"
	}
	b.ct.clock.Advance(time10s / 100) // the limit of requests is tested elsewhere
	return b.send(op.Method+" "+ids.Substitute(op.address)+requiredQueries[op.Path], body)
}

func checkRefusals(t *testing.T, b *browser, op consoleOperation, sets []testkit.ResourceIDs) {
	t.Helper()
	for _, id := range malformedIDs {
		set := testkit.ResourceIDs{}
		for name := range unknownIDs {
			set[name] = id
		}
		sets = append(sets, set)
	}
	first := op.send(b, sets[0])
	for _, ids := range sets {
		got := op.send(b, ids)
		if got.code() != "403 AUTH_INSUFFICIENT_PERMISSIONS" || got.body != first.body {
			t.Errorf("%s %s: %s", op.Method, ids.Substitute(op.address), got)
		}
	}
}

func checkStrangers(t *testing.T, b *browser, op consoleOperation, foreign testkit.ResourceIDs) {
	t.Helper()
	if !strings.Contains(op.address, "{") {
		return
	}
	stranger, missing := op.send(b, foreign), op.send(b, unknownIDs)
	if stranger.code() != missing.code() || stranger.status/100 == 2 && op.Name != "listUserConversations" ||
		stranger.status == http.StatusForbidden {
		t.Errorf("%s %s with another account's ids: %s; with unknown ones: %s", op.Method, op.address, stranger, missing)
	}
	for name := range foreign {
		if !strings.Contains(op.address, "{"+name+"}") {
			continue
		}
		for _, id := range malformedIDs {
			if got := op.send(b, unknownIDs.With(name, id)); got.status >= 500 || got.status/100 == 2 {
				t.Errorf("%s %s with %s %s: %s", op.Method, op.address, name, id, got)
			}
		}
	}
}

// withoutOwn are reading operations whose own ids the test does not make, and a stream that does not end.
var withoutOwn = []string{"readVoiceRecording", "followConversation", "getAttachment",
	"getAttachmentContent", "checkPassage", "listDeliveries", "listVoiceSessions", "getPlaygroundConversation",
	"getModelServer", "getDelivery", "getVoiceSession"}

func checkOwn(t *testing.T, b *browser, role parley.Role, op consoleOperation, own testkit.ResourceIDs) {
	t.Helper()
	if op.Method != http.MethodGet || slices.Contains(withoutOwn, op.Name) {
		return
	}
	got := op.send(b, own)
	if got.status != http.StatusOK {
		t.Errorf("%s as %s: %s", op.address, role, got)
	}
	for _, secret := range []string{"jo@customer.example", "Jo Miller", "555 0147", "jo-customer"} {
		if role == parley.RoleViewer && strings.Contains(got.body, secret) {
			t.Errorf("%s shows a viewer %s: %s", op.address, secret, got)
		}
	}
}

// A member who names another account than their own learns nothing of it.
func TestOtherAccountsAreNotThere(t *testing.T) { forEachConsole(t, checkOtherAccountsAreNotThere) }

func checkOtherAccountsAreNotThere(ct *consoleTest) {
	t := ct.t
	own := ct.newResources(ct.OtherAccount, ct.OtherKey)
	b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
	for _, account := range []string{ct.OtherAccount, unknownIDs["accountId"], "x", "' or 1=1--"} {
		b.account = account
		for _, op := range roleOperations() {
			if got := op.send(b, own); got.code() != "404 ACCOUNT_NOT_FOUND" {
				t.Errorf("%s %s in %s: %s", op.Method, op.address, account, got)
			}
		}
	}
}

func TestNobodyWithoutASession(t *testing.T) { forEachConsole(t, checkNobodyWithoutASession) }

func checkNobodyWithoutASession(ct *consoleTest) {
	t := ct.t
	own, _, _ := console.Operations()
	b := &browser{ct: ct}
	for _, op := range roleOperations() {
		if got := op.send(b, unknownIDs); got.code() != "401 AUTH_SIGN_IN_REQUIRED" {
			t.Errorf("%s %s: %s", op.Method, op.address, got)
		}
	}
	for _, op := range own {
		each := consoleOperation{op, "/v1" + strings.NewReplacer("{passkeyId}", "x").Replace(op.Path), nil}
		if got := each.send(b, unknownIDs); !console.IsOpen(op.Name) && got.code() != "401 AUTH_SIGN_IN_REQUIRED" {
			t.Errorf("%s %s: %s", op.Method, op.Path, got)
		}
	}
	b.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/nothing", "")
	b.want("401 AUTH_SIGN_IN_REQUIRED", "GET /openapi.json", "")
	kim := ct.newMember(ct.Account, parley.RoleViewer, "kim@shop.example")
	kim.want("404 NOT_FOUND", "GET /v1/nothing", "")
	kim.want("200", "GET /openapi.json", "")
}

// restChanges lists what members change through REST v2, in an order in which each succeeds: the request, its body, and
// the entry of the audit chain.
func restChanges(ids testkit.ResourceIDs) [][3]string {
	agent := "/v2/agents/" + ids["agentId"]
	conversation := agent + "/conversations/" + ids["conversationId"]
	return [][3]string{
		{"POST /v2/agents", `{"name":"New"}`, "agent.create"},
		{"PUT " + agent, `{"name":"Changed"}`, "agent.update"},
		{"PUT " + agent + "/styles", `{"styles":{"chat":{"theme":"dark"}}}`, "agent.styles"},
		{"POST " + agent + "/clone", "", "agent.clone"},
		{"POST " + agent + "/sources", `{"type":"text","name":"More","content":"More to read."}`, "source.create"},
		{"PUT " + agent + "/sources/" + ids["sourceId"], `{"content":"The sky is grey."}`, "source.update"},
		{"POST " + agent + "/chat", `{"message":"Hello"}`, "conversation.ask"},
		{"PATCH " + conversation, `{"paused":false}`, "conversation.pause"},
		{"PATCH " + conversation + "/messages/" + ids["messageId"] + "/feedback", `{"feedback":"positive"}`, "message.rate"},
		{"POST " + agent + "/helpdesk/tickets", `{"subject":"Help","description":"Please.","customer":` +
			`{"email":"jo@customer.example"}}`, "ticket.create"},
		{"PATCH " + agent + "/helpdesk/tickets/1", `{"priority":"high"}`, "ticket.update"},
		{"DELETE " + agent + "/sources/" + ids["sourceId"], "", "source.delete"},
		{"DELETE " + agent, "", "agent.delete"},
	}
}

func (ct *consoleTest) auditEvents() []store.AuditEvent {
	ct.t.Helper()
	events, err := ct.DB.AuditEvents(ct.t.Context(), parley.AccountID(ct.Account), 0, 1000)
	ct.must(err)
	return events
}

// What members change and export through REST v2 is in the audit chain in their names, and what programs change of
// agents in those of their keys. What programs ask and read is not.
func TestChangesThroughRESTAreRecorded(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ids := ct.newResources(ct.Account, ct.Key)
		b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
		ct.checkExportIsRecorded(b, ids["agentId"])
		for _, c := range restChanges(ids) {
			before := len(ct.auditEvents())
			if got := b.send(c[0], c[1]); got.status/100 != 2 {
				t.Errorf("%s: %s", c[0], got)
			}
			events := ct.auditEvents()
			if last := events[len(events)-1]; len(events) != before+1 || last.Action != c[2] || last.Subject == "" ||
				!strings.HasPrefix(last.Actor, "user:") {
				t.Errorf("%s: %d new events, the last one %+v", c[0], len(events)-before, last)
			}
		}
		ct.checkProgramsAreRecorded(b)
	})
}

// checkExportIsRecorded fails unless an export is recorded with its first page alone.
func (ct *consoleTest) checkExportIsRecorded(b *browser, agent string) {
	ct.t.Helper()
	before := len(ct.auditEvents())
	export := "GET /v2/agents/" + agent + "/conversations/export?limit=1"
	_, cursor, hasMore := strings.Cut(b.want("200", export, "").body, `"cursor":"`)
	cursor, _, _ = strings.Cut(cursor, `"`)
	if !hasMore {
		ct.t.Fatal("the export has one page")
	}
	b.want("200", export+"&cursor="+url.QueryEscape(cursor), "")
	ct.Do(ct.t, "GET", "/agents/"+agent+"/conversations/export", ct.Key, nil)
	events := ct.auditEvents()
	if last := events[len(events)-1]; len(events) != before+1 || last.Action != "conversation.export" ||
		last.Subject != agent || !strings.HasPrefix(last.Actor, "user:") || last.Origin.RequestID == "" {
		ct.t.Errorf("an export: %d new events, the last one %+v", len(events)-before, last)
	}
}

// checkProgramsAreRecorded fails unless what a key changes of agents is recorded once, with the name of the key.
func (ct *consoleTest) checkProgramsAreRecorded(b *browser) {
	ct.t.Helper()
	agent, before := ct.NewAgent(ct.t, ct.Key, "# Sky\n\nThe sky is blue."), len(ct.auditEvents())
	for _, c := range []struct {
		method, path, action string
		body                 any
	}{
		{"POST", "/agents", "agent.create", map[string]any{"name": "By a program"}},
		{"PUT", "/agents/" + agent, "agent.update", map[string]any{"name": "Changed by a program"}},
		{"POST", "/agents/" + agent + "/chat", "", map[string]any{"message": "Hello", "stream": false}},
		{"GET", "/agents/" + agent, "", nil},
		{"DELETE", "/agents/" + agent, "agent.delete", nil},
	} {
		ct.Do(ct.t, c.method, c.path, ct.Key, c.body)
		events := ct.auditEvents()
		if c.action == "" {
			if len(events) != before {
				ct.t.Errorf("%s %s is recorded: %+v", c.method, c.path, events[len(events)-1])
			}
			continue
		}
		if last := events[len(events)-1]; len(events) != before+1 || last.Action != c.action || last.Subject == "" ||
			!strings.HasPrefix(last.Actor, "key:") {
			ct.t.Errorf("%s %s: %d new events, the last one %+v", c.method, c.path, len(events)-before, last)
		}
		before = len(events)
	}
	for _, part := range []string{"?limit=1", "/choices"} {
		got := b.want("200", "GET /v1/accounts/"+ct.Account+"/audit"+part, "").body
		_, actor, _ := strings.Cut(got, `{"actor":"key:`)
		if actor, _, _ = strings.Cut(actor, "}"); !strings.Contains(actor, `","name":"`) {
			ct.t.Errorf("the key has no name: %s", got)
		}
	}
}

// A change whose entry in the audit chain cannot be written is not made.
func TestChangesAndTheirEntriesAreOne(t *testing.T) {
	ct := openConsole(t)
	ids := ct.newResources(ct.Account, ct.Key)
	b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
	_, err := ct.DB.SQL().Exec(t.Context(), `create trigger no_audit before insert on audit_events
		begin select raise(abort, 'the chain is full'); end`)
	ct.must(err)
	state := func() (counts string) {
		for _, table := range []string{"agents", "agents where name = 'Changed'", "agents where deleted_at is not null",
			"sources", "source_versions", "messages", "messages where feedback is not null", "conversations", "turns",
			"tickets", "tickets where priority = 'high'", "web_sessions", "invites", "api_keys"} {
			n, err := sqldb.One(t.Context(), ct.DB.SQL(), sqldb.Column[int], `select count(*) from `+table)
			ct.must(err)
			counts += fmt.Sprintln(table, n)
		}
		return counts
	}
	before := state()
	changes := append(restChanges(ids), [][3]string{
		{"PATCH /v1/agents/" + ids["agentId"] + "/settings", `{"baseVersion":1,"settings":{"name":"Changed"}}`, ""},
		{"PUT /v1/conversations/" + ids["conversationId"] + "/state", `{"step":"takeover"}`, ""},
		{"POST /v1/agents/" + ids["agentId"] + "/tickets", `{"subject":"s","description":"d","email":"a@b.co"}`, ""},
		{"POST /v1/accounts/" + ct.Account + "/invitations", `{"email":"new@shop.example","role":"agent"}`, ""},
		{"POST /v1/accounts/" + ct.Account + "/keys", `{"name":"New"}`, ""},
		{"PATCH /v1/me", `{"name":"Changed"}`, ""},
	}...)
	for _, c := range changes {
		if got := b.send(c[0], c[1]); got.status/100 == 2 {
			t.Errorf("%s without its entry: %s", c[0], got)
		}
		if after := state(); after != before {
			t.Errorf("%s has left a change without its entry:\n%s, before:\n%s", c[0], after, before)
			before = after
		}
	}
}
