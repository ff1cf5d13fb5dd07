package helpdesk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Statuses returns the agent's ticket statuses by category and position, without the archived ones. Fails with
// AGENT_NOT_FOUND.
func (s *Service) Statuses(ctx context.Context, ref parley.AgentRef) ([]parley.TicketStatus, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return sortedStatuses(ctx, s.DB, ref, false)
}

// AllStatuses is Statuses with the archived ones.
func (s *Service) AllStatuses(ctx context.Context, ref parley.AgentRef) ([]parley.TicketStatus, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return sortedStatuses(ctx, s.DB, ref, true)
}

func sortedStatuses(ctx context.Context, db *store.DB, ref parley.AgentRef,
	archived bool) ([]parley.TicketStatus, error) {
	list, err := db.Statuses(ctx, ref, archived)
	order := parley.StatusCategories()
	slices.SortStableFunc(list, func(a, b parley.TicketStatus) int {
		return cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
	})
	return list, err
}

// Teams returns the agent's teams with their members, oldest first. Fails with AGENT_NOT_FOUND.
func (s *Service) Teams(ctx context.Context, ref parley.AgentRef) ([]parley.Team, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return s.DB.Teams(ctx, ref)
}

// Rules returns the agent's routing rules in their order, also those that are switched off. Fails with AGENT_NOT_FOUND.
func (s *Service) Rules(ctx context.Context, ref parley.AgentRef) ([]parley.Rule, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return s.DB.Rules(ctx, ref)
}

// Setup is the setup of an agent's help desk: all statuses, also archived ones, by category and position, the teams
// with their members, the rules in their order, and the SLA targets.
type Setup struct {
	Handover bool
	Statuses []parley.TicketStatus
	Teams    []parley.Team
	Rules    []parley.Rule
	Targets  []parley.SLATarget
}

// Setup returns the setup of the agent's help desk, or nil if none has been needed yet.
func (s *Service) Setup(ctx context.Context, ref parley.AgentRef) (*Setup, error) {
	exists, err := s.DB.HasHelpdesk(ctx, ref)
	if err != nil || !exists {
		return nil, err
	}
	return readSetup(ctx, s.DB, ref)
}

// SetupTx locks the agent's help desk for a transaction of the caller, before other methods whose names end in Tx, and
// returns its setup. It creates a missing help desk. Fails with AGENT_NOT_FOUND.
func (s *Service) SetupTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, now time.Time) (*Setup, error) {
	u := s.newUpdate(tx, now)
	if err := u.lockOrCreate(ctx, ref); err != nil {
		return nil, err
	}
	return readSetup(ctx, tx, ref)
}

func readSetup(ctx context.Context, db *store.DB, ref parley.AgentRef) (s *Setup, err error) {
	s = &Setup{}
	if s.Handover, err = db.HandoverEnabled(ctx, ref); err != nil {
		return nil, err
	}
	if s.Statuses, err = sortedStatuses(ctx, db, ref, true); err != nil {
		return nil, err
	}
	if s.Teams, err = db.Teams(ctx, ref); err != nil {
		return nil, err
	}
	if s.Rules, err = db.Rules(ctx, ref); err != nil {
		return nil, err
	}
	s.Targets, err = db.SLATargets(ctx, ref)
	return s, err
}
