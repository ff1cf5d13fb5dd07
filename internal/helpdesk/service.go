// Package helpdesk manages tickets: requests of customers that people answer. Service opens them, assigns them to a
// team and a member, and stores the setup of a help desk: its statuses, teams, members and rules.
package helpdesk

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service manages tickets and the setup of agents' help desks.
type Service struct {
	DB     *store.DB
	Now    func() time.Time
	Logger *slog.Logger
	Wake   func(parley.ConversationID) // wakes the followers of a conversation; may be nil
	Secret []byte                      // signs the links to attachments

	// StoreFiles moves uploaded files to their final place and then calls write for their rows; nil where files are not
	// accepted.
	StoreFiles func(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error
	// ReadFile reads a stored file.
	ReadFile func(ctx context.Context, blob *store.Blob) ([]byte, error)
}

// now returns the time in milliseconds, as the store holds it.
func (d *Service) now() time.Time { return d.Now().UTC().Truncate(time.Millisecond) }

// withHelpdesk runs fn in a transaction that locks the agent's help desk, which is created if missing. Fails with
// AGENT_NOT_FOUND.
func (d *Service) withHelpdesk(ctx context.Context, ref parley.AgentRef, now time.Time,
	fn func(tx *store.DB) error) error {
	return d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := d.lockOrCreate(ctx, tx, ref, now); err != nil {
			return err
		}
		return fn(tx)
	})
}

// createIfMissing creates the agent's help desk unless it exists. Fails with AGENT_NOT_FOUND.
func (d *Service) createIfMissing(ctx context.Context, ref parley.AgentRef) error {
	exists, err := d.DB.HasHelpdesk(ctx, ref)
	if err != nil || exists {
		return err
	}
	return d.withHelpdesk(ctx, ref, d.now(), func(*store.DB) error { return nil })
}

// initialStatuses are the statuses of a new help desk: the default of each category.
var initialStatuses = []struct {
	category parley.StatusCategory
	internal string // what the team reads
	external string // what customers read
}{
	{parley.TicketNew, "New", "New"},
	{parley.TicketOnYou, "Waiting on you", "Open"},
	{parley.TicketOnCustomer, "Waiting on customer", "Awaiting your reply"},
	{parley.TicketOnHold, "On hold", "On hold"},
	{parley.TicketClosed, "Closed", "Closed"},
	{parley.TicketCancelled, "Cancelled", "Cancelled"},
}

// GeneralTeam is the name of the team of a new help desk.
const GeneralTeam = "General"

// lockOrCreate locks the agent's help desk until the transaction ends; it creates one, with its statuses and its team,
// if missing. Fails with AGENT_NOT_FOUND.
func (d *Service) lockOrCreate(ctx context.Context, tx *store.DB, ref parley.AgentRef, now time.Time) error {
	exists, err := tx.LockHelpdesk(ctx, ref)
	if err != nil || exists {
		return err
	}
	if err := tx.CreateHelpdesk(ctx, ref, now); err != nil {
		return err
	}
	team := &parley.Team{ID: parley.TeamID(derivedID(ref.Agent, "team")), AccountID: ref.Account, AgentID: ref.Agent,
		Name: GeneralTeam, IsDefault: true, Strategy: parley.StrategyRoundRobin,
		CreatedAt: now, UpdatedAt: now}
	if err := tx.PutTeam(ctx, team); err != nil {
		return err
	}
	for _, s := range initialStatuses {
		status := &parley.TicketStatus{ID: parley.StatusID(derivedID(ref.Agent, string(s.category))),
			AccountID: ref.Account, AgentID: ref.Agent, Category: s.category,
			InternalLabel: s.internal, ExternalLabel: s.external, IsDefault: true, CreatedAt: now, UpdatedAt: now}
		if err := tx.PutStatus(ctx, status); err != nil {
			return err
		}
	}
	return nil
}

// derivedID returns the id of an initial team or status. It is derived from the agent's, so that a transaction may be
// repeated.
func derivedID(agent parley.AgentID, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(agent)+" helpdesk "+what)).String()
}
