package house_test

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
	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
)

// hears is an endpoint that keeps what it hears and answers with a status.
type hears struct {
	mu     sync.Mutex
	bodies []string
	signed []string
	ids    []string
	status int
}

func (e *hears) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bodies, e.signed, e.ids = append(e.bodies, string(body)), append(e.signed, r.Header.Get("X-Chatbase-Signature")), append(e.ids, r.Header.Get("X-Parley-Delivery"))
	w.WriteHeader(e.status)
}

func (e *hears) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies)
}

func (e *hears) answer(status int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status = status
}

// A customer leaves an address in a chat, and the endpoint that an integration has named, with nothing but its API key, is told of
// it. It fails at first; then the server ends, and the next one tells it again.
func TestTheNextServerTellsTheWebhook(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return dbs.Postgres(t).NewDatabase(t) },
	} {
		t.Run(name, func(t *testing.T) {
			e := &hears{status: http.StatusInternalServerError}
			endpoint := httptest.NewServer(e)
			t.Cleanup(endpoint.Close)
			clock, at := rig.NewClock(), rig.At(t.TempDir(), url(t))
			open := func(t *testing.T) *rig.House {
				return rig.Open(t, at, rig.ByClock(clock), rig.With(func(c *house.Config) { c.SecretKey, c.FetchAllow = secretKey, []string{"127.0.0.1"} }))
			}
			var key string
			t.Run("the first", func(t *testing.T) {
				h := open(t)
				key = h.Key
				agent := h.NewAgent(t, h.Key)
				askForAddresses(t, h, agent)
				makeWebhook(t, h, endpoint.URL)
				h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]any{"message": "call ann@example.org"}).Decode(t, http.StatusOK, &struct{}{})
				rig.Eventually(t, "the failure is noted", func() bool { return attempts(t, h) == 1 })
			})
			e.answer(http.StatusAccepted)
			clock.Turn(time.Minute)
			t.Run("the second", func(t *testing.T) {
				h := open(t)
				rig.Eventually(t, "it is delivered", func() bool { return attempts(t, h) == 2 })
			})
			mac := hmac.New(sha1.New, []byte(key))
			_, _ = io.WriteString(mac, e.bodies[0])
			if want := hex.EncodeToString(mac.Sum(nil)); e.count() != 2 || e.signed[0] != want || e.signed[1] != want || e.ids[0] != e.ids[1] || e.bodies[0] != e.bodies[1] {
				t.Errorf("want the signature %s, got %+v", want, e)
			}
			if !strings.Contains(e.bodies[0], `"customerEmail":"ann@example.org"`) {
				t.Error(e.bodies[0])
			}
		})
	}
}

// attempts tells how often the only delivery has been tried.
func attempts(t *testing.T, h *rig.House) int {
	t.Helper()
	list, err := admin.Do(t.Context(), h.Operator, admin.ListDeliveries, admin.DeliveriesAsk{Limit: 10})
	if err != nil || len(list) > 1 {
		t.Fatal(err, list)
	}
	if len(list) == 0 {
		return 0
	}
	return list[0].Attempts
}

// askForAddresses gives the agent a procedure that keeps a lead.
func askForAddresses(t *testing.T, h *rig.House, agent string) {
	t.Helper()
	now, account, id := h.Operator.Now(), parley.AccountID(h.Account), parley.AgentID(agent)
	email := []parley.ActionInput{{Name: "email", Type: "string", Required: true}}
	err := h.DB.PutAction(t.Context(), &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: account, AgentID: id, Key: "lead", Kind: parley.ActionCollectLeads, Name: "lead",
		Description: "d", Inputs: email, Config: json.RawMessage(`{}`), Enabled: true, CreatedAt: now, UpdatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	err = h.DB.PutProcedure(t.Context(), &parley.Procedure{ID: "call", AccountID: account, AgentID: id, Key: "call", Name: "call", Description: "d",
		Triggers: []string{"call {email}"}, Inputs: email, Enabled: true, CreatedAt: now, UpdatedAt: now,
		Steps: []parley.ProcedureStep{{Action: "lead", With: map[string]string{"email": "{email}"}}}})
	if err != nil {
		t.Fatal(err)
	}
}

// makeWebhook asks for one as an integration does.
func makeWebhook(t *testing.T, h *rig.House, endpoint string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/api/v1/webhooks", strings.NewReader(`{"endpoint": "`+endpoint+`", "events": ["leads.submit"]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	resp, err := h.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode)
	}
}
