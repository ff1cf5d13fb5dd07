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
func (fx *fixture) createConversation(channel parley.Channel, user parley.EndUserID,
	created time.Time) *parley.Conversation {
	fx.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: fx.Account.ID,
		AgentID: fx.Agent.ID, API: parley.APIV2, Channel: channel,
		UserID: user, Status: parley.ConversationOngoing, CreatedAt: created, UpdatedAt: created}
	m := fx.newMessage(c, "Hello")
	m.CreatedAt = created
	fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateConversation(fx, c, m, false) }))
	return c
}

func (fx *fixture) newMessage(c *parley.Conversation, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: testTime}
}

func (fx *fixture) addMessage(c *parley.Conversation, m *parley.Message) error {
	fx.Helper()
	return fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error { return tx.AddMessage(fx, c.AgentRef(), m, nil) })
}

func (fx *fixture) deleteConversations(idle *time.Time,
	list ...*parley.Conversation) (deleted []parley.ConversationID) {
	fx.Helper()
	var ids []parley.ConversationID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) (err error) {
		deleted, err = tx.DeleteConversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID), ids, idle, testTime)
		return err
	}))
	return deleted
}

func TestAgentCountsItsConversations(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		api := fx.createConversation(parley.ChannelAPI, "", testTime)
		fx.createConversation(parley.ChannelAPI, "jo", testTime.Add(time.Second))
		phone := fx.createConversation(parley.ChannelPhone, "jo", testTime.Add(2*time.Second))
		if a := fx.reloadAgent(); a.Conversations != 3 || a.APIConversations != 2 {
			fx.Errorf("%d, %d of the API", a.Conversations, a.APIConversations)
		}
		if deleted := fx.deleteConversations(nil, api, phone, phone); len(deleted) != 2 {
			fx.Error("deleted", deleted)
		}
		if deleted := fx.deleteConversations(nil, api, phone); len(deleted) != 0 {
			fx.Error("deleted twice:", deleted)
		}
		if a := fx.reloadAgent(); a.Conversations != 1 || a.APIConversations != 1 {
			fx.Errorf("then %d, %d of the API", a.Conversations, a.APIConversations)
		}
		for name, f := range map[string]store.ConversationFilter{"all": {}, "API": {Channel: parley.ChannelAPI},
			"jo":      {User: "jo"},
			"origins": {Channels: []parley.Channel{parley.ChannelPhone, parley.ChannelAPI}},
			"from":    {CreatedFrom: &testTime}, "idle": {IdleSince: timePointer(testTime.Add(time.Hour))}} {
			if n, err := fx.CountConversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID), f); err != nil || n != 1 {
				fx.Errorf("%s: %d %v", name, n, err)
			}
			if page, err := fx.Conversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID), f,
				parley.PageRequest{Limit: 10}); err != nil || page.Total != 1 || len(page.Items) != 1 {
				fx.Errorf("%s: %+v %v", name, page, err)
			}
		}
	})
}

func timePointer(t time.Time) *time.Time { return &t }

func TestConversationOfADeletedAgentIsRefused(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.DeleteAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime))
		c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: fx.Account.ID,
			AgentID: fx.Agent.ID, API: parley.APIV2,
			Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: testTime, UpdatedAt: testTime}
		err := fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
			return tx.CreateConversation(fx, c, fx.newMessage(c, "Hello"), false)
		})
		fx.wantCode(err, parley.CodeAgentNotFound)
		if n := fx.queryCount(`select count(*) from conversations`) + fx.queryCount(`select count(*) from messages`); n != 0 {
			fx.Error(n, "rows are left")
		}
	})
}

