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

func forEachDatabase(t *testing.T, f func(w *testSearch)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestSearch(t, db)) })
}

func newTestSearch(t testing.TB, db *store.DB) *testSearch {
	t.Helper()
	w := &testSearch{TB: t, Context: t.Context(), db: db, now: noon}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	w.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Own", Plan: "unlimited", CreatedAt: noon}
	w.must(db.CreateAccount(w, w.account))
	w.agent = w.newAgent()
	w.finder = &search.Finder{DB: db, Cursors: httpapi.Cursors{Key: []byte("0123456789abcdef")}, Now: w.clock,
		Timeout: time.Minute}
	w.indexer = &search.Indexer{DB: db, Now: w.clock, Logger: log}
	return w
}

func (w *testSearch) Deadline() (time.Time, bool) { return w.Context.Deadline() }

func (w *testSearch) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *testSearch) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *testSearch) newAgent() *parley.Agent {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: w.account.ID, Name: "Agent", Model: "m",
		Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateAgent(w, a) }))
	return a
}

// testConversation is a conversation being made.
type testConversation struct {
	*parley.Conversation
	env *testSearch
}

// startConversation writes a conversation with its first message.
func (w *testSearch) startConversation(text string, change ...func(c *parley.Conversation)) *testConversation {
	w.Helper()
	at := w.clock()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account.ID,
		AgentID: w.agent.ID, API: parley.APIV2, Channel: parley.ChannelAPI,
		Status: parley.ConversationOngoing, CreatedAt: at, UpdatedAt: at}
	for _, f := range change {
		f(c)
	}
	m := newMessage(c.ID, parley.AuthorUser, text, c.UpdatedAt)
	w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(w, c, m, false); err != nil {
			return err
		}
		return tx.RecordEvents(w, w.account.ID, at, store.NewEvent{Kind: "conversation.created", AgentID: c.AgentID,
			ConversationID: c.ID, Subject: string(c.ID)})
	}))
	return &testConversation{c, w}
}

func newMessage(id parley.ConversationID, by parley.AuthorKind, text string, at time.Time) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: at}
}

// addMessage adds a message.
func (k *testConversation) addMessage(by parley.AuthorKind, text string) *parley.Message {
	k.env.Helper()
	m := newMessage(k.ID, by, text, k.env.clock())
	k.env.must(k.env.db.Transact(k.env, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddMessage(k.env, k.AccountID.AgentRef(k.AgentID), m, nil); err != nil {
			return err
		}
		return k.recordEvent(tx, "message.created")
	}))
	return m
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

func (k *testConversation) setColumn(column string, value any) {
	k.env.Helper()
	k.update("conversation.changed", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(k.env, `update conversations set `+column+` = ? where id = ?`, value, k.ID)
		return err
	})
}

func (k *testConversation) remove() {
	k.env.Helper()
	k.env.must(k.env.db.Transact(k.env, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.DeleteConversations(k.env, k.AccountID.AgentRef(k.AgentID), []parley.ConversationID{k.ID}, nil,
			k.env.clock()); err != nil {
			return err
		}
		return tx.RecordEvents(k.env, k.AccountID, k.env.clock(),
			store.NewEvent{Kind: "conversation.deleted", AgentID: k.AgentID, Subject: string(k.ID)})
	}))
}

// runIndexer brings the index up to date.
func (w *testSearch) runIndexer() {
	w.Helper()
	for range 100_000 {
		more, err := w.indexer.StepAll(w)
		w.must(err)
		if !more {
			return
		}
	}
	w.Fatal("the index never ends")
}

func (w *testSearch) find(q search.Query) *search.Page {
	w.Helper()
	page, err := w.finder.Find(w, w.account, w.agent, q)
	w.must(err)
	return page
}

func conversationIDs(page *search.Page) []parley.ConversationID {
	list := []parley.ConversationID{}
	for _, h := range page.Hits {
		list = append(list, h.ID)
	}
	return list
}

// wantFound holds that a search finds these, in this order.
func (w *testSearch) wantFound(q search.Query, want ...*testConversation) {
	w.Helper()
	list := []parley.ConversationID{}
	for _, k := range want {
		list = append(list, k.ID)
	}
	if got := conversationIDs(w.find(q)); fmt.Sprint(got) != fmt.Sprint(list) {
		w.Errorf("%+v: found %v, want %v", q, got, list)
	}
}

func (w *testSearch) advanceClock(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}
