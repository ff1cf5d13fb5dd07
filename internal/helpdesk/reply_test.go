package helpdesk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// mustReply has a member write to a ticket, a minute later.
func (w *testHelpdesk) mustReply(t *parley.Ticket, kind string, author parley.UserID,
	content string) *parley.TicketMessage {
	w.Helper()
	w.Clock = w.Clock.Add(time.Minute)
	m, err := w.Reply(w, t.AgentRef(), t.Number, NewReply{Type: kind, Content: content, AuthorID: author})
	w.must(err)
	return m
}

// addCustomerMessage adds a message of the customer as chat.Conversations does.
func (w *testHelpdesk) addCustomerMessage(t *parley.Ticket, text string) {
	w.Helper()
	w.Clock = w.Clock.Add(time.Minute)
	m := parley.Message{ID: parley.NewMessageID(), ConversationID: t.ConversationID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: w.Clock}
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(w, t.ConversationRef())
		if err != nil {
			return err
		}
		if err := tx.AddMessage(w, t.AgentRef(), &m, nil); err != nil {
			return err
		}
		return w.MessageWritten(w, tx, c, &m)
	}))
}

func TestReply(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		var woken []parley.ConversationID
		w.Wake = func(id parley.ConversationID) { woken = append(woken, id) }
		ann := w.addMember(w.Account, "ann")
		first := w.mustOpen(newTicketRequest(1))
		m := w.mustReply(first, store.MessageTypeReply, ann, "**Hello**\nthere")
		if html, text := RenderMessage(m); html != "<p><strong>Hello</strong><br>\nthere</p>" || text != "Hello\nthere" {
			w.Errorf("shown as %q, %q", html, text)
		}
		if s := m.Sender; s.Type != "agent" || s.ID != string(ann) || s.Name != "ann" ||
			s.Email != "ann@"+string(w.Account)+".example" {
			w.Errorf("from %+v", s)
		}
		now := w.reloadTicket(first)
		if now.Category != parley.TicketOnCustomer || !now.LastMessageAt.Equal(w.Clock) || !now.UpdatedAt.Equal(w.Clock) {
			w.Errorf("the ticket is %+v", now)
		}
		messages, err := w.DB.Messages(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: first.ConversationID}, parley.PageRequest{Limit: 10})
		w.must(err)
		if messages.Total != 2 || messages.Items[1].ID != m.ID || messages.Items[1].Text() != "**Hello**\nthere" ||
			messages.Items[1].Author != parley.AuthorHuman {
			w.Errorf("the customer reads %+v", messages)
		}
		if !slices.Equal(woken, []parley.ConversationID{first.ConversationID}) {
			w.Errorf("woken: %v", woken)
		}
		stored, err := w.Message(w, w.ref(), first.Number, m.ID)
		w.must(err)
		if stored.Sender != m.Sender || stored.Text() != m.Text() || stored.Type != store.MessageTypeReply {
			w.Errorf("read back: %+v", stored)
		}
	})
}

func TestRepliesMoveATicket(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addMember(w.Account, "ann")
		first := w.mustOpen(newTicketRequest(1))
		for _, step := range []struct {
			from parley.StatusCategory // empty as it is
			who  string
			to   parley.StatusCategory
		}{
			{"", "customer", parley.TicketNew}, // nobody has looked yet
			{"", "note", parley.TicketNew},
			{"", "member", parley.TicketOnCustomer},
			{"", "member", parley.TicketOnCustomer},
			{"", "note", parley.TicketOnCustomer},
			{"", "customer", parley.TicketOnYou},
			{"", "customer", parley.TicketOnYou},
			{parley.TicketOnHold, "customer", parley.TicketOnYou},
			{parley.TicketClosed, "customer", parley.TicketOnYou},
			{parley.TicketCancelled, "customer", parley.TicketOnYou},
			{parley.TicketOnHold, "member", parley.TicketOnCustomer},
			{parley.TicketClosed, "note", parley.TicketClosed},
			{parley.TicketClosed, "member", parley.TicketOnCustomer},
			{parley.TicketCancelled, "member", parley.TicketOnCustomer},
		} {
			if step.from != "" {
				w.changeTicket(first, Change{Category: step.from})
			}
			switch step.who {
			case "customer":
				w.addCustomerMessage(first, "Hello?")
			case "member":
				w.mustReply(first, store.MessageTypeReply, ann, "Yes.")
			case "note":
				w.mustReply(first, store.MessageTypeNote, ann, "Hm.")
			}
			if now := w.reloadTicket(first); now.Category != step.to || !now.UpdatedAt.Equal(w.Clock) {
				w.Errorf("%+v: the ticket is %s, updated %v", step, now.Category, now.UpdatedAt)
			}
		}
		events := w.events(first)
		if want := "status_change by " + string(ann) + ": New→Waiting on customer → →"; events[0] != want ||
			len(events) != 14 {
			w.Errorf("events: %q", events)
		}
	})
}

