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
	"parley/internal/rig/dbs"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/wire"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// world is an account with an agent on a database, and what searches it.
type world struct {
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
	w.agent = w.newAgent()
	w.finder = &search.Finder{DB: db, Cursors: wire.Cursors{Key: []byte("0123456789abcdef")}, Now: w.clock, Budget: time.Minute}
	w.indexer = &search.Indexer{DB: db, Now: w.clock, Logger: log}
	return w
}

func (w *world) Deadline() (time.Time, bool) { return w.Context.Deadline() }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) newAgent() *parley.Agent {
	w.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: w.account.ID, Name: "Agent", Model: "m", Visibility: "private", CreatedAt: noon, UpdatedAt: noon}
	w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error { return tx.CreateAgent(w, a) }))
	return a
}

// talk is a conversation being made.
type talk struct {
	*parley.Conversation
	w *world
}

// begin writes a conversation with its first message.
func (w *world) begin(text string, change ...func(c *parley.Conversation)) *talk {
	w.Helper()
	at := w.clock()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.account.ID, AgentID: w.agent.ID, Face: parley.FaceV2, Channel: parley.ChannelAPI,
		Status: parley.Ongoing, CreatedAt: at, UpdatedAt: at}
	for _, f := range change {
		f(c)
	}
	m := message(c.ID, parley.ByUser, text, c.UpdatedAt)
	w.must(w.db.Transact(w, sqldb.Turns, func(tx *store.DB) error {
		if err := tx.CreateConversation(w, c, m, false); err != nil {
			return err
		}
		return tx.Record(w, w.account.ID, at, store.Event{Kind: "conversation.created", AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID)})
	}))
	return &talk{c, w}
}

func message(id parley.ConversationID, by parley.AuthorKind, text string, at time.Time) *parley.Message {
	return &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: by, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: at}
}

// say adds a message.
func (k *talk) say(by parley.AuthorKind, text string) *parley.Message {
	k.w.Helper()
	m := message(k.ID, by, text, k.w.clock())
	k.w.must(k.w.db.Transact(k.w, sqldb.Turns, func(tx *store.DB) error {
		if err := tx.AddMessage(k.w, k.AccountID, k.AgentID, m, nil); err != nil {
			return err
		}
		return k.record(tx, "message.created")
	}))
	return m
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

func (k *talk) set(column string, value any) {
	k.w.Helper()
	k.change("conversation.changed", func(tx *store.DB) error {
		_, err := tx.SQL().Exec(k.w, `update conversations set `+column+` = ? where id = ?`, value, k.ID)
		return err
	})
}

func (k *talk) remove() {
	k.w.Helper()
	k.w.must(k.w.db.Transact(k.w, sqldb.Turns, func(tx *store.DB) error {
		if _, err := tx.DeleteConversations(k.w, k.AccountID, k.AgentID, []parley.ConversationID{k.ID}, nil, k.w.clock()); err != nil {
			return err
		}
		return tx.Record(k.w, k.AccountID, k.w.clock(), store.Event{Kind: "conversation.deleted", AgentID: k.AgentID, Subject: string(k.ID)})
	}))
}

// settle brings the index up to date.
func (w *world) settle() {
	w.Helper()
	for range 100_000 {
		more, err := w.indexer.Round(w)
		w.must(err)
		if !more {
			return
		}
	}
	w.Fatal("the index never ends")
}

func (w *world) find(q search.Query) *search.Page {
	w.Helper()
	page, err := w.finder.Find(w, w.account, w.agent, q)
	w.must(err)
	return page
}

func ids(page *search.Page) []parley.ConversationID {
	list := []parley.ConversationID{}
	for _, h := range page.Hits {
		list = append(list, h.ID)
	}
	return list
}

// wants holds that a search finds these, in this order.
func (w *world) wants(q search.Query, want ...*talk) {
	w.Helper()
	list := []parley.ConversationID{}
	for _, k := range want {
		list = append(list, k.ID)
	}
	if got := ids(w.find(q)); fmt.Sprint(got) != fmt.Sprint(list) {
		w.Errorf("%+v: found %v, want %v", q, got, list)
	}
}

func (w *world) turn(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}
