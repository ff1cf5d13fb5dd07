package agents

import (
	"context"
	"errors"
	"time"

	"parley"
)

// applySettings changes the agent itself.
func (w *applyRun) applySettings(ctx context.Context, t *target) error {
	before, err := w.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	change := func(a *parley.Agent) error {
		if t.Agent.Key != "" {
			a.Key = t.Agent.Key
		}
		if t.Settings == nil {
			return nil
		}
		return w.Settings.Apply(a, t.Settings)
	}
	if t.isNew {
		return w.createAgent(ctx, t, change)
	}
	key := t.agent.Key
	err = applyChange(t.agent, w.Plan, t.now, change)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return w.faults.addError(t.path+".settings", err)
	}
	after, err := w.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	if key != t.agent.Key {
		t.addChange("update", "agent", "", jsonObject("key", key), jsonObject("key", t.agent.Key))
	}
	if was, is := differences(before, after); is != nil {
		t.addChange("update", "settings", "", was, is)
	}
	if len(w.faults) > 0 {
		return nil
	}
	changed := *t.agent
	was := false
	err = w.tx.UpdateAgent(ctx, w.Account.ID, t.agent.ID, func(a *parley.Agent) error {
		was, *a = a.AutoRetrain, changed
		return nil
	})
	if err != nil {
		return err
	}
	if was != changed.AutoRetrain {
		if err := w.tx.ScheduleAgentSync(ctx, w.Account.ID, t.agent.ID, nextSync(&changed, t.now)); err != nil {
			return err
		}
	}
	w.recordOnce(t, "agent.updated")
	return nil
}

// nextSync says when the websites of an agent are read again; nil is never.
func nextSync(a *parley.Agent, now time.Time) *time.Time {
	if !a.AutoRetrain {
		return nil
	}
	next := now.Add(resyncPeriod)
	return &next
}

// createAgent makes a new agent, within the plan.
func (w *applyRun) createAgent(ctx context.Context, t *target, change func(*parley.Agent) error) error {
	count, err := w.tx.CountAgents(ctx, w.Account.ID)
	if err != nil {
		return err
	}
	if w.Plan.MaxAgents != nil && count >= *w.Plan.MaxAgents {
		return parley.NewErrorf(parley.CodeAgentLimit, "The %s plan allows %d agents, and the account has %d.", w.Plan.Name, *w.Plan.MaxAgents, count)
	}
	given, _ := parseObject(t.Settings) // where they are no object, the judge of settings says so
	if given["name"] == nil {
		w.faults.add(t.path+".settings.name", "is required for a new agent")
	}
	err = applyChange(t.agent, w.Plan, t.now, change)
	if err := w.faults.addError(t.path+".settings", err); err != nil && !errors.Is(err, errUnchanged) {
		return err
	}
	t.agent.ConfigVersion = 1
	all, err := w.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	t.addChange("create", "agent", t.agent.Key, nil, selectMembers(all, given))
	if len(w.faults) > 0 {
		return nil
	}
	if err := w.tx.CreateAgent(ctx, t.agent); err != nil {
		return err
	}
	w.recordOnce(t, "agent.created")
	return nil
}
