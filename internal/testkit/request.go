package testkit

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Reply is a reply of the server.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request under /api/v2 with the key; body is encoded as JSON unless it is nil, a string or bytes.
func (s *Server) Do(t testing.TB, method, path, key string, body any) Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v2"+path, bytes.NewReader(encodeBody(t, body)))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		t.Fatalf("%s %s: %v after %q", method, path, err, text.String())
	}
	return Reply{res.StatusCode, res.Header, text.Bytes()}
}

// StartExport requests the export of a conversation without the validating client, which would read the whole reply.
func (s *Server) StartExport(t testing.TB, agent, conversation string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.URL+"/api/v2/agents/"+agent+"/conversations/export?conversationId="+conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func encodeBody(t testing.TB, body any) []byte {
	t.Helper()
	switch body := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(body)
	case []byte:
		return body
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Decode decodes a reply with a status into v.
func (r Reply) Decode(t testing.TB, status int, v any) {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d instead of %d: %s", r.Status, status, r.Body)
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
}

// NewAgent creates an agent of the key's account, trained on the texts, and returns its id.
func (s *Server) NewAgent(t testing.TB, key string, texts ...string) string {
	t.Helper()
	var agent struct{ ID string }
	s.Do(t, "POST", "/agents", key, map[string]any{"name": "Agent"}).Decode(t, http.StatusCreated, &agent)
	for _, text := range texts {
		source := map[string]any{"type": "text", "name": "Text", "content": text}
		s.Do(t, "POST", "/agents/"+agent.ID+"/sources", key, source).Decode(t, http.StatusCreated, &struct{}{})
	}
	if err := s.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return agent.ID
}

// NewLongConversation creates a conversation of n messages with a new agent of the first account; the third and later
// have the ids msg_3, msg_4 …
func (s *Server) NewLongConversation(t testing.TB, n int) (agent, conversation string) {
	t.Helper()
	agent = s.NewAgent(t, s.Key)
	var answer struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": "Hello!", "stream": false}).Decode(t,
		http.StatusOK, &answer)
	conversation = answer.Data.Metadata.ConversationID
	text := strings.Repeat("All work and no play. ", 25)
	_, err := s.DB.SQL().Exec(t.Context(),
		`insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts, created_at)
		with recursive n(i) as (select 3 union all select i + 1 from n where i < ?)
		select 'msg_' || i, ?, ?, ?, i, case i % 2 when 0 then 'assistant' else 'user' end, 'reply', 'complete', ?,
		1790000000000 + i from n`,
		n, s.Account, agent, conversation, `[{"type":"text","text":"`+text+`"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.SQL().Exec(t.Context(), `update conversations set last_seq = ?, message_count = ? where id = ?`,
		n, n, conversation); err != nil {
		t.Fatal(err)
	}
	return agent, conversation
}
