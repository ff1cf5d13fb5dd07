package testkit

import (
	"net/http"
	"strings"
	"testing"
)

// NewLongConversation creates a conversation of n messages with a new agent of the first account; the third and later have the ids msg_3, msg_4 …
func (h *Server) NewLongConversation(t testing.TB, n int) (agent, conversation string) {
	t.Helper()
	agent = h.NewAgent(t, h.Key)
	var answer struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]any{"message": "Hello!", "stream": false}).Decode(t, http.StatusOK, &answer)
	conversation = answer.Data.Metadata.ConversationID
	text := strings.Repeat("All work and no play. ", 25)
	_, err := h.DB.SQL().Exec(t.Context(), `insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts, created_at)
		with recursive n(i) as (select 3 union all select i + 1 from n where i < ?)
		select 'msg_' || i, ?, ?, ?, i, case i % 2 when 0 then 'assistant' else 'user' end, 'reply', 'complete', ?, 1790000000000 + i from n`,
		n, h.Account, agent, conversation, `[{"type":"text","text":"`+text+`"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `update conversations set last_seq = ?, message_count = ? where id = ?`, n, n, conversation); err != nil {
		t.Fatal(err)
	}
	return agent, conversation
}
