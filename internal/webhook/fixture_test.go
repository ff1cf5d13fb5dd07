package webhook_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/outbound"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/vault"
	"parley/internal/webhook"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

const apiKey = "pk_an-api-key"

// fixture is an account with an agent that has a conversation, and the sender of its webhooks.
type fixture struct {
	check.T
	context.Context
	DB           *store.DB
	clock        *clock.Clock
	service      *webhook.Service
	sender       *webhook.Sender
	queue        *jobs.Queue
	runner       *jobs.Runner
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { do(newFixture(t, db)) })
}

func newFixture(t *testing.T, db *store.DB) *fixture {
	t.Helper()
	safe, err := vault.New("sixteen bytes at least")
	if err != nil {
		t.Fatal(err)
	}
	allow, err := outbound.ParseAllow([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: check.T{TB: t}, Context: t.Context(), DB: db, clock: clock.New()}
	quiet, client := slog.New(slog.NewTextHandler(io.Discard, nil)), &outbound.Client{AllowedPrefixes: allow}
	t.Cleanup(client.Close)
	queue := &jobs.Queue{Now: f.clock.Now}
	f.queue = queue
	f.service = &webhook.Service{DB: db, Queue: queue, Vault: safe, Now: f.clock.Now}
	f.sender = &webhook.Sender{DB: db, Queue: queue, HTTP: client, Vault: safe, Now: f.clock.Now, Logger: quiet}
	f.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: quiet, Handlers: f.sender.Handlers(),
		PollInterval: 10 * time.Millisecond}
	f.account = dbs.CreateAccount(t, db, "unlimited", f.clock.Now()).ID
	f.agent = f.newAgent()
	f.conversation = f.newConversation(f.agent)
	return f
}

func (f *fixture) newAgent() parley.AgentID {
	f.Helper()
	return dbs.CreateAgent(f.TB, f.DB, dbs.NewAgent(f.account, f.clock.Now()))
}

func (f *fixture) newConversation(agent parley.AgentID) parley.ConversationID {
	f.Helper()
	return dbs.CreateConversation(f.TB, f.DB, f.account.AgentRef(agent), f.clock.Now())
}

// addWebhook adds a webhook for the leads of an agent, or of all agents where it is empty.
func (f *fixture) addWebhook(agent parley.AgentID, endpoint string) *parley.Webhook {
	f.Helper()
	h, _, err := f.service.Add(f, f.account, webhook.NewWebhook{AgentID: agent, Endpoint: endpoint,
		Events: []string{string(parley.EventLeadsSubmit)}, Secret: apiKey, KeyID: "key"})
	f.Must(err)
	return h
}

// addLead adds a lead to the conversation.
func (f *fixture) addLead(email string) {
	f.Helper()
	f.Must(f.DB.AddLead(f, &parley.Lead{ID: parley.NewUUID(), AccountID: f.account, AgentID: f.agent,
		ConversationID: f.conversation, Name: "Ann <&> Co", Email: email, Phone: "+44 1",
		CreatedAt: f.clock.Now()}))
}

// follow writes the deliveries of the recorded events.
func (f *fixture) follow() {
	f.Helper()
	for more := true; more; {
		var err error
		more, err = f.sender.Follow(f)
		f.Must(err)
	}
}

// runSendJobs sends the due deliveries.
func (f *fixture) runSendJobs() {
	f.Helper()
	f.follow()
	_, err := f.runner.RunDue(f)
	f.Must(err)
}

func (f *fixture) deliveries(state parley.DeliveryState) []parley.Delivery {
	f.Helper()
	list, err := f.DB.Deliveries(f, store.DeliveryFilter{Account: f.account, State: state}, 1000)
	f.Must(err)
	return list
}

// receivedRequest is one request that an endpoint got.
type receivedRequest struct {
	header http.Header
	body   string
	path   string
}

// endpoint is a server that records the requests it gets. It answers with the given statuses, then with 200.
type endpoint struct {
	URL string

	mu        sync.Mutex
	received  []receivedRequest
	statuses  []int
	onRequest func(r *http.Request) // called before it answers; may be nil
}

func newEndpoint(t testing.TB, answers ...int) *endpoint {
	t.Helper()
	e := &endpoint{statuses: answers}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.URL = server.URL
	return e
}

func (e *endpoint) ServeHTTP(f http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.received = append(e.received, receivedRequest{r.Header, string(body), r.Method + " " + r.URL.String()})
	status := http.StatusOK
	if len(e.statuses) > 0 {
		status, e.statuses = e.statuses[0], e.statuses[1:]
	}
	meets := e.onRequest
	e.mu.Unlock()
	if meets != nil {
		meets(r)
	}
	if status/100 == 3 {
		f.Header().Set("Location", "/elsewhere")
	}
	f.WriteHeader(status)
}

func (e *endpoint) receivedRequests() []receivedRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]receivedRequest(nil), e.received...)
}

func (e *endpoint) setStatuses(statuses ...int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.statuses = statuses
}