func TestPagesAreStableWhileConversationsAreAdded(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		var want []parley.ConversationID
		for i := range 7 {
			// several of the same instant
			want = append(want, fx.createConversation(parley.ChannelAPI, "", testTime.Add(time.Duration(i/3)*time.Second)).ID)
		}
		var got []parley.ConversationID
		for ask := (parley.PageRequest{Limit: 2}); ; {
			page, err := fx.Conversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID),
				store.ConversationFilter{Channel: parley.ChannelAPI}, ask)
			fx.must(err)
			for _, c := range page.Items {
				got = append(got, c.ID)
			}
			fx.createConversation(parley.ChannelAPI, "", testTime.Add(time.Hour))
			if ask.After = page.Next; page.Next == nil {
				break
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			fx.Errorf("%v, want each once: %v", got, want)
		}
	})
}

func TestDeletedConversationIsNotFound(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c, busy := fx.createConversation(parley.ChannelAPI, "", testTime),
			fx.createConversation(parley.ChannelAPI, "", testTime)
		fx.must(fx.addMessage(busy, fx.newMessage(busy, "Still there?")))
		_, err := fx.SQL().Exec(fx, `update conversations set last_activity = ? where id = ?`,
			testTime.Add(time.Hour).UnixMilli(), busy.ID)
		fx.must(err)
		if deleted := fx.deleteConversations(timePointer(testTime.Add(time.Minute)), c, busy); len(deleted) != 1 ||
			deleted[0] != c.ID {
			fx.Fatal("deleted", deleted)
		}
		_, err = fx.DB.Conversation(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c.ID))
		fx.wantCode(err, parley.CodeResourceNotFound)
		_, err = fx.Messages(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c.ID), parley.PageRequest{Limit: 1})
		fx.wantCode(err, parley.CodeResourceNotFound)
		_, err = fx.ConversationHead(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c.ID))
		fx.wantCode(err, parley.CodeResourceNotFound)
		_, _, err = fx.OwnerOfConversation(fx, c.ID)
		fx.wantCode(err, parley.CodeConversationNotFound)
		fx.wantCode(fx.addMessage(c, fx.newMessage(c, "Still there?")), parley.CodeConversationNotFound)
		other := fx.createAccount("Other")
		if deleted, err := fx.DeleteConversations(fx, other.ID.AgentRef(fx.Agent.ID), []parley.ConversationID{busy.ID},
			nil, testTime); len(deleted) != 0 && err == nil {
			fx.Error("another account deleted", deleted)
		}
	})
}

