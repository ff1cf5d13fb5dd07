package v2_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v2"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/scripted"
)

// serveWithShortDelays serves the server with an API that does not wait long.
func serveWithShortDelays(t *testing.T, srv *testkit.Server) string {
	t.Helper()
	server := httptest.NewServer(v2.New(v2.Config{
		Authenticator: srv.Authenticator, Limiter: srv.Limiter, Chat: srv.Engine, Conversations: srv.Conversations,
		Agents: srv.Agents, Ingest: srv.Ingest, DB: srv.DB, CursorKey: []byte("key"),
		Now: time.Now, Logger: slog.New(slog.DiscardHandler), KeepAliveInterval: 20 * time.Millisecond,
		StreamOpenDelay: 20 * time.Millisecond,
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + v2.Base
}

func postChat(t *testing.T, ctx context.Context, key, url, body string) *http.Response {
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

func TestWaitingStreamSendsKeepAlives(t *testing.T) {
	barrier := scripted.NewBarrier()
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Step{Barrier: barrier}, scripted.Text("At last."),
		scripted.Stop()).AddScript(scripted.Text("ok"), scripted.Stop())))
	ids := createAgent(t, srv)
	resp := postChat(t, t.Context(), srv.Key, serveWithShortDelays(t, srv)+"/agents/"+ids+"/chat",
		`{"message": "Take your time", "stream": true}`)
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	var text strings.Builder
	for pings := 0; lines.Scan(); {
		if lines.Text() == ": ping" {
			if pings++; pings == 3 {
				barrier.Release()
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

func TestDisconnectedClientLosesNothing(t *testing.T) {
	barrier := scripted.NewBarrier()
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Text("First "), scripted.Step{Barrier: barrier},
		scripted.Text("and last."), scripted.Stop())))
	agent := createAgent(t, srv)
	ctx, leave := context.WithCancel(t.Context())
	resp := postChat(t, ctx, srv.Key, srv.URL+v2.Base+"/agents/"+agent+"/chat", `{"message": "Hello", "stream": true}`)
	if _, err := io.ReadFull(resp.Body, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	leave()
	barrier.Release()
	testkit.Eventually(t, "the answer is stored", func() bool {
		page, err := srv.DB.Conversations(t.Context(), parley.AccountID(srv.Account).AgentRef(parley.AgentID(agent)),
			noFilter, parley.PageRequest{Limit: 1})
		if err != nil || len(page.Items) != 1 {
			t.Fatal(err, page)
		}
		_, body := sendAs(t, srv, srv.Key, "GET", fmt.Sprintf("/agents/%s/conversations/%s", agent, page.Items[0].ID), "")
		return strings.Contains(body, "First and last.")
	})
}

func TestConversationOfAnotherOriginIsNamed(t *testing.T) {
	srv := testkit.Open(t)
	agent, now := createAgent(t, srv), time.Now()
	conv := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()),
		AccountID: parley.AccountID(srv.Account), AgentID: parley.AgentID(agent), API: parley.APIV2,
		Channel: parley.ChannelPlayground, Status: parley.ConversationOngoing, CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: conv.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, CreatedAt: now}
	if err := srv.DB.CreateConversation(t.Context(), conv, first, false); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/messages"} {
		status, body := sendAs(t, srv, srv.Key, "GET", "/agents/"+agent+"/conversations/"+string(conv.ID)+path, "")
		if status != 404 || !strings.Contains(body, `"RESOURCE_NOT_FOUND"`) || !strings.Contains(body, "Playground") ||
			!strings.Contains(body, "/conversations/export?conversationId=") {
			t.Errorf("%d %s", status, body)
		}
	}
	if _, body := sendAs(t, srv, srv.Key, "GET", "/agents/"+agent+"/conversations", ""); strings.Contains(body,
		string(conv.ID)) {
		t.Error("it is listed:", body)
	}
}

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

// TestChatsOfOneConversationTakeTurns sends 64 messages to one conversation at a time: each waits for those before
// it, each is answered, and in the history each answer is right after its question.
func TestChatsOfOneConversationTakeTurns(t *testing.T) {
	t.Parallel()
	const crowd = 64
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	srv.Engine.QueueTimeout = 2 * time.Minute
	agent := createAgent(t, srv)
	var first chatReply
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, map[string]any{"message": "first"}).Decode(t, http.StatusOK,
		&first)
	conversation := first.Data.Metadata.ConversationID

	replies := make([]testkit.Reply, crowd)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			replies[i] = srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key,
				map[string]any{"message": fmt.Sprint("message ", i), "conversationId": conversation})
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

	history := readHistory(t, srv, "/agents/"+agent+"/conversations/"+conversation+"/messages")
	if len(history) != 2*(crowd+1) {
		t.Fatalf("%d messages of %d are there", len(history), 2*(crowd+1))
	}
	for i := 0; i < len(history); i += 2 {
		question, answer := history[i], history[i+1]
		text := question.Parts[0].Text
		if question.Role != "user" || texts[text] != question.ID || answers[question.ID] != answer.ID ||
			answer.Parts[0].Text != text {
			t.Errorf("after %d messages: %v, then %v", i, question, answer)
		}
		delete(texts, text)
	}
	if len(texts) != 0 {
		t.Errorf("lost: %v", texts)
	}
}

