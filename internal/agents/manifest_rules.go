package agents

import (
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/wire"
)

// planRules finds out how the routing rules will be, beside the teams as they will be.
func (w *work) planRules(t *target, d *deskPlan) {
	k := kind[parley.Rule]{
		part:  "rule",
		key:   func(r *parley.Rule) string { return r.Key },
		place: func(r *parley.Rule) int { return r.Position },
		show:  d.roster.showRule,
	}
	section := t.Helpdesk.Value.Rules
	path := t.path + ".helpdesk.rules"
	list := k.pair(w.faults, path, section.Value, d.there.Rules)
	count := len(d.there.Rules)
	for _, e := range list {
		if e.there == nil {
			count++
		}
		r, ok := w.planRule(t, d, e)
		if ok && k.compare(t, e, k.show(&r), nil) {
			d.rules = append(d.rules, r)
		}
	}
	gone := k.gone(section, list, d.there.Rules, w.Prune)
	for i := range gone {
		t.changed("delete", k.part, gone[i].Key, k.show(&gone[i]), nil)
		d.goneRules = append(d.goneRules, gone[i].Key)
	}
	if count-len(gone) > helpdesk.MostRules {
		w.faults.say(path, fmt.Sprintf("would make %d rules; an agent has at most %d", count-len(gone), helpdesk.MostRules))
	}
}

// planRule makes a rule of its entry.
func (w *work) planRule(t *target, d *deskPlan, e entry[parley.Rule]) (r parley.Rule, ok bool) {
	var m ManifestRule
	if err := wire.Decode(e.given, &m); err != nil {
		_ = w.faults.take(e.path, err) // wire.Decode fails with faults only
		return r, false
	}
	r = parley.Rule{ID: parley.RuleID(d.id()), AccountID: w.Account.ID, AgentID: t.agent.ID, CreatedAt: t.now}
	if e.there != nil {
		r = *e.there
	}
	r.Key, r.Name, r.Enabled, r.All, r.Any, r.Position, r.UpdatedAt = e.key, m.Name, m.Enabled, m.All, m.Any, e.place, t.now
	if r.Name == "" {
		r.Name = e.key
	}
	r.TeamID, r.MemberID = "", ""
	if m.Team != nil {
		if team := d.roster.team(*m.Team); team != nil {
			r.TeamID = team.ID
		} else {
			w.faults.say(e.path+".team", "the agent has no team "+*m.Team)
		}
	}
	if m.Assignee != nil {
		if user := d.roster.member(*m.Assignee); user != nil {
			r.MemberID = user.ID
		} else {
			w.faults.say(e.path+".assignee", *m.Assignee+" is not a member of the account; `parley member add` makes one")
		}
	}
	_ = w.faults.take(e.path, helpdesk.CheckRule(&r)) // it fails with faults only
	return r, true
}
