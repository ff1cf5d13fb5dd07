// Package helpdesk holds the verbs on tickets: what a customer asks of people. Service makes them, finds the team and the member who
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

// Service holds the verbs on tickets and on what an agent's helpdesk is made of.
type Service struct {
	DB     *store.DB
	Now    func() time.Time
	Logger *slog.Logger
	Wake   func(parley.ConversationID) // tells those who follow a conversation; may be nil
	Secret []byte                      // signs the links to attachments

	// Keep moves uploaded files to where their bytes lie and then has their rows written; nil where none are taken.
	StoreFiles func(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error
	// Bytes reads a file from where it lies.
	ReadFile func(ctx context.Context, blob *store.Blob) ([]byte, error)
}

// now is the time in what the store keeps of it: milliseconds.
func (d *Service) now() time.Time { return d.Now().UTC().Truncate(time.Millisecond) }

// withHelpdesk runs fn once the agent's helpdesk is there and nobody else writes to it. Fails with AGENT_NOT_FOUND.
func (d *Service) withHelpdesk(ctx context.Context, account parley.AccountID, agent parley.AgentID, now time.Time, fn func(tx *store.DB) error) error {
	return d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := d.lockOrCreate(ctx, tx, account, agent, now); err != nil {
			return err
		}
		return fn(tx)
	})
}

// createIfMissing makes the agent's helpdesk unless it is there. Fails with AGENT_NOT_FOUND.
func (d *Service) createIfMissing(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	there, err := d.DB.HasHelpdesk(ctx, account, agent)
	if err != nil || there {
		return err
	}
	return d.withHelpdesk(ctx, account, agent, d.now(), func(*store.DB) error { return nil })
}
