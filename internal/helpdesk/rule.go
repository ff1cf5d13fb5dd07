package helpdesk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// The most of what rules hold.
const (
	maxRules      = 200
	maxConditions = 50
	maxValues     = 100
	maxValueRunes = 500 // characters
)

// checkRule returns what is wrong with a rule.
func checkRule(r *parley.Rule) error {
	faults := map[string]string{}
	checkLabel(faults, "name", r.Name)
	checkConditions(faults, "all", r.All)
	checkConditions(faults, "any", r.Any)
	if r.TeamID == "" && r.MemberID == "" {
		faults["team"] = "must be named, or an assignee"
	}
	return parley.InvalidFields(faults)
}

func checkConditions(faults map[string]string, path string, list []parley.Condition) {
	if len(list) > maxConditions {
		faults[path] = fmt.Sprintf("must have at most %d conditions", maxConditions)
	}
	for i, c := range list {
		at := fmt.Sprintf("%s.%d.", path, i)
		if !slices.Contains(ConditionFields, c.Field) {
			faults[at+"field"] = "must be one of: " + strings.Join(ConditionFields, ", ")
		}
		if !slices.Contains(ConditionOperators, c.Op) {
			faults[at+"op"] = "must be one of: " + strings.Join(ConditionOperators, ", ")
		}
		if len(c.Values) < 1 || len(c.Values) > maxValues {
			faults[at+"values"] = fmt.Sprintf("must have 1 to %d values", maxValues)
		}
		for j, v := range c.Values {
			if n := utf8.RuneCountInString(v); n > maxValueRunes || normalize(v) == "" {
				faults[fmt.Sprintf("%svalues.%d", at, j)] = fmt.Sprintf("must have 1 to %d characters", maxValueRunes)
			} else if text := invalidValueReason(c.Field, v); text != "" {
				faults[fmt.Sprintf("%svalues.%d", at, j)] = text
			}
		}
	}
}

// invalidValueReason says what is wrong with a value that its field cannot have, or nothing.
func invalidValueReason(field, value string) string {
	if field == "channel" && !slices.Contains(parley.TicketChannels(), parley.TicketChannel(normalize(value))) {
		return "is no channel of tickets"
	}
	if field == "priority" && !slices.Contains(parley.Priorities(), normalize(value)) {
		return "must be one of: " + strings.Join(parley.Priorities(), ", ")
	}
	return ""
}

// PutRules replaces the agent's routing rules by these, in this order: rules with known keys are changed, and those
// that are not in the list are removed. A rule without a key gets one. Fails with AGENT_NOT_FOUND,
// TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and VALIDATION_INVALID_BODY, whose details begin with the rule's
// place in the list.
func (d *Service) PutRules(ctx context.Context, ref parley.AgentRef, rules []parley.Rule, by string) error {
	ids := ruleIDs(rules)
	return d.auditedChange(ctx, ref, by, "rules.put", func(tx *store.DB, now time.Time) (string, any, error) {
		return string(ref.Agent), map[string]any{"rules": len(rules)}, d.PutRulesTx(ctx, tx, ref, withIDs(rules, ids), now)
	})
}

// ruleIDs returns an id for each rule, to be used where it is new.
func ruleIDs(rules []parley.Rule) []parley.RuleID {
	ids := make([]parley.RuleID, len(rules))
	for i := range ids {
		ids[i] = parley.RuleID(parley.NewUUID())
	}
	return ids
}

func withIDs(rules []parley.Rule, ids []parley.RuleID) []parley.Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].ID == "" {
			rules[i].ID = ids[i]
		}
		if rules[i].Key == "" {
			rules[i].Key = string(rules[i].ID)
		}
	}
	return rules
}

// PutRulesTx is PutRules after PrepareTx; each rule has an id and a key.
func (d *Service) PutRulesTx(ctx context.Context, tx *store.DB, ref parley.AgentRef, rules []parley.Rule,
	now time.Time) error {
	if len(rules) > maxRules {
		return parley.Invalid("rules", fmt.Sprintf("must be at most %d", maxRules))
	}
	existing, err := tx.Rules(ctx, ref)
	if err != nil {
		return err
	}
	known := map[string]parley.Rule{}
	for _, r := range existing {
		known[r.Key] = r
	}
	stay := map[string]bool{}
	for i, r := range rules {
		if stay[r.Key] {
			return parley.Invalid(fmt.Sprintf("%d.key", i), "is another rule's")
		}
		stay[r.Key] = true
		r.AccountID, r.AgentID, r.Position, r.UpdatedAt = ref.Account, ref.Agent, i, now
		if r.CreatedAt.IsZero() {
			r.CreatedAt = now
		}
		if err := d.putRule(ctx, tx, &r, known[r.Key]); err != nil {
			return prefixFaults(fmt.Sprint(i), err)
		}
	}
	for _, r := range existing {
		if !stay[r.Key] {
			if err := tx.DropRule(ctx, ref, r.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// putRule stores a rule. A member of the rule before who has left the account may stay in it: nobody gets their
// tickets.
func (d *Service) putRule(ctx context.Context, tx *store.DB, r *parley.Rule, before parley.Rule) error {
	if err := checkRule(r); err != nil {
		return err
	}
	if r.TeamID != "" {
		if _, err := tx.Team(ctx, r.AgentRef(), r.TeamID); err != nil {
			return err
		}
	}
	if r.MemberID != before.MemberID && r.MemberID != "" {
		if _, err := tx.Member(ctx, r.AccountID, r.MemberID, parley.CodeTicketMember); err != nil {
			return err
		}
	}
	return tx.PutRule(ctx, r)
}

// prefixFaults moves the fields of faults below a path.
func prefixFaults(path string, err error) error {
	if !parley.IsCode(err, parley.CodeInvalidBody) {
		return err
	}
	e := *parley.AsError(err)
	faults := map[string]string{}
	for field, text := range e.Details {
		faults[path+"."+field] = text
	}
	e.Details = faults
	return &e
}

// ChangeRules is PutRules with the result of change for the existing rules, under the lock of the help desk. New rules
// have an id and a key. It fails as PutRules does, or as change does.
func (d *Service) ChangeRules(ctx context.Context, ref parley.AgentRef, by string,
	change func([]parley.Rule) ([]parley.Rule, error)) error {
	return d.auditedChange(ctx, ref, by, "rules.put", func(tx *store.DB, now time.Time) (string, any, error) {
		existing, err := tx.Rules(ctx, ref)
		if err != nil {
			return "", nil, err
		}
		rules, err := change(existing)
		if err != nil {
			return "", nil, err
		}
		return string(ref.Agent), map[string]any{"rules": len(rules)}, d.PutRulesTx(ctx, tx, ref, rules, now)
	})
}
