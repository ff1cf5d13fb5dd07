package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// createConversation writes a conversation with its first message.
func (w *fixture) createConversation(channel parley.Channel, user parley.EndUserID,
	created time.Time) *parley.Conversation {
	w.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID,
		AgentID: w.Agent.ID, API: parley.APIV2, Channel: channel,
		UserID: user, Status: parley.ConversationOngoing, CreatedAt: created, UpdatedAt: created}
	m := w.newMessage(c, "Hello")
	m.CreatedAt = created
	w.must(w.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateConversation(w, c, m, false) }))
	return c
}

func (w *fixture) newMessage(c *parley.Conversation, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: testTime}
}

func (w *fixture) addMessage(c *parley.Conversation, m *parley.Message) error {
	w.Helper()
	return w.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.AddMessage(w, c.AgentRef(), m, nil) })
}

func (w *fixture) deleteConversations(idle *time.Time, list ...*parley.Conversation) (deleted []parley.ConversationID) {
	w.Helper()
	var ids []parley.ConversationID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
		deleted, err = tx.DeleteConversations(w, w.Account.ID.AgentRef(w.Agent.ID), ids, idle, testTime)
		return err
	}))
	return deleted
}

func TestAgentCountsItsConversations(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		api := w.createConversation(parley.ChannelAPI, "", testTime)
		w.createConversation(parley.ChannelAPI, "jo", testTime.Add(time.Second))
		phone := w.createConversation(parley.ChannelPhone, "jo", testTime.Add(2*time.Second))
		if a := w.reloadAgent(); a.Conversations != 3 || a.APIConversations != 2 {
			w.Errorf("%d, %d of the API", a.Conversations, a.APIConversations)
		}
		if deleted := w.deleteConversations(nil, api, phone, phone); len(deleted) != 2 {
			w.Error("deleted", deleted)
		}
		if deleted := w.deleteConversations(nil, api, phone); len(deleted) != 0 {
			w.Error("deleted twice:", deleted)
		}
		if a := w.reloadAgent(); a.Conversations != 1 || a.APIConversations != 1 {
			w.Errorf("then %d, %d of the API", a.Conversations, a.APIConversations)
		}
		for name, f := range map[string]store.ConversationFilter{"all": {}, "API": {Channel: parley.ChannelAPI},
			"jo":      {User: "jo"},
			"origins": {Channels: []parley.Channel{parley.ChannelPhone, parley.ChannelAPI}},
			"from":    {CreatedFrom: &testTime}, "idle": {IdleSince: timePointer(testTime.Add(time.Hour))}} {
			if n, err := w.CountConversations(w, w.Account.ID.AgentRef(w.Agent.ID), f); err != nil || n != 1 {
				w.Errorf("%s: %d %v", name, n, err)
			}
			if page, err := w.Conversations(w, w.Account.ID.AgentRef(w.Agent.ID), f,
				parley.PageRequest{Limit: 10}); err != nil || page.Total != 1 || len(page.Items) != 1 {
				w.Errorf("%s: %+v %v", name, page, err)
			}
		}
	})
}

func timePointer(t time.Time) *time.Time { return &t }

func TestConversationOfADeletedAgentIsNotBegun(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.must(w.DeleteAgent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime))
		c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID,
			AgentID: w.Agent.ID, API: parley.APIV2,
			Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: testTime, UpdatedAt: testTime}
		err := w.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			return tx.CreateConversation(w, c, w.newMessage(c, "Hello"), false)
		})
		w.wantCode(err, parley.CodeAgentNotFound)
		if n := w.queryCount(`select count(*) from conversations`) + w.queryCount(`select count(*) from messages`); n != 0 {
			w.Error(n, "rows are left")
		}
	})
}

func TestPagesStayWhileConversationsCome(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		var want []parley.ConversationID
		for i := range 7 {
			// several of the same instant
			want = append(want, w.createConversation(parley.ChannelAPI, "", testTime.Add(time.Duration(i/3)*time.Second)).ID)
		}
		var got []parley.ConversationID
		for ask := (parley.PageRequest{Limit: 2}); ; {
			page, err := w.Conversations(w, w.Account.ID.AgentRef(w.Agent.ID),
				store.ConversationFilter{Channel: parley.ChannelAPI}, ask)
			w.must(err)
			for _, c := range page.Items {
				got = append(got, c.ID)
			}
			w.createConversation(parley.ChannelAPI, "", testTime.Add(time.Hour))
			if ask.After = page.Next; page.Next == nil {
				break
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			w.Errorf("%v, want each once: %v", got, want)
		}
	})
}

