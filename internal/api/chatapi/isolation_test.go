package chatapi_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/chatapi"
	"parley/internal/audio"
	"parley/internal/httpapi"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// visitorCase is a request that succeeds with the visitor's own ids, which are written as {conversationId} and so on
// wherever a visitor can put them.
type visitorCase struct{ operation, body string }

// visitorCases has every operation.
var visitorCases = []visitorCase{
	{"GET /{agentId}/config", ""},
	{"POST /{agentId}/visitor", `{}`},
	{"POST /{agentId}/identify", `{"user_id":"anna","user_hash":"{userHash}"}`},
	{"POST /{agentId}/messages", `{"message":"Hello","conversationId":"{conversationId}"}`},
	{"POST /{agentId}/messages", `{"message":"Hello","fileIds":["{fileId}"]}`},
	{"POST /{agentId}/retry", `{"conversationId":"{conversationId}","messageId":"{messageId}"}`},
	{"GET /{agentId}/turns/{turnId}/events", ""},
	{"POST /{agentId}/turns/{turnId}/stop", ""},
	{"POST /{agentId}/tool-result", `{"conversationId":"{conversationId}","toolCallId":"{toolCallId}","output":1}`},
	{"PATCH /{agentId}/messages/{messageId}/feedback", `{"conversationId":"{conversationId}","feedback":"positive"}`},
	{"GET /{agentId}/conversations", ""},
	{"GET /{agentId}/conversations?query=hello", ""},
	{"GET /{agentId}/conversation/{conversationId}", ""},
	{"POST /{agentId}/conversation/{conversationId}/messages", `{"message":"Hello"}`},
	{"POST /{agentId}/conversation/{conversationId}/messages", `{"fileIds":["{fileId}"]}`},
	{"GET /{agentId}/conversation/{conversationId}/events", ""},
	{"POST /{agentId}/leads", `{"conversationId":"{conversationId}","email":"a@shop.example"}`},
	{"POST /{agentId}/forms/{toolCallId}", `{"conversationId":"{conversationId}","values":{}}`},
	{"POST /{agentId}/handover", `{"conversationId":"{conversationId}","email":"a@shop.example"}`},
	{"POST /{agentId}/conversation/{conversationId}/typing", ""},
	{"POST /{agentId}/files", "conversationId={conversationId}"},
	{"GET /{agentId}/files/{fileId}?token={fileToken}", ""},
	{"POST /{agentId}/voice/sessions", `{"conversationId":"{conversationId}"}`},
	{"POST /{agentId}/dictation", ""},
}

// neededStatus is how the visitor's own conversation must stand for an operation to succeed, where it is not ongoing.
var neededStatus = map[string]parley.ConversationStatus{
	"POST /{agentId}/conversation/{conversationId}/messages": parley.ConversationTakenOver,
	"POST /{agentId}/conversation/{conversationId}/typing":   parley.ConversationTakenOver,
	"GET /{agentId}/conversation/{conversationId}/events":    parley.ConversationEnded, // else it would not end
}

// notThere are the codes for ids that are not the visitor's; some operations have their own.
var notThere = map[string]string{"conversationId": "CONVERSATION_NOT_FOUND", "turnId": "CONVERSATION_NOT_FOUND",
	"messageId": "RESOURCE_MESSAGE_NOT_FOUND", "toolCallId": "RESOURCE_TOOL_CALL_NOT_FOUND",
	"fileId": "VALIDATION_INVALID_BODY", "fileToken": "RESOURCE_NOT_FOUND",
	"POST /{agentId}/retry messageId":                         "CHAT_RETRY_MESSAGE_NOT_FOUND",
	"GET /{agentId}/files/{fileId}?token={fileToken} fileId":  "RESOURCE_NOT_FOUND",
	"GET /{agentId}/files/{fileId}?token={fileToken} agentId": "RESOURCE_NOT_FOUND",
	"GET /{agentId}/config agentId":                           "", // says that it is not available
	"POST /{agentId}/visitor agentId":                         "", // a visitor of that agent
	"agentId":                                                 "AUTH_VISITOR_REQUIRED",
}