func TestErasedConversationLeavesNoRow(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		tables := fx.tableColumns()
		delete(tables, "move_in_deletions") // the ids of what was deleted, so that it is not taken over again
		c, other := fx.createConversation(parley.ChannelAPI, "", testTime),
			fx.createConversation(parley.ChannelAPI, "", testTime)
		rowCounts := func(id parley.ConversationID) (rows string) {
			for table, columns := range tables {
				if columns["conversation_id"] != "" {
					rows += fmt.Sprint(table, " ", fx.queryCount(`select count(*) from `+table+` where conversation_id = ?`, id), ", ")
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
				fx.insertMarkedRows(table, columns, fx.Agent.ID, marker, n)
				_, err := fx.SQL().Exec(fx, `update `+table+` set conversation_id = ? where conversation_id like ?`,
					each.ID, marker+"%")
				fx.must(err)
			}
			// two tickets have two numbers
			_, err := fx.SQL().Exec(fx, `update tickets set number = ? where conversation_id = ?`, i+1, each.ID)
			fx.must(err)
			marker := fmt.Sprint("planted-", string("ab"[i]))
			fx.insertMarkedRows("ticket_words", tables["ticket_words"], fx.Agent.ID, marker, 3)
			_, err = fx.SQL().Exec(fx, `update ticket_words set ticket_id = ? where ticket_id like ?`, each.ID, marker+"%")
			fx.must(err)
		}
		before := rowCounts(other.ID)
		fx.deleteConversations(nil, c)
		_, err := fx.SQL().Exec(fx, `update turns set state = 'open' where id = 'planted-a0'`)
		fx.must(err)
		if deleted, err := fx.EraseConversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID)); err != nil || deleted ||
			fx.queryCount(`select count(*) from messages where conversation_id = ?`, c.ID) != 4 {
			fx.Error("beside an open turn: erased", deleted, err, rowCounts(c.ID))
		}
		_, err = fx.SQL().Exec(fx, `update turns set state = 'failed' where id = 'planted-a0'`)
		fx.must(err)
		deleted, err := fx.EraseConversations(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		if left := fx.tablesWithMarker(tables, "planted-a"); !deleted || !slices.Equal(columnsOfTable(left, "leads"), left) {
			fx.Error("erased", deleted, "left in", left)
		}
		if n := fx.queryCount(`select count(*) from conversations where id = ?`, c.ID); n != 0 ||
			rowCounts(other.ID) != before ||
			fx.queryCount(`select count(*) from ticket_words where ticket_id = ?`, other.ID) != 3 {
			fx.Errorf("%d rows; the other conversation has %s, had %s", n, rowCounts(other.ID), before)
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

func TestMessagesAfterLimitsItsSize(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.createConversation(parley.ChannelAPI, "", testTime)
		for range 7 {
			fx.must(fx.addMessage(c, fx.newMessage(c, strings.Repeat("x", 300_000))))
		}
		var seqs []int64
		reads := 0
		for seq := int64(0); ; reads++ {
			list, err := fx.MessagesAfter(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c.ID), seq, 100)
			fx.must(err)
			if len(list) == 0 {
				break
			}
			if len(list) > 5 {
				fx.Error(len(list), "at once")
			}
			for _, m := range list {
				seq = m.Seq
				seqs = append(seqs, seq)
			}
		}
		if !slices.Equal(seqs, []int64{1, 2, 3, 4, 5, 6, 7, 8}) || reads < 2 {
			fx.Error(seqs, reads)
		}
		other := fx.createAccount("Other")
		if list, err := fx.MessagesAfter(fx, other.ID.AgentRef(fx.Agent.ID).ConversationRef(c.ID), 0, 100); err != nil ||
			len(list) != 0 {
			fx.Error("another account reads", len(list), err)
		}
	})
}

func TestSweepsChangeOldRowsOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.createConversation(parley.ChannelAPI, "", testTime)
		old := testTime.Add(-25 * time.Hour)
		for id, created := range map[string]time.Time{"old": old, "new": testTime} {
			fx.must(fx.AddToolCalls(fx, []parley.ToolCall{{ID: id, AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
				ConversationID: c.ID, MessageID: "m", TurnID: "t",
				CallID: id, Tool: "look", Kind: parley.ActionClient, RunsOnClient: true, Input: []byte("{}"),
				Status: parley.ToolPending, CreatedAt: created}}))
			_, err := fx.SQL().Exec(fx,
				`insert into procedure_runs (id, account_id, agent_id, conversation_id, procedure_name, step, state, started_at)
				values (?, ?, ?, ?, 'p', 0, 'open', ?)`, id, fx.Account.ID, fx.Agent.ID, c.ID, created.UnixMilli())
			fx.must(err)
		}
		for _, want := range []int64{1, 0} {
			if n, err := fx.IgnoreOldToolCalls(fx, testTime.Add(-parley.ToolResultTimeout), testTime, 200); err != nil ||
				n != want {
				fx.Error(n, err)
			}
			if n, err := fx.AbandonOldProcedureRuns(fx, testTime.Add(-parley.ToolResultTimeout), testTime,
				200); err != nil || n != want {
				fx.Error(n, err)
			}
		}
		if n := fx.queryCount(`select count(*) from tool_calls where id = 'old' and status = 'ignored'`) +
			fx.queryCount(`select count(*) from tool_calls where id = 'new' and status = 'pending'`); n != 2 {
			fx.Error("calls", n)
		}
		if n := fx.queryCount(`select count(*) from procedure_runs where id = 'old' and outcome = 'abandoned'
			and ended_at = ?`,
			testTime.UnixMilli()) +
			fx.queryCount(`select count(*) from procedure_runs where id = 'new' and outcome is null`); n != 2 {
			fx.Error("runs", n)
		}
	})
}

