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

	"go.uber.org/goleak"

	"parley"
	"parley/internal/jobs"
	"parley/internal/outbound"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/vault"
	"parley/internal/webhook"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

const apiKey = "pk_an-api-key"

// fixture is an account with an agent that has a conversation, and what sends to its webhooks.
type fixture struct {
	testing.TB
	context.Context
	DB           *store.DB
	clock        *testkit.Clock
	service      *webhook.Service
	sender       *webhook.Sender
	queue        *jobs.Queue
	runner       *jobs.Runner
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
}

func forEachStore(t *testing.T, f func(w *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newFixture(t, db)) })
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
	w := &fixture{TB: t, Context: t.Context(), DB: db, clock: testkit.NewClock(),
		account: parley.AccountID(parley.NewUUID())}
	quiet, client := slog.New(slog.NewTextHandler(io.Discard, nil)), &outbound.Client{AllowedPrefixes: allow}
	t.Cleanup(client.Close)
	queue := &jobs.Queue{Now: w.clock.Now}
	w.queue = queue
	w.service = &webhook.Service{DB: db, Queue: queue, Vault: safe, Now: w.clock.Now}
	w.sender = &webhook.Sender{DB: db, Queue: queue, HTTP: client, Vault: safe, Now: w.clock.Now, Logger: quiet}
	w.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: quiet, Handlers: w.sender.Handlers(),
		PollInterval: 10 * time.Millisecond}
	w.must(db.CreateAccount(w, &parley.Account{ID: w.account, Name: "Acme", Plan: "unlimited", CreatedAt: w.clock.Now()}))
	w.agent = w.newAgent()
	w.conversation = w.newConversation(w.agent)
	return w
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err, parley.AsError(err).Details)
	}
}

func (w *fixture) newAgent() parley.AgentID {
	w.Helper()
	id := parley.NewAgentID()
	w.must(w.DB.CreateAgent(w, &parley.Agent{ID: id, AccountID: w.account, Name: "Guide", Model: "auto",
		Visibility: "private", RateLimit: parley.DefaultDeviceLimit(),
		IdentitySecret: "s", ConfigVersion: 1, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}))
	return id
}

func (w *fixture) newConversation(agent parley.AgentID) parley.ConversationID {
	w.Helper()
	now := w.clock.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account, AgentID: agent,
		API:     parley.APIV2,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, CreatedAt: now}
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(w, c, first, false)
	}))
	return c.ID
}

// addWebhook has the leads of an agent, empty for all, sent to an endpoint.
func (w *fixture) addWebhook(agent parley.AgentID, endpoint string) *parley.Webhook {
	w.Helper()
	h, _, err := w.service.Add(w, w.account, webhook.NewWebhook{AgentID: agent, Endpoint: endpoint,
		Events: []string{parley.EventLeadsSubmit}, Secret: apiKey, KeyID: "key"})
	w.must(err)
	return h
}

// addLead leaves a lead in the conversation.
func (w *fixture) addLead(email string) {
	w.Helper()
	w.must(w.DB.AddLead(w, &parley.Lead{ID: parley.NewUUID(), AccountID: w.account, AgentID: w.agent,
		ConversationID: w.conversation, Name: "Ann <&> Co", Email: email, Phone: "+44 1",
		CreatedAt: w.clock.Now()}))
}

// follow writes the deliveries of what has been recorded.
func (w *fixture) follow() {
	w.Helper()
	for more := true; more; {
		var err error
		more, err = w.sender.Follow(w)
		w.must(err)
	}
}

// runSendJobs sends what is due.
func (w *fixture) runSendJobs() {
	w.Helper()
	w.follow()
	_, err := w.runner.RunDue(w)
	w.must(err)
}

func (w *fixture) deliveries(state parley.DeliveryState) []parley.Delivery {
	w.Helper()
	list, err := w.DB.Deliveries(w, store.DeliveryFilter{Account: w.account, State: state}, 1000)
	w.must(err)
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

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
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
