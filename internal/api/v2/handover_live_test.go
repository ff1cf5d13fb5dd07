package v2_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/helpdesk"
	"parley/internal/model/scripted"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// TestHandedOverConversationIsHeardLive has a customer ask for a person and talk with one, while two clients follow: one all the time,
// and one that goes away in the middle and comes back with Last-Event-ID. Neither may miss a message or hear one twice.
func TestHandedOverConversationIsHeardLive(t *testing.T) {
	echo := testkit.WithModel(&scripted.Model{})
	t.Run("sqlite", func(t *testing.T) {
		h := testkit.Open(t, echo)
		checkHandover(t, h, h)
	})
	t.Run("postgres", func(t *testing.T) {
		h := testkit.Open(t, echo, testkit.WithPostgres())
		checkHandover(t, h, h)
	})
	t.Run("two servers", func(t *testing.T) {
		url := dbs.SharedPostgres(t).NewStore(t)
		checkHandover(t, testkit.Open(t, echo, testkit.WithDatabase(t.TempDir(), url)), testkit.Open(t, echo, testkit.WithDatabase(t.TempDir(), url)))
	})
}

// exchangeCount is how often each side writes.
const exchangeCount = 20

func checkHandover(t *testing.T, near, far *testkit.Server) {
	ours := createResources(t, near, parley.AccountID(near.Account), near.Key)
	far.Key = near.Key
	account, agent, id := parley.AccountID(near.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	steady, _ := openEvents(t, near, ours, "Last-Event-ID", "0")
	restless, _ := openEvents(t, far, ours, "Last-Event-ID", "0")
	if got := requestForComparison(t, near, "POST /agents/{agentId}/chat", `{"message": "Can I talk to a human?", "conversationId": "`+string(id)+`"}`, ours); !strings.Contains(got, "escalate_to_human") {
		t.Fatal(got)
	}
	ticket, err := near.DB.TicketOfConversation(t.Context(), account, agent, id)
	if err != nil {
		t.Fatal(err)
	}
	kim, err := admin.RunOn(t.Context(), near.AdminService, admin.AddMember, admin.NewMember{AccountID: near.Account, Email: "kim@shop.example", Name: "Kim", Role: string(parley.RoleAgent)})
	if err != nil {
		t.Fatal(err)
	}
	var talk sync.WaitGroup
	talk.Go(func() { sendMemberReplies(t, far, ticket, parley.UserID(kim.UserID)) })
	talk.Go(func() {
		for i := range exchangeCount {
			if got := requestForComparison(t, near, "POST /agents/{agentId}/conversations/{conversationId}/messages", fmt.Sprintf(`{"message": "Question %d"}`, i), ours); !strings.HasPrefix(got, "201 ") {
				t.Error(got)
			}
		}
	})
	var heard []string
	for _, from := range []*testkit.Server{near, far, near} { // it comes back to another server each time
		heard = append(heard, restless.readMessageNumbers(7)...)
		restless.cancel()
		restless, _ = openEvents(t, from, ours, "Last-Event-ID", heard[len(heard)-1])
	}
	talk.Wait()
	if _, err := near.Conversations.End(t.Context(), account, agent, id, "operator"); err != nil {
		t.Fatal(err)
	}
	want := shownMessageNumbers(t, near, account, agent, id)
	if got := steady.readMessageNumbers(-1); !slices.Equal(got, want) {
		t.Errorf("who stayed heard %v, want %v", got, want)
	}
	if heard = append(heard, restless.readMessageNumbers(-1)...); !slices.Equal(heard, want) {
		t.Errorf("who went and came back heard %v, want %v", heard, want)
	}
}

// sendMemberReplies has a member answer through the ticket, with notes and changes in between, which customers do not hear of.
func sendMemberReplies(t *testing.T, h *testkit.Server, ticket *parley.Ticket, member parley.UserID) {
	for i := range exchangeCount {
		_, err := h.Helpdesk.Reply(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.NewReply{Type: "reply", Content: fmt.Sprint("Answer ", i), AuthorID: member})
		_, noted := h.Helpdesk.Reply(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.NewReply{Type: "note", Content: "Secret", AuthorID: member})
		_, changed := h.Helpdesk.Change(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.Change{Priority: parley.Priorities()[i%5]}, string(member))
		if err := errors.Join(err, noted, changed); err != nil {
			t.Error(err)
		}
	}
}

// readMessageNumbers returns the numbers of the next n messages, all up to the end where n is negative.
func (f *eventReader) readMessageNumbers(n int) (ids []string) {
	f.t.Helper()
	for n < 0 || len(ids) < n {
		event := f.nextEvent()
		if event == "" {
			return ids
		}
		if strings.Contains(event, "Secret") {
			f.t.Errorf("a note is told: %q", event)
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
func shownMessageNumbers(t *testing.T, h *testkit.Server, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (ids []string) {
	t.Helper()
	page, err := h.DB.Messages(t.Context(), account, agent, id, parley.PageRequest{Limit: 100})
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

// TestWhatPeopleSaidIsNoSource asks the built-in model, after a hand-back, for what only a person has said.
func TestWhatPeopleSaidIsNoSource(t *testing.T) {
	h := testkit.Open(t)
	ours := createResources(t, h, parley.AccountID(h.Account), h.Key)
	account, agent, id := parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	if got := requestForComparison(t, h, "POST /agents/{agentId}/chat", `{"message": "human please", "conversationId": "`+string(id)+`"}`, ours); !strings.Contains(got, "A person from the team") {
		t.Fatal(got)
	}
	if _, err := h.Conversations.AddHumanReply(t.Context(), account, agent, id, "kim", "The warehouse in Tromsø opens on Saturdays from 9 to 17."); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Conversations.HandBack(t.Context(), account, agent, id, "operator"); err != nil {
		t.Fatal(err)
	}
	got := requestForComparison(t, h, "POST /agents/{agentId}/chat", `{"message": "When does the warehouse in Tromsø open on Saturdays?", "conversationId": "`+string(id)+`"}`, ours)
	if !strings.HasPrefix(got, "200 ") || strings.Contains(got, "9 to 17") || !strings.Contains(got, `"citations":[]`) {
		t.Error(got)
	}
}
