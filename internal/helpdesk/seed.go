package helpdesk

import (
	"context"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/store"
)

// initialStatuses are the statuses that every helpdesk begins with: the default of each category.
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

// GeneralTeam is the name of the team that every helpdesk begins with.
const GeneralTeam = "General"

// lockOrCreate makes the agent's helpdesk, with its statuses and its team, unless it is there, and keeps every other writer out of it until
// the transaction ends. Fails with AGENT_NOT_FOUND.
func (d *Service) lockOrCreate(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, now time.Time) error {
	there, err := tx.LockHelpdesk(ctx, account, agent)
	if err != nil || there {
		return err
	}
	if err := tx.CreateHelpdesk(ctx, account, agent, now); err != nil {
		return err
	}
	team := &parley.Team{ID: parley.TeamID(derivedID(agent, "team")), AccountID: account, AgentID: agent, Name: GeneralTeam, IsDefault: true, Strategy: parley.StrategyRoundRobin,
		CreatedAt: now, UpdatedAt: now}
	if err := tx.PutTeam(ctx, team); err != nil {
		return err
	}
	for _, s := range initialStatuses {
		status := &parley.TicketStatus{ID: parley.StatusID(derivedID(agent, string(s.category))), AccountID: account, AgentID: agent, Category: s.category,
			InternalLabel: s.internal, ExternalLabel: s.external, IsDefault: true, CreatedAt: now, UpdatedAt: now}
		if err := tx.PutStatus(ctx, status); err != nil {
			return err
		}
	}
	return nil
}

// derivedID is the id of something that a helpdesk begins with. It follows from the agent's, so that a transaction may be repeated.
func derivedID(agent parley.AgentID, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(agent)+" helpdesk "+what)).String()
}
