package helpdesk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Statuses lists the agent's ticket statuses by category and position, without the archived ones (facts 4.2a). Fails with AGENT_NOT_FOUND.
func (d *Service) Statuses(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.TicketStatus, error) {
	return d.statuses(ctx, account, agent, false)
}

// AllStatuses is Statuses with the archived ones.
func (d *Service) AllStatuses(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.TicketStatus, error) {
	return d.statuses(ctx, account, agent, true)
}

func (d *Service) statuses(ctx context.Context, account parley.AccountID, agent parley.AgentID, archived bool) ([]parley.TicketStatus, error) {
	if err := d.createIfMissing(ctx, account, agent); err != nil {
		return nil, err
	}
	list, err := d.DB.Statuses(ctx, account, agent, archived)
	order := parley.StatusCategories()
	slices.SortStableFunc(list, func(a, b parley.TicketStatus) int {
		return cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
	})
	return list, err
}

// Teams lists the agent's teams with their members, oldest first (facts 4.2a). Fails with AGENT_NOT_FOUND.
func (d *Service) Teams(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Team, error) {
	if err := d.createIfMissing(ctx, account, agent); err != nil {
		return nil, err
	}
	return d.DB.Teams(ctx, account, agent)
}

// Rules lists the agent's routing rules in their order, those that are switched off too. Fails with AGENT_NOT_FOUND.
func (d *Service) Rules(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Rule, error) {
	if err := d.createIfMissing(ctx, account, agent); err != nil {
		return nil, err
	}
	return d.DB.Rules(ctx, account, agent)
}

// PrepareTx is for those who change a helpdesk in a transaction of their own, and comes before the verbs whose names end in Tx: it
// makes the helpdesk unless it is there, and keeps every other writer out of it. Fails with AGENT_NOT_FOUND.
func (d *Service) PrepareTx(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, now time.Time) error {
	return d.lockOrCreate(ctx, tx, account, agent, now)
}

// auditedChange makes one change of the operator's to an agent's helpdesk, in a transaction that says so in the audit chain.
func (d *Service) auditedChange(ctx context.Context, account parley.AccountID, agent parley.AgentID, by, action string, do func(tx *store.DB, now time.Time) (subject string, facts any, err error)) error {
	now := d.now()
	return d.withHelpdesk(ctx, account, agent, now, func(tx *store.DB) error {
		subject, facts, err := do(tx, now)
		if err != nil {
			return err
		}
		return tx.AppendAuditEvent(ctx, account, now, by, action, subject, facts)
	})
}
