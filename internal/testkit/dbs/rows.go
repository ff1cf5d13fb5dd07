package dbs

import (
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// CreateAccount stores an account with the plan and returns it.
func CreateAccount(t testing.TB, db *store.DB, plan string, now time.Time) parley.Account {
	t.Helper()
	a := parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Acme", Plan: plan, CreatedAt: now}
	if err := db.CreateAccount(t.Context(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// NewAgent returns an agent of the account with usual settings, which is not stored yet.
func NewAgent(account parley.AccountID, now time.Time) *parley.Agent {
	return &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: "Guide", Model: "auto", Visibility: "private",
		RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s", ConfigVersion: 1, CreatedAt: now, UpdatedAt: now}
}

// CreateAgent stores an agent and returns its id.
func CreateAgent(t testing.TB, db *store.DB, a *parley.Agent) parley.AgentID {
	t.Helper()
	if err := db.CreateAgent(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// CreateConversation stores a conversation with the agent, with one question, and returns its id.
func CreateConversation(t testing.TB, db *store.DB, agent parley.AgentRef, now time.Time) parley.ConversationID {
	t.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: agent.Account,
		AgentID: agent.Agent, API: parley.APIV2, Channel: parley.ChannelAPI, Status: parley.ConversationOngoing,
		CreatedAt: now, UpdatedAt: now}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, CreatedAt: now}
	err := db.Transact(t.Context(), sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(t.Context(), c, first, false)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// CountRows returns the number that a query such as `select count(*) from jobs` counts.
func CountRows(t testing.TB, db *sqldb.DB, query string, args ...any) int {
	t.Helper()
	n, err := sqldb.One(t.Context(), db, sqldb.Column[int], query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
