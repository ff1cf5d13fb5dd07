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

// Setup is what an agent's helpdesk is set up with, as manifests hold it: all statuses, the archived ones too, by category and
// position, the teams with their members, and the rules in their order.
type Setup struct {
	Handover bool
	Statuses []parley.TicketStatus
	Teams    []parley.Team
	Rules    []parley.Rule
}

// MaxRules is the most routing rules of an agent.
const MaxRules = maxRules

// Setup reads how the agent's helpdesk is set up; nil is one that nobody has needed yet.
func (d *Service) Setup(ctx context.Context, account parley.AccountID, agent parley.AgentID) (*Setup, error) {
	there, err := d.DB.HasHelpdesk(ctx, account, agent)
	if err != nil || !there {
		return nil, err
	}
	return readSetup(ctx, d.DB, account, agent)
}

// SetupTx is ReadyTx, and tells how the helpdesk is set up.
func (d *Service) SetupTx(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, now time.Time) (*Setup, error) {
	if err := d.PrepareTx(ctx, tx, account, agent, now); err != nil {
		return nil, err
	}
	return readSetup(ctx, tx, account, agent)
}

func readSetup(ctx context.Context, db *store.DB, account parley.AccountID, agent parley.AgentID) (s *Setup, err error) {
	s = &Setup{}
	if s.Handover, err = db.HandoverEnabled(ctx, account, agent); err != nil {
		return nil, err
	}
	if s.Statuses, err = db.Statuses(ctx, account, agent, true); err != nil {
		return nil, err
	}
	order := parley.StatusCategories()
	slices.SortStableFunc(s.Statuses, func(a, b parley.TicketStatus) int {
		return cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
	})
	if s.Teams, err = db.Teams(ctx, account, agent); err != nil {
		return nil, err
	}
	s.Rules, err = db.Rules(ctx, account, agent)
	return s, err
}

// CheckHours fails with VALIDATION_INVALID_BODY and what is wrong with shifts, at their places below path.
func CheckHours(path string, hours []parley.WorkingHours) error {
	faults := map[string]string{}
	checkHours(faults, path, hours)
	return invalidError(faults)
}

// CheckRule fails with VALIDATION_INVALID_BODY and what is wrong with a rule. Whether its team and its member are there it does not ask.
func CheckRule(r *parley.Rule) error { return checkRule(r) }

var keyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// IsKey reports whether the text may be the key of a status, a team or a rule: manifests name them by it.
func IsKey(text string) bool { return keyPattern.MatchString(text) }
