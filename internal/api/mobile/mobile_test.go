package mobile_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/mobile"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// device is an installation of an app that talks to an agent.
type device struct {
	t     *testing.T
	srv   *testkit.Server
	agent string
	id    string
	token string // of the user who is signed in; empty for nobody
}

// open opens a server with a public agent, and returns a device of it.
func open(t *testing.T, options ...testkit.Option) *device {
	t.Helper()
	srv := testkit.Open(t, append(options, testkit.WithModel(&scripted.Model{}))...)
	d := &device{t: t, srv: srv, agent: srv.NewAgent(t, srv.Key), id: "A0000000-0000-4000-8000-000000000001"}
	d.change(`{"visibility": "public"}`)
	return d
}

func (d *device) change(settings string) {
	d.t.Helper()
	if r := d.srv.Do(d.t, "PUT", "/agents/"+d.agent, d.srv.Key, settings); r.Status != http.StatusOK {
		d.t.Fatal(r.Status, string(r.Body))
	}
}

// other returns another device.
func (d *device) other() *device {
	another := *d
	another.id = strings.Replace(d.id, "A0", "B0", 1)
	return &another
}

// signedIn returns the device with a user, for whom the agent's site vouches.
func (d *device) signedIn(user string) *device {
	d.t.Helper()
	ref := parley.AccountID(d.srv.Account).AgentRef(parley.AgentID(d.agent))
	agent, err := d.srv.DB.Agent(d.t.Context(), ref, time.Now())
	if err != nil {
		d.t.Fatal(err)
	}
	another := *d
	another.token = signToken(agent.IdentitySecret, user)
	return &another
}

// signToken returns a JWT as backends make it.
func signToken(secret, user string) string {
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(`{"user_id":"`+user+`"}`))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// send sends a request below the agent.
func (d *device) send(method, path, body string) (status int, reply string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.srv.URL+mobile.Base+"/agents/"+d.agent+path,
		bytes.NewReader([]byte(body)))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "Chatbase-iOS-SDK/1.0.0")
	if d.id != "" {
		req.Header.Set("X-Device-Id", d.id)
	}
	if d.token != "" {
		req.Header.Set("X-User-Token", d.token)
	}
	res, err := d.srv.Client.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// want sends a request and fails the test unless it has the status and the code.
func (d *device) want(status int, code parley.Code, method, path, body string) {
	d.t.Helper()
	got, reply := d.send(method, path, body)
	if got != status || code != "" && !strings.Contains(reply, `"code":"`+string(code)+`"`) {
		d.t.Errorf("%s %s: %d %s, want %d %s", method, path, got, reply, status, code)
	}
}

// chat sends a message and returns the conversation and the answer's id.
func (d *device) chat(message string) (conversation, answer string) {
	d.t.Helper()
	status, reply := d.send("POST", "/chat", fmt.Sprintf(`{"message": %q, "userId": "somebody-else"}`, message))
	var got struct {
		Data struct {
			ID       string
			Metadata struct {
				ConversationID string
				UserID         *string
			}
		}
	}
	if err := json.Unmarshal([]byte(reply), &got); err != nil || status != http.StatusOK {
		d.t.Fatal(status, reply)
	}
	if user := got.Data.Metadata.UserID; user != nil && *user == "somebody-else" {
		d.t.Error("a device says who its user is")
	}
	return got.Data.Metadata.ConversationID, got.Data.ID
}

// conversations returns how many conversations the device sees.
func (d *device) conversations() int {
	d.t.Helper()
	status, reply := d.send("GET", "/conversations", "")
	var got struct {
		Data       []struct{ ID, Status string }
		Pagination struct {
			HasMore *bool
			Total   *int
		}
	}
	if err := json.Unmarshal([]byte(reply), &got); err != nil || status != http.StatusOK ||
		got.Pagination.HasMore == nil || got.Pagination.Total == nil {
		d.t.Fatal(status, reply)
	}
	return len(got.Data)
}

func TestDeviceTalksToAnAgent(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			d := open(t, options...)
			conversation, answer := d.chat("Hello")
			if d.conversations() != 1 {
				t.Error("the conversation is not listed")
			}
			status, reply := d.send("POST", "/chat",
				fmt.Sprintf(`{"message": "Again", "conversationId": %q, "stream": true}`, conversation))
			if status != http.StatusOK || !strings.Contains(reply, `data: {"type":"start","messageId":`) ||
				!strings.HasSuffix(strings.TrimSpace(reply), "data: [DONE]") {
				t.Error(status, reply)
			}
			status, reply = d.send("GET", "/conversations/"+conversation+"/messages", "")
			if status != http.StatusOK || strings.Count(reply, `"role":"user"`) != 2 {
				t.Error(status, reply)
			}
			d.want(200, "", "PATCH", "/conversations/"+conversation+"/messages/"+answer+"/feedback",
				`{"feedback": "positive"}`)
			d.want(200, "", "POST", "/conversations/"+conversation+"/retry", fmt.Sprintf(`{"messageId": %q}`, answer))
			d.want(404, parley.CodeToolCallNotFound, "POST", "/conversations/"+conversation+"/tool-result",
				`{"toolCallId": "none"}`)
			c, err := d.srv.DB.Conversation(t.Context(), parley.AccountID(d.srv.Account).
				AgentRef(parley.AgentID(d.agent)).ConversationRef(parley.ConversationID(conversation)))
			if err != nil || c.Channel != parley.ChannelIOS || c.VisitorID == "" {
				t.Errorf("%v, %+v", err, c)
			}
		})
	}
}

