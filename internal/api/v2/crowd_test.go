package v2_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"parley/internal/model/scripted"
	"parley/internal/testkit"
)

type chatReply struct {
	Data struct {
		ID       string
		Parts    []struct{ Text string }
		Metadata struct{ UserMessageID, ConversationID string }
	}
}

type message struct {
	ID, Role string
	Parts    []struct{ Text string }
}

type historyPage struct {
	Data       []message
	Pagination struct {
		Cursor string
		Total  int
	}
}

// TestChatsOfOneConversationTakeTurns sends 64 messages to one conversation at a time: each waits for those before it, each
// is answered, and in the history each answer stands right after its question.
func TestChatsOfOneConversationTakeTurns(t *testing.T) {
	t.Parallel()
	const crowd = 64
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	h.Engine.QueueTimeout = 2 * time.Minute
	agent := createAgent(t, h)
	var first chatReply
	h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]any{"message": "first"}).Decode(t, http.StatusOK, &first)
	conversation := first.Data.Metadata.ConversationID

	replies := make([]testkit.Reply, crowd)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			replies[i] = h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]any{"message": fmt.Sprint("message ", i), "conversationId": conversation})
		})
	}
	all.Wait()

	answers := map[string]string{} // by the id of their question
	texts := map[string]string{"first": first.Data.Metadata.UserMessageID}
	answers[first.Data.Metadata.UserMessageID] = first.Data.ID
	for i, r := range replies {
		var a chatReply
		r.Decode(t, http.StatusOK, &a)
		text := fmt.Sprint("message ", i)
		if len(a.Data.Parts) != 1 || a.Data.Parts[0].Text != text || a.Data.Metadata.ConversationID != conversation {
			t.Errorf("%q was answered %s", text, r.Body)
		}
		texts[text], answers[a.Data.Metadata.UserMessageID] = a.Data.Metadata.UserMessageID, a.Data.ID
	}

	history := readHistory(t, h, "/agents/"+agent+"/conversations/"+conversation+"/messages")
	if len(history) != 2*(crowd+1) {
		t.Fatalf("%d messages of %d are there", len(history), 2*(crowd+1))
	}
	for i := 0; i < len(history); i += 2 {
		question, answer := history[i], history[i+1]
		text := question.Parts[0].Text
		if question.Role != "user" || texts[text] != question.ID || answers[question.ID] != answer.ID || answer.Parts[0].Text != text {
			t.Errorf("after %d messages: %v, then %v", i, question, answer)
		}
		delete(texts, text)
	}
	if len(texts) != 0 {
		t.Errorf("lost: %v", texts)
	}
}

// readHistory reads a conversation's messages to their beginning, and gives them oldest first.
func readHistory(t *testing.T, h *testkit.Server, path string) []message {
	t.Helper()
	var history []message
	for cursor := ""; ; {
		var page historyPage
		h.Do(t, "GET", path+"?limit=100&cursor="+cursor, h.Key, nil).Decode(t, http.StatusOK, &page)
		history = append(page.Data, history...)
		if cursor = page.Pagination.Cursor; cursor == "" {
			if len(history) != page.Pagination.Total {
				t.Errorf("%d messages are listed, %d counted", len(history), page.Pagination.Total)
			}
			return history
		}
	}
}
