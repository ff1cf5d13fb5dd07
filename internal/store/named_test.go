package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// createNamedConversation writes a conversation of the first interface under its client's id.
func (w *fixture) createNamedConversation(agent parley.AgentID, external string, created time.Time) (*parley.Conversation, error) {
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID, AgentID: agent, API: parley.APIV1, ExternalID: external,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: created, UpdatedAt: created}
	return c, w.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateConversation(w, c, w.newMessage(c, "Hello"), false) })
}

func TestNamesOfConversations(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c, err := w.createNamedConversation(w.Agent.ID, "visitor 7", testTime)
		w.must(err)
		if _, err := w.createNamedConversation(w.Agent.ID, "visitor 7", testTime); !sqldb.IsDuplicate(err) {
			w.Error("a name is given twice:", err)
		}
		for _, ask := range []struct {
			account  parley.AccountID
			agent    parley.AgentID
			face     parley.API
			external string
			want     parley.ConversationID
		}{
			{w.Account.ID, w.Agent.ID, parley.APIV1, "visitor 7", c.ID},
			{w.Account.ID, w.Agent.ID, parley.APIV1, "Visitor 7", ""},
			{w.Account.ID, w.Agent.ID, parley.APIV2, "visitor 7", ""},
			{w.Account.ID, "another", parley.APIV1, "visitor 7", ""},
			{"another", w.Agent.ID, parley.APIV1, "visitor 7", ""},
		} {
			got, err := w.ConversationByExternalID(w, ask.account, ask.agent, ask.face, ask.external)
			if w.must(err); got != ask.want {
				w.Errorf("%+v: %q", ask, got)
			}
		}
		w.deleteConversations(nil, c)
		if again, err := w.createNamedConversation(w.Agent.ID, "visitor 7", testTime); err != nil || again.ID == c.ID {
			w.Error("the name of a deleted conversation is not free:", err)
		}
	})
}

func TestOverwriteLeavesWhatComesBefore(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c, err := w.createNamedConversation(w.Agent.ID, "a", testTime)
		w.must(err)
		for _, text := range []string{"two", "three"} {
			w.must(w.addMessage(c, w.newMessage(c, text)))
		}
		w.must(w.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.OverwriteMessages(w, c, 1, true, testTime) }))
		w.must(w.addMessage(c, w.newMessage(c, "four")))
		left, err := w.MessagesAfter(w, c.AccountID, c.AgentID, c.ID, 0, 10)
		w.must(err)
		var said []string
		for i := range left {
			said = append(said, left[i].Text())
		}
		if got, err := w.Conversation(w, c.AccountID, c.AgentID, c.ID); err != nil || fmt.Sprint(said) != "[Hello four]" || got.MessageCount != 2 || !got.Streamed || got.ExternalID != "a" {
			w.Errorf("%v %+v %v", said, got, err)
		}
	})
}

func TestConversationsByPageNumber(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for i := range 5 {
			_, err := w.createNamedConversation(w.Agent.ID, fmt.Sprint("n", i), testTime.Add(time.Duration(i)*time.Second))
			w.must(err)
		}
		w.createConversation(parley.ChannelWhatsApp, "", testTime.Add(time.Minute))
		_, err := w.SQL().Exec(w, `update conversations set streamed = 1 where external_id in ('n0', 'n3')`)
		w.must(err)
		yes, no := true, false
		for _, ask := range []struct {
			filter      store.ConversationFilter
			skip, limit int
			want        string
		}{
			{store.ConversationFilter{}, 0, 3, "[ n4 n3]"},
			{store.ConversationFilter{}, 4, 3, "[n1 n0]"},
			{store.ConversationFilter{}, 9, 3, "[]"},
			{store.ConversationFilter{Streamed: &yes}, 0, 9, "[ n3 n0]"},
			{store.ConversationFilter{Streamed: &no, Channels: []parley.Channel{parley.ChannelAPI}}, 0, 9, "[n4 n2 n1]"},
			{store.ConversationFilter{CreatedBefore: timePointer(testTime.Add(2 * time.Second))}, 0, 9, "[n1 n0]"},
		} {
			list, err := w.ConversationsAtOffset(w, w.Account.ID, w.Agent.ID, ask.filter, ask.skip, ask.limit)
			w.must(err)
			if got := joinNames(list, func(c parley.Conversation) string { return c.ExternalID }); got != ask.want {
				w.Errorf("%+v: %s, want %s", ask, got, ask.want)
			}
		}
		if list, err := w.ConversationsAtOffset(w, "another", w.Agent.ID, store.ConversationFilter{}, 0, 9); err != nil || len(list) != 0 {
			w.Error("another account sees", list, err)
		}
	})
}
