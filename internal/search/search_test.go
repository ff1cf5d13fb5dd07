package search_test

import (
	"parley/internal/testkit/dbs"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// TestAllWordsAreRequired holds docs/interface/search.md#words: in any message or in the title, whatever case and
// accents.
func TestAllWordsAreRequired(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("Where is my Crème brûlée?")
		a.addMessage(parley.AuthorAssistant, "In the kitchen of the restaurant.")
		ts.advanceClock(time.Second)
		b := ts.startConversation("The kitchen is closed", func(c *parley.Conversation) { c.Title = "Opening hours" })
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "creme BRULEE"}, a)
		ts.wantFound(search.Query{Text: "restaurant brulee"}, a)
		ts.wantFound(search.Query{Text: "kitchen hours"}, b)
		ts.wantFound(search.Query{Text: "opening"}, b)
		ts.wantFound(search.Query{Text: "kitchen garden"})
		ts.wantFound(search.Query{Text: "kitch"})
		ts.wantFound(search.Query{Text: `"kitchen" OR (NOT* closed)`})
		ts.wantFound(search.Query{Text: `"kitchen" & closed*`}, b)
		ts.wantFound(search.Query{}, b, a)
		if page := ts.find(search.Query{Text: "opening"}); page.Hits[0].Snippet != nil {
			t.Error("a snippet of a title")
		}
	})
}

func TestScriptsWithoutSpaces(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("退货政策是什么？我想退款")
		b := ts.startConversation("สวัสดีครับ ร้านเปิดกี่โมง")
		c := ts.startConversation("환불 규정 👍🏽")
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "退货"}, a)
		ts.wantFound(search.Query{Text: "退"}, a)
		ts.wantFound(search.Query{Text: "政策是"}, a)
		ts.wantFound(search.Query{Text: "退政"})
		ts.wantFound(search.Query{Text: "ร้านเปิด"}, b)
		ts.wantFound(search.Query{Text: "규정"}, c)
		ts.wantFound(search.Query{Text: "👍"}, c)
		if got := highlightText(ts.find(search.Query{Text: "政策是"}).Hits[0].Snippet, true); got != "政策是" {
			t.Errorf("hit %q", got)
		}
	})
}

func highlightText(s *search.Snippet, hits bool) string {
	var b strings.Builder
	for _, h := range s.Highlights {
		if h.Hit || !hits {
			b.WriteString(h.Value)
		}
	}
	return b.String()
}

func TestEventsUpdateTheIndex(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("alpha")
		ts.runIndexer()
		ts.advanceClock(time.Second)
		old := a.addMessage(parley.AuthorAssistant, "bravo charlie")
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "alpha charlie"}, a)
		a.update("message.created", func(tx *store.DB) error { // a retry
			if err := tx.SupersedeMessages(ts, a.AccountID.AgentRef(a.AgentID).ConversationRef(a.ID), 1,
				ts.clock()); err != nil {
				return err
			}
			return tx.AddMessage(ts, a.AccountID.AgentRef(a.AgentID),
				newMessage(a.ID, parley.AuthorAssistant, "bravo delta", ts.clock()), nil)
		})
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "alpha charlie"})
		ts.wantFound(search.Query{Text: "alpha bravo delta"}, a)
		a.setColumn("title", "First name")
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "first alpha"}, a)
		a.setColumn("title", "Second name")
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "first"})
		ts.wantFound(search.Query{Text: "second name"}, a)
		ts.wantFound(search.Query{Feedback: "negative"})
		a.update("message.feedback", func(tx *store.DB) error {
			_, err := tx.SQL().Exec(ts, `update messages set feedback = 'negative' where conversation_id = ? and seq = 3`, a.ID)
			return err
		})
		ts.runIndexer()
		ts.wantFound(search.Query{Feedback: "negative,positive", Text: "delta"}, a)
		a.setColumn("paused", 1)
		ts.runIndexer()
		ts.wantFound(search.Query{ActivityState: "ongoing"})
		ts.wantFound(search.Query{ActivityState: "paused,ended"}, a)
		a.remove()
		ts.wantFound(search.Query{Text: "delta"})
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "delta"})
		_ = old
	})
}

