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
)

// addConversation makes a conversation in which the customer has said the texts.
func (w *testHelpdesk) addConversation(c parley.Conversation, texts ...string) parley.ConversationID {
	w.Helper()
	c.ID, c.AccountID, c.AgentID, c.API = parley.ConversationID(parley.NewTimedUUID()), w.Account, w.Agent, parley.APIV2
	c.Status, c.CreatedAt, c.UpdatedAt = parley.ConversationOngoing, w.Clock, w.Clock
	if c.Channel == "" {
		c.Channel = parley.ChannelAPI
	}
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		for i, text := range texts {
			m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
				State: parley.MessageComplete,
				Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: w.Clock}
			if i == 0 {
				if err := tx.CreateConversation(w, &c, m, false); err != nil {
					return err
				}
			} else if err := tx.AddMessage(w, w.ref(), m, nil); err != nil {
				return err
			}
		}
		return nil
	}))
	return c.ID
}

// setConversationStatus changes the status of the conversation as chat.Conversations does.
func (w *testHelpdesk) setConversationStatus(id parley.ConversationID, to parley.ConversationStatus, by,
	reason string) error {
	return w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id})
		if err != nil {
			return err
		}
		from := c.Status
		c.Status = to
		if err := tx.SaveConversationStatus(w, c, 0, ""); err != nil {
			return err
		}
		return w.StatusChanged(w, tx, c, from, by, reason, w.now())
	})
}

// addConversationMessage adds a message to the conversation as chat.Conversations does.
func (w *testHelpdesk) addConversationMessage(id parley.ConversationID, author parley.AuthorKind, member parley.UserID,
	text string) {
	w.Helper()
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id})
		if err != nil {
			return err
		}
		m := &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: author, AuthorID: member,
			State: parley.MessageComplete,
			Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: w.now()}
		if err := tx.AddMessage(w, w.ref(), m, nil); err != nil {
			return err
		}
		return w.MessageWritten(w, tx, c, m)
	}))
}

func (w *testHelpdesk) loadTicketOf(id parley.ConversationID) *parley.Ticket {
	w.Helper()
	t, err := w.DB.TicketOfConversation(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id})
	w.must(err)
	return t
}

// eventKinds lists the events of a conversation's ticket.
func (w *testHelpdesk) eventKinds(id parley.ConversationID) (list []string) {
	w.Helper()
	page, err := w.DB.TicketMessages(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id},
		store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: 50}, Types: []string{store.MessageTypeEvent}})
	w.must(err)
	for _, m := range page.Items {
		list = append(list, strings.TrimSpace(fmt.Sprint(m.Event.Kind, " by ", m.Event.DoneBy, " ", m.Event.Reason)))
	}
	return list
}

func TestTakeOverOpensATicket(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 1)
		long := strings.Repeat("word ", 30) + "end"
		id := w.addConversation(parley.Conversation{UserID: "jo-1"}, long, "I want to talk to a human")
		w.Clock = w.Clock.Add(time.Minute)
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", "asked for it"))
		got := w.loadTicketOf(id)
		if want := strings.TrimSpace(strings.Repeat("word ", 20)); got.Subject != want ||
			got.Description != "I want to talk to a human" || got.Number != 1 || got.Category != parley.TicketNew {
			w.Errorf("%+v", got)
		}
		if got.Channel != parley.TicketAPI || string(got.Metadata) != `{"reason":"asked for it"}` ||
			got.Priority != "none" || got.AssigneeID != users[0] || got.TeamID != w.generalTeam().ID {
			w.Errorf("%+v", got)
		}
		if got.Customer.ExternalID != "jo-1" || got.Customer.Email != "" || got.ConversationID != id ||
			got.LastMessageAt == nil || !got.LastMessageAt.Equal(w.Clock.Add(-time.Minute)) || !got.CreatedAt.Equal(w.Clock) {
			w.Errorf("%+v", got)
		}
		if h := w.eventKinds(id); !slices.Equal(h, []string{"escalated by agent asked for it"}) {
			w.Error(h)
		}
		c, err := w.DB.Conversation(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id})
		if w.must(err); c.MessageCount != 2 {
			w.Error("the conversation counts", c.MessageCount, "messages: an event is none")
		}
	})
}

