package server_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

// webhookEndpoint is an endpoint that records its requests and answers with a status.
type webhookEndpoint struct {
	mu         sync.Mutex
	bodies     []string
	signatures []string
	ids        []string
	status     int
}

func (e *webhookEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bodies, e.signatures, e.ids = append(e.bodies, string(body)),
		append(e.signatures, r.Header.Get("X-Chatbase-Signature")), append(e.ids, r.Header.Get("X-Parley-Delivery"))
	w.WriteHeader(e.status)
}

func (e *webhookEndpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies)
}

func (e *webhookEndpoint) setStatus(status int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status = status
}

// A customer leaves an address in a chat, and an endpoint, which an integration has registered with its API key,
// receives it. The endpoint fails at first; then the server stops, and the next one sends the delivery again.
func TestWebhookIsDeliveredAfterARestart(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return dbs.SharedPostgres(t).NewDatabase(t) },
	} {
		t.Run(name, func(t *testing.T) {
			e := &webhookEndpoint{status: http.StatusInternalServerError}
			endpoint := httptest.NewServer(e)
			t.Cleanup(endpoint.Close)
			clock, at := clock.New(), testkit.WithDatabase(t.TempDir(), url(t))
			open := func(t *testing.T) *testkit.Server {
				return testkit.Open(t, at, testkit.WithClock(clock), testkit.WithConfig(func(c *server.Config) {
					c.SecretKey, c.FetchAllow = secretKey, []string{"127.0.0.1"}
				}))
			}
			var key string
			t.Run("the first", func(t *testing.T) {
				s := open(t)
				key = s.Key
				agent := s.NewAgent(t, s.Key)
				addLeadProcedure(t, s, agent)
				createWebhook(t, s, endpoint.URL)
				s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key,
					map[string]any{"message": "call ann@example.org"}).Decode(t, http.StatusOK, &struct{}{})
				testkit.Eventually(t, "the failure is noted", func() bool { return deliveryAttempts(t, s) == 1 })
			})
			e.setStatus(http.StatusAccepted)
			clock.Advance(time.Minute)
			t.Run("the second", func(t *testing.T) {
				s := open(t)
				testkit.Eventually(t, "it is delivered", func() bool { return deliveryAttempts(t, s) == 2 })
			})
			mac := hmac.New(sha1.New, []byte(key))
			_, _ = io.WriteString(mac, e.bodies[0])
			if want := hex.EncodeToString(mac.Sum(nil)); e.count() != 2 || e.signatures[0] != want ||
				e.signatures[1] != want || e.ids[0] != e.ids[1] || e.bodies[0] != e.bodies[1] {
				t.Errorf("want the signature %s, got %+v", want, e)
			}
			if !strings.Contains(e.bodies[0], `"customerEmail":"ann@example.org"`) {
				t.Error(e.bodies[0])
			}
		})
	}
}

// deliveryAttempts returns how often the only delivery has been tried.
func deliveryAttempts(t *testing.T, s *testkit.Server) int {
	t.Helper()
	list, err := admin.RunOn(t.Context(), s.AdminService, admin.ListDeliveries, admin.DeliveryQuery{Limit: 10})
	if err != nil || len(list) > 1 {
		t.Fatal(err, list)
	}
	if len(list) == 0 {
		return 0
	}
	return list[0].Attempts
}

// addLeadProcedure adds a procedure that collects a lead to the agent.
func addLeadProcedure(t *testing.T, s *testkit.Server, agent string) {
	t.Helper()
	now, account, id := s.AdminService.Now(), parley.AccountID(s.Account), parley.AgentID(agent)
	email := []parley.ActionInput{{Name: "email", Type: "string", Required: true}}
	err := s.DB.PutAction(t.Context(), &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: account,
		AgentID: id, Key: "lead", Kind: parley.ActionCollectLeads, Name: "lead",
		Description: "d", Inputs: email, Config: json.RawMessage(`{}`), Enabled: true, CreatedAt: now, UpdatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.PutProcedure(t.Context(),
		&parley.Procedure{ID: "call", AccountID: account, AgentID: id, Key: "call", Name: "call", Description: "d",
			Triggers: []string{"call {email}"}, Inputs: email, Enabled: true, CreatedAt: now, UpdatedAt: now,
			Steps: []parley.ProcedureStep{{Action: "lead", Input: map[string]string{"email": "{email}"}}}})
	if err != nil {
		t.Fatal(err)
	}
}

// createWebhook creates a webhook as an integration does.
func createWebhook(t *testing.T, s *testkit.Server, endpoint string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/webhooks",
		strings.NewReader(`{"endpoint": "`+endpoint+`", "events": ["leads.submit"]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode)
	}
}
