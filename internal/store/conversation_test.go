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

// talk writes a conversation with its first message.
func (w *world) talk(channel parley.Channel, user parley.EndUserID, created time.Time) *parley.Conversation {
	w.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID, Face: parley.FaceV2, Channel: channel,
		UserID: user, Status: parley.Ongoing, CreatedAt: created, UpdatedAt: created}
	m := w.line(c, "Hello")
	m.CreatedAt = created
	w.must(w.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.CreateConversation(w, c, m, false) }))
	return c
}

func (w *world) line(c *parley.Conversation, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.ByUser, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: noon}
}

func (w *world) say(c *parley.Conversation, m *parley.Message) error {
	w.Helper()
	return w.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.AddMessage(w, c.AccountID, c.AgentID, m, nil) })
}

func (w *world) remove(idle *time.Time, list ...*parley.Conversation) (gone []parley.ConversationID) {
	w.Helper()
	var ids []parley.ConversationID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	w.must(w.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
		gone, err = tx.DeleteConversations(w, w.Account.ID, w.Agent.ID, ids, idle, noon)
		return err
	}))
	return gone
}

func TestAgentCountsItsConversations(t *testing.T) {
	each(t, func(w *world) {
		api := w.talk(parley.ChannelAPI, "", noon)
		w.talk(parley.ChannelAPI, "jo", noon.Add(time.Second))
		phone := w.talk(parley.ChannelPhone, "jo", noon.Add(2*time.Second))
		if a := w.reload(); a.Conversations != 3 || a.APIConversations != 2 {
			w.Errorf("%d, %d of the API", a.Conversations, a.APIConversations)
		}
		if gone := w.remove(nil, api, phone, phone); len(gone) != 2 {
			w.Error("deleted", gone)
		}
		if gone := w.remove(nil, api, phone); len(gone) != 0 {
			w.Error("deleted twice:", gone)
		}
		if a := w.reload(); a.Conversations != 1 || a.APIConversations != 1 {
			w.Errorf("then %d, %d of the API", a.Conversations, a.APIConversations)
		}
		for name, f := range map[string]store.ConversationFilter{"all": {}, "API": {Channel: parley.ChannelAPI}, "jo": {User: "jo"},
			"origins": {Channels: []parley.Channel{parley.ChannelPhone, parley.ChannelAPI}}, "from": {From: &noon}, "idle": {Idle: at(noon.Add(time.Hour))}} {
			if n, err := w.CountConversations(w, w.Account.ID, w.Agent.ID, f); err != nil || n != 1 {
				w.Errorf("%s: %d %v", name, n, err)
			}
			if page, err := w.Conversations(w, w.Account.ID, w.Agent.ID, f, parley.PageAsk{Limit: 10}); err != nil || page.Total != 1 || len(page.Items) != 1 {
				w.Errorf("%s: %+v %v", name, page, err)
			}
		}
	})
}

func at(t time.Time) *time.Time { return &t }

func TestConversationOfADeletedAgentIsNotBegun(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.DeleteAgent(w, w.Account.ID, w.Agent.ID, noon))
		c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID, Face: parley.FaceV2,
			Channel: parley.ChannelAPI, Status: parley.Ongoing, CreatedAt: noon, UpdatedAt: noon}
		err := w.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.CreateConversation(w, c, w.line(c, "Hello"), false) })
		w.fails(err, parley.CodeAgentNotFound)
		if n := w.count(`select count(*) from conversations`) + w.count(`select count(*) from messages`); n != 0 {
			w.Error(n, "rows are left")
		}
	})
}

