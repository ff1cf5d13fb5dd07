package insight_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// testInsight is an account with an agent on a database, and what analyzes its conversations.
type testInsight struct {
	testing.TB
	context.Context
	db      *store.DB
	account *parley.Account
	agent   *parley.Agent
	service *insight.Service
	runner  *jobs.Runner
	mu      sync.Mutex
	now     time.Time
}

func forEachDatabase(t *testing.T, f func(w *testInsight)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestInsight(t, db)) })
}

func newTestInsight(t testing.TB, db *store.DB) *testInsight {
	t.Helper()
	w := &testInsight{TB: t, Context: t.Context(), db: db, now: noon}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	w.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Own", Plan: "unlimited", CreatedAt: noon}
	w.must(db.CreateAccount(w, w.account))
	w.agent = w.newAgent(nil)
	queue := &jobs.Queue{Now: w.clock}
	w.service = &insight.Service{DB: db, Queue: queue, Now: w.clock, Logger: log}
	w.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: log, Handlers: w.service.Handlers()}
	return w
}

func (w *testInsight) Deadline() (time.Time, bool) { return w.Context.Deadline() }

func (w *testInsight) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *testInsight) advanceClock(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

func (w *testInsight) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *testInsight) newAgent(change func(a *parley.Agent)) *parley.Agent {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: w.account.ID, Name: "Agent", Model: "m",
		Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	if change != nil {
		change(a)
	}
	w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateAgent(w, a) }))
	return a
}

// runJobs leaves the conversations quiet for a minute and does what is due.
func (w *testInsight) runJobs() {
	w.Helper()
	w.advanceClock(time.Minute)
	for more := true; more; {
		var err error
		more, err = w.service.Follow(w)
		w.must(err)
	}
	_, err := w.runner.RunDue(w)
	w.must(err)
}

// testConversation is a conversation being made.
type testConversation struct {
	*parley.Conversation
	env *testInsight
}

// startConversation writes a conversation of a user, or of nobody, with its first message.
func (w *testInsight) startConversation(user parley.EndUserID, text string) *testConversation {
	w.Helper()
	at := w.clock()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account.ID,
		AgentID: w.agent.ID, API: parley.APIV2, Channel: parley.ChannelAPI,
		Status: parley.ConversationOngoing, UserID: user, CreatedAt: at, UpdatedAt: at}
	k := &testConversation{c, w}
	w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(w, c, k.newMessage(parley.AuthorUser, text), false); err != nil {
			return err
		}
		return k.recordEvent(tx, "conversation.created")
	}))
	return k
}

func (k *testConversation) newMessage(by parley.AuthorKind, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: k.ID, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: k.env.clock()}
}

func (k *testConversation) recordEvent(tx *store.DB, kind parley.EventKind) error {
	return tx.RecordEvents(k.env, k.AccountID, k.env.clock(),
		store.NewEvent{Kind: kind, AgentID: k.AgentID, ConversationID: k.ID, Subject: string(k.ID)})
}

// update runs a change of the conversation, with its event.
func (k *testConversation) update(kind parley.EventKind, do func(tx *store.DB) error) {
	k.env.Helper()
	k.env.must(k.env.db.Transact(k.env, sqldb.Interactive, func(tx *store.DB) error {
		if err := do(tx); err != nil {
			return err
		}
		return k.recordEvent(tx, kind)
	}))
}

// addMessage adds a message.
func (k *testConversation) addMessage(by parley.AuthorKind, text string,
	with ...func(m *parley.Message)) *testConversation {
	k.env.Helper()
	m := k.newMessage(by, text)
	for _, f := range with {
		f(m)
	}
	k.update("message.created", func(tx *store.DB) error {
		return tx.AddMessage(k.env, k.AccountID.AgentRef(k.AgentID), m, nil)
	})
	return k
}

// addAnswer adds an answer that quotes the sources.
func (k *testConversation) addAnswer(text string) *testConversation {
	k.env.Helper()
	return k.addMessage(parley.AuthorAssistant, text, func(m *parley.Message) {
		m.Citations = []parley.Citation{{SourceID: "s", Name: "Source"}}
	})
}

// addRefusal adds an answer that says that the sources do not hold it.
func (k *testConversation) addRefusal() *testConversation {
	k.env.Helper()
	turn := parley.TurnID(parley.NewUUID())
	_, err := k.env.db.SQL().Exec(k.env,
		`insert into turns (id, account_id, agent_id, conversation_id, user_message_id, message_id, state, owner,
			lease_until, month, reserved, trace, started_at)
		values (?, ?, ?, ?, 'u', 'm', 'done', 'o', 0, '2026-11', 0, ?, 0)`, turn, k.AccountID, k.AgentID, k.ID,
		`{"question":"a \"refused\":false","refused":true}`)
	k.env.must(err)
	return k.addMessage(parley.AuthorAssistant, "I do not know.", func(m *parley.Message) { m.TurnID = turn })
}

func (k *testConversation) rate(rating string) *testConversation {
	k.env.Helper()
	k.update("message.rated", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(k.env,
			`update messages set feedback = ? where conversation_id = ? and author = 'assistant'`, rating, k.ID)
		return err
	})
	return k
}

func (k *testConversation) insight() *parley.Insight {
	k.env.Helper()
	in, err := k.env.db.Insight(k.env, k.AccountID.AgentRef(k.AgentID).ConversationRef(k.ID))
	k.env.must(err)
	if in == nil {
		k.env.Fatalf("nothing is known of the conversation %s", k.ID)
	}
	return in
}

func (k *testConversation) title() string {
	k.env.Helper()
	c, err := k.env.db.Conversation(k.env, k.AccountID.AgentRef(k.AgentID).ConversationRef(k.ID))
	k.env.must(err)
	return c.Title
}

func (w *testInsight) report(by parley.InsightGroup) *insight.Report {
	w.Helper()
	from, to, err := insight.ParseDays("", "", w.clock())
	w.must(err)
	r, err := w.service.Report(w, w.account, w.agent.ID, insight.ReportRange{From: from, To: to, By: by})
	w.must(err)
	return r
}

// sums adds up the rows of all conversations: what the sums of the days must be.
func (w *testInsight) sums() (s store.InsightSums) {
	w.Helper()
	err := w.db.SQL().QueryRow(w,
		`select count(*), coalesce(sum(messages), 0), coalesce(sum(answers), 0), coalesce(sum(refused), 0),
			coalesce(sum(escalated), 0), coalesce(sum(up), 0), coalesce(sum(down), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 0 then 1 else 0 end), 0), coalesce(sum(case
		when outcome = 'handed over' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'disliked' then 1 else 0 end), 0), coalesce(sum(case
		when outcome = 'given up' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 1 then 1 else 0 end), 0)
		from conversation_insights where agent_id = ?`,
		w.agent.ID).
		Scan(&s.Conversations, &s.Messages, &s.Answers, &s.Refused, &s.Escalated, &s.PositiveRatings,
			&s.NegativeRatings, &s.Resolved, &s.HandedOver, &s.Disliked, &s.GivenUp, &s.AskedAgain)
	w.must(err)
	return s
}

// rebuildReport finds everything out anew.
func (w *testInsight) rebuildReport() *insight.Report {
	w.Helper()
	for at := (insight.Progress{}); !at.Done; {
		var err error
		at, err = w.service.Rebuild(w, w.account.ID.AgentRef(w.agent.ID), at)
		w.must(err)
	}
	return w.report(parley.GroupByTopic)
}
