package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	slackSecret   = "slack-secret"
	channelSecret = "whsec_c2l4dGVlbiBieXRlcyBhdCBsZWFzdA=="
)

// double stands for Slack's Web API and for a channel of Parley. It answers with a reply and notes what it gets.
type double struct {
	mu       sync.Mutex
	status   int
	reply    string
	requests []received
}

type received struct {
	header http.Header
	path   string
	body   map[string]string
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	got := received{header: r.Header, path: r.URL.Path}
	_ = json.Unmarshal(body, &got.body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, got)
	if r.Header.Get("Webhook-Id") != "" && !verifyParley(r.Header, channelSecret, time.Now(), body) {
		d.status = http.StatusUnauthorized
	}
	w.WriteHeader(d.status)
	_, _ = w.Write([]byte(d.reply))
}

func (d *double) set(status int, reply string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status, d.reply = status, reply
}

func (d *double) all() []received {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]received(nil), d.requests...)
}

// fixture is the program between a double of Slack and one of Parley.
type fixture struct {
	*testing.T
	address       string
	program       http.Handler
	slack, parley *double
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, slack: &double{status: http.StatusOK, reply: `{"ok": true}`},
		parley: &double{status: http.StatusAccepted, reply: `{}`}}
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	env := map[string]string{"SLACK_API_URL": serve(f.slack) + "/api", "SLACK_BOT_TOKEN": "xoxb-1",
		"SLACK_SIGNING_SECRET": slackSecret, "PARLEY_CHANNEL_URL": serve(f.parley) + "/api/channels/1/messages",
		"PARLEY_CHANNEL_SECRET": channelSecret}
	cfg, err := readConfig(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	f.program = newBridge(cfg).handler()
	f.address = serve(f.program)
	return f
}

