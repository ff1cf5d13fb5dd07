package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
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

// formCase is a query with texts that it finds, the first of which comes first unless all are the same to it, and texts
// that it does not find.
type formCase struct {
	query       string
	found, rest []string
}

// TestSignsAndFormsOfWords checks that signs make another word, and that the joined and the split form of a word find
// each other.
func TestSignsAndFormsOfWords(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		checkForms(ts, true, []formCase{
			{"C++", []string{"the C++ library"}, []string{"the C# library", "vitamin C", "we use .NET here"}},
			{"c#", []string{"the C# library"}, []string{"the C++ library", "vitamin C"}},
			{"C", []string{"vitamin C"}, []string{"the C++ library", "the C# library"}},
			{".NET", []string{"we use .NET here"}, []string{"the net price"}},
			{"net", []string{"the net price"}, []string{"we use .NET here"}},
			{"AT&T", []string{"an AT&T line"}, []string{"at the T junction"}},
			{"at", []string{"at the T junction"}, []string{"an AT&T line"}},
			{"$5", []string{"it costs $5", "5 dollars off"}, []string{"5 apples", "£5 off"}},
			{"5", []string{"5 apples"}, nil},
			{"zk 100", []string{"filter ZK 100", "filter ZK-100", "filter ZK100"}, []string{"filter ZK-1000",
				"filter ZK-100B", "filter ZK100B"}},
			{"ZK-100", []string{"filter ZK-100", "filter ZK 100", "filter ZK100"}, []string{"filter ZK-1000",
				"filter ZK-100B"}},
			{"zk100", []string{"filter ZK100", "filter ZK 100", "filter ZK-100"}, []string{"filter ZK-1000",
				"filter ZK-100B"}},
			{"iphone 15", []string{"an iPhone 15 case", "my iPhone15"}, []string{"an iPhone 14 case"}},
			{"iphone15", []string{"my iPhone15", "an iPhone 15 case"}, []string{"an iPhone 14 case"}},
			{"reentry", []string{"the reentry fee", "the re-entry fee"}, []string{"the entry fee"}},
			{"re-entry", []string{"the re-entry fee", "the reentry fee"}, []string{"the entry fee"}},
			{"obrien", []string{"Mr. OBrien", "Mr. O'Brien", "Mr. O’Brien"}, []string{"Mr. Brien"}},
			{"O'Brien", []string{"Mr. O'Brien", "Mr. OBrien"}, []string{"Mr. Brien"}},
			{"rueckerstattung", []string{"rueckerstattung bitte", "Rückerstattung bitte"}, []string{"Erstattung bitte"}},
			{"Rückerstattung", []string{"Rückerstattung bitte", "rueckerstattung bitte"}, []string{"Erstattung bitte"}},
		})
	})
}

// TestNumbersInGroups checks that numbers are found whether they are written in groups or not.
func TestNumbersInGroups(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		checkForms(ts, true, []formCase{
			{"1299", []string{"for 1299 euros", "for 1,299 euros", "for 1.299 euros"}, []string{"for 12.99 euros"}},
			{"1,299", []string{"for 1,299 euros", "for 1299 euros"}, []string{"for 129 euros"}},
			{"1.299", []string{"for 1.299 euros", "for 1299 euros"}, []string{"for 12.99 euros"}},
			{"+491705550134", []string{"call +491705550134 now", "call +49 170 5550134 now", "+49 (170) 555-0134"},
				[]string{"call +49 170 5550135"}},
			{"+49 170 5550134", []string{"call +49 170 5550134 now", "call +491705550134 now"},
				[]string{"call +491705550135 now"}},
			{"DE89370400440532013000", []string{"pay to DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00 please"},
				[]string{"IBAN DE89 3704 0044 0532 0130 01"}},
			{"DE89 3704 0044 0532 0130 00", []string{"IBAN DE89 3704 0044 0532 0130 00 please", "pay to DE89370400440532013000"},
				[]string{"pay to DE89370400440532013001"}},
			{"4111111111111111", []string{"card 4111 1111 1111 1111"}, []string{"card 4111 1111 1111 1112"}},
			{"5kg", []string{"a 5kg bag", "5 kg of it"}, []string{"15 kg"}},
			{"5 kg", []string{"5 kg of it", "a 5kg bag"}, []string{"15 kg"}},
		})
	})
}