func TestTheTicketFollowsItsConversation(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		kim := w.addMember(w.Account, "kim")
		id := w.addConversation(parley.Conversation{Title: "The parcel"}, "Where is my parcel?")
		wantCategory := func(after string, want parley.StatusCategory) {
			w.Helper()
			if got := w.loadTicketOf(id); got.Category != want || got.Subject != "The parcel" || got.Number != 1 {
				w.Errorf("after %s: %+v, want %s", after, got, want)
			}
		}
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "operator", ""))
		wantCategory("the take-over", parley.TicketNew)
		w.addConversationMessage(id, parley.AuthorUser, "", "Hello?")
		wantCategory("a message to a new ticket", parley.TicketNew)
		w.addConversationMessage(id, parley.AuthorHuman, kim, "Kim here.")
		wantCategory("a reply", parley.TicketOnCustomer)
		w.Clock = w.Clock.Add(time.Hour)
		w.addConversationMessage(id, parley.AuthorUser, "", "Thanks, and now?")
		wantCategory("the customer's answer", parley.TicketOnYou)
		if last := w.loadTicketOf(id).LastMessageAt; !last.Equal(w.Clock) {
			w.Error("the last message was at", last)
		}
		w.must(w.setConversationStatus(id, parley.ConversationOngoing, "operator", ""))
		wantCategory("the hand-back", parley.TicketClosed)
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", "again"))
		wantCategory("another escalation", parley.TicketOnYou)
		for _, c := range []parley.StatusCategory{parley.TicketClosed, parley.TicketCancelled, parley.TicketOnHold} {
			_, err := w.Change(w, w.ref(), 1, Change{Category: c}, string(kim))
			w.must(err)
			w.addConversationMessage(id, parley.AuthorUser, "", "One more thing.")
			wantCategory("a message to one that is "+string(c), parley.TicketOnYou)
		}
		w.must(w.setConversationStatus(id, parley.ConversationEnded, "operator", ""))
		wantCategory("the end", parley.TicketClosed)
		want := []string{"escalated by operator", "status_change by " + string(kim), "status_change by customer",
			"handed_back by operator", "status_change by operator",
			"escalated by agent again", "status_change by agent"}
		if got := w.eventKinds(id); len(got) != 15 || !slices.Equal(got[:7], want) || got[13] != "ended by operator" {
			w.Errorf("%q", got)
		}
	})
}

func TestConversationsWithoutATicketAreLeftAlone(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		id := w.addConversation(parley.Conversation{}, "Hello")
		w.must(w.setConversationStatus(id, parley.ConversationEnded, "operator", ""))
		w.addConversationMessage(id, parley.AuthorUser, "", "Hello?")
		if _, err := w.DB.TicketOfConversation(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}); !parley.IsCode(err, parley.CodeTicketNotFound) {
			w.Error(err)
		}
	})
}

func TestWhoseTicketItIs(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		lead := func(id parley.ConversationID, email, name string) {
			w.must(w.DB.AddLead(w, &parley.Lead{ID: parley.NewUUID(), AccountID: w.Account, AgentID: w.Agent,
				ConversationID: id, Name: name, Email: email, Phone: "+49 30 1", CreatedAt: w.now()}))
		}
		known := w.mustOpen(NewTicket{Subject: "s", Description: "d", Email: "Jo@Example.com", Name: "Jo"}).Customer
		left := w.addConversation(parley.Conversation{UserID: "u-1"}, "Hi")
		lead(left, "jo@example.com", "Somebody")
		w.must(w.setConversationStatus(left, parley.ConversationTakenOver, "agent", ""))
		if c := w.loadTicketOf(left).Customer; c.ID != known.ID || c.Name != "Jo" {
			w.Errorf("%+v, want %+v", c, known)
		}
		fresh := w.addConversation(parley.Conversation{UserID: "u-2"}, "Hi")
		lead(fresh, "new@example.com", "Ann")
		w.must(w.setConversationStatus(fresh, parley.ConversationTakenOver, "agent", ""))
		if c := w.loadTicketOf(fresh).Customer; c.Email != "new@example.com" || c.Name != "Ann" || c.Phone != "+49 30 1" {
			w.Errorf("%+v", c)
		}
		var ids []parley.PersonID
		for range 2 {
			id := w.addConversation(parley.Conversation{UserID: "u-3"}, "Hi")
			w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
			ids = append(ids, w.loadTicketOf(id).Customer.ID)
		}
		if ids[0] != ids[1] {
			w.Error("the same user is two people")
		}
		anonymous := w.addConversation(parley.Conversation{}, "Hi")
		w.must(w.setConversationStatus(anonymous, parley.ConversationTakenOver, "agent", ""))
		if c := w.loadTicketOf(anonymous).Customer; c.Email != "" || c.ExternalID != "" || c.Name != "" || c.ID == "" {
			w.Errorf("%+v", c)
		}
	})
}