func TestFilters(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		a := ts.startConversation("alpha", func(c *parley.Conversation) {
			c.Channel, c.UserID = parley.ChannelWhatsApp, "jo"
		})
		ts.advanceClock(time.Minute)
		b := ts.startConversation("alpha", func(c *parley.Conversation) { c.Status = parley.ConversationTakenOver })
		ts.advanceClock(time.Minute)
		c := ts.startConversation("alpha", func(c *parley.Conversation) { c.UserID = "kim" })
		call := parley.ToolCall{ID: parley.NewUUID(), AccountID: ts.account.ID, AgentID: ts.agent.ID,
			ConversationID: c.ID, CallID: "call_1", Tool: "orders", Kind: parley.ActionHTTP,
			Input: []byte("{}"), Status: parley.ToolError, CreatedAt: ts.clock()}
		c.update("tool.answered", func(tx *store.DB) error { return tx.AddToolCalls(ts, []parley.ToolCall{call}) })
		run := &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: ts.account.ID, AgentID: ts.agent.ID,
			ConversationID: a.ID, Key: "refund", Name: "Refund", StartedAt: ts.clock()}
		ts.must(ts.db.StartProcedureRun(ts, run))
		run.Outcome = parley.ProcedureCompleted
		ts.must(ts.db.EndProcedureRun(ts, run, ts.clock()))
		ts.runIndexer()
		for _, words := range []string{"", "alpha"} {
			for _, row := range []struct {
				q    search.Query
				want []*testConversation
			}{
				{search.Query{Source: "WhatsApp"}, []*testConversation{a}},
				{search.Query{Source: "WhatsApp, API"}, []*testConversation{c, b, a}},
				{search.Query{Source: "WhatsApp", UserID: "kim"}, nil},
				{search.Query{UserID: "kim,jo"}, []*testConversation{c, a}},
				{search.Query{ActivityState: "taken_over"}, []*testConversation{b}},
				{search.Query{Escalated: "true"}, []*testConversation{b}},
				{search.Query{ActionType: "http,client"}, []*testConversation{c}},
				{search.Query{Tool: "orders"}, []*testConversation{c}},
				{search.Query{Tool: "orders", ToolOutcome: "success"}, nil},
				{search.Query{Tool: "orders", ToolOutcome: "success,error"}, []*testConversation{c}},
				{search.Query{Tool: "else", ToolOutcome: "error"}, nil},
				{search.Query{ToolOutcome: "error"}, []*testConversation{c}},
				{search.Query{Procedure: "Refund"}, []*testConversation{a}},
				{search.Query{ProcedureOutcome: "completed"}, []*testConversation{a}},
				{search.Query{Procedure: "Refund", ProcedureOutcome: "failed"}, nil},
				{search.Query{HasVoice: "false"}, []*testConversation{c, b, a}},
				{search.Query{HasVoice: "true"}, nil},
				{search.Query{Sentiment: "unspecified", Topic: "unspecified"}, []*testConversation{c, b, a}},
				{search.Query{Sentiment: "negative"}, nil},
				{search.Query{StartDate: "2026-11-10", EndDate: "2026-11-10"}, []*testConversation{c, b, a}},
				{search.Query{StartDate: "2026-11-11"}, nil},
				{search.Query{EndDate: "2026-11-10T12:00:00Z"}, []*testConversation{a}},
				{search.Query{StartDate: "2026-11-10T13:01:00+01:00"}, []*testConversation{c, b}},
				{search.Query{UpdatedAfter: "2026-11-10T12:01:00Z", UpdatedBefore: "2026-11-10T12:01:00Z"}, []*testConversation{b}},
			} {
				row.q.Text = words
				ts.wantFound(row.q, row.want...)
			}
		}
	})
}

func TestAllInvalidFieldsAreListed(t *testing.T) {
	ts := newTestSearch(t, newStore(t))
	for _, row := range []struct {
		q    search.Query
		code parley.Code
	}{
		{search.Query{Source: "Fax"}, parley.CodeInvalidBody},
		{search.Query{Source: "API,,Email"}, parley.CodeInvalidBody},
		{search.Query{Escalated: "false"}, parley.CodeInvalidBody},
		{search.Query{HasVoice: "1"}, parley.CodeInvalidBody},
		{search.Query{Sentiment: "sad"}, parley.CodeInvalidBody},
		{search.Query{Limit: 26}, parley.CodeInvalidBody},
		{search.Query{StartDate: "yesterday"}, parley.CodeInvalidBody},
		{search.Query{Text: strings.Repeat("é", 513)}, parley.CodeInvalidBody},
		{search.Query{StartDate: "2025-10-31"}, parley.CodeSearchWindow},
		{search.Query{UpdatedBefore: "2025-10-31T23:59:59Z"}, parley.CodeSearchWindow},
		{search.Query{StartDate: "2026-02-02", EndDate: "2026-02-01"}, parley.CodeInvalidDateRange},
		{search.Query{UpdatedAfter: "2026-02-02", UpdatedBefore: "2026-02-01T00:00:00Z"}, parley.CodeInvalidDateRange},
		{search.Query{Cursor: "abc"}, parley.CodeInvalidCursor},
		{search.Query{Text: strings.Repeat("é", 512), StartDate: "2025-11-01", EndDate: "2025-11-01"}, ""},
	} {
		_, err := ts.finder.Find(ts, ts.account, ts.agent, row.q)
		if row.code == "" && err != nil || row.code != "" && !parley.IsCode(err, row.code) {
			t.Errorf("%+v: %v, want %s", row.q, err, row.code)
		}
	}
}

// newStore is for tests of what no database decides.
func newStore(t *testing.T) *store.DB {
	t.Helper()
	return dbs.NewSQLiteStore(t)
}
