package v2_test

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
	"parley/internal/api/v2"
	"parley/internal/testkit"
)

// eventReader is an open stream of a conversation's events.
type eventReader struct {
	t      *testing.T
	lines  *bufio.Reader
	cancel context.CancelFunc
}

// openEvents opens the stream; headers are names and values in turn.
func openEvents(t *testing.T, h *testkit.Server, in resourceIDs, headers ...string) (*eventReader, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", h.URL+v2.Base+in.substitute("/agents/{agentId}/conversations/{conversationId}/events"), nil)
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
	return &eventReader{t, bufio.NewReader(res.Body), cancel}, res.StatusCode
}

// nextEvent reads one event; the empty text is the end of the stream.
func (f *eventReader) nextEvent() string {
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

func (f *eventReader) requireEvent(parts ...string) {
	f.t.Helper()
	event := f.nextEvent()
	for _, part := range parts {
		if !strings.Contains(event, part) {
			f.t.Errorf("event %q, want %q in it", event, part)
		}
	}
}

func TestFollowingAConversation(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	account, agent, id := parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	f, status := openEvents(t, h, ours)
	f.requireEvent("event: status\ndata: {\"status\":\"ongoing\"}\n")
	if _, err := h.Conversations.TakeOver(t.Context(), account, agent, id, "kim", "", false); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	f.requireEvent(`{"status":"taken_over"}`) // the number 3 is that of the ticket's event, which nobody is told here
	if got := requestForComparison(t, h, "POST /agents/{agentId}/conversations/{conversationId}/messages", `{"message": "Anybody?"}`, ours); !strings.HasPrefix(got, "201 ") {
		t.Error(got)
	}
	f.requireEvent("event: message\nid: 4\ndata: {\"id\":\"msg_", `"role":"user"`, `"text":"Anybody?"`)
	if _, err := h.Conversations.AddHumanReply(t.Context(), account, agent, id, "kim", "Here I am."); err != nil {
		t.Fatal(err)
	}
	f.requireEvent("id: 5\n", `"role":"assistant"`, `"text":"Here I am."`)
	back, _ := openEvents(t, h, ours, "Last-Event-ID", "4")
	back.requireEvent("taken_over")
	back.requireEvent("id: 5\n")
	if _, err := h.Conversations.End(t.Context(), account, agent, id, "kim"); err != nil {
		t.Fatal(err)
	}
	for _, each := range []*eventReader{f, back} {
		each.requireEvent(`{"status":"ended"}`)
		if more := each.nextEvent(); more != "" {
			t.Errorf("it goes on: %q", more)
		}
	}
}

// TestHeadOfWhatIsStreamed asks for the headers alone, of replies that are written while they are made.
func TestHeadOfWhatIsStreamed(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	for _, path := range []string{"/agents/{agentId}/conversations/export", "/agents/{agentId}/conversations/{conversationId}/events"} {
		if got := requestForComparison(t, h, "HEAD "+path, "", ours); got != "200 " {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestASignOfLifeIsSent(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	h.URL = strings.TrimSuffix(serveWithShortDelays(t, h), v2.Base)
	f, _ := openEvents(t, h, ours)
	f.requireEvent("ongoing")
	f.requireEvent(": ping")
	f.requireEvent(": ping")
}

func TestWritesOfOtherServersAreSeen(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	f, _ := openEvents(t, h, ours)
	f.requireEvent("ongoing")
	if _, err := h.DB.SQL().Exec(t.Context(), `update conversations set status = 'ended' where id = ?`, ours["conversationId"]); err != nil {
		t.Fatal(err)
	}
	f.requireEvent(`{"status":"ended"}`)
}

func TestFollowersComeAndGo(t *testing.T) {
	h := testkit.Open(t)
	h.Conversations.Hub.MaxFollowers = 1
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	first, _ := openEvents(t, h, ours)
	first.requireEvent("ongoing")
	if _, status := openEvents(t, h, ours); status != http.StatusTooManyRequests {
		t.Errorf("one more than may: %d", status)
	}
	first.cancel()
	var second *eventReader
	testkit.Eventually(t, "its place is free", func() bool {
		f, status := openEvents(t, h, ours)
		second = f
		return status == http.StatusOK
	})
	second.requireEvent("ongoing")
	if _, err := h.Conversations.Delete(t.Context(), parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), []parley.ConversationID{parley.ConversationID(ours["conversationId"])}, nil); err != nil {
		t.Fatal(err)
	}
	if more := second.nextEvent(); more != "" {
		t.Errorf("of a deleted conversation: %q", more)
	}
}

func TestServerThatStopsLeavesNoFollowers(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	f, _ := openEvents(t, h, ours)
	f.requireEvent("ongoing")
	begun := time.Now()
	h.Drain(t.Context())
	if more := f.nextEvent(); more != "" || time.Since(begun) > testkit.WaitTimeout {
		t.Errorf("it goes on: %q", more)
	}
	if _, status := openEvents(t, h, ours); status != http.StatusServiceUnavailable {
		t.Errorf("while it stops: %d", status)
	}
}
