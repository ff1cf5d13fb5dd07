package helpdesk

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// addConversation creates a conversation with messages of the customer.
func (h *testHelpdesk) addConversation(c parley.Conversation, texts ...string) parley.ConversationID {
	h.Helper()
	c.ID, c.AccountID, c.AgentID, c.API = parley.ConversationID(parley.NewTimedUUID()), h.Account, h.Agent, parley.APIV2
	c.Status, c.CreatedAt, c.UpdatedAt = parley.ConversationOngoing, h.Clock, h.Clock
	if c.Channel == "" {
		c.Channel = parley.ChannelAPI
	}
	h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
		for i, text := range texts {
			m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
				State: parley.MessageComplete,
				Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: h.Clock}
			if i == 0 {
				if err := tx.CreateConversation(h, &c, m, false); err != nil {
					return err
				}
			} else if err := tx.AddMessage(h, h.ref(), m, nil); err != nil {
				return err
			}
		}
		return nil
	}))
	return c.ID
}

// setConversationStatus changes the status of the conversation as chat.Conversations does.
func (h *testHelpdesk) setConversationStatus(id parley.ConversationID, to parley.ConversationStatus, by,
	reason string) error {
	return h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id})
		if err != nil {
			return err
		}
		from := c.Status
		c.Status = to
		if err := tx.SaveConversationStatus(h, c, 0, ""); err != nil {
			return err
		}
		return h.StatusChanged(h, tx, c, from, by, reason, h.now())
	})
}

// addConversationMessage adds a message to the conversation as chat.Conversations does.
func (h *testHelpdesk) addConversationMessage(id parley.ConversationID, author parley.AuthorKind, member parley.UserID,
	text string) {
	h.Helper()
	h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id})
		if err != nil {
			return err
		}
		m := &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: author, AuthorID: member,
			State: parley.MessageComplete,
			Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: h.now()}
		if err := tx.AddMessage(h, h.ref(), m, nil); err != nil {
			return err
		}
		return h.MessageWritten(h, tx, c, m)
	}))
}

func (h *testHelpdesk) loadTicketOf(id parley.ConversationID) *parley.Ticket {
	h.Helper()
	t, err := h.DB.TicketOfConversation(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id})
	h.Must(err)
	return t
}

// eventKinds lists the events of a conversation's ticket.
func (h *testHelpdesk) eventKinds(id parley.ConversationID) (list []string) {
	h.Helper()
	page, err := h.DB.TicketMessages(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id},
		store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: 50}, Types: []string{store.MessageTypeEvent}})
	h.Must(err)
	for _, m := range page.Items {
		list = append(list, strings.TrimSpace(fmt.Sprint(m.Event.Kind, " by ", m.Event.DoneBy, " ", m.Event.Reason)))
	}
	return list
}

func TestTakeOverOpensATicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 1)
		long := strings.Repeat("word ", 30) + "end"
		id := h.addConversation(parley.Conversation{UserID: "jo-1"}, long, "I want to talk to a human")
		h.Clock = h.Clock.Add(time.Minute)
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", "asked for it"))
		got := h.loadTicketOf(id)
		if want := strings.TrimSpace(strings.Repeat("word ", 20)); got.Subject != want ||
			got.Description != "I want to talk to a human" || got.Number != 1 || got.Category != parley.TicketNew {
			h.Errorf("%+v", got)
		}
		if got.Channel != parley.TicketAPI || string(got.Metadata) != `{"reason":"asked for it"}` ||
			got.Priority != "none" || got.AssigneeID != users[0] || got.TeamID != h.generalTeam().ID {
			h.Errorf("%+v", got)
		}
		if got.Customer.ExternalID != "jo-1" || got.Customer.Email != "" || got.ConversationID != id ||
			got.LastMessageAt == nil || !got.LastMessageAt.Equal(h.Clock.Add(-time.Minute)) || !got.CreatedAt.Equal(h.Clock) {
			h.Errorf("%+v", got)
		}
		if kinds := h.eventKinds(id); !slices.Equal(kinds, []string{"escalated by agent asked for it"}) {
			h.Error(kinds)
		}
		c, err := h.DB.Conversation(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id})
		if h.Must(err); c.MessageCount != 2 {
			h.Error("the conversation counts", c.MessageCount, "messages: an event is none")
		}
	})
}

