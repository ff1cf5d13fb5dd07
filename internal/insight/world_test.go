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
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// world is an account with an agent on a database, and what judges its conversations.
type world struct {
	testing.TB
	context.Context
	db      *store.DB
	account *parley.Account
	agent   *parley.Agent
	keeper  *insight.Keeper
	runner  *jobs.Runner
	mu      sync.Mutex
	now     time.Time
}

func each(t *testing.T, f func(w *world)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) { f(newWorld(t, db)) })
}

func newWorld(t testing.TB, db *store.DB) *world {
	t.Helper()
	w := &world{TB: t, Context: t.Context(), db: db, now: noon}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	w.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Own", Plan: "unlimited", CreatedAt: noon}
	w.must(db.CreateAccount(w, w.account))
	w.agent = w.newAgent(nil)
	queue := &jobs.Queue{Now: w.clock}
	w.keeper = &insight.Keeper{DB: db, Queue: queue, Now: w.clock, Logger: log}
	w.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Logger: log, Handlers: w.keeper.Handlers()}
	return w
}

func (w *world) Deadline() (time.Time, bool) { return w.Context.Deadline() }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) turn(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) newAgent(change func(a *parley.Agent)) *parley.Agent {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: w.account.ID, Name: "Agent", Model: "m", Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	if change != nil {
		change(a)
	}
	w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.CreateAgent(w, a) }))
	return a
}

// settle leaves the conversations quiet for a minute and does what is due.
func (w *world) settle() {
	w.Helper()
	w.turn(time.Minute)
	for more := true; more; {
		var err error
		more, err = w.keeper.Follow(w)
		w.must(err)
	}
	_, err := w.runner.RunDue(w)
	w.must(err)
}

// talk is a conversation being made.
type talk struct {
	*parley.Conversation
	w *world
}

// begin writes a conversation of a user, or of nobody, with its first message.
func (w *world) begin(user parley.EndUserID, text string) *talk {
	w.Helper()
	at := w.clock()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account.ID, AgentID: w.agent.ID, Face: parley.FaceV2, Channel: parley.ChannelAPI,
		Status: parley.Ongoing, UserID: user, CreatedAt: at, UpdatedAt: at}
	k := &talk{c, w}
	w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error {
		if err := tx.CreateConversation(w, c, k.message(parley.ByUser, text), false); err != nil {
			return err
		}
		return k.record(tx, "conversation.created")
	}))
	return k
}

func (k *talk) message(by parley.AuthorKind, text string) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: k.ID, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: k.w.clock()}
}

func (k *talk) record(tx *store.DB, kind string) error {
	return tx.Record(k.w, k.AccountID, k.w.clock(), store.Event{Kind: kind, AgentID: k.AgentID, ConversationID: k.ID, Subject: string(k.ID)})
}

// change runs a change of the conversation, with its event.
func (k *talk) change(kind string, do func(tx *store.DB) error) {
	k.w.Helper()
	k.w.must(k.w.db.Transact(k.w, sqldb.Turns, func(tx *store.DB) error {
		if err := do(tx); err != nil {
			return err
		}
		return k.record(tx, kind)
	}))
}

// say adds a message.
func (k *talk) say(by parley.AuthorKind, text string, with ...func(m *parley.Message)) *talk {
	k.w.Helper()
	m := k.message(by, text)
	for _, f := range with {
		f(m)
	}
	k.change("message.created", func(tx *store.DB) error { return tx.AddMessage(k.w, k.AccountID, k.AgentID, m, nil) })
	return k
}

// answered adds an answer that quotes the sources.
func (k *talk) answered(text string) *talk {
	k.w.Helper()
	return k.say(parley.ByAssistant, text, func(m *parley.Message) { m.Citations = []parley.Citation{{SourceID: "s", Name: "Source"}} })
}

// refused adds an answer that says that the sources do not hold it.
func (k *talk) refused() *talk {
	k.w.Helper()
	turn := parley.TurnID(parley.NewUUID())
	_, err := k.w.db.SQL().Exec(k.w, `insert into turns (id, account_id, agent_id, conversation_id, user_message_id, message_id, state, owner, lease_until, month, reserved, trace, started_at)
		values (?, ?, ?, ?, 'u', 'm', 'done', 'o', 0, '2026-11', 0, ?, 0)`, turn, k.AccountID, k.AgentID, k.ID, `{"question":"a \"refused\":false","refused":true}`)
	k.w.must(err)
	return k.say(parley.ByAssistant, "I do not know.", func(m *parley.Message) { m.TurnID = turn })
}

func (k *talk) rate(rating string) *talk {
	k.w.Helper()
	k.change("message.rated", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(k.w, `update messages set feedback = ? where conversation_id = ? and author = 'assistant'`, rating, k.ID)
		return err
	})
	return k
}

func (k *talk) insight() *parley.Insight {
	k.w.Helper()
	in, err := k.w.db.Insight(k.w, k.AccountID, k.AgentID, k.ID)
	k.w.must(err)
	if in == nil {
		k.w.Fatalf("nothing is known of the conversation %s", k.ID)
	}
	return in
}

func (k *talk) title() string {
	k.w.Helper()
	c, err := k.w.db.Conversation(k.w, k.AccountID, k.AgentID, k.ID)
	k.w.must(err)
	return c.Title
}

func (w *world) report(by store.SumsGroup) *insight.Report {
	w.Helper()
	from, to, err := insight.ReadDays("", "", w.clock())
	w.must(err)
	r, err := w.keeper.Report(w, w.account, w.agent.ID, insight.Ask{From: from, To: to, By: by})
	w.must(err)
	return r
}

// tally adds up the rows of all conversations: what the sums of the days must be.
func (w *world) tally() (s store.Sums) {
	w.Helper()
	err := w.db.SQL().QueryRow(w, `select count(*), coalesce(sum(messages), 0), coalesce(sum(answers), 0), coalesce(sum(refused), 0), coalesce(sum(escalated), 0), coalesce(sum(up), 0), coalesce(sum(down), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 0 then 1 else 0 end), 0), coalesce(sum(case when outcome = 'handed over' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'disliked' then 1 else 0 end), 0), coalesce(sum(case when outcome = 'given up' then 1 else 0 end), 0),
		coalesce(sum(case when outcome = 'resolved' and asked_again = 1 then 1 else 0 end), 0) from conversation_insights where agent_id = ?`, w.agent.ID).
		Scan(&s.Conversations, &s.Messages, &s.Answers, &s.Refused, &s.Escalated, &s.Up, &s.Down, &s.Resolved, &s.HandedOver, &s.Disliked, &s.GivenUp, &s.AskedAgain)
	w.must(err)
	return s
}

// rebuilt finds everything out anew.
func (w *world) rebuilt() *insight.Report {
	w.Helper()
	for at := (insight.Progress{}); !at.Done; {
		var err error
		at, err = w.keeper.Rebuild(w, w.account.ID, w.agent.ID, at)
		w.must(err)
	}
	return w.report(store.ByTopic)
}