// TestFormsOfUnicode checks that what looks the same is the same, in messages, queries and filters.
func TestFormsOfUnicode(t *testing.T) {
	const decomposed = "\u1112\u116a\u11ab\u1107\u116e\u11af" // 환불
	forEachDatabase(t, func(ts *testSearch) {
		checkForms(ts, false, []formCase{
			{"환불", []string{"환불 규정", decomposed + " 규정"}, []string{"배송 규정"}},
			{decomposed, []string{"환불 규정", decomposed + " 규정"}, nil},
			{"ガイド", []string{"ガイドです", "ｶﾞｲﾄﾞです", "カ\u3099イト\u3099です"}, []string{"カイトです"}},
			{"ｶﾞｲﾄﾞ", []string{"ガイドです"}, []string{"カイトです"}},
			{"café", []string{"a café", "a cafe\u0301"}, nil},
			{"мой", []string{"мой заказ", "мои\u0306 заказ"}, []string{"мои заказы"}},
			{"Dampfschiff", []string{"das Dampf\u00adschiff", "das Dampfschiff"}, nil},
			{"Dampf\u00adschiff", []string{"das Dampfschiff"}, []string{"Dampf Schiff"}},
			{"refund", []string{"my re\u200bfund"}, nil},
		})
		a := ts.startConversation("filtered", func(c *parley.Conversation) { c.UserID = "cafe\u0301" })
		ts.runIndexer()
		ts.wantFound(search.Query{Text: "filtered", UserID: "café"}, a)
	})
}

func checkForms(ts *testSearch, isOrdered bool, cases []formCase) {
	ts.Helper()
	conversations := map[string]*testConversation{}
	for _, c := range cases {
		for _, text := range append(c.found[:len(c.found):len(c.found)], c.rest...) {
			if conversations[text] == nil {
				conversations[text] = ts.startConversation(text)
			}
		}
	}
	ts.runIndexer()
	for _, c := range cases {
		list := ts.readAllPages(search.Query{Text: c.query}, nil)
		found := idSet(list)
		for i, text := range c.found {
			if !found[conversations[text].ID] {
				ts.Errorf("%q does not find %q", c.query, text)
			} else if isOrdered && i == 0 && list[0] != conversations[text].ID {
				ts.Errorf("%q finds another before %q", c.query, text)
			}
		}
		for _, text := range c.rest {
			if found[conversations[text].ID] {
				ts.Errorf("%q finds %q", c.query, text)
			}
		}
	}
}

// TestOldTokensAreBuiltAgain checks that an index whose words were cut in an older way answers while it is built again,
// which begins by itself.
func TestOldTokensAreBuiltAgain(t *testing.T) {
	forEachDatabase(t, func(ts *testSearch) {
		plus := ts.startConversation("the C++ library")
		for i := range 300 {
			ts.startConversation(fmt.Sprint("alpha number", i))
		}
		ts.runIndexer()
		old := func(query string) {
			if _, err := ts.db.SQL().Exec(ts, query); err != nil {
				ts.Fatal(err)
			}
		}
		old(`update search_agents set tokens = 1`)
		ts.must(ts.indexer.RebuildOutdated(ts))
		if n := ts.countRows("search_agents where tokens = 1"); n != 1 {
			t.Fatalf("%d old partitions", n)
		}
		if _, err := ts.indexer.StepAll(ts); err != nil {
			t.Fatal(err)
		}
		ts.wantFound(search.Query{Text: "c++ library"}, plus)
		ts.must(ts.indexer.RebuildOutdated(ts)) // begins no third one
		ts.runIndexer()
		if n := ts.countRows("search_agents where retired_at is null and tokens = 1"); n != 0 {
			t.Errorf("%d old partitions answer", n)
		}
		ts.wantFound(search.Query{Text: "c++ library"}, plus)
		if n := ts.countRows("search_accounts where building is not null or generation <> 2"); n != 0 {
			t.Error("it was built more than once")
		}
	})
}
