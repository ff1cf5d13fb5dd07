package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api"
	"parley/internal/llm"
	"parley/internal/rig"
)

// impatient serves the house with a face that does not wait long.
func impatient(t *testing.T, h *rig.House) string {
	t.Helper()
	server := httptest.NewServer(api.New(api.Config{
		Gate: h.Gate, Limiter: h.Limiter, Chat: h.Engine, Clerk: h.Clerk, Agents: h.Agents, Ingest: h.Ingest, DB: h.DB, CursorKey: []byte("key"),
		Now: time.Now, Logger: slog.New(slog.DiscardHandler), Silence: 20 * time.Millisecond, Patience: 20 * time.Millisecond,
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + api.Base
}

func ask(t *testing.T, ctx context.Context, key, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestAStreamThatWaitsShowsThatItLives(t *testing.T) {
	gate := llm.NewGate()
	h := rig.Open(t, rig.Speaking(llm.Script(llm.Step{Gate: gate}, llm.Say("At last."), llm.Stop()).Then(llm.Say("ok"), llm.Stop())))
	ids := agentOf(t, h)
	resp := ask(t, t.Context(), h.Key, impatient(t, h)+"/agents/"+ids+"/chat", `{"message": "Take your time", "stream": true}`)
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	var text strings.Builder
	for pings := 0; lines.Scan(); {
		if lines.Text() == ": ping" {
			if pings++; pings == 3 {
				gate.Open()
			}
			continue
		}
		text.WriteString(lines.Text() + "\n")
	}
	got := text.String()
	for _, want := range []string{`"type":"start"`, `"delta":"At last."`, `"finishReason":"stop"`, "data: [DONE]"} {
		if !strings.Contains(got, want) {
			t.Errorf("the stream lacks %s:\n%s", want, got)
		}
	}
}

func TestAClientThatGoesAwayLosesNothing(t *testing.T) {
	gate := llm.NewGate()
	h := rig.Open(t, rig.Speaking(llm.Script(llm.Say("First "), llm.Step{Gate: gate}, llm.Say("and last."), llm.Stop())))
	agent := agentOf(t, h)
	ctx, leave := context.WithCancel(t.Context())
	resp := ask(t, ctx, h.Key, h.URL+api.Base+"/agents/"+agent+"/chat", `{"message": "Hello", "stream": true}`)
	if _, err := io.ReadFull(resp.Body, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	leave()
	gate.Open()
	rig.Eventually(t, "the answer is stored", func() bool {
		page, err := h.DB.Conversations(t.Context(), parley.AccountID(h.Account), parley.AgentID(agent), noFilter, parley.PageAsk{Limit: 1})
		if err != nil || len(page.Items) != 1 {
			t.Fatal(err, page)
		}
		_, body := send(t, h, h.Key, "GET", fmt.Sprintf("/agents/%s/conversations/%s", agent, page.Items[0].ID), "")
		return strings.Contains(body, "First and last.")
	})
}

func TestAConversationOfAnotherOriginSaysWhereItIs(t *testing.T) {
	h := rig.Open(t)
	agent, now := agentOf(t, h), time.Now()
	conv := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: parley.AccountID(h.Account), AgentID: parley.AgentID(agent), Face: parley.FaceV2,
		Channel: parley.ChannelPlayground, Status: parley.Ongoing, CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: conv.ID, Author: parley.ByUser, State: parley.MessageComplete, CreatedAt: now}
	if err := h.DB.CreateConversation(t.Context(), conv, first, false); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/messages"} {
		status, body := send(t, h, h.Key, "GET", "/agents/"+agent+"/conversations/"+string(conv.ID)+path, "")
		if status != 404 || !strings.Contains(body, `"RESOURCE_NOT_FOUND"`) || !strings.Contains(body, "Playground") || !strings.Contains(body, "/conversations/export?conversationId=") {
			t.Errorf("%d %s", status, body)
		}
	}
	if _, body := send(t, h, h.Key, "GET", "/agents/"+agent+"/conversations", ""); strings.Contains(body, string(conv.ID)) {
		t.Error("it is listed:", body)
	}
}