func codeFor(operation, name string) string {
	if code, ok := notThere[operation+" "+name]; ok {
		return code
	}
	return notThere[name]
}

// hostileIDs are ids that no thing has, in forms that a careless server trips over.
var hostileIDs = []string{"\x00x", "' or 1=1--", "../..", "00000000-0000-0000-0000-00000000000g",
	strings.Repeat("a", 3000)}

// visitorFixture is a server with agents that offer everything, and a visitor of one of them.
type visitorFixture struct {
	*chatFixture
	clock *clock.Clock
	own   parley.AgentRef
}

// TestVisitorsReachOnlyTheirOwn holds the promise that no visitor can reach, change or so much as notice what is
// somebody else's: the reply to such an id is the reply to one that does not exist, byte for byte.
func TestVisitorsReachOnlyTheirOwn(t *testing.T) {
	now := clock.New()
	transcriber := newTranscriber(t)
	forEachServer(t, func(chat *chatFixture) {
		f := &visitorFixture{chatFixture: chat, clock: now}
		f.own = f.newOpenAgent(f.server.Account, f.server.Key)
		strangers := map[string]testkit.ResourceIDs{"another visitor": f.newVisitorIDs(f.own)}
		for name, ref := range map[string]parley.AgentRef{"another agent": f.newOpenAgent(f.server.Account, f.server.Key),
			"another account": f.newOpenAgent(f.server.OtherAccount, f.server.OtherKey)} {
			strangers[name] = f.newVisitorIDs(ref)
		}
		for _, c := range visitorCases {
			f.checkCase(c, strangers)
		}
	}, testkit.WithClock(now), transcriber)
}

// TestEveryOperationIsInTheIsolationTest fails for a new operation that visitorCases lacks.
func TestEveryOperationIsInTheIsolationTest(t *testing.T) {
	var known, missing []string
	for _, c := range visitorCases {
		route, _, _ := strings.Cut(c.operation, "?")
		known = append(known, route)
	}
	for _, op := range chatapi.New(chatapi.Config{}).Operations() {
		if !slices.Contains(known, op.Method+" "+op.Path) {
			missing = append(missing, op.Method+" "+op.Path)
		}
	}
	if len(missing) > 0 {
		t.Errorf("visitorCases lacks %q", missing)
	}
}

// checkCase sends a request with the visitor's own ids but one, which is a stranger's, unknown or malformed, and at
// last with all of its own.
func (f *visitorFixture) checkCase(c visitorCase, strangers map[string]testkit.ResourceIDs) {
	f.Helper()
	own := f.newVisitorIDs(f.own)
	f.setStatus(own, neededStatus[c.operation])
	for name := range strings.SplitSeq("agentId conversationId turnId messageId toolCallId fileId fileToken", " ") {
		if !strings.Contains(c.operation+c.body, "{"+name+"}") {
			continue
		}
		before := f.stored()
		f.checkStrangersID(c, own, name, strangers)
		if codeFor(c.operation, name) != "" && f.stored() != before {
			f.Errorf("%s with somebody else's %s has written:\n%s\nbefore:\n%s", c.operation, name, f.stored(), before)
		}
	}
	if !isPublic(c.operation) {
		before := f.stored()
		f.wantCode(f.request(c, own.With("token", "")), "AUTH_VISITOR_REQUIRED")
		if f.stored() != before {
			f.Errorf("%s without a token has written", c.operation)
		}
	}
	r := f.request(c, own)
	if r.status/100 != 2 {
		f.Errorf("%s with the visitor's own ids: %d %s", c.operation, r.status, r.body)
	}
	for owner, ids := range strangers {
		for name, id := range ids {
			if id != string(f.own.Agent) && bytes.Contains(r.body, []byte(id)) {
				f.Errorf("%s shows the %s of %s", c.operation, name, owner)
			}
		}
	}
}