func TestNotesStayInTheTeam(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addMember(w.Account, "ann")
		first := w.mustOpen(newTicketRequest(1))
		before := w.reloadTicket(first)
		conversation := func() *parley.Conversation {
			c, err := w.DB.Conversation(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
				Agent: w.Agent}, Conversation: first.ConversationID})
			w.must(err)
			return c
		}
		was := conversation()
		w.mustReply(first, store.MessageTypeNote, ann, "Zebra *alert*")
		w.changeTicket(first, Change{Priority: "high"})
		if is := conversation(); is.MessageCount != was.MessageCount || !is.UpdatedAt.Equal(was.UpdatedAt) {
			w.Errorf("the conversation was %+v and is %+v", was, is)
		}
		if now := w.reloadTicket(first); !now.LastMessageAt.Equal(*before.LastMessageAt) {
			w.Errorf("a note counts as a message: %v", now.LastMessageAt)
		}
		id := first.ConversationID
		messages, err := w.DB.Messages(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}, parley.PageRequest{Limit: 10})
		w.must(err)
		exported, err := w.DB.MessagesAfter(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}, 0, 10)
		w.must(err)
		recalled, err := w.DB.RecentMessages(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}, 0, 10)
		w.must(err)
		if messages.Total != 1 || len(messages.Items) != 1 || len(exported) != 1 || len(recalled) != 1 {
			w.Errorf("%d, %d exported, %d recalled", len(messages.Items), len(exported), len(recalled))
		}
		utterances, err := w.DB.Utterances(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id}, 10)
		w.must(err)
		if _, _, human, err := w.DB.CountRatings(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}); len(utterances) != 1 || human || err != nil {
			w.Errorf("insight hears %d, human %v, %v", len(utterances), human, err)
		}
		found, err := w.DB.IndexableMessagesAfter(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id}, 0, 10)
		w.must(err)
		for _, s := range found {
			if s.Visible != (s.Seq == 1) {
				w.Errorf("the index is shown %+v", s)
			}
		}
		if at, err := w.DB.IndexableMessagesAt(w, w.ref(),
			[]store.MessageRef{{Conversation: id, Seq: 2}, {Conversation: id, Seq: 3}}); len(at) > 0 || err != nil {
			w.Errorf("the index finds %+v %v", at, err)
		}
		if marks, err := w.DB.ConversationFeedback(w, parley.ConversationRef{AgentRef: w.ref(),
			Conversation: id}); marks.HasHumanReply || err != nil {
			w.Errorf("facets: %+v %v", marks, err)
		}
		note := w.messages(first, store.MessageTypeNote)[0]
		_, err = w.DB.Message(w, parley.ConversationRef{AgentRef: w.ref(), Conversation: id}, note.ID)
		w.wantCode(err, parley.CodeMessageNotFound)
		_, err = w.DB.UserMessageAnsweredBy(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: id}, note.ID)
		w.wantCode(err, parley.CodeRetryNotFound)
		if list, err := w.DB.MessagesByID(w, []parley.MessageID{note.ID}); len(list) > 0 || err != nil {
			w.Errorf("explained: %+v %v", list, err)
		}
		_, _, err = w.DB.UnansweredMessage(w, w.ref(), note.ID)
		w.wantCode(err, parley.CodeConversationNotFound)
		w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			return tx.SupersedeMessages(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
				Agent: w.Agent}, Conversation: id}, 1, w.Clock)
		}))
		if got := w.messages(first); len(got) != 3 {
			w.Errorf("a new answer has taken the place of the team's: %+v", got)
		}
		if is := conversation(); is.MessageCount != was.MessageCount {
			w.Errorf("%d messages are counted", is.MessageCount)
		}
	})
}