func TestDeletedConversationIsGone(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c, busy := w.createConversation(parley.ChannelAPI, "", testTime),
			w.createConversation(parley.ChannelAPI, "", testTime)
		w.must(w.addMessage(busy, w.newMessage(busy, "Still there?")))
		_, err := w.SQL().Exec(w, `update conversations set last_activity = ? where id = ?`,
			testTime.Add(time.Hour).UnixMilli(), busy.ID)
		w.must(err)
		if deleted := w.deleteConversations(timePointer(testTime.Add(time.Minute)), c, busy); len(deleted) != 1 ||
			deleted[0] != c.ID {
			w.Fatal("deleted", deleted)
		}
		_, err = w.DB.Conversation(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c.ID))
		w.wantCode(err, parley.CodeResourceNotFound)
		_, err = w.Messages(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c.ID), parley.PageRequest{Limit: 1})
		w.wantCode(err, parley.CodeResourceNotFound)
		_, _, err = w.StatusAndLastSeq(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c.ID))
		w.wantCode(err, parley.CodeResourceNotFound)
		_, _, err = w.OwnerOfConversation(w, c.ID)
		w.wantCode(err, parley.CodeConversationNotFound)
		w.wantCode(w.addMessage(c, w.newMessage(c, "Still there?")), parley.CodeConversationNotFound)
		other := w.createAccount("Other")
		if deleted, err := w.DeleteConversations(w, other.ID.AgentRef(w.Agent.ID), []parley.ConversationID{busy.ID},
			nil, testTime); len(deleted) != 0 && err == nil {
			w.Error("another account deleted", deleted)
		}
	})
}

func TestErasedConversationLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		tables := w.tableColumns()
		c, other := w.createConversation(parley.ChannelAPI, "", testTime),
			w.createConversation(parley.ChannelAPI, "", testTime)
		hanging := func(id parley.ConversationID) (rows string) {
			for table, columns := range tables {
				if columns["conversation_id"] != "" {
					rows += fmt.Sprint(table, " ", w.queryCount(`select count(*) from `+table+` where conversation_id = ?`, id), ", ")
				}
			}
			list := strings.Split(rows, ", ")
			slices.Sort(list)
			return strings.Join(list, ", ")
		}
		for i, each := range []*parley.Conversation{c, other} {
			for table, columns := range tables {
				if columns["conversation_id"] == "" {
					continue
				}
				marker := fmt.Sprint("planted-", string("ab"[i]))
				n := 3
				if table == "conversation_insights" || table == "tickets" { // a row for each conversation
					n = 1
				}
				w.insertMarkedRows(table, columns, w.Agent.ID, marker, n)
				_, err := w.SQL().Exec(w, `update `+table+` set conversation_id = ? where conversation_id like ?`,
					each.ID, marker+"%")
				w.must(err)
			}
			// two tickets have two numbers
			_, err := w.SQL().Exec(w, `update tickets set number = ? where conversation_id = ?`, i+1, each.ID)
			w.must(err)
			marker := fmt.Sprint("planted-", string("ab"[i]))
			w.insertMarkedRows("ticket_words", tables["ticket_words"], w.Agent.ID, marker, 3)
			_, err = w.SQL().Exec(w, `update ticket_words set ticket_id = ? where ticket_id like ?`, each.ID, marker+"%")
			w.must(err)
		}
		before := hanging(other.ID)
		w.deleteConversations(nil, c)
		_, err := w.SQL().Exec(w, `update turns set state = 'open' where id = 'planted-a0'`)
		w.must(err)
		if deleted, err := w.EraseConversations(w, w.Account.ID.AgentRef(w.Agent.ID)); err != nil || deleted ||
			w.queryCount(`select count(*) from messages where conversation_id = ?`, c.ID) != 4 {
			w.Error("beside an open turn: gone", deleted, err, hanging(c.ID))
		}
		_, err = w.SQL().Exec(w, `update turns set state = 'failed' where id = 'planted-a0'`)
		w.must(err)
		deleted, err := w.EraseConversations(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		if left := w.tablesWithMarker(tables, "planted-a"); !deleted || !slices.Equal(columnsOfTable(left, "leads"), left) {
			w.Error("gone", deleted, "left in", left)
		}
		if n := w.queryCount(`select count(*) from conversations where id = ?`, c.ID); n != 0 ||
			hanging(other.ID) != before || w.queryCount(`select count(*) from ticket_words where ticket_id = ?`, other.ID) != 3 {
			w.Errorf("%d rows; the other conversation has %s, had %s", n, hanging(other.ID), before)
		}
	})
}

// columnsOfTable returns the columns that are of the table.
func columnsOfTable(columns []string, table string) (list []string) {
	for _, c := range columns {
		if strings.HasPrefix(c, table+".") {
			list = append(list, c)
		}
	}
	return list
}