func TestPagesStayWhileConversationsCome(t *testing.T) {
	each(t, func(w *world) {
		var want []parley.ConversationID
		for i := range 7 {
			want = append(want, w.talk(parley.ChannelAPI, "", noon.Add(time.Duration(i/3)*time.Second)).ID) // several of the same instant
		}
		var got []parley.ConversationID
		for ask := (parley.PageAsk{Limit: 2}); ; {
			page, err := w.Conversations(w, w.Account.ID, w.Agent.ID, store.ConversationFilter{Channel: parley.ChannelAPI}, ask)
			w.must(err)
			for _, c := range page.Items {
				got = append(got, c.ID)
			}
			w.talk(parley.ChannelAPI, "", noon.Add(time.Hour))
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
	each(t, func(w *world) {
		c, busy := w.talk(parley.ChannelAPI, "", noon), w.talk(parley.ChannelAPI, "", noon)
		w.must(w.say(busy, w.line(busy, "Still there?")))
		_, err := w.SQL().Exec(w, `update conversations set last_activity = ? where id = ?`, noon.Add(time.Hour).UnixMilli(), busy.ID)
		w.must(err)
		if gone := w.remove(at(noon.Add(time.Minute)), c, busy); len(gone) != 1 || gone[0] != c.ID {
			w.Fatal("deleted", gone)
		}
		_, err = w.DB.Conversation(w, w.Account.ID, w.Agent.ID, c.ID)
		w.fails(err, parley.CodeResourceNotFound)
		_, err = w.Messages(w, w.Account.ID, w.Agent.ID, c.ID, parley.PageAsk{Limit: 1})
		w.fails(err, parley.CodeResourceNotFound)
		_, _, err = w.Pulse(w, w.Account.ID, w.Agent.ID, c.ID)
		w.fails(err, parley.CodeResourceNotFound)
		_, _, err = w.OwnerOfConversation(w, c.ID)
		w.fails(err, parley.CodeConversationGone)
		w.fails(w.say(c, w.line(c, "Still there?")), parley.CodeConversationGone)
		other := w.account("Other")
		if gone, err := w.DeleteConversations(w, other.ID, w.Agent.ID, []parley.ConversationID{busy.ID}, nil, noon); len(gone) != 0 && err == nil {
			w.Error("another account deleted", gone)
		}
	})
}

func TestErasedConversationLeavesNoRow(t *testing.T) {
	each(t, func(w *world) {
		tables := w.schema()
		c, kept := w.talk(parley.ChannelAPI, "", noon), w.talk(parley.ChannelAPI, "", noon)
		hanging := func(id parley.ConversationID) (rows string) {
			for table, columns := range tables {
				if columns["conversation_id"] != "" {
					rows += fmt.Sprint(table, " ", w.count(`select count(*) from `+table+` where conversation_id = ?`, id), ", ")
				}
			}
			list := strings.Split(rows, ", ")
			slices.Sort(list)
			return strings.Join(list, ", ")
		}
		for i, each := range []*parley.Conversation{c, kept} {
			for table, columns := range tables {
				if columns["conversation_id"] == "" {
					continue
				}
				marker := fmt.Sprint("planted-", string("ab"[i]))
				n := 3
				if table == "conversation_insights" || table == "tickets" { // a row for each conversation
					n = 1
				}
				w.plant(table, columns, w.Agent.ID, marker, n)
				_, err := w.SQL().Exec(w, `update `+table+` set conversation_id = ? where conversation_id like ?`, each.ID, marker+"%")
				w.must(err)
			}
			_, err := w.SQL().Exec(w, `update tickets set number = ? where conversation_id = ?`, i+1, each.ID) // two tickets have two numbers
			w.must(err)
			marker := fmt.Sprint("planted-", string("ab"[i]))
			w.plant("ticket_words", tables["ticket_words"], w.Agent.ID, marker, 3)
			_, err = w.SQL().Exec(w, `update ticket_words set ticket_id = ? where ticket_id like ?`, each.ID, marker+"%")
			w.must(err)
		}
		before := hanging(kept.ID)
		w.remove(nil, c)
		_, err := w.SQL().Exec(w, `update turns set state = 'open' where id = 'planted-a0'`)
		w.must(err)
		if gone, err := w.EraseConversations(w, w.Account.ID, w.Agent.ID); err != nil || gone || w.count(`select count(*) from messages where conversation_id = ?`, c.ID) != 4 {
			w.Error("beside an open turn: gone", gone, err, hanging(c.ID))
		}
		_, err = w.SQL().Exec(w, `update turns set state = 'failed' where id = 'planted-a0'`)
		w.must(err)
		gone, err := w.EraseConversations(w, w.Account.ID, w.Agent.ID)
		w.must(err)
		if left := w.marked(tables, "planted-a"); !gone || !slices.Equal(onlyOf(left, "leads"), left) {
			w.Error("gone", gone, "left in", left)
		}
		if n := w.count(`select count(*) from conversations where id = ?`, c.ID); n != 0 || hanging(kept.ID) != before || w.count(`select count(*) from ticket_words where ticket_id = ?`, kept.ID) != 3 {
			w.Errorf("%d rows; the other conversation has %s, had %s", n, hanging(kept.ID), before)
		}
	})
}

// onlyOf gives the columns that are of the table.
func onlyOf(columns []string, table string) (list []string) {
	for _, c := range columns {
		if strings.HasPrefix(c, table+".") {
			list = append(list, c)
		}
	}
	return list
}

func TestMessagesAfterHoldsLittle(t *testing.T) {
	each(t, func(w *world) {
		c := w.talk(parley.ChannelAPI, "", noon)
		for range 7 {
			w.must(w.say(c, w.line(c, strings.Repeat("x", 300_000))))
		}
		var seqs []int64
		reads := 0
		for seq := int64(0); ; reads++ {
			list, err := w.MessagesAfter(w, w.Account.ID, w.Agent.ID, c.ID, seq, 100)
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
		other := w.account("Other")
		if list, err := w.MessagesAfter(w, other.ID, w.Agent.ID, c.ID, 0, 100); err != nil || len(list) != 0 {
			w.Error("another account reads", len(list), err)
		}
	})
}

func TestSweepsTakeTheOldOnly(t *testing.T) {
	each(t, func(w *world) {
		c := w.talk(parley.ChannelAPI, "", noon)
		old := noon.Add(-25 * time.Hour)
		for id, created := range map[string]time.Time{"old": old, "new": noon} {
			w.must(w.AddToolCalls(w, []parley.ToolCall{{ID: id, AccountID: w.Account.ID, AgentID: w.Agent.ID, ConversationID: c.ID, MessageID: "m", TurnID: "t",
				CallID: id, Tool: "look", Kind: parley.ActionClient, Client: true, Input: []byte("{}"), Status: parley.ToolPending, CreatedAt: created}}))
			_, err := w.SQL().Exec(w, `insert into procedure_runs (id, account_id, agent_id, conversation_id, procedure_name, step, state, started_at)
				values (?, ?, ?, ?, 'p', 0, 'open', ?)`, id, w.Account.ID, w.Agent.ID, c.ID, created.UnixMilli())
			w.must(err)
		}
		for _, want := range []int64{1, 0} {
			if n, err := w.IgnoreOldCalls(w, noon.Add(-parley.ToolPatience), noon, 200); err != nil || n != want {
				w.Error(n, err)
			}
			if n, err := w.AbandonOldRuns(w, noon.Add(-parley.ToolPatience), noon, 200); err != nil || n != want {
				w.Error(n, err)
			}
		}
		if n := w.count(`select count(*) from tool_calls where id = 'old' and status = 'ignored'`) + w.count(`select count(*) from tool_calls where id = 'new' and status = 'pending'`); n != 2 {
			w.Error("calls", n)
		}
		if n := w.count(`select count(*) from procedure_runs where id = 'old' and outcome = 'abandoned' and ended_at = ?`, noon.UnixMilli()) +
			w.count(`select count(*) from procedure_runs where id = 'new' and outcome is null`); n != 2 {
			w.Error("runs", n)
		}
	})
}