func (f *visitorFixture) checkStrangersID(c visitorCase, own testkit.ResourceIDs, name string,
	strangers map[string]testkit.ResourceIDs) {
	f.Helper()
	unknown := map[string]string{"agentId": "AAAAAAAAAAAAAAAAAAAAA", "messageId": "msg_0000000000000000000000",
		"toolCallId": "call_000000000000000000000", "fileToken": "AAAA"}
	id := unknown[name]
	if id == "" {
		id = "01900000-0000-7000-8000-000000000000"
	}
	none := f.request(c, own.With(name, id))
	want := codeFor(c.operation, name)
	if name == "agentId" {
		want = f.checkOtherAgents(c, own, strangers)
	}
	f.wantCode(none, want)
	for owner, ids := range strangers {
		if name == "agentId" {
			break
		}
		if r := f.request(c, own.With(name, ids[name])); r.status != none.status || !bytes.Equal(r.body, none.body) {
			f.Errorf("%s with the %s of %s: %d %s, for none %d %s", c.operation, name, owner, r.status, r.body, none.status,
				none.body)
		}
	}
	for _, id := range hostileIDs {
		r := f.request(c, own.With(name, id))
		isSame := r.status == none.status && bytes.Equal(r.body, none.body)
		if name == "agentId" { // the configuration repeats it
			isSame = r.status == none.status && r.code() == none.code()
		}
		if !isSame {
			f.Errorf("%s with %s %.40q: %d %s, for none %d %s", c.operation, name, id, r.status, r.body, none.status,
				none.body)
		}
	}
}

// checkOtherAgents sends the visitor's token to other agents. It returns the code for an agent that is not there.
func (f *visitorFixture) checkOtherAgents(c visitorCase, own testkit.ResourceIDs,
	strangers map[string]testkit.ResourceIDs) string {
	f.Helper()
	for owner, ids := range strangers {
		if ids["agentId"] != own["agentId"] {
			r := f.request(c, own.With("agentId", ids["agentId"]))
			if want := codeFor(c.operation, "agentId"); r.code() != want {
				f.Errorf("%s at %s: %d %s, want %s", c.operation, owner, r.status, r.body, want)
			}
		}
	}
	if c.operation == "GET /{agentId}/config" {
		return ""
	}
	return "AGENT_NOT_FOUND"
}

func isPublic(operation string) bool {
	return slices.ContainsFunc(chatapi.New(chatapi.Config{}).Operations(), func(op httpapi.Operation) bool {
		route, _, _ := strings.Cut(operation, "?")
		return op.Public && op.Method+" "+op.Path == route
	})
}

