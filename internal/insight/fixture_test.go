package insight_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// testInsight is an account with an agent on a database, and what analyzes its conversations.
type testInsight struct {
	check.T
	context.Context
	db      *store.DB
	account *parley.Account
	agent   *parley.Agent
	service *insight.Service
	runner  *jobs.Runner
	clock   *clock.Clock
}

func forEachDatabase(t *testing.T, f func(ti *testInsight)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestInsight(t, db)) })
}

func newTestInsight(t testing.TB, db *store.DB) *testInsight {
	t.Helper()
	ti := &testInsight{T: check.T{TB: t}, Context: t.Context(), db: db, clock: clock.At(noon)}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	ti.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Own", Plan: "unlimited", CreatedAt: noon}
	ti.Must(db.CreateAccount(ti, ti.account))
	ti.agent = ti.newAgent(nil)
	queue := &jobs.Queue{Now: ti.clock.Now}
	ti.service = &insight.Service{DB: db, Queue: queue, Now: ti.clock.Now, Logger: log}
	ti.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: log, Handlers: ti.service.Handlers()}
	return ti
}

func (ti *testInsight) Deadline() (time.Time, bool) { return ti.Context.Deadline() }

func (ti *testInsight) newAgent(change func(a *parley.Agent)) *parley.Agent {
	ti.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: ti.account.ID, Name: "Agent", Model: "m",
		Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	if change != nil {
		change(a)
	}
	ti.Must(ti.db.Transact(ti, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateAgent(ti, a) }))
	return a
}

// runJobs advances the clock by a minute, follows the events and runs the due jobs.
func (ti *testInsight) runJobs() {
	ti.Helper()
	ti.clock.Advance(time.Minute)
	for more := true; more; {
		var err error
		more, err = ti.service.Follow(ti)
		ti.Must(err)
	}
	_, err := ti.runner.RunDue(ti)
	ti.Must(err)
}

// testConversation is a conversation that the test extends.
type testConversation struct {
	*parley.Conversation
	env *testInsight
}

// startConversation creates a conversation with its first message. The user may be empty.
func (ti *testInsight) startConversation(user parley.EndUserID, text string) *testConversation {
	ti.Helper()
	at := ti.clock.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: ti.account.ID,
		AgentID: ti.agent.ID, API: parley.APIV2, Channel: parley.ChannelAPI,
		Status: parley.ConversationOngoing, UserID: user, CreatedAt: at, UpdatedAt: at}
	tc := &testConversation{c, ti}
	ti.Must(ti.db.Transact(ti, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(ti, c, tc.newMessage(parley.AuthorUser, text), false); err != nil {
			return err
		}
		return tc.recordEvent(tx, "conversation.created")
	}))
	return tc
}

func (tc *testConversation) newMessage(by parley.AuthorKind, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: tc.ID, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: tc.env.clock.Now()}
}

func (tc *testConversation) recordEvent(tx *store.DB, kind parley.EventKind) error {
	return tx.RecordEvents(tc.env, tc.AccountID, tc.env.clock.Now(),
		store.NewEvent{Kind: kind, AgentID: tc.AgentID, ConversationID: tc.ID, Subject: string(tc.ID)})
}

// update runs a change of the conversation, with its event.
func (tc *testConversation) update(kind parley.EventKind, do func(tx *store.DB) error) {
	tc.env.Helper()
	tc.env.Must(tc.env.db.Transact(tc.env, sqldb.Interactive, func(tx *store.DB) error {
		if err := do(tx); err != nil {
			return err
		}
		return tc.recordEvent(tx, kind)
	}))
}

// addMessage adds a message.
func (tc *testConversation) addMessage(by parley.AuthorKind, text string,
	with ...func(m *parley.Message)) *testConversation {
	tc.env.Helper()
	m := tc.newMessage(by, text)
	for _, f := range with {
		f(m)
	}
	tc.update("message.created", func(tx *store.DB) error {
		return tx.AddMessage(tc.env, tc.AccountID.AgentRef(tc.AgentID), m, nil)
	})
	return tc
}

