package api_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/admin"
	"parley/internal/helpdesk"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
)

// TestHandedOverConversationIsHeardLive has a customer ask for a person and talk with one, while two clients follow: one all the time,
// and one that goes away in the middle and comes back with Last-Event-ID. Neither may miss a message or hear one twice.
func TestHandedOverConversationIsHeardLive(t *testing.T) {
	echo := rig.Speaking(&llm.Scripted{})
	t.Run("sqlite", func(t *testing.T) {
		h := rig.Open(t, echo)
		handedOver(t, h, h)
	})
	t.Run("postgres", func(t *testing.T) {
		h := rig.Open(t, echo, rig.OnPostgres())
		handedOver(t, h, h)
	})
	t.Run("two servers", func(t *testing.T) {
		url := dbs.Postgres(t).NewStore(t)
		handedOver(t, rig.Open(t, echo, rig.At(t.TempDir(), url)), rig.Open(t, echo, rig.At(t.TempDir(), url)))
	})
}

// exchanges is how often each side writes.
const exchanges = 20

func handedOver(t *testing.T, near, far *rig.House) {
	ours := furnish(t, near, parley.AccountID(near.Account), near.Key)
	far.Key = near.Key
	account, agent, id := parley.AccountID(near.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	steady, _ := follow(t, near, ours, "Last-Event-ID", "0")
	restless, _ := follow(t, far, ours, "Last-Event-ID", "0")
	if got := knock(t, near, "POST /agents/{agentId}/chat", `{"message": "Can I talk to a human?", "conversationId": "`+string(id)+`"}`, ours); !strings.Contains(got, "escalate_to_human") {
		t.Fatal(got)
	}
	ticket, err := near.DB.TicketOf(t.Context(), account, agent, id)
	if err != nil {
		t.Fatal(err)
	}
	kim, err := admin.Do(t.Context(), near.Operator, admin.AddMember, admin.NewMember{AccountID: near.Account, Email: "kim@shop.example", Name: "Kim", Role: string(parley.RoleAgent)})
	if err != nil {
		t.Fatal(err)
	}
	var talk sync.WaitGroup
	talk.Go(func() { replies(t, far, ticket, parley.UserID(kim.UserID)) })
	talk.Go(func() {
		for i := range exchanges {
			if got := knock(t, near, "POST /agents/{agentId}/conversations/{conversationId}/messages", fmt.Sprintf(`{"message": "Question %d"}`, i), ours); !strings.HasPrefix(got, "201 ") {
				t.Error(got)
			}
		}
	})
	var heard []string
	for _, from := range []*rig.House{near, far, near} { // it comes back to another server each time
		heard = append(heard, restless.messages(7)...)
		restless.leave()
		restless, _ = follow(t, from, ours, "Last-Event-ID", heard[len(heard)-1])
	}
	talk.Wait()
	if _, err := near.Clerk.End(t.Context(), account, agent, id, "operator"); err != nil {
		t.Fatal(err)
	}
	want := shown(t, near, account, agent, id)
	if got := steady.messages(-1); !slices.Equal(got, want) {
		t.Errorf("who stayed heard %v, want %v", got, want)
	}
	if heard = append(heard, restless.messages(-1)...); !slices.Equal(heard, want) {
		t.Errorf("who went and came back heard %v, want %v", heard, want)
	}
}

// replies has a member answer through the ticket, with notes and changes in between, which customers do not hear of.
func replies(t *testing.T, h *rig.House, ticket *parley.Ticket, member parley.UserID) {
	for i := range exchanges {
		_, err := h.Helpdesk.Reply(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.NewReply{Type: "reply", Content: fmt.Sprint("Answer ", i), AuthorID: member})
		_, noted := h.Helpdesk.Reply(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.NewReply{Type: "note", Content: "Secret", AuthorID: member})
		_, changed := h.Helpdesk.Change(t.Context(), ticket.AccountID, ticket.AgentID, ticket.Number, helpdesk.Change{Priority: parley.Priorities()[i%5]}, string(member))
		if err := errors.Join(err, noted, changed); err != nil {
			t.Error(err)
		}
	}
}

// messages gives the numbers of the next n messages, all up to the end where n is negative.
func (f *following) messages(n int) (ids []string) {
	f.t.Helper()
	for n < 0 || len(ids) < n {
		event := f.next()
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

// shown lists the numbers of the messages that the conversation shows.
func shown(t *testing.T, h *rig.House, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (ids []string) {
	t.Helper()
	page, err := h.DB.Messages(t.Context(), account, agent, id, parley.PageAsk{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Items {
		ids = append(ids, strconv.FormatInt(m.Seq, 10))
	}
	if want := 2 + 2 + 2*exchanges; len(ids) != want || page.Total != want {
		t.Errorf("%d messages, counted %d, want %d", len(ids), page.Total, want)
	}
	return ids
}

// TestWhatPeopleSaidIsNoSource asks the built-in model, after a hand-back, for what only a person has said.
func TestWhatPeopleSaidIsNoSource(t *testing.T) {
	h := rig.Open(t)
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	account, agent, id := parley.AccountID(h.Account), parley.AgentID(ours["agentId"]), parley.ConversationID(ours["conversationId"])
	if got := knock(t, h, "POST /agents/{agentId}/chat", `{"message": "human please", "conversationId": "`+string(id)+`"}`, ours); !strings.Contains(got, "A person from the team") {
		t.Fatal(got)
	}
	if _, err := h.Clerk.HumanReplies(t.Context(), account, agent, id, "kim", "The warehouse in Tromsø opens on Saturdays from 9 to 17."); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Clerk.HandBack(t.Context(), account, agent, id, "operator"); err != nil {
		t.Fatal(err)
	}
	got := knock(t, h, "POST /agents/{agentId}/chat", `{"message": "When does the warehouse in Tromsø open on Saturdays?", "conversationId": "`+string(id)+`"}`, ours)
	if !strings.HasPrefix(got, "200 ") || strings.Contains(got, "9 to 17") || !strings.Contains(got, `"citations":[]`) {
		t.Error(got)
	}
}
