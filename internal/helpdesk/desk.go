// Package helpdesk holds the verbs on tickets: what a customer asks of people. Desk makes them, finds the team and the member who
// is to answer, and keeps what a team has set up: its statuses, its members and its rules.
package helpdesk

import (
	"context"
	"log/slog"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Desk holds the verbs on tickets and on what an agent's helpdesk is made of.
type Desk struct {
	DB     *store.DB
	Now    func() time.Time
	Logger *slog.Logger
	Wake   func(parley.ConversationID) // tells those who follow a conversation; may be nil
	Secret []byte                      // signs the links to attachments

	// Keep moves uploaded files to where their bytes lie and then has their rows written; nil where none are taken.
	Keep func(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error
	// Bytes reads a file from where it lies.
	Bytes func(ctx context.Context, blob *store.Blob) ([]byte, error)
}

// now is the time in what the store keeps of it: milliseconds.
func (d *Desk) now() time.Time { return d.Now().UTC().Truncate(time.Millisecond) }

// transact runs fn once the agent's helpdesk is there and nobody else writes to it. Fails with AGENT_NOT_FOUND.
func (d *Desk) transact(ctx context.Context, account parley.AccountID, agent parley.AgentID, now time.Time, fn func(tx *store.DB) error) error {
	return d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if err := d.ready(ctx, tx, account, agent, now); err != nil {
			return err
		}
		return fn(tx)
	})
}

// made makes the agent's helpdesk unless it is there. Fails with AGENT_NOT_FOUND.
func (d *Desk) made(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	there, err := d.DB.HelpdeskThere(ctx, account, agent)
	if err != nil || there {
		return err
	}
	return d.transact(ctx, account, agent, d.now(), func(*store.DB) error { return nil })
}
