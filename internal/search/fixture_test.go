package search_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// testSearch is an account with an agent on a database, and what searches it.
type testSearch struct {
	testing.TB
	context.Context
	db      *store.DB
	account *parley.Account
	agent   *parley.Agent
	finder  *search.Finder
	indexer *search.Indexer
	mu      sync.Mutex
	now     time.Time
}

func forEachDatabase(t *testing.T, f func(ts *testSearch)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestSearch(t, db)) })
}

func newTestSearch(t testing.TB, db *store.DB) *testSearch {
	t.Helper()
	ts := &testSearch{TB: t, Context: t.Context(), db: db, now: noon}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	ts.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Own", Plan: "unlimited", CreatedAt: noon}
	ts.must(db.CreateAccount(ts, ts.account))
	ts.agent = ts.newAgent()
	ts.finder = &search.Finder{DB: db, Cursors: httpapi.Cursors{Key: []byte("0123456789abcdef")}, Now: ts.clock,
		Timeout: time.Minute}
	ts.indexer = &search.Indexer{DB: db, Now: ts.clock, Logger: log}
	return ts
}

func (ts *testSearch) Deadline() (time.Time, bool) { return ts.Context.Deadline() }

func (ts *testSearch) clock() time.Time {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.now
}

func (ts *testSearch) must(err error) {
	ts.Helper()
	if err != nil {
		ts.Fatal(err)
	}
}

func (ts *testSearch) newAgent() *parley.Agent {
	ts.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: ts.account.ID, Name: "Agent", Model: "m",
		Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	ts.must(ts.db.Transact(ts, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateAgent(ts, a) }))
	return a
}

// testConversation is a conversation being made.
type testConversation struct {
	*parley.Conversation
	env *testSearch
}

// startConversation writes a conversation with its first message.
func (ts *testSearch) startConversation(text string, change ...func(c *parley.Conversation)) *testConversation {
	ts.Helper()
	at := ts.clock()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: ts.account.ID,
		AgentID: ts.agent.ID, API: parley.APIV2, Channel: parley.ChannelAPI,
		Status: parley.ConversationOngoing, CreatedAt: at, UpdatedAt: at}
	for _, f := range change {
		f(c)
	}
	m := newMessage(c.ID, parley.AuthorUser, text, c.UpdatedAt)
	ts.must(ts.db.Transact(ts, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(ts, c, m, false); err != nil {
			return err
		}
		return tx.RecordEvents(ts, ts.account.ID, at, store.NewEvent{Kind: "conversation.created", AgentID: c.AgentID,
			ConversationID: c.ID, Subject: string(c.ID)})
	}))
	return &testConversation{c, ts}
}

func newMessage(id parley.ConversationID, by parley.AuthorKind, text string, at time.Time) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: at}
}

// addMessage adds a message.
func (tc *testConversation) addMessage(by parley.AuthorKind, text string) *parley.Message {
	tc.env.Helper()
	m := newMessage(tc.ID, by, text, tc.env.clock())
	tc.env.must(tc.env.db.Transact(tc.env, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddMessage(tc.env, tc.AccountID.AgentRef(tc.AgentID), m, nil); err != nil {
			return err
		}
		return tc.recordEvent(tx, "message.created")
	}))
	return m
}

func (tc *testConversation) recordEvent(tx *store.DB, kind parley.EventKind) error {
	return tx.RecordEvents(tc.env, tc.AccountID, tc.env.clock(),
		store.NewEvent{Kind: kind, AgentID: tc.AgentID, ConversationID: tc.ID, Subject: string(tc.ID)})
}

// update runs a change of the conversation, with its event.
func (tc *testConversation) update(kind parley.EventKind, do func(tx *store.DB) error) {
	tc.env.Helper()
	tc.env.must(tc.env.db.Transact(tc.env, sqldb.Interactive, func(tx *store.DB) error {
		if err := do(tx); err != nil {
			return err
		}
		return tc.recordEvent(tx, kind)
	}))
}

func (tc *testConversation) setColumn(column string, value any) {
	tc.env.Helper()
	tc.update("conversation.changed", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(tc.env, `update conversations set `+column+` = ? where id = ?`, value, tc.ID)
		return err
	})
}

func (tc *testConversation) remove() {
	tc.env.Helper()
	tc.env.must(tc.env.db.Transact(tc.env, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.DeleteConversations(tc.env, tc.AccountID.AgentRef(tc.AgentID), []parley.ConversationID{tc.ID}, nil,
			tc.env.clock()); err != nil {
			return err
		}
		return tx.RecordEvents(tc.env, tc.AccountID, tc.env.clock(),
			store.NewEvent{Kind: "conversation.deleted", AgentID: tc.AgentID, Subject: string(tc.ID)})
	}))
}

// runIndexer brings the index up to date.
func (ts *testSearch) runIndexer() {
	ts.Helper()
	for range 100_000 {
		more, err := ts.indexer.StepAll(ts)
		ts.must(err)
		if !more {
			return
		}
	}
	ts.Fatal("the index never ends")
}

func (ts *testSearch) find(q search.Query) *search.Page {
	ts.Helper()
	page, err := ts.finder.Find(ts, ts.account, ts.agent, q)
	ts.must(err)
	return page
}

func conversationIDs(page *search.Page) []parley.ConversationID {
	list := []parley.ConversationID{}
	for _, h := range page.Hits {
		list = append(list, h.ID)
	}
	return list
}

// wantFound checks that a search finds these, in this order.
func (ts *testSearch) wantFound(q search.Query, want ...*testConversation) {
	ts.Helper()
	list := []parley.ConversationID{}
	for _, tc := range want {
		list = append(list, tc.ID)
	}
	if got := conversationIDs(ts.find(q)); fmt.Sprint(got) != fmt.Sprint(list) {
		ts.Errorf("%+v: found %v, want %v", q, got, list)
	}
}

func (ts *testSearch) advanceClock(by time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.now = ts.now.Add(by)
}