func TestEscalatedTicketsAreMaskedWhereTheAgentMasks(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		id := w.addConversation(parley.Conversation{}, "I am jo@example.com")
		w.must(w.DB.UpdateAgent(w, w.ref(), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", "jo@example.com asks"))
		got := w.loadTicketOf(id)
		if got.Subject != "I am [email]" || got.Description != "I am [email]" ||
			string(got.Metadata) != `{"reason":"[email] asks"}` {
			w.Errorf("%+v %s", got, got.Metadata)
		}
		if h := w.eventKinds(id); !slices.Equal(h, []string{"escalated by agent [email] asks"}) {
			w.Error(h)
		}
	})
}

func TestAnEscalatedTicketIsFoundByWhatWasSaid(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		finds := func(want int, queries ...string) {
			w.Helper()
			for _, q := range queries {
				if list, _, err := w.Search(w, w.ref(), q, 10); err != nil || len(list) != want {
					w.Errorf("%q finds %d tickets, want %d: %v", q, len(list), want, err)
				}
			}
		}
		addMessage := func(id parley.ConversationID, text string) {
			w.Clock = w.Clock.Add(time.Minute)
			m := &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: parley.AuthorAssistant,
				State: parley.MessageComplete,
				Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: w.Clock}
			w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
				return tx.AddMessage(w, w.ref(), m, nil)
			}))
		}
		id := w.addConversation(parley.Conversation{Title: "A chat"}, "Hello", "My wombat has not come",
			"I want to talk to a human")
		addMessage(id, "A quokka is on its way")
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		finds(1, "wombat", "quokka", "wombat quokka human")
		if got := w.loadTicketOf(id); !got.LastMessageAt.Equal(w.Clock) {
			w.Error(got.LastMessageAt, "is not the time of the last words", w.Clock)
		}
		w.must(w.setConversationStatus(id, parley.ConversationOngoing, "operator", ""))
		addMessage(id, "A numbat, too")
		finds(0, "numbat")
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		finds(1, "numbat")
		if got := w.loadTicketOf(id); !got.LastMessageAt.Equal(w.Clock) {
			w.Error(got.LastMessageAt, "is not the time of the last words", w.Clock)
		}
		w.Clock = w.Clock.Add(time.Minute)
		w.addConversationMessage(id, parley.AuthorAssistant, "", "A person comes, with an echidna")
		finds(1, "echidna")
		if got := w.loadTicketOf(id); !got.LastMessageAt.Equal(w.Clock) || got.Category != parley.TicketOnYou {
			w.Errorf("%+v", got)
		}
	})
}

func TestTheWordsOfALongConversationAreBounded(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		var texts []string
		for i := range 30 {
			var b strings.Builder
			for j := range 100 {
				fmt.Fprintf(&b, "w%dx%d ", i, j)
			}
			texts = append(texts, b.String())
		}
		id := w.addConversation(parley.Conversation{Title: "Long"}, texts...)
		w.must(w.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""))
		if n := w.countRows(`select count(*) from ticket_words where agent_id = ?`, w.Agent); n != maxTicketWords {
			w.Error(n, "words")
		}
		if list, _, err := w.Search(w, w.ref(), "w15x7", 10); err != nil ||
			len(list) != 1 {
			w.Error("what was said last counts first:", list, err)
		}
	})
}

func TestManyEscalationsAtATime(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 4)
		const n = 32
		ids := make([]parley.ConversationID, n)
		for i := range ids {
			ids[i] = w.addConversation(parley.Conversation{}, "Hi")
		}
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				if i%2 == 0 {
					if err := w.setConversationStatus(id, parley.ConversationTakenOver, "agent", ""); err != nil {
						w.Error(err)
					}
				} else if _, err := w.Open(w, w.ref(), newTicketRequest(i)); err != nil {
					w.Error(err)
				}
			})
		}
		all.Wait()
		list, err := sqldb.All(w, w.DB.SQL(), func(scan sqldb.Scan) (r struct {
			number int64
			who    parley.UserID
		}, err error) {
			return r, scan(&r.number, &r.who)
		}, `select number, assignee_id from tickets where agent_id = ? order by number`, w.Agent)
		w.must(err)
		if len(list) != n {
			w.Fatal(len(list), "tickets")
		}
		for i, r := range list {
			if r.number != int64(i+1) || r.who != users[i%4] {
				w.Errorf("ticket %d has the number %d and went to %v", i+1, r.number, slices.Index(users, r.who))
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
