package agents

import (
	"context"
	"errors"
	"time"

	"parley"
)

// settings changes the agent itself.
func (w *work) settings(ctx context.Context, t *target) error {
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
		return w.create(ctx, t, change)
	}
	key := t.agent.Key
	err = apply(t.agent, w.Plan, t.now, change)
	if errors.Is(err, errSame) {
		return nil
	}
	if err != nil {
		return w.faults.take(t.path+".settings", err)
	}
	after, err := w.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	if key != t.agent.Key {
		t.changed("update", "agent", "", object("key", key), object("key", t.agent.Key))
	}
	if was, is := differences(before, after); is != nil {
		t.changed("update", "settings", "", was, is)
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
		if err := w.tx.ScheduleSync(ctx, w.Account.ID, t.agent.ID, nextSync(&changed, t.now)); err != nil {
			return err
		}
	}
	w.record(t, "agent.updated")
	return nil
}

// nextSync says when the websites of an agent are read again; nil is never.
func nextSync(a *parley.Agent, now time.Time) *time.Time {
	if !a.AutoRetrain {
		return nil
	}
	next := now.Add(resync)
	return &next
}

// create makes a new agent, within the plan.
func (w *work) create(ctx context.Context, t *target, change func(*parley.Agent) error) error {
	count, err := w.tx.CountAgents(ctx, w.Account.ID)
	if err != nil {
		return err
	}
	if w.Plan.Agents != nil && count >= *w.Plan.Agents {
		return parley.Failf(parley.CodeAgentLimit, "The %s plan allows %d agents, and the account has %d.", w.Plan.Name, *w.Plan.Agents, count)
	}
	given, _ := membersOf(t.Settings) // where they are no object, the judge of settings says so
	if given["name"] == nil {
		w.faults.say(t.path+".settings.name", "is required for a new agent")
	}
	err = apply(t.agent, w.Plan, t.now, change)
	if err := w.faults.take(t.path+".settings", err); err != nil && !errors.Is(err, errSame) {
		return err
	}
	t.agent.ConfigVersion = 1
	all, err := w.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	t.changed("create", "agent", t.agent.Key, nil, only(all, given))
	if len(w.faults) > 0 {
		return nil
	}
	if err := w.tx.CreateAgent(ctx, t.agent); err != nil {
		return err
	}
	w.record(t, "agent.created")
	return nil
}
