package agents

import (
	"context"

	"parley"
	"parley/internal/helpdesk"
)

// helpdeskPlan is what becomes of an agent's helpdesk.
type helpdeskPlan struct {
	current *helpdesk.Setup
	roster  directory // with the teams as they will be
	ids     []string  // for what is new

	statuses        []parley.TicketStatus
	teams           []parley.Team
	removedTeams    []parley.TeamID
	rules           []parley.Rule
	removedRuleKeys []string // keys
}

// nextID returns an id for something new; there are as many as entries.
func (d *helpdeskPlan) nextID() string {
	id := d.ids[0]
	d.ids = d.ids[1:]
	return id
}

// planHelpdesk finds out what becomes of the agent's helpdesk, and writes it.
func (w *applyRun) planHelpdesk(ctx context.Context, t *target) error {
	if !t.Helpdesk.Present {
		return nil
	}
	d := &helpdeskPlan{ids: t.helpdeskIDs}
	var err error
	if d.roster.members, err = w.tx.Members(ctx, w.Account.ID); err != nil {
		return err
	}
	if d.current, err = w.lockHelpdesk(ctx, t); err != nil {
		return err
	}
	changes := len(t.applied.Changes)
	section := t.Helpdesk.Value
	if section.Handover.Present && section.Handover.Value != d.current.Handover {
		t.addChange("update", "helpdesk", "", jsonObject("handover", d.current.Handover), jsonObject("handover", section.Handover.Value))
	}
	w.planStatuses(t, d)
	w.planTeams(t, d)
	w.planRules(t, d)
	if len(w.faults) > 0 || len(t.applied.Changes) == changes {
		return nil
	}
	w.recordOnce(t, "agent.updated")
	return w.writeHelpdesk(ctx, t, d)
}

// lockHelpdesk reads the helpdesk and holds it. An agent that is not written, since there are faults, would get one with the usual team.
func (w *applyRun) lockHelpdesk(ctx context.Context, t *target) (*helpdesk.Setup, error) {
	if t.isNew && len(w.faults) > 0 {
		return &helpdesk.Setup{Handover: true, Teams: []parley.Team{{ID: "general", Name: helpdesk.GeneralTeam, Strategy: parley.StrategyRoundRobin, IsDefault: true}}}, nil
	}
	return w.Helpdesk.SetupTx(ctx, w.tx, w.Account.ID, t.agent.ID, t.now)
}

// checkHours finds fault with shifts.
func (w *applyRun) checkHours(path string, hours []parley.WorkingHours) {
	_ = w.faults.addError(path, helpdesk.CheckHours("hours", hours)) // it fails with faults only
}
