package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
)

// ruleSpec is a routing rule as manifests write it. The team is named by its key, or by its name while it has none.
type ruleSpec struct {
	Key      string             `json:"key"`
	Name     string             `json:"name,omitempty" max:"100"`
	Enabled  bool               `json:"enabled" default:"true"`
	All      []parley.Condition `json:"all,omitempty" nullable:"true" max:"50"`
	Any      []parley.Condition `json:"any,omitempty" nullable:"true" max:"50"`
	Team     *string            `json:"team,omitempty" min:"1"`
	Assignee *string            `json:"assignee,omitempty" min:"1"`
}

func (d *directory) encodeRule(rule *parley.Rule) json.RawMessage {
	spec := ruleSpec{Key: rule.Key, Name: rule.Name, Enabled: rule.Enabled, All: rule.All, Any: rule.Any}
	if t := find(d.teams, func(t *parley.Team) bool { return t.ID == rule.TeamID }); t != nil {
		spec.Team = nonEmpty(cmp.Or(t.Key, t.Name))
	}
	if m := find(d.members, func(m *parley.Membership) bool { return m.User.ID == rule.MemberID }); m != nil {
		spec.Assignee = nonEmpty(m.User.Email)
	}
	return mustJSON(spec)
}

func (d *directory) ruleKind() kind[parley.Rule] {
	return kind[parley.Rule]{
		noun:     "rule",
		key:      func(r *parley.Rule) string { return r.Key },
		encode:   d.encodeRule,
		position: func(r *parley.Rule) int { return r.Position },
	}
}

// planRules plans the routing rules, together with the teams as they will be.
func (r *applyRun) planRules(t *target, p *helpdeskPlan) {
	k := p.directory.ruleKind()
	path := t.path + ".helpdesk.rules"
	c := reconcileSection(r.faults, k, path, t.Helpdesk.Value.Rules, p.current.Rules, r.Prune)
	count := len(p.current.Rules)
	for i := range c.entries {
		e := &c.entries[i]
		if e.existing == nil {
			count++
		}
		rule, ok := r.planRule(t, &p.directory, e)
		if ok && k.recordChange(t, e, k.encode(&rule), nil) {
			p.rules = append(p.rules, rule)
		}
	}
	for _, u := range c.unlisted {
		if u.isRemoved {
			count--
			k.recordRemoval(t, u.row)
			p.removedRuleKeys = append(p.removedRuleKeys, u.row.Key)
		}
	}
	if count > helpdesk.MaxRules {
		r.faults.add(path, fmt.Sprintf("would make %d rules; an agent has at most %d", count, helpdesk.MaxRules))
	}
}

// planRule returns the rule of an entry; ok is false if the entry cannot be read.
func (r *applyRun) planRule(t *target, d *directory, e *entry[parley.Rule]) (rule parley.Rule, ok bool) {
	var spec ruleSpec
	if !r.faults.decode(e.path, e.merged, &spec) {
		return rule, false
	}
	rule = parley.Rule{ID: parley.RuleID(t.nextID()), AccountID: r.Account.ID, AgentID: t.agent.ID, CreatedAt: t.now}
	if e.existing != nil {
		rule = *e.existing
	}
	rule.Key, rule.Name, rule.Enabled = e.key, cmp.Or(spec.Name, e.key), spec.Enabled
	rule.All, rule.Any, rule.Position, rule.UpdatedAt = spec.All, spec.Any, e.position, t.now
	rule.TeamID, rule.MemberID = "", ""
	if spec.Team != nil {
		if team := d.team(*spec.Team); team != nil {
			rule.TeamID = team.ID
		} else {
			r.faults.add(e.path+".team", "the agent has no team "+*spec.Team)
		}
	}
	if spec.Assignee != nil {
		if m := d.member(*spec.Assignee); m != nil {
			rule.MemberID = m.User.ID
		} else {
			r.faults.add(e.path+".assignee", *spec.Assignee+" is not a member of the account; `parley member add` makes one")
		}
	}
	_ = r.faults.addError(e.path, helpdesk.CheckRule(&rule)) // it fails with faults only
	return rule, true
}