// TestDevicesAreApart checks that a device reaches nothing of another one, and nothing that others began.
func TestDevicesAreApart(t *testing.T) {
	d := open(t)
	conversation, answer := d.chat("Hello")
	other := d.other()
	other.chat("I am another one")
	if d.conversations() != 1 || other.conversations() != 1 {
		t.Error("a device sees the conversations of another one")
	}
	other.want(404, parley.CodeConversationNotFound, "POST", "/chat",
		fmt.Sprintf(`{"message": "Hello", "conversationId": %q}`, conversation))
	other.want(404, parley.CodeConversationNotFound, "POST", "/conversations/"+conversation+"/retry",
		fmt.Sprintf(`{"messageId": %q}`, answer))
	other.want(404, parley.CodeConversationNotFound, "POST", "/conversations/"+conversation+"/tool-result",
		`{"toolCallId": "none"}`)
	other.want(404, parley.CodeResourceNotFound, "GET", "/conversations/"+conversation+"/messages", "")
	other.want(404, parley.CodeConversationNotFound, "PATCH",
		"/conversations/"+conversation+"/messages/"+answer+"/feedback", `{"feedback": "positive"}`)
	for _, path := range []string{"", "/conversations/export", "/conversations/search", "/conversations/" + conversation,
		"/users/somebody/conversations", "/insights", "/sources", "/nothing"} {
		d.want(404, parley.CodeNotFound, "GET", path, "")
	}
	d.want(404, parley.CodeNotFound, "PATCH", "/conversations/"+conversation, `{"paused": true}`)
}

// TestUserOfADevice checks that a user sees the same on all devices, and that a token is checked.
func TestUserOfADevice(t *testing.T) {
	d := open(t)
	d.chat("Hello")
	anna := d.signedIn("anna")
	if anna.conversations() != 0 {
		t.Error("what a device said belongs to its next user")
	}
	anna.chat("It is me")
	if n := d.other().signedIn("anna").conversations(); n != 1 {
		t.Errorf("on another device there are %d conversations", n)
	}
	if d.conversations() != 1 {
		t.Error("after signing out the device sees the user's conversations, or not its own")
	}
	status, reply := d.send("POST", "/verify", fmt.Sprintf(`{"token": %q}`, anna.token))
	if status != http.StatusOK || strings.TrimSpace(reply) != `{"data":{"userId":"anna"}}` {
		t.Error(status, reply)
	}
	d.want(403, parley.CodeIdentityRefused, "POST", "/verify", `{"token": "`+signToken("another secret", "anna")+`"}`)
	d.want(400, parley.CodeInvalidBody, "POST", "/verify", `{}`)
	d.token = signToken("another secret", "anna")
	d.want(403, parley.CodeIdentityRefused, "POST", "/chat", `{"message": "Hello"}`)
}

func TestWhoIsNotAdmitted(t *testing.T) {
	d := open(t)
	for _, id := range []string{"", "short", strings.Repeat("a", 129), "A0000000 0000-4000-8000-000000000001"} {
		one := *d
		one.id = id
		one.want(401, parley.CodeVisitorRequired, "POST", "/chat", `{"message": "Hello"}`)
	}
	d.want(400, parley.CodeInvalidBody, "POST", "/chat", `{}`)
	unknown := *d
	unknown.agent = "AAAAAAAAAAAAAAAAAAAAA"
	unknown.want(404, parley.CodeAgentNotFound, "POST", "/chat", `{"message": "Hello"}`)
	d.change(`{"ipRateLimits": {"limit": 1, "timeframe": 60, "message": "Slowly, please"}}`)
	d.want(200, "", "POST", "/chat", `{"message": "Hello"}`)
	if status, reply := d.send("POST", "/chat", `{"message": "Hello"}`); status != http.StatusTooManyRequests ||
		!strings.Contains(reply, "Slowly, please") {
		t.Error(status, reply)
	}
	d.change(`{"visibility": "private"}`)
	d.want(404, parley.CodeAgentNotFound, "GET", "/conversations", "")
}
