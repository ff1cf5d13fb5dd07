package chatapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/chatapi"
	"parley/internal/server"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/scripted"
)

// failureFixture is a server with an agent that offers everything, and the ids of one of its visitors.
type failureFixture struct {
	*visitorFixture
	ids testkit.ResourceIDs
}

// ask sends the request of an operation with changed ids.
func (f *failureFixture) ask(operation, body string, change ...string) reply {
	f.Helper()
	ids := f.ids
	for i := 0; i < len(change); i += 2 {
		ids = ids.With(change[i], change[i+1])
	}
	return f.request(visitorCase{operation, body}, ids)
}

func (f *failureFixture) exec(query string, args ...any) {
	f.Helper()
	if _, err := f.server.DB.SQL().Exec(f.Context(), query, args...); err != nil {
		f.Fatal(err)
	}
}

// setModel changes the model of the agent to one that need not be there, and returns the one that it had.
func (f *failureFixture) setModel(name string) (before string) {
	f.Helper()
	if err := f.server.DB.UpdateAgent(f.Context(), f.own, func(a *parley.Agent) error {
		before, a.Model = a.Model, name
		return nil
	}); err != nil {
		f.Fatal(err)
	}
	return before
}

const (
	sendOperation  = "POST /{agentId}/messages"
	voiceOperation = "POST /{agentId}/voice/sessions"
	unknownID      = "01900000-0000-7000-8000-000000000000"
	hello          = `{"message":"Hello"}`
)