func TestMessagesAfterHoldsLittle(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.createConversation(parley.ChannelAPI, "", testTime)
		for range 7 {
			w.must(w.addMessage(c, w.newMessage(c, strings.Repeat("x", 300_000))))
		}
		var seqs []int64
		reads := 0
		for seq := int64(0); ; reads++ {
			list, err := w.MessagesAfter(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c.ID), seq, 100)
			w.must(err)
			if len(list) == 0 {
				break
			}
			if len(list) > 5 {
				w.Error(len(list), "at once")
			}
			for _, m := range list {
				seq = m.Seq
				seqs = append(seqs, seq)
			}
		}
		if !slices.Equal(seqs, []int64{1, 2, 3, 4, 5, 6, 7, 8}) || reads < 2 {
			w.Error(seqs, reads)
		}
		other := w.createAccount("Other")
		if list, err := w.MessagesAfter(w, other.ID.AgentRef(w.Agent.ID).ConversationRef(c.ID), 0, 100); err != nil ||
			len(list) != 0 {
			w.Error("another account reads", len(list), err)
		}
	})
}

func TestSweepsTakeTheOldOnly(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.createConversation(parley.ChannelAPI, "", testTime)
		old := testTime.Add(-25 * time.Hour)
		for id, created := range map[string]time.Time{"old": old, "new": testTime} {
			w.must(w.AddToolCalls(w, []parley.ToolCall{{ID: id, AccountID: w.Account.ID, AgentID: w.Agent.ID,
				ConversationID: c.ID, MessageID: "m", TurnID: "t",
				CallID: id, Tool: "look", Kind: parley.ActionClient, RunsOnClient: true, Input: []byte("{}"),
				Status: parley.ToolPending, CreatedAt: created}}))
			_, err := w.SQL().Exec(w,
				`insert into procedure_runs (id, account_id, agent_id, conversation_id, procedure_name, step, state, started_at)
				values (?, ?, ?, ?, 'p', 0, 'open', ?)`, id, w.Account.ID, w.Agent.ID, c.ID, created.UnixMilli())
			w.must(err)
		}
		for _, want := range []int64{1, 0} {
			if n, err := w.IgnoreOldToolCalls(w, testTime.Add(-parley.ToolResultTimeout), testTime, 200); err != nil ||
				n != want {
				w.Error(n, err)
			}
			if n, err := w.AbandonOldProcedureRuns(w, testTime.Add(-parley.ToolResultTimeout), testTime,
				200); err != nil || n != want {
				w.Error(n, err)
			}
		}
		if n := w.queryCount(`select count(*) from tool_calls where id = 'old' and status = 'ignored'`) +
			w.queryCount(`select count(*) from tool_calls where id = 'new' and status = 'pending'`); n != 2 {
			w.Error("calls", n)
		}
		if n := w.queryCount(`select count(*) from procedure_runs where id = 'old' and outcome = 'abandoned'
			and ended_at = ?`,
			testTime.UnixMilli()) +
			w.queryCount(`select count(*) from procedure_runs where id = 'new' and outcome is null`); n != 2 {
			w.Error("runs", n)
		}
	})
}

// createNamedConversation writes a conversation of the first interface under its client's id.
func (w *fixture) createNamedConversation(agent parley.AgentID, external string,
	created time.Time) (*parley.Conversation, error) {
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID, AgentID: agent,
		API: parley.APIV1, ExternalID: external,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: created, UpdatedAt: created}
	return c, w.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(w, c, w.newMessage(c, "Hello"), false)
	})
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
			got, err := w.ConversationByExternalID(w, ask.account.AgentRef(ask.agent), ask.face, ask.external)
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
		w.must(w.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
			return tx.OverwriteMessages(w, c, 1, true, testTime)
		}))
		w.must(w.addMessage(c, w.newMessage(c, "four")))
		left, err := w.MessagesAfter(w, c.Ref(), 0, 10)
		w.must(err)
		var texts []string
		for i := range left {
			texts = append(texts, left[i].Text())
		}
		if got, err := w.Conversation(w, c.Ref()); err != nil || fmt.Sprint(texts) != "[Hello four]" ||
			got.MessageCount != 2 || !got.Streamed || got.ExternalID != "a" {
			w.Errorf("%v %+v %v", texts, got, err)
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
			list, err := w.ConversationsAtOffset(w, w.Account.ID.AgentRef(w.Agent.ID), ask.filter, ask.skip, ask.limit)
			w.must(err)
			if got := joinNames(list, func(c parley.Conversation) string { return c.ExternalID }); got != ask.want {
				w.Errorf("%+v: %s, want %s", ask, got, ask.want)
			}
		}
		if list, err := w.ConversationsAtOffset(w, parley.AgentRef{Account: "another", Agent: w.Agent.ID},
			store.ConversationFilter{}, 0, 9); err != nil || len(list) != 0 {
			w.Error("another account sees", list, err)
		}
	})
}