// readHistory reads a conversation's messages to their beginning, and returns them oldest first.
func readHistory(t *testing.T, srv *testkit.Server, path string) []message {
	t.Helper()
	var history []message
	for cursor := ""; ; {
		var page historyPage
		srv.Do(t, "GET", path+"?limit=100&cursor="+cursor, srv.Key, nil).Decode(t, http.StatusOK, &page)
		history = append(page.Data, history...)
		if cursor = page.Pagination.Cursor; cursor == "" {
			if len(history) != page.Pagination.Total {
				t.Errorf("%d messages are listed, %d counted", len(history), page.Pagination.Total)
			}
			return history
		}
	}
}

// TestSearchesAreCounted checks that an account may search ten times a second, exactly, whatever its keys and agents.
func TestSearchesAreCounted(t *testing.T) {
	clock := clock.New()
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	path := "/agents/" + createAgent(t, srv) + "/conversations/search?query="
	for i := range 10 {
		if got := srv.Do(t, "GET", path+fmt.Sprint("word", i), srv.Key, nil); got.Status != http.StatusOK {
			t.Fatal(i, got.Status, string(got.Body))
		}
	}
	got := srv.Do(t, "GET", path, srv.Key, nil)
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "1" {
		t.Error(got.Status, got.Header, string(got.Body))
	}
	reset := strconv.FormatInt(clock.Now().Add(2*time.Second-1).Unix(), 10) // a second from now, rounded up
	for name, want := range map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0",
		"X-RateLimit-Reset": reset} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s: %s instead of %s", name, value, want)
		}
	}
	if got := srv.Do(t, "GET", path+"&source=Fax", srv.Key, nil); got.Status != http.StatusBadRequest {
		t.Error("what is wrong is no search:", got.Status)
	}
	clock.Advance(time.Second)
	if got := srv.Do(t, "GET", path, srv.Key, nil); got.Status != http.StatusOK {
		t.Error(got.Status, string(got.Body))
	}
}

// TestHostileSearchesAreAnswered checks that no text of a client breaks a search, in whichever parameter it is.
func TestHostileSearchesAreAnswered(t *testing.T) {
	clock := clock.New()
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	srv.Search.Allow = nil
	agent := createAgent(t, srv)
	for _, s := range hostileStrings(t) {
		for _, name := range []string{"query", "source", "topic", "userId", "tool", "startDate", "cursor", "hasVoice"} {
			got := srv.Do(t, "GET", "/agents/"+agent+"/conversations/search?"+name+"="+url.QueryEscape(s), srv.Key, nil)
			if got.Status != http.StatusOK && got.Status != http.StatusBadRequest {
				t.Errorf("%s %q: %d %s", name, s, got.Status, got.Body)
			}
		}
	}
}

// TestSearchIsFresh checks that what was written is found a moment later, without anybody asking the index for it.
func TestSearchIsFresh(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	srv.Search.Allow = nil
	agent := createAgent(t, srv)
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, map[string]string{"message": "Where is the lighthouse?"})
	testkit.Eventually(t, "found", func() bool {
		var page struct{ Data []struct{ ID string } }
		srv.Do(t, "GET", "/agents/"+agent+"/conversations/search?query=lighthouse", srv.Key, nil).Decode(t,
			http.StatusOK, &page)
		return len(page.Data) == 1
	})
}

// TestInterruptedExportIsNoticed takes the table away while the client reads: what has come must not look like all.
func TestInterruptedExportIsNoticed(t *testing.T) {
	srv := testkit.Open(t)
	agent, conversation := srv.NewLongConversation(t, 40_000)
	res := srv.StartExport(t, agent, conversation)
	begun := make([]byte, 1000)
	if _, err := io.ReadFull(res.Body, begun); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `alter table messages rename to elsewhere`); err != nil {
		t.Fatal(err) // also: nothing holds the database while the client takes its time
	}
	rest, err := io.ReadAll(res.Body)
	if err == nil || json.Valid(slices.Concat(begun, rest)) {
		t.Errorf("%d bytes came to an end: %v", len(rest), err)
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `alter table elsewhere rename to messages`); err != nil {
		t.Fatal(err)
	}
}

// TestExportHidesOtherAccounts asks for ids in the query, which the isolation test does not reach.
func TestExportHidesOtherAccounts(t *testing.T) {
	srv := testkit.Open(t)
	ids, foreignIDs := createResources(t, srv, parley.AccountID(srv.Account), srv.Key),
		createResources(t, srv, parley.AccountID(srv.OtherAccount), srv.OtherKey)
	const path = "GET /agents/{agentId}/conversations/export?conversationId={conversationId}"
	unknown := requestForComparison(t, srv, path, "", ids.With("conversationId", "01900000-0000-7000-8000-000000000000"))
	if !strings.HasPrefix(unknown, `200 {"data":[],`) {
		t.Error(unknown)
	}
	for _, id := range append([]string{foreignIDs["conversationId"], "", "%20"}, malformedIDs...) {
		if got := requestForComparison(t, srv, path, "", ids.With("conversationId", id)); got != unknown {
			t.Errorf("%q: %s", id, got)
		}
	}
}

// TestExportNamesEveryOrigin holds the query's list of origins against the server's.
func TestExportNamesEveryOrigin(t *testing.T) {
	srv := testkit.Open(t)
	agent := createAgent(t, srv)
	for _, c := range parley.Channels() {
		if status, body := sendAs(t, srv, srv.Key, "GET", "/agents/"+agent+"/conversations/export?source="+
			strings.ReplaceAll(string(c), " ", "%20"), ""); status != 200 {
			t.Errorf("%s: %d %s", c, status, body)
		}
	}
}
