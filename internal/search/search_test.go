package search_test

import (
	"parley/internal/rig/dbs"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// TestEveryWordMustStandSomewhere holds decision 16: in any message or in the title, whatever case and accents.
func TestEveryWordMustStandSomewhere(t *testing.T) {
	each(t, func(w *world) {
		a := w.begin("Where is my Crème brûlée?")
		a.say(parley.ByAssistant, "In the kitchen of the restaurant.")
		w.turn(time.Second)
		b := w.begin("The kitchen is closed", func(c *parley.Conversation) { c.Title = "Opening hours" })
		w.settle()
		w.wants(search.Query{Text: "creme BRULEE"}, a)
		w.wants(search.Query{Text: "restaurant brulee"}, a)
		w.wants(search.Query{Text: "kitchen hours"}, b)
		w.wants(search.Query{Text: "opening"}, b)
		w.wants(search.Query{Text: "kitchen garden"})
		w.wants(search.Query{Text: "kitch"})
		w.wants(search.Query{Text: `"kitchen" OR (NOT* closed)`})
		w.wants(search.Query{Text: `"kitchen" & closed*`}, b)
		w.wants(search.Query{}, b, a)
		if page := w.find(search.Query{Text: "opening"}); page.Hits[0].Snippet != nil {
			t.Error("a snippet of a title")
		}
	})
}

func TestScriptsWithoutSpaces(t *testing.T) {
	each(t, func(w *world) {
		a := w.begin("退货政策是什么？我想退款")
		b := w.begin("สวัสดีครับ ร้านเปิดกี่โมง")
		c := w.begin("환불 규정 👍🏽")
		w.settle()
		w.wants(search.Query{Text: "退货"}, a)
		w.wants(search.Query{Text: "退"}, a)
		w.wants(search.Query{Text: "政策是"}, a)
		w.wants(search.Query{Text: "退政"})
		w.wants(search.Query{Text: "ร้านเปิด"}, b)
		w.wants(search.Query{Text: "규정"}, c)
		w.wants(search.Query{Text: "👍"}, c)
		if got := text(w.find(search.Query{Text: "政策是"}).Hits[0].Snippet, true); got != "政策是" {
			t.Errorf("hit %q", got)
		}
	})
}

func text(s *search.Snippet, hits bool) string {
	var b strings.Builder
	for _, h := range s.Highlights {
		if h.Hit || !hits {
			b.WriteString(h.Value)
		}
	}
	return b.String()
}

func TestWhatHappensIsFollowed(t *testing.T) {
	each(t, func(w *world) {
		a := w.begin("alpha")
		w.settle()
		w.turn(time.Second)
		old := a.say(parley.ByAssistant, "bravo charlie")
		w.settle()
		w.wants(search.Query{Text: "alpha charlie"}, a)
		a.change("message.created", func(tx *store.DB) error { // a retry
			if err := tx.Supersede(w, a.AccountID, a.AgentID, a.ID, 1, w.clock()); err != nil {
				return err
			}
			return tx.AddMessage(w, a.AccountID, a.AgentID, message(a.ID, parley.ByAssistant, "bravo delta", w.clock()), nil)
		})
		w.settle()
		w.wants(search.Query{Text: "alpha charlie"})
		w.wants(search.Query{Text: "alpha bravo delta"}, a)
		a.set("title", "First name")
		w.settle()
		w.wants(search.Query{Text: "first alpha"}, a)
		a.set("title", "Second name")
		w.settle()
		w.wants(search.Query{Text: "first"})
		w.wants(search.Query{Text: "second name"}, a)
		w.wants(search.Query{Feedback: "negative"})
		a.change("message.feedback", func(tx *store.DB) error {
			_, err := tx.SQL().Exec(w, `update messages set feedback = 'negative' where conversation_id = ? and seq = 3`, a.ID)
			return err
		})
		w.settle()
		w.wants(search.Query{Feedback: "negative,positive", Text: "delta"}, a)
		a.set("paused", 1)
		w.settle()
		w.wants(search.Query{ActivityState: "ongoing"})
		w.wants(search.Query{ActivityState: "paused,ended"}, a)
		a.remove()
		w.wants(search.Query{Text: "delta"})
		w.settle()
		w.wants(search.Query{Text: "delta"})
		_ = old
	})
}

func TestFilters(t *testing.T) {
	each(t, func(w *world) {
		a := w.begin("alpha", func(c *parley.Conversation) { c.Channel, c.UserID = parley.ChannelWhatsApp, "jo" })
		w.turn(time.Minute)
		b := w.begin("alpha", func(c *parley.Conversation) { c.Status = parley.TakenOver })
		w.turn(time.Minute)
		c := w.begin("alpha", func(c *parley.Conversation) { c.UserID = "kim" })
		call := parley.ToolCall{ID: parley.NewUUID(), AccountID: w.account.ID, AgentID: w.agent.ID, ConversationID: c.ID, CallID: "call_1", Tool: "orders", Kind: parley.ActionHTTP,
			Input: []byte("{}"), Status: parley.ToolError, CreatedAt: w.clock()}
		c.change("tool.answered", func(tx *store.DB) error { return tx.AddToolCalls(w, []parley.ToolCall{call}) })
		run := &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: w.account.ID, AgentID: w.agent.ID, ConversationID: a.ID, Key: "refund", Name: "Refund", StartedAt: w.clock()}
		w.must(w.db.StartRun(w, run))
		run.Outcome = parley.ProcedureCompleted
		w.must(w.db.EndRun(w, run, w.clock()))
		w.settle()
		for _, words := range []string{"", "alpha"} {
			for _, row := range []struct {
				q    search.Query
				want []*talk
			}{
				{search.Query{Source: "WhatsApp"}, []*talk{a}},
				{search.Query{Source: "WhatsApp, API"}, []*talk{c, b, a}},
				{search.Query{Source: "WhatsApp", UserID: "kim"}, nil},
				{search.Query{UserID: "kim,jo"}, []*talk{c, a}},
				{search.Query{ActivityState: "taken_over"}, []*talk{b}},
				{search.Query{Escalated: "true"}, []*talk{b}},
				{search.Query{ActionType: "http,client"}, []*talk{c}},
				{search.Query{Tool: "orders"}, []*talk{c}},
				{search.Query{Tool: "orders", ToolOutcome: "success"}, nil},
				{search.Query{Tool: "orders", ToolOutcome: "success,error"}, []*talk{c}},
				{search.Query{Tool: "else", ToolOutcome: "error"}, nil},
				{search.Query{ToolOutcome: "error"}, []*talk{c}},
				{search.Query{Procedure: "Refund"}, []*talk{a}},
				{search.Query{ProcedureOutcome: "completed"}, []*talk{a}},
				{search.Query{Procedure: "Refund", ProcedureOutcome: "failed"}, nil},
				{search.Query{HasVoice: "false"}, []*talk{c, b, a}},
				{search.Query{HasVoice: "true"}, nil},
				{search.Query{Sentiment: "unspecified", Topic: "unspecified"}, []*talk{c, b, a}},
				{search.Query{Sentiment: "negative"}, nil},
				{search.Query{StartDate: "2026-11-10", EndDate: "2026-11-10"}, []*talk{c, b, a}},
				{search.Query{StartDate: "2026-11-11"}, nil},
				{search.Query{EndDate: "2026-11-10T12:00:00Z"}, []*talk{a}},
				{search.Query{StartDate: "2026-11-10T13:01:00+01:00"}, []*talk{c, b}},
				{search.Query{UpdatedAfter: "2026-11-10T12:01:00Z", UpdatedBefore: "2026-11-10T12:01:00Z"}, []*talk{b}},
			} {
				row.q.Text = words
				w.wants(row.q, row.want...)
			}
		}
	})
}

func TestEveryFaultIsNamed(t *testing.T) {
	w := newWorld(t, anyStore(t))
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

// anyStore is for tests of what no database decides.
func anyStore(t *testing.T) *store.DB {
	t.Helper()
	return dbs.Store(t, dbs.Open(t, dbs.File(t)))
}