// addAnswer adds an answer that quotes the sources.
func (tc *testConversation) addAnswer(text string) *testConversation {
	tc.env.Helper()
	return tc.addMessage(parley.AuthorAssistant, text, func(m *parley.Message) {
		m.Citations = []parley.Citation{{SourceID: "s", Name: "Source"}}
	})
}

// addRefusal adds an answer that says that the sources do not answer the question.
func (tc *testConversation) addRefusal() *testConversation {
	tc.env.Helper()
	turn := parley.TurnID(parley.NewUUID())
	_, err := tc.env.db.SQL().Exec(tc.env,
		`insert into turns (id, account_id, agent_id, conversation_id, user_message_id, message_id, state, owner,
			lease_until, month, reserved, trace, started_at)
		values (?, ?, ?, ?, 'u', 'm', 'done', 'o', 0, '2026-11', 0, ?, 0)`, turn, tc.AccountID, tc.AgentID, tc.ID,
		`{"question":"a \"refused\":false","refused":true}`)
	tc.env.Must(err)
	return tc.addMessage(parley.AuthorAssistant, "I do not know.", func(m *parley.Message) { m.TurnID = turn })
}

func (tc *testConversation) rate(rating string) *testConversation {
	tc.env.Helper()
	tc.update("message.rated", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(tc.env,
			`update messages set feedback = ? where conversation_id = ? and author = 'assistant'`, rating, tc.ID)
		return err
	})
	return tc
}

func (tc *testConversation) insight() *parley.Insight {
	tc.env.Helper()
	in, err := tc.env.db.Insight(tc.env, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID))
	tc.env.Must(err)
	if in == nil {
		tc.env.Fatalf("there is no insight of the conversation %s", tc.ID)
	}
	return in
}

func (tc *testConversation) isAnalyzed() bool {
	tc.env.Helper()
	in, err := tc.env.db.Insight(tc.env, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID))
	tc.env.Must(err)
	return in != nil
}

func (tc *testConversation) title() string {
	tc.env.Helper()
	c, err := tc.env.db.Conversation(tc.env, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID))
	tc.env.Must(err)
	return c.Title
}

func (ti *testInsight) report(by parley.InsightGroup) *insight.Report {
	ti.Helper()
	from, to, err := insight.ParseDays("", "", ti.clock.Now())
	ti.Must(err)
	r, err := ti.service.Report(ti, ti.account, ti.agent.ID, insight.ReportRange{From: from, To: to, By: by})
	ti.Must(err)
	return r
}

// sums adds up the rows of all conversations, which the sums of the days must equal.
func (ti *testInsight) sums() (s store.InsightSums) {
	ti.Helper()
	err := ti.db.SQL().QueryRow(ti,
		`select count(*), coalesce(sum(messages), 0), coalesce(sum(answers), 0), coalesce(sum(refused), 0),
			coalesce(sum(escalated), 0), coalesce(sum(up), 0), coalesce(sum(down), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 0 then 1 else 0 end), 0), coalesce(sum(case
		when outcome = 'handed over' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'disliked' then 1 else 0 end), 0), coalesce(sum(case
		when outcome = 'given up' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 1 then 1 else 0 end), 0)
		from conversation_insights where agent_id = ?`,
		ti.agent.ID).
		Scan(&s.Conversations, &s.Messages, &s.Answers, &s.Refused, &s.Escalated, &s.PositiveRatings,
			&s.NegativeRatings, &s.Resolved, &s.HandedOver, &s.Disliked, &s.GivenUp, &s.AskedAgain)
	ti.Must(err)
	return s
}

// rebuildReport analyzes all conversations again.
func (ti *testInsight) rebuildReport() *insight.Report {
	ti.Helper()
	for at := (insight.Progress{}); !at.Done; {
		var err error
		at, err = ti.service.Rebuild(ti, ti.account.ID.AgentRef(ti.agent.ID), at)
		ti.Must(err)
	}
	return ti.report(parley.GroupByTopic)
}
