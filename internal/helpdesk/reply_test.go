package helpdesk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// mustReply adds a member's reply to a ticket, a minute later.
func (h *testHelpdesk) mustReply(t *parley.Ticket, kind string, author parley.UserID,
	content string) *parley.TicketMessage {
	h.Helper()
	h.Clock = h.Clock.Add(time.Minute)
	m, err := h.Reply(h, t.AgentRef(), t.Number, NewReply{Type: kind, Content: content, AuthorID: author})
	h.Must(err)
	return m
}

// addCustomerMessage adds a message of the customer as chat.Conversations does.
func (h *testHelpdesk) addCustomerMessage(t *parley.Ticket, text string) {
	h.Helper()
	h.Clock = h.Clock.Add(time.Minute)
	m := parley.Message{ID: parley.NewMessageID(), ConversationID: t.ConversationID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: h.Clock}
	h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(h, t.ConversationRef())
		if err != nil {
			return err
		}
		if err := tx.AddMessage(h, t.AgentRef(), &m, nil); err != nil {
			return err
		}
		return h.MessageWritten(h, tx, c, &m)
	}))
}

func TestReply(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		var woken []parley.ConversationID
		h.Wake = func(id parley.ConversationID) { woken = append(woken, id) }
		ann := h.addMember(h.Account, "ann")
		first := h.mustOpen(newTicketRequest(1))
		m := h.mustReply(first, store.MessageTypeReply, ann, "**Hello**\nthere")
		if html, text := RenderMessage(m); html != "<p><strong>Hello</strong><br>\nthere</p>" || text != "Hello\nthere" {
			h.Errorf("shown as %q, %q", html, text)
		}
		if s := m.Sender; s.Type != "agent" || s.ID != string(ann) || s.Name != "ann" ||
			s.Email != "ann@"+string(h.Account)+".example" {
			h.Errorf("from %+v", s)
		}
		now := h.reloadTicket(first)
		if now.Category != parley.TicketOnCustomer || !now.LastMessageAt.Equal(h.Clock) || !now.UpdatedAt.Equal(h.Clock) {
			h.Errorf("the ticket is %+v", now)
		}
		messages, err := h.DB.Messages(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: first.ConversationID}, parley.PageRequest{Limit: 10})
		h.Must(err)
		if messages.Total != 2 || messages.Items[1].ID != m.ID || messages.Items[1].Text() != "**Hello**\nthere" ||
			messages.Items[1].Author != parley.AuthorHuman {
			h.Errorf("the customer reads %+v", messages)
		}
		if !slices.Equal(woken, []parley.ConversationID{first.ConversationID}) {
			h.Errorf("woken: %v", woken)
		}
		stored, err := h.Message(h, h.ref(), first.Number, m.ID)
		h.Must(err)
		if stored.Sender != m.Sender || stored.Text() != m.Text() || stored.Type != store.MessageTypeReply {
			h.Errorf("read back: %+v", stored)
		}
	})
}

func TestRepliesChangeTheStatus(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		first := h.mustOpen(newTicketRequest(1))
		for _, step := range []struct {
			from   parley.StatusCategory // a conversation without messages
			author string
			to     parley.StatusCategory
		}{
			{"", "customer", parley.TicketNew}, // nobody has read it yet
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
				h.changeTicket(first, Change{Category: step.from})
			}
			switch step.author {
			case "customer":
				h.addCustomerMessage(first, "Hello?")
			case "member":
				h.mustReply(first, store.MessageTypeReply, ann, "Yes.")
			case "note":
				h.mustReply(first, store.MessageTypeNote, ann, "Hm.")
			}
			if now := h.reloadTicket(first); now.Category != step.to || !now.UpdatedAt.Equal(h.Clock) {
				h.Errorf("%+v: the ticket is %s, updated %v", step, now.Category, now.UpdatedAt)
			}
		}
		events := h.events(first)
		if want := "status_change by " + string(ann) + ": New→Waiting on customer → →"; events[0] != want ||
			len(events) != 14 {
			h.Errorf("events: %q", events)
		}
	})
}

