package agents

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/helpdesk"
)

// writeHelpdesk brings the helpdesk into the database.
func (w *applyRun) writeHelpdesk(ctx context.Context, t *target, d *helpdeskPlan) error {
	account, agent := w.Account.ID, t.agent.ID
	if h := t.Helpdesk.Value.Handover; h.Present && h.Value != d.current.Handover {
		if err := w.tx.SetHandoverEnabled(ctx, account, agent, h.Value, t.now); err != nil {
			return err
		}
	}
	if err := w.writeStatuses(ctx, d); err != nil {
		return err
	}
	if err := w.writeTeams(ctx, t, d); err != nil {
		return err
	}
	for _, key := range d.removedRuleKeys {
		if err := w.tx.DropRule(ctx, account, agent, key); err != nil {
			return err
		}
	}
	for i := range d.rules {
		if err := w.tx.PutRule(ctx, &d.rules[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeStatuses writes the new defaults first: they take the mark off the old ones.
func (w *applyRun) writeStatuses(ctx context.Context, d *helpdeskPlan) error {
	slices.SortStableFunc(d.statuses, func(a, b parley.TicketStatus) int { return compareTrueFirst(a.IsDefault, b.IsDefault) })
	for i := range d.statuses {
		if err := w.Helpdesk.PutStatusTx(ctx, w.tx, &d.statuses[i]); err != nil {
			return err
		}
	}
	return nil
}

// compareTrueFirst sorts what is marked before what is not.
func compareTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// writeTeams writes the teams with their members, the new default first. Names that move are out of the way before.
func (w *applyRun) writeTeams(ctx context.Context, t *target, d *helpdeskPlan) error {
	if err := w.clearNames(ctx, d); err != nil {
		return err
	}
	slices.SortStableFunc(d.teams, func(a, b parley.Team) int { return compareTrueFirst(a.IsDefault, b.IsDefault) })
	for i := range d.teams {
		if err := w.Helpdesk.PutTeamTx(ctx, w.tx, &d.teams[i]); err != nil {
			return err
		}
		if err := w.writeTeamMembers(ctx, &d.teams[i], d.current); err != nil {
			return err
		}
	}
	for _, id := range d.removedTeams {
		if err := w.Helpdesk.RemoveTeamTx(ctx, w.tx, w.Account.ID, t.agent.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// clearNames returns teams whose names move the names of their ids for a moment: no two may share one.
func (w *applyRun) clearNames(ctx context.Context, d *helpdeskPlan) error {
	for i := range d.current.Teams {
		before := d.current.Teams[i]
		moves := slices.ContainsFunc(d.teams, func(t parley.Team) bool { return t.ID == before.ID && !strings.EqualFold(t.Name, before.Name) })
		if !moves && !slices.Contains(d.removedTeams, before.ID) {
			continue
		}
		before.Name = string(before.ID)
		if err := w.tx.PutTeam(ctx, &before); err != nil {
			return err
		}
	}
	return nil
}

func (w *applyRun) writeTeamMembers(ctx context.Context, team *parley.Team, there *helpdesk.Setup) error {
	for i := range team.Members {
		if err := w.Helpdesk.JoinTeamTx(ctx, w.tx, team.AccountID, team.AgentID, team.ID, team.Members[i]); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(there.Teams, func(t parley.Team) bool { return t.ID == team.ID })
	if at < 0 {
		return nil
	}
	for _, m := range there.Teams[at].Members {
		if slices.ContainsFunc(team.Members, func(o parley.TeamMember) bool { return o.User.ID == m.User.ID }) {
			continue
		}
		if err := w.Helpdesk.LeaveTeamTx(ctx, w.tx, team.AccountID, team.AgentID, team.ID, m.User.ID); err != nil {
			return err
		}
	}
	return nil
}
