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
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
	"parley/internal/webhook"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

const apiKey = "pk_an-api-key"

// world is an account with an agent that has a conversation, and what sends to its webhooks.
type world struct {
	testing.TB
	context.Context
	DB      *store.DB
	clock   *rig.Clock
	desk    *webhook.Desk
	sender  *webhook.Sender
	runner  *jobs.Runner
	account parley.AccountID
	agent   parley.AgentID
	talk    parley.ConversationID
}

func each(t *testing.T, f func(w *world)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) { f(newWorld(t, db)) })
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	safe, err := vault.New("sixteen bytes at least")
	if err != nil {
		t.Fatal(err)
	}
	allow, err := outbound.ParseAllow([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, Context: t.Context(), DB: db, clock: rig.NewClock(), account: parley.AccountID(parley.NewUUID())}
	quiet, client := slog.New(slog.NewTextHandler(io.Discard, nil)), &outbound.Client{Allow: allow}
	t.Cleanup(client.Close)
	queue := &jobs.Queue{Now: w.clock.Now}
	w.desk = &webhook.Desk{DB: db, Queue: queue, Vault: safe, Now: w.clock.Now}
	w.sender = &webhook.Sender{DB: db, Queue: queue, HTTP: client, Vault: safe, Now: w.clock.Now, Logger: quiet}
	w.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: quiet, Handlers: w.sender.Handlers(), Poll: 10 * time.Millisecond}
	w.must(db.CreateAccount(w, &parley.Account{ID: w.account, Name: "Acme", Plan: "unlimited", CreatedAt: w.clock.Now()}))
	w.agent = w.newAgent()
	w.talk = w.newTalk(w.agent)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err, parley.ErrorOf(err).Details)
	}
}

func (w *world) newAgent() parley.AgentID {
	w.Helper()
	id := parley.NewAgentID()
	w.must(w.DB.CreateAgent(w, &parley.Agent{ID: id, AccountID: w.account, Name: "Guide", Model: "auto", Visibility: "private", RateLimit: parley.DefaultDeviceLimit(),
		IdentitySecret: "s", ConfigVersion: 1, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}))
	return id
}

func (w *world) newTalk(agent parley.AgentID) parley.ConversationID {
	w.Helper()
	now := w.clock.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account, AgentID: agent, Face: parley.FaceV2,
		Channel: parley.ChannelAPI, Status: parley.Ongoing, CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.ByUser, State: parley.MessageComplete, CreatedAt: now}
	w.must(w.DB.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.CreateConversation(w, c, first, false) }))
	return c.ID
}

// hook has the leads of an agent, empty for all, sent to an endpoint.
func (w *world) hook(agent parley.AgentID, endpoint string) *parley.Webhook {
	w.Helper()
	h, _, err := w.desk.Add(w, w.account, webhook.New{Agent: agent, Endpoint: endpoint, Events: []string{parley.LeadsSubmit}, Secret: apiKey, Key: "key"})
	w.must(err)
	return h
}

// lead leaves a lead in the conversation.
func (w *world) lead(email string) {
	w.Helper()
	w.must(w.DB.AddLead(w, &parley.Lead{ID: parley.NewUUID(), AccountID: w.account, AgentID: w.agent, ConversationID: w.talk, Name: "Ann <&> Co", Email: email, Phone: "+44 1",
		CreatedAt: w.clock.Now()}, w.desk.Tell))
}

// send sends what is due.
func (w *world) send() {
	w.Helper()
	_, err := w.runner.RunDue(w)
	w.must(err)
}

func (w *world) deliveries(state parley.DeliveryState) []parley.Delivery {
	w.Helper()
	list, err := w.DB.Deliveries(w, store.DeliveryFilter{Account: w.account, State: state}, 1000)
	w.must(err)
	return list
}

// heard is one request that an endpoint got.
type heard struct {
	header http.Header
	body   string
	path   string
}

// endpoint is a server that hears what is sent. It answers with what it is told, then with 200.
type endpoint struct {
	URL string

	mu      sync.Mutex
	heard   []heard
	answers []int
	meets   func(r *http.Request) // called before it answers; may be nil
}

func newEndpoint(t testing.TB, answers ...int) *endpoint {
	t.Helper()
	e := &endpoint{answers: answers}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.URL = server.URL
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.heard = append(e.heard, heard{r.Header, string(body), r.Method + " " + r.URL.String()})
	status := http.StatusOK
	if len(e.answers) > 0 {
		status, e.answers = e.answers[0], e.answers[1:]
	}
	meets := e.meets
	e.mu.Unlock()
	if meets != nil {
		meets(r)
	}
	if status/100 == 3 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
}

func (e *endpoint) all() []heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]heard(nil), e.heard...)
}

func (e *endpoint) answer(statuses ...int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = statuses
}