func TestReplyFails(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann, stranger := w.addMember(w.Account, "ann"), w.addAccount("Other")
		eve := w.addMember(stranger, "eve")
		first := w.mustOpen(newTicketRequest(1))
		long := strings.Repeat("é", MaxReply)
		for _, c := range []struct {
			in   NewReply
			code parley.Code
		}{
			{NewReply{Type: "event", Content: "x", AuthorID: ann}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", AuthorID: ann}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", Content: "\x00", AuthorID: ann}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", Content: long + "x", AuthorID: ann}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", Content: "x"}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", Content: "x", AuthorID: ann, AuthorEmail: "a@b.co"}, parley.CodeInvalidBody},
			{NewReply{Type: "reply", Content: "x", AuthorID: eve}, parley.CodeMemberNotFound},
			{NewReply{Type: "note", Content: "x", AuthorEmail: "eve@" + string(stranger) + ".example"},
				parley.CodeMemberNotFound},
			{NewReply{Type: "reply", Content: " \n<!-- x -->", AuthorID: ann}, parley.CodeNotRenderable},
			{NewReply{Type: "note", Content: "[a]: https://x.io", AuthorID: ann}, parley.CodeNotRenderable},
		} {
			_, err := w.Reply(w, w.ref(), first.Number, c.in)
			w.wantCode(err, c.code)
		}
		_, err := w.Reply(w, w.ref(), 9, NewReply{Type: "reply", Content: "x", AuthorID: ann})
		w.wantCode(err, parley.CodeTicketNotFound)
		_, err = w.Reply(w, stranger.AgentRef(w.Agent), first.Number, NewReply{Type: "reply", Content: "x", AuthorID: eve})
		w.wantCode(err, parley.CodeTicketNotFound)
		if n := w.countRows(`select count(*) from messages`); n != 1 {
			w.Errorf("%d messages", n)
		}
		w.mustReply(first, store.MessageTypeReply, ann, long)
		_, err = w.Reply(w, w.ref(), first.Number, NewReply{Type: "reply",
			Content: "x", AuthorEmail: "ANN@" + strings.ToUpper(string(w.Account)) + ".example"})
		w.must(err)

		c, err := w.DB.Conversation(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: first.ConversationID})
		w.must(err)
		c.Status = parley.ConversationEnded
		w.must(w.DB.SaveConversationStatus(w, c, noon.UnixMilli(), "operator"))
		_, err = w.Reply(w, w.ref(), first.Number, NewReply{Type: "reply", Content: "x", AuthorID: ann})
		w.wantCode(err, parley.CodeNotTakenOver)
		w.mustReply(first, store.MessageTypeNote, ann, "Too late.")
	})
}

func TestRedactedReplies(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addMember(w.Account, "ann")
		if _, err := w.DB.SQL().Exec(w, `update agents set redact = 1 where id = ?`, w.Agent); err != nil {
			w.Fatal(err)
		}
		first := w.mustOpen(newTicketRequest(1))
		for _, kind := range []string{store.MessageTypeReply, store.MessageTypeNote} {
			if m := w.mustReply(first, kind, ann, "Write to jane.roe@example.org"); strings.Contains(m.Text(), "jane") {
				w.Errorf("kept: %q", m.Text())
			}
		}
		if n := w.countRows(`select count(*) from ticket_words where word = 'jane'`); n != 0 {
			w.Error("it is found by what was masked")
		}
	})
}

func TestMessagesOfATicket(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addMember(w.Account, "ann")
		first := w.mustOpen(NewTicket{Subject: "S", Description: "Hello", Email: "jo@example.com", Name: "Jo"})
		for range 3 {
			w.mustReply(first, store.MessageTypeReply, ann, "Reply")
			w.mustReply(first, store.MessageTypeNote, ann, "Note")
			w.addCustomerMessage(first, "Again")
		}
		for _, c := range []struct {
			types      []string
			descending bool
			limit      int
			want       string
		}{
			{[]string{"reply", "note"}, false, 3, "Hello Reply Note|Again Reply Note|Again Reply Note|Again"},
			{[]string{"reply", "note"}, true, 4, "Again Note Reply Again|Note Reply Again Note|Reply Hello"},
			{[]string{"note"}, false, 3, "Note Note Note"},
			{[]string{"event"}, false, 10, "     "},
			{nil, false, 100, "Hello Reply  Note Again  Reply  Note Again  Reply  Note Again "},
		} {
			var pages []string
			ask := store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: c.limit}, Types: c.types,
				Descending: c.descending}
			for {
				page, err := w.Messages(w, w.ref(), first.Number, ask)
				w.must(err)
				var messages []string
				for _, m := range page.Items {
					messages = append(messages, m.Text())
				}
				pages = append(pages, strings.Join(messages, " "))
				if ask.After = page.Next; page.Next == nil {
					break
				}
			}
			if got := strings.Join(pages, "|"); got != c.want {
				w.Errorf("%v: %q, want %q", c.types, got, c.want)
			}
		}
		hello := w.messages(first, "reply")[0]
		if want := (parley.Sender{Type: "customer", ID: string(first.Customer.ID), Name: "Jo",
			Email: "jo@example.com"}); hello.Sender != want {
			w.Errorf("from %+v", hello.Sender)
		}
		_, err := w.Messages(w, w.ref(), 7, store.TicketMessagesRequest{})
		w.wantCode(err, parley.CodeTicketNotFound)
	})
}
