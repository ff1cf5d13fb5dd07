package channelapi_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/channel"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// messenger is a program that connects a messenger to an agent.
type messenger struct {
	*testing.T
	srv    *testkit.Server
	clock  *clock.Clock
	model  *scripted.Model
	agent  string
	id     string // of the channel
	secret string
	out    *endpoint
}

// onBothDatabases runs a test with a channel on each.
func onBothDatabases(t *testing.T, run func(m *messenger)) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) { run(open(t, options...)) })
	}
}

func open(t *testing.T, options ...testkit.Option) *messenger {
	t.Helper()
	m := &messenger{T: t, clock: clock.New(), model: &scripted.Model{}, out: newEndpoint(t)}
	m.srv = testkit.Open(t, append(options, testkit.WithClock(m.clock), testkit.WithModel(m.model),
		testkit.WithConfig(func(c *server.Config) {
			c.SecretKey, c.FetchAllow = "a key of the tests", []string{"127.0.0.1"}
		}))...)
	m.agent = m.srv.NewAgent(t, m.srv.Key, "# Hours\n\nWe are open from nine to five.")
	m.addChannel("Slack")
	return m
}

func (m *messenger) addChannel(source string) {
	m.Helper()
	created, err := admin.RunOn(m.Context(), m.srv.AdminService, admin.AddChannel, admin.NewChannel{AgentID: m.agent,
		Name: "Team", Source: source, Endpoint: m.out.URL})
	m.must(err)
	m.id, m.secret = created.ChannelID, created.Secret
	if created.Path != channel.MessagePath(parley.WebhookID(m.id)) {
		m.Error(created.Path)
	}
}

func (m *messenger) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *messenger) agentRef() parley.AgentRef {
	return parley.AccountID(m.srv.Account).AgentRef(parley.AgentID(m.agent))
}

func (m *messenger) ref(r receipt) parley.ConversationRef {
	return m.agentRef().ConversationRef(parley.ConversationID(r.ConversationID))
}

// countQuestions counts the messages of the customer in a conversation.
func (m *messenger) countQuestions(ref parley.ConversationRef) (n int) {
	m.Helper()
	list, err := m.srv.DB.RecentMessages(m.Context(), ref, 0, 20)
	m.must(err)
	for _, one := range list {
		if one.Author == parley.AuthorUser {
			n++
		}
	}
	return n
}

func (m *messenger) change(settings string) {
	m.Helper()
	if r := m.srv.Do(m.T, "PUT", "/agents/"+m.agent, m.srv.Key, settings); r.Status != http.StatusOK {
		m.Fatal(r.Status, string(r.Body))
	}
}

// receipt is what the channel answers.
type receipt struct {
	ConversationID string `json:"parleyConversationId"`
	MessageID      string `json:"parleyMessageId"`
	AnsweredBy     string
	IsRepeated     bool
	Error          struct{ Code string }
}

// message is a message as the messenger knows it.
func message(id, conversation, text string) string {
	body, _ := json.Marshal(map[string]string{"messageId": id, "conversationId": conversation, "text": text})
	return string(body)
}

// sign returns the headers of a message that is signed at a time.
func sign(secret, id string, at time.Time, body string) http.Header {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "." + body))
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {seconds},
		"Webhook-Signature": {"v1,bm90aGluZw== v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
}

// post sends a body with headers to a channel.
func (m *messenger) post(id string, header http.Header, body string) (status int, out receipt) {
	m.Helper()
	req, err := http.NewRequestWithContext(m.Context(), http.MethodPost,
		m.srv.URL+channel.MessagePath(parley.WebhookID(id)), bytes.NewReader([]byte(body)))
	m.must(err)
	req.Header = header
	res, err := m.srv.Client.Do(req)
	m.must(err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || json.Unmarshal(text, &out) != nil {
		m.Fatal(err, string(text))
	}
	return res.StatusCode, out
}

// send sends a signed message and expects that it is taken.
func (m *messenger) send(id, conversation, text string) receipt {
	m.Helper()
	body := message(id, conversation, text)
	status, out := m.post(m.id, sign(m.secret, id, m.clock.Now(), body), body)
	if status != http.StatusAccepted || out.ConversationID == "" || out.MessageID == "" {
		m.Fatal(status, out)
	}
	return out
}

// want sends a signed body and expects a refusal.
func (m *messenger) want(status int, code parley.Code, body string) {
	m.Helper()
	got, out := m.post(m.id, sign(m.secret, "1", m.clock.Now(), body), body)
	if got != status || out.Error.Code != string(code) {
		m.Errorf("%s: %d %s, want %d %s", body, got, out.Error.Code, status, code)
	}
}

// sentEvent is what a channel is sent.
type sentEvent struct {
	Type string
	Data struct {
		ChannelID      string
		ConversationID string
		ParleyID       string `json:"parleyConversationId"`
		UserID         string
		Message        struct {
			Author, Text string
			IsComplete   bool
		}
	}
}

// endpoint stands for the program's own server. It notes what it gets and answers with the statuses, then with 200.
type endpoint struct {
	URL      string
	mu       sync.Mutex
	statuses []int
	attempts int
	taken    []sentEvent
	headers  []http.Header
	bodies   []string
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{}
	served := httptest.NewServer(e)
	t.Cleanup(served.Close)
	e.URL = served.URL
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.attempts++
	if len(e.statuses) > 0 {
		w.WriteHeader(e.statuses[0])
		e.statuses = e.statuses[1:]
		return
	}
	var event sentEvent
	_ = json.Unmarshal(body, &event)
	e.taken, e.headers, e.bodies = append(e.taken, event), append(e.headers, r.Header), append(e.bodies, string(body))
}

func (e *endpoint) refuse(statuses ...int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.statuses = statuses
}

func (e *endpoint) tried() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.attempts
}

func (e *endpoint) events() []sentEvent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]sentEvent(nil), e.taken...)
}

// await waits until as many events have been taken, and returns them.
func (m *messenger) await(n int) []sentEvent {
	m.Helper()
	testkit.Eventually(m.T, strconv.Itoa(n)+" events are sent", func() bool { return len(m.out.events()) >= n })
	return m.out.events()
}
