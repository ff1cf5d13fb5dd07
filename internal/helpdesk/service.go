// Package helpdesk manages tickets: requests of customers that people answer. Service opens them, assigns them to a
// team and a member, and stores the setup of a help desk: its statuses, teams, members and rules.
package helpdesk

import (
	"context"
	"log/slog"
	"slices"
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

	// StoreFiles moves uploaded files to their final place and then calls write for their rows; nil if files are not
	// accepted.
	StoreFiles func(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error
	// DeleteUnusedFiles deletes the files of an agent that nothing refers to; may be nil.
	DeleteUnusedFiles func(context.Context, parley.AgentRef) error
	// ReadFile reads a stored file.
	ReadFile func(ctx context.Context, blob *store.Blob) ([]byte, error)
	// ReadText reads the text of a file that a stranger has uploaded for an agent; nil if such files are not read.
	ReadText func(ctx context.Context, agent parley.AgentID, f File) (string, error)
}

// now returns the time in milliseconds, as the store holds it.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// update is a change of help desks and tickets: a transaction, and the time of all that it writes.
type update struct {
	*Service
	tx       *store.DB
	now      time.Time
	breaches []store.NewEvent // of SLA targets that were found to be missed, which recordEvents records with the others
}

func (s *Service) newUpdate(tx *store.DB, now time.Time) *update {
	return &update{Service: s, tx: tx, now: now}
}

// recordEvents records the events of a change of tickets. Call it last in a transaction: it locks the account's row.
func (u *update) recordEvents(ctx context.Context, account parley.AccountID, events ...store.NewEvent) error {
	events = append(events, u.breaches...)
	u.breaches = nil
	for batch := range slices.Chunk(events, recordBatchSize) {
		if err := u.tx.RecordEvents(ctx, account, u.now, batch...); err != nil {
			return err
		}
	}
	return nil
}

// recordBatchSize is how many events one statement records.
const recordBatchSize = 500

// updateHelpdesk runs do in a transaction that locks the agent's help desk, which is created if missing. Fails with
// AGENT_NOT_FOUND.
func (s *Service) updateHelpdesk(ctx context.Context, ref parley.AgentRef, do func(u *update) error) error {
	now := s.now()
	return s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		u := s.newUpdate(tx, now)
		if err := u.lockOrCreate(ctx, ref); err != nil {
			return err
		}
		return do(u)
	})
}

// auditedUpdate makes a change of the operator to an agent's help desk, and records it in the audit chain in the same
// transaction.
func (s *Service) auditedUpdate(ctx context.Context, ref parley.AgentRef, by, action string,
	do func(u *update) (subject string, facts any, err error)) error {
	return s.updateHelpdesk(ctx, ref, func(u *update) error {
		subject, facts, err := do(u)
		if err != nil {
			return err
		}
		return u.tx.AppendAuditEvent(ctx, ref.Account, u.now, by, action, subject, facts)
	})
}

// createIfMissing creates the agent's help desk unless it exists. Fails with AGENT_NOT_FOUND.
func (s *Service) createIfMissing(ctx context.Context, ref parley.AgentRef) error {
	exists, err := s.DB.HasHelpdesk(ctx, ref)
	if err != nil || exists {
		return err
	}
	return s.updateHelpdesk(ctx, ref, func(*update) error { return nil })
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
func (u *update) lockOrCreate(ctx context.Context, ref parley.AgentRef) error {
	exists, err := u.tx.LockHelpdesk(ctx, ref)
	if err != nil || exists {
		return err
	}
	if err := u.tx.CreateHelpdesk(ctx, ref, u.now); err != nil {
		return err
	}
	team := &parley.Team{ID: parley.TeamID(derivedID(ref.Agent, "team")), AccountID: ref.Account, AgentID: ref.Agent,
		Name: GeneralTeam, IsDefault: true, Strategy: parley.StrategyRoundRobin, CreatedAt: u.now, UpdatedAt: u.now}
	if err := u.tx.PutTeam(ctx, team); err != nil {
		return err
	}
	for _, s := range initialStatuses {
		status := &parley.TicketStatus{ID: parley.StatusID(derivedID(ref.Agent, string(s.category))),
			AccountID: ref.Account, AgentID: ref.Agent, Category: s.category, InternalLabel: s.internal,
			ExternalLabel: s.external, IsDefault: true, CreatedAt: u.now, UpdatedAt: u.now}
		if err := u.tx.PutStatus(ctx, status); err != nil {
			return err
		}
	}
	return nil
}

// derivedID returns the id of an initial team or status. It is derived from the agent's, so that a transaction may be
// repeated.
func derivedID(agent parley.AgentID, kind string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(agent)+" helpdesk "+kind)).String()
}
