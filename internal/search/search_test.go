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
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("Where is my Crème brûlée?")
		a.addMessage(parley.AuthorAssistant, "In the kitchen of the restaurant.")
		w.advanceClock(time.Second)
		b := w.startConversation("The kitchen is closed", func(c *parley.Conversation) { c.Title = "Opening hours" })
		w.runIndexer()
		w.wantFound(search.Query{Text: "creme BRULEE"}, a)
		w.wantFound(search.Query{Text: "restaurant brulee"}, a)
		w.wantFound(search.Query{Text: "kitchen hours"}, b)
		w.wantFound(search.Query{Text: "opening"}, b)
		w.wantFound(search.Query{Text: "kitchen garden"})
		w.wantFound(search.Query{Text: "kitch"})
		w.wantFound(search.Query{Text: `"kitchen" OR (NOT* closed)`})
		w.wantFound(search.Query{Text: `"kitchen" & closed*`}, b)
		w.wantFound(search.Query{}, b, a)
		if page := w.find(search.Query{Text: "opening"}); page.Hits[0].Snippet != nil {
			t.Error("a snippet of a title")
		}
	})
}

func TestScriptsWithoutSpaces(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("退货政策是什么？我想退款")
		b := w.startConversation("สวัสดีครับ ร้านเปิดกี่โมง")
		c := w.startConversation("환불 규정 👍🏽")
		w.runIndexer()
		w.wantFound(search.Query{Text: "退货"}, a)
		w.wantFound(search.Query{Text: "退"}, a)
		w.wantFound(search.Query{Text: "政策是"}, a)
		w.wantFound(search.Query{Text: "退政"})
		w.wantFound(search.Query{Text: "ร้านเปิด"}, b)
		w.wantFound(search.Query{Text: "규정"}, c)
		w.wantFound(search.Query{Text: "👍"}, c)
		if got := highlightText(w.find(search.Query{Text: "政策是"}).Hits[0].Snippet, true); got != "政策是" {
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
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("alpha")
		w.runIndexer()
		w.advanceClock(time.Second)
		old := a.addMessage(parley.AuthorAssistant, "bravo charlie")
		w.runIndexer()
		w.wantFound(search.Query{Text: "alpha charlie"}, a)
		a.update("message.created", func(tx *store.DB) error { // a retry
			if err := tx.SupersedeMessages(w, a.AccountID.AgentRef(a.AgentID).ConversationRef(a.ID), 1, w.clock()); err != nil {
				return err
			}
			return tx.AddMessage(w, a.AccountID.AgentRef(a.AgentID),
				newMessage(a.ID, parley.AuthorAssistant, "bravo delta", w.clock()), nil)
		})
		w.runIndexer()
		w.wantFound(search.Query{Text: "alpha charlie"})
		w.wantFound(search.Query{Text: "alpha bravo delta"}, a)
		a.setColumn("title", "First name")
		w.runIndexer()
		w.wantFound(search.Query{Text: "first alpha"}, a)
		a.setColumn("title", "Second name")
		w.runIndexer()
		w.wantFound(search.Query{Text: "first"})
		w.wantFound(search.Query{Text: "second name"}, a)
		w.wantFound(search.Query{Feedback: "negative"})
		a.update("message.feedback", func(tx *store.DB) error {
			_, err := tx.SQL().Exec(w, `update messages set feedback = 'negative' where conversation_id = ? and seq = 3`, a.ID)
			return err
		})
		w.runIndexer()
		w.wantFound(search.Query{Feedback: "negative,positive", Text: "delta"}, a)
		a.setColumn("paused", 1)
		w.runIndexer()
		w.wantFound(search.Query{ActivityState: "ongoing"})
		w.wantFound(search.Query{ActivityState: "paused,ended"}, a)
		a.remove()
		w.wantFound(search.Query{Text: "delta"})
		w.runIndexer()
		w.wantFound(search.Query{Text: "delta"})
		_ = old
	})
}

func TestFilters(t *testing.T) {
	forEachDatabase(t, func(w *testSearch) {
		a := w.startConversation("alpha", func(c *parley.Conversation) { c.Channel, c.UserID = parley.ChannelWhatsApp, "jo" })
		w.advanceClock(time.Minute)
		b := w.startConversation("alpha", func(c *parley.Conversation) { c.Status = parley.ConversationTakenOver })
		w.advanceClock(time.Minute)
		c := w.startConversation("alpha", func(c *parley.Conversation) { c.UserID = "kim" })
		call := parley.ToolCall{ID: parley.NewUUID(), AccountID: w.account.ID, AgentID: w.agent.ID,
			ConversationID: c.ID, CallID: "call_1", Tool: "orders", Kind: parley.ActionHTTP,
			Input: []byte("{}"), Status: parley.ToolError, CreatedAt: w.clock()}
		c.update("tool.answered", func(tx *store.DB) error { return tx.AddToolCalls(w, []parley.ToolCall{call}) })
		run := &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: w.account.ID, AgentID: w.agent.ID,
			ConversationID: a.ID, Key: "refund", Name: "Refund", StartedAt: w.clock()}
		w.must(w.db.StartProcedureRun(w, run))
		run.Outcome = parley.ProcedureCompleted
		w.must(w.db.EndProcedureRun(w, run, w.clock()))
		w.runIndexer()
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
				w.wantFound(row.q, row.want...)
			}
		}
	})
}

func TestAllInvalidFieldsAreListed(t *testing.T) {
	w := newTestSearch(t, newStore(t))
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
		_, err := w.finder.Find(w, w.account, w.agent, row.q)
		if row.code == "" && err != nil || row.code != "" && !parley.IsCode(err, row.code) {
			t.Errorf("%+v: %v, want %s", row.q, err, row.code)
		}
	}
}

// newStore is for tests of what no database decides.
func newStore(t *testing.T) *store.DB {
	t.Helper()
	return dbs.NewStore(t, dbs.Open(t, dbs.NewSQLitePath(t)))
}