func TestTicketFollowsItsConversation(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		kim := h.addMember(h.Account, "kim")
		id := h.addConversation(parley.Conversation{Title: "The parcel"}, "Where is my parcel?")
		wantCategory := func(after string, want parley.StatusCategory) {
			h.Helper()
			if got := h.loadTicketOf(id); got.Category != want || got.Subject != "The parcel" || got.Number != 1 {
				h.Errorf("after %s: %+v, want %s", after, got, want)
			}
		}
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "operator", ""))
		wantCategory("the take-over", parley.TicketNew)
		h.addConversationMessage(id, parley.AuthorUser, "", "Hello?")
		wantCategory("a message to a new ticket", parley.TicketNew)
		h.addConversationMessage(id, parley.AuthorHuman, kim, "Kim here.")
		wantCategory("a reply", parley.TicketOnCustomer)
		h.Clock = h.Clock.Add(time.Hour)
		h.addConversationMessage(id, parley.AuthorUser, "", "Thanks, and now?")
		wantCategory("the customer's answer", parley.TicketOnYou)
		if last := h.loadTicketOf(id).LastMessageAt; !last.Equal(h.Clock) {
			h.Error("the last message was at", last)
		}
		h.Must(h.setConversationStatus(id, parley.ConversationOngoing, "operator", ""))
		wantCategory("the hand-back", parley.TicketClosed)
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", "again"))
		wantCategory("another escalation", parley.TicketOnYou)
		for _, c := range []parley.StatusCategory{parley.TicketClosed, parley.TicketCancelled, parley.TicketOnHold} {
			_, err := h.Change(h, h.ref(), 1, Change{Category: c}, string(kim))
			h.Must(err)
			h.addConversationMessage(id, parley.AuthorUser, "", "One more thing.")
			wantCategory("a message to one that is "+string(c), parley.TicketOnYou)
		}
		h.Must(h.setConversationStatus(id, parley.ConversationEnded, "operator", ""))
		wantCategory("the end", parley.TicketClosed)
		want := []string{"escalated by operator", "status_change by " + string(kim), "status_change by customer",
			"handed_back by operator", "status_change by operator",
			"escalated by agent again", "status_change by agent"}
		if got := h.eventKinds(id); len(got) != 15 || !slices.Equal(got[:7], want) || got[13] != "ended by operator" {
			h.Errorf("%q", got)
		}
	})
}

func TestConversationsWithoutATicketAreLeftAlone(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		id := h.addConversation(parley.Conversation{}, "Hello")
		h.Must(h.setConversationStatus(id, parley.ConversationEnded, "operator", ""))
		h.addConversationMessage(id, parley.AuthorUser, "", "Hello?")
		if _, err := h.DB.TicketOfConversation(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}); !parley.IsCode(err, parley.CodeTicketNotFound) {
			h.Error(err)
		}
	})
}

func TestCustomerOfAnEscalatedTicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		lead := func(id parley.ConversationID, email, name string) {
			h.Must(h.DB.AddLead(h, &parley.Lead{ID: parley.NewUUID(), AccountID: h.Account, AgentID: h.Agent,
				ConversationID: id, Name: name, Email: email, Phone: "+49 30 1", CreatedAt: h.now()}))
		}
		known := h.mustOpen(NewTicket{Subject: "s", Description: "d", Email: "Jo@Example.com", Name: "Jo"}).Customer
		left := h.addConversation(parley.Conversation{UserID: "u-1"}, "Hi")
		lead(left, "jo@example.com", "Somebody")
		h.Must(h.setConversationStatus(left, parley.ConversationTakenOver, "agent", ""))
		if c := h.loadTicketOf(left).Customer; c.ID != known.ID || c.Name != "Jo" {
			h.Errorf("%+v, want %+v", c, known)
		}
		fresh := h.addConversation(parley.Conversation{UserID: "u-2"}, "Hi")
		lead(fresh, "new@example.com", "Ann")
		h.Must(h.setConversationStatus(fresh, parley.ConversationTakenOver, "agent", ""))
		if c := h.loadTicketOf(fresh).Customer; c.Email != "new@example.com" || c.Name != "Ann" || c.Phone != "+49 30 1" {
			h.Errorf("%+v", c)
		}
		var ids []parley.PersonID
		for range 2 {
			id := h.addConversation(parley.Conversation{UserID: "u-3"}, "Hi")
			h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
			ids = append(ids, h.loadTicketOf(id).Customer.ID)
		}
		if ids[0] != ids[1] {
			h.Error("the same user is two people")
		}
		anonymous := h.addConversation(parley.Conversation{}, "Hi")
		h.Must(h.setConversationStatus(anonymous, parley.ConversationTakenOver, "agent", ""))
		if c := h.loadTicketOf(anonymous).Customer; c.Email != "" || c.ExternalID != "" || c.Name != "" || c.ID == "" {
			h.Errorf("%+v", c)
		}
	})
}

