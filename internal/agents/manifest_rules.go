package agents

import (
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// planRules finds out how the routing rules will be, beside the teams as they will be.
func (w *applyRun) planRules(t *target, d *helpdeskPlan) {
	k := entryKind[parley.Rule]{
		part:     "rule",
		key:      func(r *parley.Rule) string { return r.Key },
		position: func(r *parley.Rule) int { return r.Position },
		encode:   d.roster.showRule,
	}
	section := t.Helpdesk.Value.Rules
	path := t.path + ".helpdesk.rules"
	list := k.matchEntries(w.faults, path, section.Value, d.current.Rules)
	count := len(d.current.Rules)
	for _, e := range list {
		if e.current == nil {
			count++
		}
		r, ok := w.planRule(t, d, e)
		if ok && k.recordChange(t, e, k.encode(&r), nil) {
			d.rules = append(d.rules, r)
		}
	}
	gone := k.removed(section, list, d.current.Rules, w.Prune)
	for i := range gone {
		t.addChange("delete", k.part, gone[i].Key, k.encode(&gone[i]), nil)
		d.removedRuleKeys = append(d.removedRuleKeys, gone[i].Key)
	}
	if count-len(gone) > helpdesk.MaxRules {
		w.faults.add(path, fmt.Sprintf("would make %d rules; an agent has at most %d", count-len(gone), helpdesk.MaxRules))
	}
}

// planRule makes a rule of its entry.
func (w *applyRun) planRule(t *target, d *helpdeskPlan, e entry[parley.Rule]) (r parley.Rule, ok bool) {
	var m ManifestRule
	if err := httpapi.Decode(e.merged, &m); err != nil {
		_ = w.faults.addError(e.path, err) // httpapi.Decode fails with faults only
		return r, false
	}
	r = parley.Rule{ID: parley.RuleID(d.nextID()), AccountID: w.Account.ID, AgentID: t.agent.ID, CreatedAt: t.now}
	if e.current != nil {
		r = *e.current
	}
	r.Key, r.Name, r.Enabled, r.All, r.Any, r.Position, r.UpdatedAt = e.key, m.Name, m.Enabled, m.All, m.Any, e.position, t.now
	if r.Name == "" {
		r.Name = e.key
	}
	r.TeamID, r.MemberID = "", ""
	if m.Team != nil {
		if team := d.roster.team(*m.Team); team != nil {
			r.TeamID = team.ID
		} else {
			w.faults.add(e.path+".team", "the agent has no team "+*m.Team)
		}
	}
	if m.Assignee != nil {
		if user := d.roster.member(*m.Assignee); user != nil {
			r.MemberID = user.ID
		} else {
			w.faults.add(e.path+".assignee", *m.Assignee+" is not a member of the account; `parley member add` makes one")
		}
	}
	_ = w.faults.addError(e.path, helpdesk.CheckRule(&r)) // it fails with faults only
	return r, true
}
