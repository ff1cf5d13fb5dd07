package helpdesk

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// ChangeRules is PutRules of what change makes of the rules that are there, while nobody else changes them. A new rule comes with its
// id and key. It fails as PutRules does, or as change does.
func (d *Service) ChangeRules(ctx context.Context, account parley.AccountID, agent parley.AgentID, by string, change func([]parley.Rule) ([]parley.Rule, error)) error {
	return d.auditedChange(ctx, account, agent, by, "rules.put", func(tx *store.DB, now time.Time) (string, any, error) {
		there, err := tx.Rules(ctx, account, agent)
		if err != nil {
			return "", nil, err
		}
		rules, err := change(there)
		if err != nil {
			return "", nil, err
		}
		return string(agent), map[string]any{"rules": len(rules)}, d.PutRulesTx(ctx, tx, account, agent, rules, now)
	})
}