func TestEscalatedTicketsAreRedacted(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		id := h.addConversation(parley.Conversation{}, "I am jo@example.com")
		h.Must(h.DB.UpdateAgent(h, h.ref(), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", "jo@example.com asks"))
		got := h.loadTicketOf(id)
		if got.Subject != "I am [email]" || got.Description != "I am [email]" ||
			string(got.Metadata) != `{"reason":"[email] asks"}` {
			h.Errorf("%+v %s", got, got.Metadata)
		}
		if kinds := h.eventKinds(id); !slices.Equal(kinds, []string{"escalated by agent [email] asks"}) {
			h.Error(kinds)
		}
	})
}

func TestEscalatedTicketIsFoundByItsMessages(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		finds := func(want int, queries ...string) {
			h.Helper()
			for _, q := range queries {
				if list, _, err := h.Search(h, h.ref(), q, 10); err != nil || len(list) != want {
					h.Errorf("%q finds %d tickets, want %d: %v", q, len(list), want, err)
				}
			}
		}
		addMessage := func(id parley.ConversationID, text string) {
			h.Clock = h.Clock.Add(time.Minute)
			m := &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: parley.AuthorAssistant,
				State: parley.MessageComplete,
				Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: h.Clock}
			h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
				return tx.AddMessage(h, h.ref(), m, nil)
			}))
		}
		id := h.addConversation(parley.Conversation{Title: "A chat"}, "Hello", "My wombat has not come",
			"I want to talk to a human")
		addMessage(id, "A quokka is on its way")
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		finds(1, "wombat", "quokka", "wombat quokka human")
		if got := h.loadTicketOf(id); !got.LastMessageAt.Equal(h.Clock) {
			h.Error(got.LastMessageAt, "is not the time of the last words", h.Clock)
		}
		h.Must(h.setConversationStatus(id, parley.ConversationOngoing, "operator", ""))
		addMessage(id, "A numbat, too")
		finds(0, "numbat")
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		finds(1, "numbat")
		if got := h.loadTicketOf(id); !got.LastMessageAt.Equal(h.Clock) {
			h.Error(got.LastMessageAt, "is not the time of the last words", h.Clock)
		}
		h.Clock = h.Clock.Add(time.Minute)
		h.addConversationMessage(id, parley.AuthorAssistant, "", "A person comes, with an echidna")
		finds(1, "echidna")
		if got := h.loadTicketOf(id); !got.LastMessageAt.Equal(h.Clock) || got.Category != parley.TicketOnYou {
			h.Errorf("%+v", got)
		}
	})
}

func TestIndexedWordsOfALongConversationAreBounded(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		var texts []string
		for i := range 30 {
			var b strings.Builder
			for j := range 100 {
				fmt.Fprintf(&b, "w%dx%d ", i, j)
			}
			texts = append(texts, b.String())
		}
		id := h.addConversation(parley.Conversation{Title: "Long"}, texts...)
		h.Must(h.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from ticket_words where agent_id = ?`,
			h.Agent); n != maxTicketWords {
			h.Error(n, "words")
		}
		if list, _, err := h.Search(h, h.ref(), "w15x7", 10); err != nil ||
			len(list) != 1 {
			h.Error("the last messages are not indexed first:", list, err)
		}
	})
}

func TestConcurrentEscalations(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 4)
		const n = 32
		ids := make([]parley.ConversationID, n)
		for i := range ids {
			ids[i] = h.addConversation(parley.Conversation{}, "Hi")
		}
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				if i%2 == 0 {
					if err := h.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""); err != nil {
						h.Error(err)
					}
				} else if _, err := h.Open(h, h.ref(), newTicketRequest(i)); err != nil {
					h.Error(err)
				}
			})
		}
		all.Wait()
		list, err := sqldb.All(h, h.DB.SQL(), func(scan sqldb.Scan) (r struct {
			number int64
			user   parley.UserID
		}, err error) {
			return r, scan(&r.number, &r.user)
		}, `select number, assignee_id from tickets where agent_id = ? order by number`, h.Agent)
		h.Must(err)
		if len(list) != n {
			h.Fatal(len(list), "tickets")
		}
		for i, r := range list {
			if r.number != int64(i+1) || r.user != users[i%4] {
				h.Errorf("ticket %d has the number %d and was assigned to %v", i+1, r.number, slices.Index(users, r.user))
			}
		}
	})
}

func TestHeadlines(t *testing.T) {
	for text, want := range map[string]string{
		"Hello": "Hello", "  two\nlines ": "two lines", strings.Repeat("a", 120): strings.Repeat("a", 100),
		strings.Repeat("ü", 100): strings.Repeat("ü", 100), "": "",
		strings.Repeat("a", 99) + " b": strings.Repeat("a", 99), strings.Repeat("a", 98) + " bc": strings.Repeat("a",
			98), strings.Repeat("a", 97) + " bc d": strings.Repeat("a", 97) + " bc",
	} {
		if got := headline(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
