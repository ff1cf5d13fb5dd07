package agents

import (
	"context"

	"parley"
	"parley/internal/helpdesk"
)

// deskPlan is what becomes of an agent's helpdesk.
type deskPlan struct {
	there  *helpdesk.Setup
	roster roster   // with the teams as they will be
	ids    []string // for what is new

	statuses  []parley.TicketStatus
	teams     []parley.Team
	goneTeams []parley.TeamID
	rules     []parley.Rule
	goneRules []string // keys
}

// id gives an id for something new; there are as many as entries.
func (d *deskPlan) id() string {
	id := d.ids[0]
	d.ids = d.ids[1:]
	return id
}

// planHelpdesk finds out what becomes of the agent's helpdesk, and writes it.
func (w *work) planHelpdesk(ctx context.Context, t *target) error {
	if !t.Helpdesk.Set {
		return nil
	}
	d := &deskPlan{ids: t.deskIDs}
	var err error
	if d.roster.members, err = w.tx.Members(ctx, w.Account.ID); err != nil {
		return err
	}
	if d.there, err = w.deskThere(ctx, t); err != nil {
		return err
	}
	changes := len(t.applied.Changes)
	section := t.Helpdesk.Value
	if section.Handover.Set && section.Handover.Value != d.there.Handover {
		t.changed("update", "helpdesk", "", object("handover", d.there.Handover), object("handover", section.Handover.Value))
	}
	w.planStatuses(t, d)
	w.planTeams(t, d)
	w.planRules(t, d)
	if len(w.faults) > 0 || len(t.applied.Changes) == changes {
		return nil
	}
	w.record(t, "agent.updated")
	return w.writeDesk(ctx, t, d)
}

// deskThere reads the helpdesk and holds it. An agent that is not written, since there are faults, would get one with the usual team.
func (w *work) deskThere(ctx context.Context, t *target) (*helpdesk.Setup, error) {
	if t.isNew && len(w.faults) > 0 {
		return &helpdesk.Setup{Handover: true, Teams: []parley.Team{{ID: "general", Name: helpdesk.GeneralTeam, Strategy: parley.StrategyRoundRobin, IsDefault: true}}}, nil
	}
	return w.Helpdesk.SetupTx(ctx, w.tx, w.Account.ID, t.agent.ID, t.now)
}

// checkHours finds fault with shifts.
func (w *work) checkHours(path string, hours []parley.Shift) {
	_ = w.faults.take(path, helpdesk.CheckHours("hours", hours)) // it fails with faults only
}
