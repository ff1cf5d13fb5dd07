package v2_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// eventReader is an open stream of a conversation's events.
type eventReader struct {
	t      *testing.T
	lines  *bufio.Reader
	cancel context.CancelFunc
}

// openEvents opens the stream; headers are names and values in turn.
func openEvents(t *testing.T, srv *testkit.Server, in resourceIDs, headers ...string) (*eventReader, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET",
		srv.URL+v2.Base+in.Substitute("/agents/{agentId}/conversations/{conversationId}/events"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+srv.Key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := srv.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return &eventReader{t, bufio.NewReader(res.Body), cancel}, res.StatusCode
}

// nextEvent reads one event; the empty text is the end of the stream.
func (er *eventReader) nextEvent() string {
	er.t.Helper()
	var event strings.Builder
	for {
		line, err := er.lines.ReadString('\n')
		if errors.Is(err, io.EOF) && event.Len() == 0 {
			return ""
		}
		if err != nil {
			er.t.Fatalf("%v after %q", err, event.String())
		}
		if line == "\n" {
			return event.String()
		}
		event.WriteString(line)
	}
}

// skipComments is nextEvent past comments.
func (er *eventReader) skipComments() string {
	er.t.Helper()
	for {
		if event := er.nextEvent(); !strings.HasPrefix(event, ":") {
			return event
		}
	}
}

func (er *eventReader) requireEvent(parts ...string) {
	er.t.Helper()
	event := er.nextEvent()
	for _, part := range parts {
		if !strings.Contains(event, part) {
			er.t.Errorf("event %q, want %q in it", event, part)
		}
	}
}

func TestFollowingAConversation(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	account, agent, id := parley.AccountID(srv.Account), parley.AgentID(ids["agentId"]),
		parley.ConversationID(ids["conversationId"])
	f, status := openEvents(t, srv, ids)
	f.requireEvent("event: status\ndata: {\"status\":\"ongoing\"}\n")
	if _, err := srv.Conversations.TakeOver(t.Context(), account.AgentRef(agent).ConversationRef(id), "kim", "",
		false); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	f.requireEvent(`{"status":"taken_over"}`) // the number 3 is that of the ticket's event, which nobody is told here
	if got := requestForComparison(t, srv, "POST /agents/{agentId}/conversations/{conversationId}/messages",
		`{"message": "Anybody?"}`, ids); !strings.HasPrefix(got, "201 ") {
		t.Error(got)
	}
	f.requireEvent("event: message\nid: 4\ndata: {\"id\":\"msg_", `"role":"user"`, `"text":"Anybody?"`)
	if _, err := srv.Conversations.AddHumanReply(t.Context(), account.AgentRef(agent).ConversationRef(id), "kim",
		"Here I am."); err != nil {
		t.Fatal(err)
	}
	f.requireEvent("id: 5\n", `"role":"assistant"`, `"text":"Here I am."`)
	back, _ := openEvents(t, srv, ids, "Last-Event-ID", "4")
	back.requireEvent("taken_over")
	back.requireEvent("id: 5\n")
	if _, err := srv.Conversations.End(t.Context(), account.AgentRef(agent).ConversationRef(id), "kim"); err != nil {
		t.Fatal(err)
	}
	for _, each := range []*eventReader{f, back} {
		each.requireEvent(`{"status":"ended"}`)
		if more := each.nextEvent(); more != "" {
			t.Errorf("it goes on: %q", more)
		}
	}
}

// TestHeadOfStreams asks for the headers alone, of replies that are written while they are made.
func TestHeadOfStreams(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	for _, path := range []string{"/agents/{agentId}/conversations/export",
		"/agents/{agentId}/conversations/{conversationId}/events"} {
		if got := requestForComparison(t, srv, "HEAD "+path, "", ids); got != "200 " {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestFollowersGetKeepAlives(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	srv.URL = strings.TrimSuffix(serveWithShortDelays(t, srv), v2.Base)
	f, _ := openEvents(t, srv, ids)
	f.requireEvent("ongoing")
	f.requireEvent(": ping")
	f.requireEvent(": ping")
}

func TestFollowersSeeWritesOfOtherServers(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	f, _ := openEvents(t, srv, ids)
	f.requireEvent("ongoing")
	other := &chat.Conversations{DB: store.New(srv.DB.SQL()), Queue: srv.Conversations.Queue, Hub: &chat.Hub{},
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
	agent := parley.AccountID(srv.Account).AgentRef(parley.AgentID(ids["agentId"]))
	if _, err := other.End(t.Context(), agent.ConversationRef(parley.ConversationID(ids["conversationId"])),
		"kim"); err != nil {
		t.Fatal(err)
	}
	f.requireEvent(`{"status":"ended"}`)
}

func TestFollowersConnectAndLeave(t *testing.T) {
	srv := testkit.Open(t, testkit.WithKeepAlive())
	srv.Conversations.Hub.MaxFollowers = 1
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	first, _ := openEvents(t, srv, ids)
	if event := first.skipComments(); !strings.Contains(event, "ongoing") {
		t.Errorf("the first client reads %q", event)
	}
	if _, status := openEvents(t, srv, ids); status != http.StatusTooManyRequests {
		t.Errorf("one more than may: %d", status)
	}
	first.cancel()
	var second *eventReader
	testkit.Eventually(t, "its place is free", func() bool {
		f, status := openEvents(t, srv, ids)
		second = f
		return status == http.StatusOK
	})
	if event := second.skipComments(); !strings.Contains(event, "ongoing") {
		t.Errorf("the second client reads %q", event)
	}
	if _, err := srv.Conversations.Delete(t.Context(),
		parley.AccountID(srv.Account).AgentRef(parley.AgentID(ids["agentId"])),
		[]parley.ConversationID{parley.ConversationID(ids["conversationId"])}, nil); err != nil {
		t.Fatal(err)
	}
	if more := second.skipComments(); more != "" {
		t.Errorf("of a deleted conversation: %q", more)
	}
}

func TestStoppingServerEndsFollowers(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	f, _ := openEvents(t, srv, ids)
	f.requireEvent("ongoing")
	begun := time.Now()
	srv.Drain(t.Context())
	if more := f.nextEvent(); more != "" || time.Since(begun) > testkit.WaitTimeout {
		t.Errorf("it goes on: %q", more)
	}
	if _, status := openEvents(t, srv, ids); status != http.StatusServiceUnavailable {
		t.Errorf("while it stops: %d", status)
	}
}

// TestHandedOverConversationIsFollowedLive has a customer ask for a person and talk with one, while two clients
// follow: one all the time, and one that goes away in the middle and comes back with Last-Event-ID. Neither may
// miss a message or hear one twice.
func TestHandedOverConversationIsFollowedLive(t *testing.T) {
	echo := testkit.WithModel(&scripted.Model{})
	t.Run("sqlite", func(t *testing.T) {
		srv := testkit.Open(t, echo)
		checkHandover(t, srv, srv)
	})
	t.Run("postgres", func(t *testing.T) {
		srv := testkit.Open(t, echo, testkit.WithPostgres())
		checkHandover(t, srv, srv)
	})
	t.Run("two servers", func(t *testing.T) {
		url := dbs.SharedPostgres(t).NewStore(t)
		checkHandover(t, testkit.Open(t, echo, testkit.WithDatabase(t.TempDir(), url)),
			testkit.Open(t, echo, testkit.WithDatabase(t.TempDir(), url)))
	})
}

// exchangeCount is how often each side writes.
const exchangeCount = 20

func checkHandover(t *testing.T, near, far *testkit.Server) {
	ids := createResources(t, near, parley.AccountID(near.Account), near.Key)
	far.Key = near.Key
	account, agent, id := parley.AccountID(near.Account), parley.AgentID(ids["agentId"]),
		parley.ConversationID(ids["conversationId"])
	steady, _ := openEvents(t, near, ids, "Last-Event-ID", "0")
	reading, _ := openEvents(t, far, ids, "Last-Event-ID", "0")
	if got := requestForComparison(t, near, "POST /agents/{agentId}/chat",
		`{"message": "Can I talk to a human?", "conversationId": "`+string(id)+`"}`, ids); !strings.Contains(got,
		"escalate_to_human") {
		t.Fatal(got)
	}
	ticket, err := near.DB.TicketOfConversation(t.Context(), account.AgentRef(agent).ConversationRef(id))
	if err != nil {
		t.Fatal(err)
	}
	kim, err := admin.RunOn(t.Context(), near.AdminService, admin.AddMember, admin.NewMember{AccountID: near.Account,
		Email: "kim@shop.example", Name: "Kim", Role: string(parley.RoleAgent)})
	if err != nil {
		t.Fatal(err)
	}
	var talk sync.WaitGroup
	talk.Go(func() { sendMemberReplies(t, far, ticket, parley.UserID(kim.UserID)) })
	talk.Go(func() {
		for i := range exchangeCount {
			if got := requestForComparison(t, near, "POST /agents/{agentId}/conversations/{conversationId}/messages",
				fmt.Sprintf(`{"message": "Question %d"}`, i), ids); !strings.HasPrefix(got, "201 ") {
				t.Error(got)
			}
		}
	})
	var received []string
	for _, from := range []*testkit.Server{near, far, near} { // it comes back to another server each time
		received = append(received, reading.readMessageNumbers(7)...)
		reading.cancel()
		reading, _ = openEvents(t, from, ids, "Last-Event-ID", received[len(received)-1])
	}
	talk.Wait()
	if _, err := near.Conversations.End(t.Context(), account.AgentRef(agent).ConversationRef(id), "operator"); err != nil {
		t.Fatal(err)
	}
	want := shownMessageNumbers(t, near, account.AgentRef(agent).ConversationRef(id))
	if got := steady.readMessageNumbers(-1); !slices.Equal(got, want) {
		t.Errorf("who stayed heard %v, want %v", got, want)
	}
	if received = append(received, reading.readMessageNumbers(-1)...); !slices.Equal(received, want) {
		t.Errorf("who went and came back heard %v, want %v", received, want)
	}
}

// sendMemberReplies has a member answer through the ticket, with notes and changes in between, which customers do
// not hear of.
func sendMemberReplies(t *testing.T, srv *testkit.Server, ticket *parley.Ticket, member parley.UserID) {
	for i := range exchangeCount {
		_, err := srv.Helpdesk.Reply(t.Context(), ticket.AgentRef(), ticket.Number,
			helpdesk.NewReply{Type: "reply", Content: fmt.Sprint("Answer ", i), AuthorID: member})
		_, noted := srv.Helpdesk.Reply(t.Context(), ticket.AgentRef(), ticket.Number,
			helpdesk.NewReply{Type: "note", Content: "Secret", AuthorID: member})
		_, changed := srv.Helpdesk.Change(t.Context(), ticket.AgentRef(), ticket.Number,
			helpdesk.Change{Priority: parley.Priorities()[i%5]}, string(member))
		if err := errors.Join(err, noted, changed); err != nil {
			t.Error(err)
		}
	}
}

// readMessageNumbers returns the numbers of the next n messages, all up to the end where n is negative.
func (er *eventReader) readMessageNumbers(n int) (ids []string) {
	er.t.Helper()
	for n < 0 || len(ids) < n {
		event := er.nextEvent()
		if event == "" {
			return ids
		}
		if strings.Contains(event, "Secret") {
			er.t.Errorf("a note is sent: %q", event)
		}
		_, rest, ok := strings.Cut(event, "event: message\nid: ")
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(rest, "\n")
		ids = append(ids, id)
	}
	return ids
}

// shownMessageNumbers lists the numbers of the messages that the conversation shows.
func shownMessageNumbers(t *testing.T, srv *testkit.Server, ref parley.ConversationRef) (ids []string) {
	t.Helper()
	page, err := srv.DB.Messages(t.Context(), ref, parley.PageRequest{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Items {
		ids = append(ids, strconv.FormatInt(m.Seq, 10))
	}
	if want := 2 + 2 + 2*exchangeCount; len(ids) != want || page.Total != want {
		t.Errorf("%d messages, counted %d, want %d", len(ids), page.Total, want)
	}
	return ids
}

// TestMessagesOfPeopleAreNoSource asks the built-in model, after a hand-back, for what only a person has said.
func TestMessagesOfPeopleAreNoSource(t *testing.T) {
	srv := testkit.Open(t)
	ids := createResources(t, srv, parley.AccountID(srv.Account), srv.Key)
	account, agent, id := parley.AccountID(srv.Account), parley.AgentID(ids["agentId"]),
		parley.ConversationID(ids["conversationId"])
	if got := requestForComparison(t, srv, "POST /agents/{agentId}/chat",
		`{"message": "human please", "conversationId": "`+string(id)+`"}`, ids); !strings.Contains(got,
		"A person from the team") {
		t.Fatal(got)
	}
	if _, err := srv.Conversations.AddHumanReply(t.Context(), account.AgentRef(agent).ConversationRef(id), "kim",
		"The warehouse in Tromsø opens on Saturdays from 9 to 17."); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Conversations.HandBack(t.Context(), account.AgentRef(agent).ConversationRef(id),
		"operator"); err != nil {
		t.Fatal(err)
	}
	got := requestForComparison(t, srv, "POST /agents/{agentId}/chat",
		`{"message": "When does the warehouse in Tromsø open on Saturdays?", "conversationId": "`+string(id)+`"}`, ids)
	if !strings.HasPrefix(got, "200 ") || strings.Contains(got, "9 to 17") || !strings.Contains(got, `"citations":[]`) {
		t.Error(got)
	}
}
