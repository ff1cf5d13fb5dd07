package manifest

import (
	"context"
	"errors"

	"parley"
	"parley/internal/agents"
)

// applySettings creates the agent or changes its settings.
func (r *applyRun) applySettings(ctx context.Context, t *target) error {
	change := func(a *parley.Agent) error {
		if t.Agent.Key != "" {
			a.Key = t.Agent.Key
		}
		if t.Settings == nil {
			return nil
		}
		return r.Settings.Apply(a, t.Settings)
	}
	if t.isNew {
		return r.createAgent(ctx, t, change)
	}
	key := t.agent.Key
	before, err := r.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	err = agents.ApplyChange(t.agent, r.Plan, t.now, change)
	if errors.Is(err, agents.ErrUnchanged) {
		return nil
	}
	if err != nil {
		return r.faults.addError(t.path+".settings", err)
	}
	after, err := r.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	if key != t.agent.Key {
		t.addChange("update", "agent", "", jsonObject("key", key), jsonObject("key", t.agent.Key))
	}
	if oldParts, newParts := differences(before, after); newParts != nil {
		t.addChange("update", "settings", "", oldParts, newParts)
	}
	if len(r.faults) > 0 {
		return nil
	}
	return r.writeAgent(ctx, t)
}

func (r *applyRun) writeAgent(ctx context.Context, t *target) error {
	changed := *t.agent
	hadAutoRetrain := false
	err := r.tx.UpdateAgent(ctx, t.agent.Ref(), func(a *parley.Agent) error {
		hadAutoRetrain, *a = a.AutoRetrain, changed
		return nil
	})
	if err != nil {
		return err
	}
	if hadAutoRetrain != changed.AutoRetrain {
		next := agents.NextResync(&changed, t.now)
		if err := r.tx.ScheduleAgentSync(ctx, t.agent.Ref(), next); err != nil {
			return err
		}
	}
	r.recordOnce(t, parley.EventAgentUpdated)
	return nil
}

// createAgent creates a new agent, within the plan.
func (r *applyRun) createAgent(ctx context.Context, t *target, change func(*parley.Agent) error) error {
	if err := agents.CheckLimit(ctx, r.tx, r.Account.ID, r.Plan); err != nil {
		return err
	}
	settings, _ := parseObject(t.Settings) // what is no object is refused below
	if settings["name"] == nil {
		r.faults.add(t.path+".settings.name", "is required for a new agent")
	}
	err := agents.ApplyChange(t.agent, r.Plan, t.now, change)
	if err := r.faults.addError(t.path+".settings", err); err != nil && !errors.Is(err, agents.ErrUnchanged) {
		return err
	}
	t.agent.ConfigVersion = 1
	all, err := r.Settings.Show(t.agent)
	if err != nil {
		return err
	}
	t.addChange("create", "agent", t.agent.Key, nil, selectMembers(all, settings))
	if len(r.faults) > 0 {
		return nil
	}
	if err := r.tx.CreateAgent(ctx, t.agent); err != nil {
		return err
	}
	r.recordOnce(t, parley.EventAgentCreated)
	return nil
}
