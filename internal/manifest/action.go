package manifest

import (
	"context"
	"encoding/json"

	"parley"
)

type actionSpec struct {
	Key         string               `json:"key"`
	Kind        string               `json:"kind" enum:"@actionKind"`
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Triggers    []string             `json:"triggers,omitempty"`
	Inputs      []parley.ActionInput `json:"inputs,omitempty"`
	Config      json.RawMessage      `json:"config,omitempty"`
	Enabled     bool                 `json:"enabled" default:"true"`
}

func encodeAction(a *parley.Action) json.RawMessage {
	s := actionSpec{Key: a.Key, Kind: string(a.Kind), Name: a.Name, Description: a.Description, Triggers: a.Triggers,
		Inputs: a.Inputs, Config: a.Config, Enabled: a.Enabled}
	if string(a.Config) == "{}" {
		s.Config = nil
	}
	return mustJSON(s)
}

var actionKind = toolKind[parley.Action]{
	kind: kind[parley.Action]{
		noun:     "action",
		key:      func(a *parley.Action) string { return a.Key },
		encode:   encodeAction,
		position: func(a *parley.Action) int { return a.Position },
	},
	toolName: func(a *parley.Action) string { return a.Name },
}

func (r *applyRun) planActions(ctx context.Context, t *target) error {
	existing, err := r.tx.Actions(ctx, t.agent.Ref())
	if err != nil {
		return err
	}
	t.actions, err = planTools(r, t, actionKind, t.Actions, existing, r.buildAction)
	return err
}

// buildAction returns the action of an entry, and which of its secrets change.
func (r *applyRun) buildAction(t *target, e *entry[parley.Action]) (*parley.Action, map[string]any, error) {
	var s actionSpec
	if !r.faults.decode(e.path, e.merged, &s) {
		return nil, nil, nil
	}
	a := parley.Action{ID: parley.ActionID(t.nextID()), AccountID: r.Account.ID, AgentID: t.agent.ID, Key: e.key,
		CreatedAt: t.now}
	if e.existing != nil {
		a = *e.existing
	}
	a.Kind, a.Config, a.Enabled = parley.ActionKind(s.Kind), compactConfig(s.Config), s.Enabled
	a.Name, a.Description, a.Triggers, a.Inputs = s.Name, s.Description, s.Triggers, s.Inputs
	a.Position, a.UpdatedAt = e.position, t.now
	if err := r.faults.addError(e.path, r.CheckAction(&a)); err != nil {
		return nil, nil, err
	}
	if r.UnavailableReason != nil {
		if text := r.UnavailableReason(&a); text != "" {
			t.result.Notes = append(t.result.Notes, Warning{e.path, text})
		}
	}
	changedSecrets, err := r.sealSecrets(e, &a)
	return &a, changedSecrets, err
}

// compactConfig returns the config without white space; nothing is an empty object.
func compactConfig(config json.RawMessage) json.RawMessage {
	if config == nil {
		return json.RawMessage("{}")
	}
	return mustJSON(config)
}
