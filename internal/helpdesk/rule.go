package helpdesk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// MaxRules is the most routing rules of an agent.
const MaxRules = 200

// The most of what rules hold.
const (
	maxConditions = 50
	maxValues     = 100
	maxValueRunes = 500 // characters
)

// CheckRule checks a rule, except that its team and its member exist. Fails with VALIDATION_INVALID_BODY.
func CheckRule(r *parley.Rule) error {
	faults := map[string]string{}
	checkKey(faults, r.Key)
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

// ChangeRules replaces the agent's routing rules by the result of change for the existing ones, in this order, under
// the lock of the help desk: rules with known keys are changed, and those that are not in the list are removed. New
// rules have an id and a key. Fails with AGENT_NOT_FOUND, TICKET_TEAM_NOT_FOUND, TICKET_TEAM_MEMBER_NOT_FOUND and
// VALIDATION_INVALID_BODY, whose details begin with the rule's place in the list, or as change does.
func (s *Service) ChangeRules(ctx context.Context, ref parley.AgentRef, by string,
	change func([]parley.Rule) ([]parley.Rule, error)) error {
	return s.auditedUpdate(ctx, ref, by, "rules.put", func(u *update) (string, any, error) {
		existing, err := u.tx.Rules(ctx, ref)
		if err != nil {
			return "", nil, err
		}
		rules, err := change(slices.Clone(existing))
		if err != nil {
			return "", nil, err
		}
		return string(ref.Agent), map[string]any{"rules": len(rules)}, u.replaceRules(ctx, ref, existing, rules)
	})
}

func (u *update) replaceRules(ctx context.Context, ref parley.AgentRef, existing, rules []parley.Rule) error {
	if len(rules) > MaxRules {
		return parley.Invalid("rules", fmt.Sprintf("must be at most %d", MaxRules))
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
		r.AccountID, r.AgentID, r.Position, r.UpdatedAt = ref.Account, ref.Agent, i, u.now
		if r.CreatedAt.IsZero() {
			r.CreatedAt = u.now
		}
		if err := putRule(ctx, u.tx, &r, known[r.Key]); err != nil {
			return prefixFaults(fmt.Sprint(i), err)
		}
	}
	for _, r := range existing {
		if !stay[r.Key] {
			if err := u.tx.DropRule(ctx, ref, r.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// putRule stores a rule. A member of the rule before who has left the account may stay in it: nobody gets their
// tickets.
func putRule(ctx context.Context, tx *store.DB, r *parley.Rule, before parley.Rule) error {
	if err := CheckRule(r); err != nil {
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