func TestNotesStayInTheTeam(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		first := h.mustOpen(newTicketRequest(1))
		before := h.reloadTicket(first)
		conversation := func() *parley.Conversation {
			c, err := h.DB.Conversation(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
				Agent: h.Agent}, Conversation: first.ConversationID})
			h.Must(err)
			return c
		}
		earlier := conversation()
		h.mustReply(first, store.MessageTypeNote, ann, "Zebra *alert*")
		h.changeTicket(first, Change{Priority: "high"})
		if after := conversation(); after.MessageCount != earlier.MessageCount || !after.UpdatedAt.Equal(earlier.UpdatedAt) {
			h.Errorf("the conversation was %+v and is %+v", earlier, after)
		}
		if now := h.reloadTicket(first); !now.LastMessageAt.Equal(*before.LastMessageAt) {
			h.Errorf("a note counts as a message: %v", now.LastMessageAt)
		}
		id := first.ConversationID
		messages, err := h.DB.Messages(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}, parley.PageRequest{Limit: 10})
		h.Must(err)
		exported, err := h.DB.MessagesAfter(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}, 0, 10)
		h.Must(err)
		recalled, err := h.DB.RecentMessages(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}, 0, 10)
		h.Must(err)
		if messages.Total != 1 || len(messages.Items) != 1 || len(exported) != 1 || len(recalled) != 1 {
			h.Errorf("%d, %d exported, %d recalled", len(messages.Items), len(exported), len(recalled))
		}
		utterances, err := h.DB.Utterances(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id}, 10)
		h.Must(err)
		if _, _, human, err := h.DB.CountRatings(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}); len(utterances) != 1 || human || err != nil {
			h.Errorf("insight gets %d, human %v, %v", len(utterances), human, err)
		}
		found, err := h.DB.IndexableMessagesAfter(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id}, 0, 10)
		h.Must(err)
		for _, s := range found {
			if s.Visible != (s.Seq == 1) {
				h.Errorf("the index is shown %+v", s)
			}
		}
		if at, err := h.DB.IndexableMessagesAt(h, h.ref(),
			[]store.MessageRef{{Conversation: id, Seq: 2}, {Conversation: id, Seq: 3}}); len(at) > 0 || err != nil {
			h.Errorf("the index finds %+v %v", at, err)
		}
		if marks, err := h.DB.ConversationFacets(h, parley.ConversationRef{AgentRef: h.ref(),
			Conversation: id}); marks.HasHumanReply || err != nil {
			h.Errorf("facets: %+v %v", marks, err)
		}
		note := h.messages(first, store.MessageTypeNote)[0]
		_, err = h.DB.Message(h, parley.ConversationRef{AgentRef: h.ref(), Conversation: id}, note.ID)
		h.WantCode(err, parley.CodeMessageNotFound)
		_, err = h.DB.UserMessageAnsweredBy(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: id}, note.ID)
		h.WantCode(err, parley.CodeRetryNotFound)
		if list, err := h.DB.MessagesByID(h, []parley.MessageID{note.ID}); len(list) > 0 || err != nil {
			h.Errorf("explained: %+v %v", list, err)
		}
		_, _, err = h.DB.UnansweredMessage(h, h.ref(), note.ID)
		h.WantCode(err, parley.CodeConversationNotFound)
		h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
			return tx.SupersedeMessages(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
				Agent: h.Agent}, Conversation: id}, 1, h.Clock)
		}))
		if got := h.messages(first); len(got) != 3 {
			h.Errorf("a new answer has taken the place of the team's: %+v", got)
		}
		if after := conversation(); after.MessageCount != earlier.MessageCount {
			h.Errorf("%d messages are counted", after.MessageCount)
		}
	})
}

func TestReplyFails(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann, stranger := h.addMember(h.Account, "ann"), h.addAccount("Other")
		eve := h.addMember(stranger, "eve")
		first := h.mustOpen(newTicketRequest(1))
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
			_, err := h.Reply(h, h.ref(), first.Number, c.in)
			h.WantCode(err, c.code)
		}
		_, err := h.Reply(h, h.ref(), 9, NewReply{Type: "reply", Content: "x", AuthorID: ann})
		h.WantCode(err, parley.CodeTicketNotFound)
		_, err = h.Reply(h, stranger.AgentRef(h.Agent), first.Number, NewReply{Type: "reply", Content: "x", AuthorID: eve})
		h.WantCode(err, parley.CodeTicketNotFound)
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from messages`); n != 1 {
			h.Errorf("%d messages", n)
		}
		h.mustReply(first, store.MessageTypeReply, ann, long)
		_, err = h.Reply(h, h.ref(), first.Number, NewReply{Type: "reply",
			Content: "x", AuthorEmail: "ANN@" + strings.ToUpper(string(h.Account)) + ".example"})
		h.Must(err)

		c, err := h.DB.Conversation(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: first.ConversationID})
		h.Must(err)
		c.Status = parley.ConversationEnded
		h.Must(h.DB.SaveConversationStatus(h, c, noon.UnixMilli(), "operator"))
		_, err = h.Reply(h, h.ref(), first.Number, NewReply{Type: "reply", Content: "x", AuthorID: ann})
		h.WantCode(err, parley.CodeNotTakenOver)
		h.mustReply(first, store.MessageTypeNote, ann, "Too late.")
	})
}

func TestRedactedReplies(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		if _, err := h.DB.SQL().Exec(h, `update agents set redact = 1 where id = ?`, h.Agent); err != nil {
			h.Fatal(err)
		}
		first := h.mustOpen(newTicketRequest(1))
		for _, kind := range []string{store.MessageTypeReply, store.MessageTypeNote} {
			if m := h.mustReply(first, kind, ann, "Write to jane.roe@example.org"); strings.Contains(m.Text(), "jane") {
				h.Errorf("stored: %q", m.Text())
			}
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from ticket_words where word = 'jane'`); n != 0 {
			h.Error("it is found by what was masked")
		}
	})
}

func TestMessagesOfATicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		first := h.mustOpen(NewTicket{Subject: "S", Description: "Hello", Email: "jo@example.com", Name: "Jo"})
		for range 3 {
			h.mustReply(first, store.MessageTypeReply, ann, "Reply")
			h.mustReply(first, store.MessageTypeNote, ann, "Note")
			h.addCustomerMessage(first, "Again")
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
				page, err := h.Messages(h, h.ref(), first.Number, ask)
				h.Must(err)
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
				h.Errorf("%v: %q, want %q", c.types, got, c.want)
			}
		}
		hello := h.messages(first, "reply")[0]
		if want := (parley.Sender{Type: "customer", ID: string(first.Customer.ID), Name: "Jo",
			Email: "jo@example.com"}); hello.Sender != want {
			h.Errorf("from %+v", hello.Sender)
		}
		_, err := h.Messages(h, h.ref(), 7, store.TicketMessagesRequest{})
		h.WantCode(err, parley.CodeTicketNotFound)
	})
}
