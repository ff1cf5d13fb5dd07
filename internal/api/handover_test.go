package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api"
	"parley/internal/rig"
)

// following is an open stream of a conversation's events.
type following struct {
	t     *testing.T
	lines *bufio.Reader
	leave context.CancelFunc
}

// follow opens the stream; headers are names and values in turn.
func follow(t *testing.T, h *rig.House, in things, headers ...string) (*following, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", h.URL+api.Base+in.in("/agents/{agentId}/conversations/{conversationId}/events"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := h.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return &following{t, bufio.NewReader(res.Body), cancel}, res.StatusCode
}

// next reads one event; the empty text is the end of the stream.
func (f *following) next() string {
	f.t.Helper()
	var event strings.Builder
	for {
		line, err := f.lines.ReadString('\n')
		if errors.Is(err, io.EOF) && event.Len() == 0 {
			return ""
		}
		if err != nil {
			f.t.Fatalf("%v after %q", err, event.String())
		}
		if line == "\n" {
			return event.String()
		}
		event.WriteString(line)
	}
}

func (f *following) wants(parts ...string) {
	f.t.Helper()
	event := f.next()
	for _, part := range parts {
		if !strings.Contains(event, part) {
			f.t.Errorf("event %q, want %q in it", event, part)
		}
	}
}

func TestFollowingAConversation(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	account, agent, id := parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	f, status := follow(t, h, ours)
	f.wants("event: status\ndata: {\"status\":\"ongoing\"}\n")
	if _, err := h.Clerk.TakeOver(t.Context(), account, agent, id, "kim", "", false); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	f.wants(`{"status":"taken_over"}`) // the number 3 is that of the ticket's event, which nobody is told here
	if got := knock(t, h, "POST /agents/{agentId}/conversations/{conversationId}/messages", `{"message": "Anybody?"}`, ours); !strings.HasPrefix(got, "201 ") {
		t.Error(got)
	}
	f.wants("event: message\nid: 4\ndata: {\"id\":\"msg_", `"role":"user"`, `"text":"Anybody?"`)
	if _, err := h.Clerk.HumanReplies(t.Context(), account, agent, id, "kim", "Here I am."); err != nil {
		t.Fatal(err)
	}
	f.wants("id: 5\n", `"role":"assistant"`, `"text":"Here I am."`)
	back, _ := follow(t, h, ours, "Last-Event-ID", "4")
	back.wants("taken_over")
	back.wants("id: 5\n")
	if _, err := h.Clerk.End(t.Context(), account, agent, id, "kim"); err != nil {
		t.Fatal(err)
	}
	for _, each := range []*following{f, back} {
		each.wants(`{"status":"ended"}`)
		if more := each.next(); more != "" {
			t.Errorf("it goes on: %q", more)
		}
	}
}

// TestHeadOfWhatIsStreamed asks for the headers alone, of replies that are written while they are made.
func TestHeadOfWhatIsStreamed(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	for _, path := range []string{"/agents/{agentId}/conversations/export", "/agents/{agentId}/conversations/{conversationId}/events"} {
		if got := knock(t, h, "HEAD "+path, "", ours); got != "200 " {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestASignOfLifeIsSent(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	h.URL = strings.TrimSuffix(impatient(t, h), api.Base)
	f, _ := follow(t, h, ours)
	f.wants("ongoing")
	f.wants(": ping")
	f.wants(": ping")
}

func TestWritesOfOtherServersAreSeen(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	f, _ := follow(t, h, ours)
	f.wants("ongoing")
	if _, err := h.DB.SQL().Exec(t.Context(), `update conversations set status = 'ended' where id = ?`, ours["conversationId"]); err != nil {
		t.Fatal(err)
	}
	f.wants(`{"status":"ended"}`)
}

func TestFollowersComeAndGo(t *testing.T) {
	h := rig.Open(t)
	h.Clerk.Hub.Most = 1
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	first, _ := follow(t, h, ours)
	first.wants("ongoing")
	if _, status := follow(t, h, ours); status != http.StatusTooManyRequests {
		t.Errorf("one more than may: %d", status)
	}
	first.leave()
	var second *following
	rig.Eventually(t, "its place is free", func() bool {
		f, status := follow(t, h, ours)
		second = f
		return status == http.StatusOK
	})
	second.wants("ongoing")
	if _, err := h.Clerk.Delete(t.Context(), parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), []parley.ConversationID{parley.ConversationID(ours["conversationId"])}, nil); err != nil {
		t.Fatal(err)
	}
	if more := second.next(); more != "" {
		t.Errorf("of a deleted conversation: %q", more)
	}
}

func TestServerThatStopsLeavesNoFollowers(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	f, _ := follow(t, h, ours)
	f.wants("ongoing")
	begun := time.Now()
	h.Drain(t.Context())
	if more := f.next(); more != "" || time.Since(begun) > rig.Patience {
		t.Errorf("it goes on: %q", more)
	}
	if _, status := follow(t, h, ours); status != http.StatusServiceUnavailable {
		t.Errorf("while it stops: %d", status)
	}
}
