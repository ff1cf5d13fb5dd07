package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/vault"
)

const secretKey = "sixteen bytes at least"

func TestActionSettings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*server.Config)
		want   string
	}{
		"nothing": {func(*server.Config) {}, ""},
		"all": {func(c *server.Config) {
			c.SecretKey, c.FetchAllow, c.SearchURL = secretKey, []string{"10.0.0.0/8", "fd00::1"}, "http://searxng:8080/search"
		}, ""},
		"a short key": {func(c *server.Config) { c.SecretKey = "hunter2" }, "PARLEY_SECRET_KEY"},
		"no range":    {func(c *server.Config) { c.FetchAllow = []string{"10.0.0.0/8", "inside"} }, "PARLEY_FETCH_ALLOW"},
		"no proxies":  {func(c *server.Config) { c.TrustedProxies = []string{"the proxy"} }, "PARLEY_TRUSTED_PROXIES"},
		"no program":  {func(c *server.Config) { c.FilePrograms = []string{"/usr/bin/less"} }, "PARLEY_FILE_PROGRAMS"},
		"no engine":   {func(c *server.Config) { c.SearchURL = "searxng" }, "PARLEY_SEARCH_URL"},
	} {
		cfg := server.Config{ServingConfig: server.ServingConfig{RateLimit: 1, OpenTurns: 1}}
		c.change(&cfg)
		err := cfg.Check()
		if (err != nil) != (c.want != "") || err != nil &&
			(!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnavailableReasonNamesTheMissingSearchEngine(t *testing.T) {
	withEngine := func(c *server.Config) { c.SearchURL = "http://searxng:8080/search" }
	command, err := server.OpenAdmin(t.Context(), server.Config{
		StorageConfig: server.StorageConfig{Data: t.TempDir()}, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Close() })
	for name, c := range map[string]struct {
		service *admin.Service
		kind    parley.ActionKind
		want    string
	}{
		"no engine":            {testkit.Open(t).AdminService, parley.ActionWebSearch, "PARLEY_SEARCH_URL"},
		"an engine":            {testkit.Open(t, testkit.WithConfig(withEngine)).AdminService, parley.ActionWebSearch, ""},
		"another kind":         {testkit.Open(t).AdminService, parley.ActionEscalate, ""},
		"a command, no engine": {command, parley.ActionWebSearch, ""}, // the browser does not know the server's settings
	} {
		got := c.service.Manifests.UnavailableReason(&parley.Action{Kind: c.kind})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A message that triggers a procedure: the service is called with the secret, the conversation is handed over, and the
// secret is only in the request.
func TestProcedureInAWholeServer(t *testing.T) {
	var questions []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		questions = append(questions, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"state":"paid","echo":"`+r.Header.Get("Authorization")+`"}`)
	}))
	t.Cleanup(service.Close)
	data := t.TempDir()
	log, err := os.Create(filepath.Join(data, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	s := testkit.Open(t, testkit.WithDatabase(data, ""), testkit.WithConfig(func(c *server.Config) {
		c.SecretKey, c.FetchAllow, c.Logger = secretKey, []string{"127.0.0.1"},
			slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}))
	agent := s.NewAgent(t, s.Key)
	addRefundProcedure(t, s, agent, service.URL)

	var reply struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	answer := s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": "refund order 17"})
	answer.Decode(t, http.StatusOK, &reply)
	if len(questions) != 1 || questions[0] != "/17 Bearer s3cret-key" {
		t.Errorf("the service got %q", questions)
	}
	if text := string(answer.Body); !strings.Contains(text, "Looking at 17.") || !strings.Contains(text, "paid") ||
		!strings.Contains(text, "Bearer ***") {
		t.Error(text)
	}
	c, err := s.DB.Conversation(t.Context(), parley.AccountID(s.Account).AgentRef(parley.AgentID(agent)).
		ConversationRef(parley.ConversationID(reply.Data.Metadata.ConversationID)))
	if err != nil || c.Status != parley.ConversationTakenOver {
		t.Errorf("%+v %v", c, err)
	}
	for _, file := range []string{"parley.db", "parley.db-wal", "log"} {
		raw, err := os.ReadFile(filepath.Join(data, file))
		if err != nil || bytes.Contains(raw, []byte("s3cret")) {
			t.Errorf("%s: %v, or the secret is in it", file, err)
		}
	}
	if bytes.Contains(answer.Body, []byte("s3cret")) {
		t.Error("the secret was shown")
	}
}

// addRefundProcedure adds a procedure to the agent that calls the service and then hands over.
func addRefundProcedure(t *testing.T, s *testkit.Server, agent, service string) {
	t.Helper()
	safe, err := vault.New(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := actions.SealSecrets(safe, parley.AccountID(s.Account), map[string]string{"KEY": "s3cret-key"})
	if err != nil {
		t.Fatal(err)
	}
	now, account, id := time.Now(), parley.AccountID(s.Account), parley.AgentID(agent)
	number := []parley.ActionInput{{Name: "number", Type: "string", Required: true}}
	for _, a := range []parley.Action{
		{Key: "look", Kind: parley.ActionHTTP, Name: "look", Inputs: number, Secrets: sealed,
			Config: json.RawMessage(`{"url":"` + service + `/{number}","headers":{"Authorization":"Bearer ${KEY}"}}`)},
		{Key: "human", Kind: parley.ActionEscalate, Name: "human"},
	} {
		a.ID, a.AccountID, a.AgentID, a.Description, a.Enabled, a.CreatedAt, a.UpdatedAt = parley.ActionID(parley.NewUUID()),
			account, id, "d", true, now, now
		if err := s.DB.PutAction(t.Context(), &a); err != nil {
			t.Fatal(err)
		}
	}
	err = s.DB.PutProcedure(t.Context(),
		&parley.Procedure{ID: "p", AccountID: account, AgentID: id, Key: "refund", Name: "refund", Description: "d",
			Triggers: []string{"refund order {number}"}, Inputs: number, Enabled: true, CreatedAt: now, UpdatedAt: now,
			Steps: []parley.ProcedureStep{{Text: "Looking at {number}."},
				{Action: "look", Input: map[string]string{"number": "{number}"}}, {Action: "human"}}})
	if err != nil {
		t.Fatal(err)
	}
}