// createNamedConversation writes a conversation of the first interface under its client's id.
func (fx *fixture) createNamedConversation(agent parley.AgentID, external string,
	created time.Time) (*parley.Conversation, error) {
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: fx.Account.ID, AgentID: agent,
		API: parley.APIV1, ExternalID: external,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: created, UpdatedAt: created}
	return c, fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(fx, c, fx.newMessage(c, "Hello"), false)
	})
}

func TestExternalIDsOfConversations(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c, err := fx.createNamedConversation(fx.Agent.ID, "visitor 7", testTime)
		fx.must(err)
		if _, err := fx.createNamedConversation(fx.Agent.ID, "visitor 7", testTime); !sqldb.IsDuplicate(err) {
			fx.Error("a name is given twice:", err)
		}
		for _, ask := range []struct {
			account  parley.AccountID
			agent    parley.AgentID
			api      parley.API
			external string
			want     parley.ConversationID
		}{
			{fx.Account.ID, fx.Agent.ID, parley.APIV1, "visitor 7", c.ID},
			{fx.Account.ID, fx.Agent.ID, parley.APIV1, "Visitor 7", ""},
			{fx.Account.ID, fx.Agent.ID, parley.APIV2, "visitor 7", ""},
			{fx.Account.ID, "another", parley.APIV1, "visitor 7", ""},
			{"another", fx.Agent.ID, parley.APIV1, "visitor 7", ""},
		} {
			got, err := fx.ConversationByExternalID(fx, ask.account.AgentRef(ask.agent), ask.api, ask.external)
			if fx.must(err); got != ask.want {
				fx.Errorf("%+v: %q", ask, got)
			}
		}
		fx.deleteConversations(nil, c)
		if again, err := fx.createNamedConversation(fx.Agent.ID, "visitor 7", testTime); err != nil || again.ID == c.ID {
			fx.Error("the name of a deleted conversation is not free:", err)
		}
	})
}

func TestOverwriteKeepsEarlierMessages(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c, err := fx.createNamedConversation(fx.Agent.ID, "a", testTime)
		fx.must(err)
		for _, text := range []string{"two", "three"} {
			fx.must(fx.addMessage(c, fx.newMessage(c, text)))
		}
		fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
			return tx.OverwriteMessages(fx, c, 1, true, testTime)
		}))
		fx.must(fx.addMessage(c, fx.newMessage(c, "four")))
		left, err := fx.MessagesAfter(fx, c.Ref(), 0, 10)
		fx.must(err)
		var texts []string
		for i := range left {
			texts = append(texts, left[i].Text())
		}
		if got, err := fx.Conversation(fx, c.Ref()); err != nil || fmt.Sprint(texts) != "[Hello four]" ||
			got.MessageCount != 2 || !got.Streamed || got.ExternalID != "a" {
			fx.Errorf("%v %+v %v", texts, got, err)
		}
	})
}

func TestConversationsByPageNumber(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i := range 5 {
			_, err := fx.createNamedConversation(fx.Agent.ID, fmt.Sprint("n", i), testTime.Add(time.Duration(i)*time.Second))
			fx.must(err)
		}
		fx.createConversation(parley.ChannelWhatsApp, "", testTime.Add(time.Minute))
		_, err := fx.SQL().Exec(fx, `update conversations set streamed = 1 where external_id in ('n0', 'n3')`)
		fx.must(err)
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
			list, err := fx.ConversationsAtOffset(fx, fx.Account.ID.AgentRef(fx.Agent.ID), ask.filter, ask.skip, ask.limit)
			fx.must(err)
			if got := joinNames(list, func(c parley.Conversation) string { return c.ExternalID }); got != ask.want {
				fx.Errorf("%+v: %s, want %s", ask, got, ask.want)
			}
		}
		if list, err := fx.ConversationsAtOffset(fx, parley.AgentRef{Account: "another", Agent: fx.Agent.ID},
			store.ConversationFilter{}, 0, 9); err != nil || len(list) != 0 {
			fx.Error("another account sees", list, err)
		}
	})
}