// newOpenAgent makes an agent that offers all that visitors can do.
func (f *visitorFixture) newOpenAgent(account, key string) parley.AgentRef {
	f.Helper()
	ref := parley.AccountID(account).AgentRef(parley.AgentID(f.server.NewAgent(f, key)))
	for path, body := range map[string]string{
		"": `{"visibility":"public","voiceSettings":{"initialMessage":"Hi"},
			"ipRateLimits":{"limit":200,"timeframe":1,"message":"Slowly"}}`,
		"/styles": `{"styles":{"chat":{"showAttachments":true,"showVoiceMode":true,"showDictation":true}}}`,
	} {
		if r := f.server.Do(f, http.MethodPut, "/agents/"+string(ref.Agent)+path, key, body); r.Status != http.StatusOK {
			f.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	return ref
}

// newVisitorIDs makes a visitor of an agent with one of each thing.
func (f *visitorFixture) newVisitorIDs(ref parley.AgentRef) testkit.ResourceIDs {
	f.Helper()
	f.clock.Advance(time.Minute)
	f.agent = string(ref.Agent)
	token := f.newVisitor()
	a := f.send(token, fields{"message": "Hello"})
	file := f.uploaded(token, "a.txt", []byte("x"))
	address, err := url.Parse(file.URL)
	if err != nil {
		f.Fatal(err)
	}
	agent, err := f.server.DB.Agent(f.Context(), ref, f.clock.Now())
	if err != nil {
		f.Fatal(err)
	}
	call := parley.ToolCall{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent,
		ConversationID: parley.ConversationID(a.conversation), MessageID: parley.MessageID(a.message),
		CallID: parley.NewCallID(), Tool: "order_form", RunsOnClient: true, Input: []byte("{}"),
		Status: parley.ToolPending, CreatedAt: f.clock.Now()}
	if err := f.server.DB.AddToolCalls(f.Context(), []parley.ToolCall{call}); err != nil {
		f.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(agent.IdentitySecret))
	mac.Write([]byte("anna"))
	return testkit.ResourceIDs{"agentId": f.agent, "token": token, "conversationId": a.conversation, "turnId": a.turn,
		"messageId": a.message, "userMessageId": a.userMessage, "toolCallId": call.CallID,
		"fileId": file.ID, "fileToken": address.Query().Get("token"),
		"userHash": hex.EncodeToString(mac.Sum(nil))}
}

func (f *visitorFixture) setStatus(ids testkit.ResourceIDs, status parley.ConversationStatus) {
	f.Helper()
	if status == "" {
		return
	}
	if _, err := f.server.DB.SQL().Exec(f.Context(), `update conversations set status = ? where id = ?`, string(status),
		ids["conversationId"]); err != nil {
		f.Fatal(err)
	}
}

// request sends a request a minute after the one before, so that no limit is reached.
func (f *visitorFixture) request(c visitorCase, ids testkit.ResourceIDs) reply {
	f.Helper()
	f.clock.Advance(time.Minute)
	method, path, _ := strings.Cut(c.operation, " ")
	path, query, _ := strings.Cut(path, "?")
	escaped, raw := testkit.ResourceIDs{}, testkit.ResourceIDs{}
	for name, id := range ids {
		escaped[name] = url.QueryEscape(id)
		raw[name] = strings.ReplaceAll(id, "\x00", `\u0000`)
	}
	path = strings.ReplaceAll(escaped.Substitute(path), "+", "%20") + "?" + escaped.Substitute(query)
	body, contentType := []byte(raw.Substitute(c.body)), "application/json"
	switch {
	case strings.HasSuffix(c.operation, "/dictation"):
		body, contentType = audio.EncodeWAV(audio.Sound{Rate: 16_000, PCM: make([]int16, 16_000)}), "audio/wav"
	case strings.HasSuffix(c.operation, "/files"):
		body, contentType = uploadForm(f.T, ids["conversationId"])
	}
	req, err := http.NewRequestWithContext(f.Context(), method, f.server.URL+"/api/chat"+path, bytes.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	maps.Copy(req.Header, f.header)
	if ids["token"] != "" {
		req.Header.Set("Authorization", "Visitor "+ids["token"])
	}
	return f.sendRequest(req)
}

// uploadForm returns the form that uploads a file for a conversation.
func uploadForm(t *testing.T, conversation string) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.WriteField("conversationId", conversation); err != nil {
		t.Fatal(err)
	}
	part, err := form.CreateFormFile("file", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("x")) // into memory
	_ = form.Close()
	return b.Bytes(), form.FormDataContentType()
}

// stored returns what visitors can have written, apart from when they were seen.
func (f *visitorFixture) stored() string {
	f.Helper()
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(writtenColumns)) {
		rows, err := sqldb.All(f.Context(), f.server.DB.SQL(), sqldb.Column[string], fmt.Sprintf(
			`select %s from %s order by 1`, writtenColumns[table], table))
		if err != nil {
			f.Fatal(err)
		}
		fmt.Fprintln(&b, table, rows)
	}
	return b.String()
}

// writtenColumns are the columns, as one, in which a write of visitors shows, by table.
var writtenColumns = map[string]string{
	"conversations":  `id || ' ' || status || ' ' || last_seq || ' ' || coalesce(visitor_id, '')`,
	"messages":       `id || ' ' || coalesce(feedback, '')`,
	"turns":          `id || ' ' || state`,
	"tool_calls":     `id || ' ' || status`,
	"leads":          `id`,
	"tickets":        `id`,
	"attachments":    `id`,
	"visitor_files":  `id || ' ' || visitor_id`,
	"visitors":       `id || ' ' || coalesce(user_id, '')`,
	"voice_sessions": `id`,
	"people":         `id || ' ' || coalesce(email, '')`,
}