// failures produce every code that the chat API answers with, in an order in which each works: the last ones break the
// server.
var failures = []struct {
	code    parley.Code
	produce func(f *failureFixture) reply
}{
	{parley.CodeInvalidBody, func(f *failureFixture) reply { return f.ask(sendOperation, `{}`) }},
	{parley.CodeInvalidJSON, func(f *failureFixture) reply { return f.ask(sendOperation, `{`) }},
	{parley.CodeTooLarge, func(f *failureFixture) reply {
		return f.ask(sendOperation, `{"message":"`+strings.Repeat("x", 65<<10)+`"}`)
	}},
	{parley.CodeVisitorRequired, func(f *failureFixture) reply { return f.ask(sendOperation, hello, "token", "x") }},
	{parley.CodeIdentityRefused, func(f *failureFixture) reply {
		return f.ask("POST /{agentId}/identify", `{"user_id":"anna","user_hash":"00"}`)
	}},
	{parley.CodeAgentNotFound, func(f *failureFixture) reply { return f.ask(sendOperation, hello, "agentId", "nobody") }},
	{parley.CodeNotFound, func(f *failureFixture) reply { return f.ask("GET /{agentId}/nothing", "") }},
	{parley.CodeMethodNotAllowed, func(f *failureFixture) reply { return f.ask("DELETE /{agentId}/config", "") }},
	{parley.CodeConversationNotFound, func(f *failureFixture) reply {
		return f.ask("GET /{agentId}/conversation/{conversationId}", "", "conversationId", unknownID)
	}},
	{parley.CodeMessageNotFound, func(f *failureFixture) reply {
		return f.ask("PATCH /{agentId}/messages/{messageId}/feedback", `{"conversationId":"{conversationId}",
			"feedback":null}`, "messageId", "msg_x")
	}},
	{parley.CodeNotAssistant, func(f *failureFixture) reply {
		return f.ask("PATCH /{agentId}/messages/{userMessageId}/feedback",
			`{"conversationId":"{conversationId}","feedback":null}`)
	}},
	{parley.CodeToolCallNotFound, func(f *failureFixture) reply {
		return f.ask("POST /{agentId}/tool-result", `{"conversationId":"{conversationId}","toolCallId":"x"}`)
	}},
	{parley.CodeResourceNotFound, func(f *failureFixture) reply {
		return f.ask("GET /{agentId}/files/{fileId}?token={fileToken}", "", "fileToken", "x")
	}},
	{parley.CodeRetryNotFound, func(f *failureFixture) reply {
		return f.ask("POST /{agentId}/retry", `{"conversationId":"{conversationId}","messageId":"msg_x"}`)
	}},
	{parley.CodeNotTakenOver, func(f *failureFixture) reply {
		return f.ask("POST /{agentId}/conversation/{conversationId}/messages", hello)
	}},
	{parley.CodeNotOngoing, func(f *failureFixture) reply {
		f.setStatus(f.ids, parley.ConversationEnded)
		defer f.setStatus(f.ids, parley.ConversationOngoing)
		return f.ask(sendOperation, `{"message":"Hello","conversationId":"{conversationId}"}`)
	}},
	{parley.CodeRetryNoUser, func(f *failureFixture) reply {
		f.exec(`update messages set author = 'assistant' where id = ?`, f.ids["userMessageId"])
		return f.ask("POST /{agentId}/retry", `{"conversationId":"{conversationId}","messageId":"{userMessageId}"}`)
	}},
	{parley.CodeKeyReused, func(f *failureFixture) reply {
		f.header = http.Header{"Idempotency-Key": {"k1"}}
		defer func() { f.header = nil }()
		f.ask(sendOperation, hello)
		return f.ask(sendOperation, `{"message":"Something else"}`)
	}},
	{parley.CodeKeyInUse, askWhileKeyIsInUse},
	{parley.CodeConversationBusy, askWhileBusy},
	{parley.CodeChatStreaming, func(f *failureFixture) reply {
		f.model.AddScript(scripted.Step{Err: errors.New("broken")})
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeDomainNotAllowed, func(f *failureFixture) reply {
		f.change(`{"allowedDomains":["shop.example"]}`)
		defer f.change(`{"allowedDomains":null}`)
		return f.ask(sendOperation, `{"message":"Hello","page":"https://evil.example"}`)
	}},
	{parley.CodeAddressBlocked, func(f *failureFixture) reply {
		f.limit(func(l *parley.WidgetLimits) { l.BlockedRanges = []string{"127.0.0.0/8"} })
		defer f.limit(func(l *parley.WidgetLimits) { l.BlockedRanges = nil })
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeTooManyRequests, func(f *failureFixture) reply {
		var none int64
		f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = &none })
		defer f.limit(func(l *parley.WidgetLimits) { l.DailyVisitorCredits = nil })
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeAgentCredits, func(f *failureFixture) reply {
		f.change(`{"creditLimit":0}`)
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeVoiceAgentCredits, func(f *failureFixture) reply {
		defer f.change(`{"creditLimit":null}`)
		return f.ask(voiceOperation, `{}`)
	}},
	{parley.CodeSessionFailed, func(f *failureFixture) reply {
		f.rooms.SetFailing(true)
		defer f.rooms.SetFailing(false)
		return f.ask(voiceOperation, `{}`)
	}},
	{parley.CodeVoiceLimit, func(f *failureFixture) reply {
		f.change(`{"voiceSettings":{"initialMessage":"Hi","maxConcurrentSessions":1}}`)
		f.ask(voiceOperation, `{}`)
		f.clock.Advance(-time.Minute) // else the first one has ended: nobody has joined it
		return f.ask(voiceOperation, `{}`)
	}},
	{parley.CodeVoiceNotAvailable, func(f *failureFixture) reply {
		f.change(`{"voiceSettings":null}`)
		defer f.change(`{"voiceSettings":{"initialMessage":"Hi"}}`)
		return f.ask(voiceOperation, `{}`)
	}},
	{parley.CodeCreditsExhausted, func(f *failureFixture) reply {
		f.exec(`update accounts set credits = 0`)
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeVoiceCredits, func(f *failureFixture) reply {
		defer f.exec(`update accounts set credits = null`)
		return f.ask(voiceOperation, `{}`)
	}},
	{parley.CodeModelNotAllowed, func(f *failureFixture) reply {
		defer f.setModel(f.setModel("of-yesterday"))
		return f.ask(sendOperation, hello)
	}},
	{parley.CodeInternal, func(f *failureFixture) reply {
		f.exec(`alter table visitor_files rename to gone`)
		return f.ask("POST /{agentId}/files", "")
	}},
	{parley.CodeUnderMaintenance, func(f *failureFixture) reply {
		f.server.Drain(f.Context())
		return f.ask(sendOperation, hello)
	}},
}

// TestEveryFailureIsDocumentedAndProduced holds the table of docs/chat-api.md against what operations declare, and
// what the server answers against the table.
func TestEveryFailureIsDocumentedAndProduced(t *testing.T) {
	documented, declared := documentedFailures(t), declaredCodes(t)
	var produced []string
	for _, row := range failures {
		produced = append(produced, fmt.Sprint(row.code.Status(), " ", row.code))
	}
	for _, list := range []*[]string{&documented, &declared, &produced} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if !slices.Equal(documented, declared) {
		t.Errorf("docs/chat-api.md lists %q, operations declare %q", documented, declared)
	}
	if !slices.Equal(produced, documented) {
		t.Errorf("failures has %q, docs/chat-api.md lists %q", produced, documented)
	}
	now, rooms := clock.New(), &testkit.FakeRooms{}
	chat := &chatFixture{T: t, model: &scripted.Model{}, rooms: rooms}
	chat.server = testkit.Open(t, testkit.WithModel(chat.model), testkit.WithClock(now), newTranscriber(t),
		testkit.WithConfig(func(c *server.Config) { c.RoomsOverride = rooms }))
	f := &failureFixture{visitorFixture: &visitorFixture{chatFixture: chat, clock: now}}
	f.own = f.newOpenAgent(f.server.Account, f.server.Key)
	f.ids = f.newVisitorIDs(f.own)
	for _, row := range failures {
		r := row.produce(f)
		var envelope struct {
			Error struct {
				Code    parley.Code
				Message string
			}
		}
		if err := json.Unmarshal(r.body, &envelope); err != nil || envelope.Error.Code != row.code ||
			envelope.Error.Message == "" || r.status != row.code.Status() ||
			!strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s %s", row.code, r.status, r.header.Get("Content-Type"), r.body)
		}
		if needsWait := r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable; needsWait &&
			r.header.Get("Retry-After") == "" {
			t.Errorf("%s says not how long to wait", row.code)
		}
	}
}

// documentedFailures lists the rows of the table of failures in docs/chat-api.md.
func documentedFailures(t *testing.T) (list []string) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/chat-api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([A-Z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		list = append(list, m[1]+" "+m[2])
	}
	return list
}

// declaredCodes lists the failures of all operations, and those of requests that reach none.
func declaredCodes(t *testing.T) []string {
	t.Helper()
	text, err := chatapi.Document("")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	list := []string{"404 NOT_FOUND", "405 METHOD_NOT_ALLOWED"}
	for _, methods := range document.Paths {
		for _, op := range methods {
			for status, r := range op.Responses {
				for code := range strings.SplitSeq(r.Description, ", ") {
					if status[0] != '2' && strings.ToUpper(code) == code {
						list = append(list, status+" "+code)
					}
				}
			}
		}
	}
	return list
}

// askWhileKeyIsInUse asks with the key of a request that runs.
func askWhileKeyIsInUse(f *failureFixture) reply {
	f.Helper()
	var visitor string
	if err := f.server.DB.SQL().QueryRow(f.Context(), `select visitor_id from conversations where id = ?`,
		f.ids["conversationId"]).Scan(&visitor); err != nil {
		f.Fatal(err)
	}
	sum := func(text string) string {
		hash := sha256.Sum256([]byte(text))
		return hex.EncodeToString(hash[:])
	}
	body := `{"conversationId":"` + f.ids["conversationId"] + `","values":{}}`
	path := "/api/chat/" + f.ids["agentId"] + "/forms/" + f.ids["toolCallId"]
	claim := store.Claim{Account: f.own.Account, Key: sum("visitor " + visitor + "\n" + sum("POST "+path+"\nk2")),
		Hash: sum(body), Token: parley.NewUUID()}
	f.clock.Advance(time.Minute)
	if _, err := f.server.DB.ClaimIdempotencyKey(f.Context(), claim, f.clock.Now()); err != nil {
		f.Fatal(err)
	}
	f.clock.Advance(-time.Minute)
	f.header = http.Header{"Idempotency-Key": {"k2"}}
	defer func() { f.header = nil }()
	return f.ask("POST /{agentId}/forms/{toolCallId}", body)
}

// askWhileBusy asks while the conversation is being answered, for as long as a message waits.
func askWhileBusy(f *failureFixture) reply {
	f.Helper()
	f.server.Engine.QueueTimeout = time.Millisecond
	barrier := scripted.NewBarrier()
	defer barrier.Release()
	f.model.AddScript(scripted.Text("It "), scripted.Step{Barrier: barrier}, scripted.Stop())
	begun := f.stream(f.open(http.MethodPost, f.agent+"/messages", f.ids["token"], fields{"message": "Hi"}))
	a := begun.readUntil("text-delta")
	defer func() {
		barrier.Release()
		begun.readUntil(toTheEnd)
	}()
	return f.ask(sendOperation, `{"message":"Hello","conversationId":"`+a.conversation+`"}`)
}
