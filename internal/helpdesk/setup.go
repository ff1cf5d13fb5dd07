package helpdesk

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Statuses returns the agent's ticket statuses by category and position, without the archived ones. Fails with
// AGENT_NOT_FOUND.
func (d *Service) Statuses(ctx context.Context, ref parley.AgentRef) ([]parley.TicketStatus, error) {
	return d.statuses(ctx, ref, false)
}

// AllStatuses is Statuses with the archived ones.
func (d *Service) AllStatuses(ctx context.Context, ref parley.AgentRef) ([]parley.TicketStatus, error) {
	return d.statuses(ctx, ref, true)
}

func (d *Service) statuses(ctx context.Context, ref parley.AgentRef, archived bool) ([]parley.TicketStatus, error) {
	if err := d.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	list, err := d.DB.Statuses(ctx, ref, archived)
	order := parley.StatusCategories()
	slices.SortStableFunc(list, func(a, b parley.TicketStatus) int {
		return cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
	})
	return list, err
}

// Teams returns the agent's teams with their members, oldest first. Fails with AGENT_NOT_FOUND.
func (d *Service) Teams(ctx context.Context, ref parley.AgentRef) ([]parley.Team, error) {
	if err := d.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return d.DB.Teams(ctx, ref)
}

// Rules returns the agent's routing rules in their order, also those that are switched off. Fails with AGENT_NOT_FOUND.
func (d *Service) Rules(ctx context.Context, ref parley.AgentRef) ([]parley.Rule, error) {
	if err := d.createIfMissing(ctx, ref); err != nil {
		return nil, err
	}
	return d.DB.Rules(ctx, ref)
}

// PrepareTx locks the agent's help desk for a transaction of the caller, before methods whose names end in Tx. It
// creates a missing help desk. Fails with AGENT_NOT_FOUND.
func (d *Service) PrepareTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, now time.Time) error {
	return d.lockOrCreate(ctx, tx, ref, now)
}

// auditedChange makes a change of the operator to an agent's help desk, and records it in the audit chain in the same
// transaction.
func (d *Service) auditedChange(ctx context.Context, ref parley.AgentRef, by, action string,
	do func(tx *store.DB, now time.Time) (subject string, facts any, err error)) error {
	now := d.now()
	return d.withHelpdesk(ctx, ref, now, func(tx *store.DB) error {
		subject, facts, err := do(tx, now)
		if err != nil {
			return err
		}
		return tx.AppendAuditEvent(ctx, ref.Account, now, by, action, subject, facts)
	})
}

// Setup is the setup of an agent's help desk: all statuses, also archived ones, by category and position, the teams
// with their members, and the rules in their order.
type Setup struct {
	Handover bool
	Statuses []parley.TicketStatus
	Teams    []parley.Team
	Rules    []parley.Rule
}

// MaxRules is the most routing rules of an agent.
const MaxRules = maxRules

// Setup returns the setup of the agent's help desk, or nil where none has been needed yet.
func (d *Service) Setup(ctx context.Context, ref parley.AgentRef) (*Setup, error) {
	exists, err := d.DB.HasHelpdesk(ctx, ref)
	if err != nil || !exists {
		return nil, err
	}
	return readSetup(ctx, d.DB, ref)
}

// SetupTx is PrepareTx, and returns the setup.
func (d *Service) SetupTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, now time.Time) (*Setup, error) {
	if err := d.PrepareTx(ctx, tx, ref, now); err != nil {
		return nil, err
	}
	return readSetup(ctx, tx, ref)
}

func readSetup(ctx context.Context, db *store.DB, ref parley.AgentRef) (s *Setup, err error) {
	s = &Setup{}
	if s.Handover, err = db.HandoverEnabled(ctx, ref); err != nil {
		return nil, err
	}
	if s.Statuses, err = db.Statuses(ctx, ref, true); err != nil {
		return nil, err
	}
	order := parley.StatusCategories()
	slices.SortStableFunc(s.Statuses, func(a, b parley.TicketStatus) int {
		return cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
	})
	if s.Teams, err = db.Teams(ctx, ref); err != nil {
		return nil, err
	}
	s.Rules, err = db.Rules(ctx, ref)
	return s, err
}

// CheckHours checks shifts. Fails with VALIDATION_INVALID_BODY, with details below path.
func CheckHours(path string, hours []parley.WorkingHours) error {
	faults := map[string]string{}
	checkHours(faults, path, hours)
	return parley.InvalidFields(faults)
}

// CheckRule checks a rule, except that its team and its member exist. Fails with VALIDATION_INVALID_BODY.
func CheckRule(r *parley.Rule) error { return checkRule(r) }

var keyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// IsKey reports whether the text may be the key of a status, a team or a rule, by which manifests refer to them.
func IsKey(text string) bool { return keyPattern.MatchString(text) }