func (f *fixture) send(path string, body string, header http.Header) (status int, reply string) {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), http.MethodPost, f.address+path, bytes.NewReader([]byte(body)))
	if err != nil {
		f.Fatal(err)
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// fromSlack sends an event as Slack does.
func (f *fixture) fromSlack(body string) (status int, reply string) {
	f.Helper()
	return f.send("/slack/events", body, signSlack(body))
}

// signSlack returns the headers that Slack signs an event with.
func signSlack(body string) http.Header {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	signature := "v0=" + hex.EncodeToString(mac([]byte(slackSecret), "v0:"+at+":", []byte(body)))
	return http.Header{"X-Slack-Request-Timestamp": {at}, "X-Slack-Signature": {signature}}
}

// fromParley sends an event as a channel does.
func (f *fixture) fromParley(id, body string) (status int) {
	f.Helper()
	header := http.Header{}
	signParley(header, channelSecret, id, time.Now(), []byte(body))
	status, _ = f.send("/parley", body, header)
	return status
}

func (f *fixture) wantStatus(got, want int) {
	f.Helper()
	if got != want {
		f.Errorf("status %d, want %d", got, want)
	}
}

func TestSlackFindsTheProgram(t *testing.T) {
	f := newFixture(t)
	if status, reply := f.fromSlack(`{"type": "url_verification", "challenge": "abc"}`); status != 200 || reply != "abc" {
		t.Error(status, reply)
	}
	if status, _ := f.send("/slack/events", `{"type": "url_verification"}`, http.Header{}); status != 401 {
		t.Error("an event without a signature was taken")
	}
}

func TestMessageArrivesThoughSlackHangsUp(t *testing.T) {
	f := newFixture(t)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	const body = `{"type": "event_callback", "event": {"type": "message", "channel_type": "im", "channel": "D1",
		"user": "U1", "text": "Are you open?", "ts": "17.1"}}`
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/slack/events", strings.NewReader(body))
	req.Header = signSlack(body)
	f.program.ServeHTTP(httptest.NewRecorder(), req)
	if n := len(f.parley.all()); n != 1 {
		t.Errorf("%d messages have arrived", n)
	}
}

func TestMessagesGoToParley(t *testing.T) {
	f := newFixture(t)
	for _, body := range []string{
		`{"type": "event_callback", "event": {"type": "message", "channel_type": "im", "channel": "D1", "user": "U1",
			"text": "Is it &lt; 5?", "ts": "17.1"}}`,
		`{"type": "event_callback", "event": {"type": "app_mention", "channel": "C1", "user": "U2",
			"text": "<@UBOT> When are you open?", "ts": "17.2"}}`,
		`{"type": "event_callback", "event": {"type": "app_mention", "channel": "C1", "user": "U2",
			"text": "<@UBOT> And on Sundays?", "ts": "17.3", "thread_ts": "17.2"}}`,
	} {
		status, _ := f.fromSlack(body)
		f.wantStatus(status, http.StatusOK)
	}
	want := []map[string]string{
		{"messageId": "D1:17.1", "conversationId": "D1", "userId": "U1", "text": "Is it < 5?"},
		{"messageId": "C1:17.2", "conversationId": "C1/17.2", "userId": "U2", "text": "When are you open?"},
		{"messageId": "C1:17.3", "conversationId": "C1/17.2", "userId": "U2", "text": "And on Sundays?"},
	}
	got := f.parley.all()
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for i, fields := range want {
		for name, value := range fields {
			if got[i].body[name] != value || got[i].path != "/api/channels/1/messages" {
				t.Errorf("message %d: %v, want %v", i, got[i], fields)
			}
		}
	}
}

func TestWhatIsNoMessageOfAPersonStays(t *testing.T) {
	f := newFixture(t)
	for _, event := range []string{
		`{"type": "message", "channel_type": "im", "channel": "D1", "bot_id": "B1", "text": "Hello", "ts": "1"}`,
		`{"type": "message", "channel_type": "im", "channel": "D1", "subtype": "message_changed", "text": "Hello"}`,
		`{"type": "message", "channel_type": "channel", "channel": "C1", "user": "U1", "text": "Hello", "ts": "1"}`,
		`{"type": "app_mention", "channel": "C1", "user": "U1", "text": "<@UBOT>", "ts": "1"}`,
		`{"type": "reaction_added", "user": "U1"}`,
	} {
		status, _ := f.fromSlack(`{"type": "event_callback", "event": ` + event + `}`)
		f.wantStatus(status, http.StatusOK)
	}
	if got := f.parley.all(); len(got) != 0 {
		t.Error(got)
	}
}

func TestSlackSendsAgainWhatParleyDidNotTake(t *testing.T) {
	f := newFixture(t)
	body := `{"type": "event_callback", "event": {"type": "message", "channel_type": "im", "channel": "D1",
		"text": "Hello", "ts": "1"}}`
	for parley, slack := range map[int]int{503: 503, 429: 503, 409: 503, 402: 503, 400: 200, 202: 200} {
		f.parley.set(parley, `{}`)
		status, _ := f.fromSlack(body)
		f.wantStatus(status, slack)
	}
}

const answer = `{"type": "message.created", "data": {"conversationId": "C1/17.2", "message": {"text":
	"We are **open** & [here](https://shop.example/a).", "sources": [{"name": "Hours <1>",
	"url": "https://shop.example/h"}, {"name": "Notes"}]}}}`

func TestAnswersArePosted(t *testing.T) {
	f := newFixture(t)
	f.wantStatus(f.fromParley("delivery-1", answer), http.StatusOK)
	f.wantStatus(f.fromParley("delivery-1", answer), http.StatusOK) // once more: it is in Slack already
	f.wantStatus(f.fromParley("delivery-2", `{"type": "conversation.taken_over", "data": {"conversationId": "D1"}}`), 200)
	f.wantStatus(f.fromParley("delivery-3", `{"type": "conversation.ended", "data": {"conversationId": "D1"}}`), 200)
	got := f.slack.all()
	if len(got) != 2 {
		t.Fatal(got)
	}
	text := "We are *open* &amp; <https://shop.example/a|here>.\n<https://shop.example/h|Hours &lt;1&gt;>"
	if m := got[0]; m.path != "/api/chat.postMessage" || m.header.Get("Authorization") != "Bearer xoxb-1" ||
		m.body["channel"] != "C1" || m.body["thread_ts"] != "17.2" || m.body["text"] != text {
		t.Error(m)
	}
	if m := got[1]; m.body["channel"] != "D1" || m.body["thread_ts"] != "" {
		t.Error(m)
	}
	if status, _ := f.send("/parley", answer, http.Header{}); status != http.StatusUnauthorized {
		t.Error("an answer without a signature was posted", status)
	}
}

func TestParleySendsAgainWhatSlackDidNotTake(t *testing.T) {
	f := newFixture(t)
	for reply, want := range map[string]int{`{"ok": false, "error": "ratelimited"}`: 503, `not JSON`: 503,
		`{"ok": false, "error": "channel_not_found"}`: 200} {
		f.slack.set(http.StatusOK, reply)
		f.wantStatus(f.fromParley("delivery "+reply, answer), want)
	}
	f.slack.set(http.StatusInternalServerError, "")
	f.wantStatus(f.fromParley("delivery-5", answer), http.StatusServiceUnavailable)
	f.slack.set(http.StatusOK, `{"ok": true}`)
	f.wantStatus(f.fromParley("delivery-5", answer), http.StatusOK)
}

func TestIncompleteSettingsAreRefused(t *testing.T) {
	if _, err := readConfig(func(string) string { return "" }); err == nil {
		t.Error("nothing is set")
	}
}
