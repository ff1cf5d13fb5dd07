package agents

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// ManifestAction is an action as manifests write it.
type ManifestAction struct {
	Key         string               `json:"key"`
	Kind        string               `json:"kind" enum:"http,client,collect-leads,escalate,custom-button,web-search"`
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Triggers    []string             `json:"triggers,omitempty"`
	Inputs      []parley.ActionInput `json:"inputs,omitempty"`
	Config      json.RawMessage      `json:"config,omitempty"`
	Enabled     bool                 `json:"enabled" default:"true"`
}

func showAction(a *parley.Action) json.RawMessage {
	s := ManifestAction{Key: a.Key, Kind: string(a.Kind), Name: a.Name, Description: a.Description, Triggers: a.Triggers, Inputs: a.Inputs,
		Config: a.Config, Enabled: a.Enabled}
	if string(a.Config) == "{}" {
		s.Config = nil
	}
	return mustJSON(s)
}

var actionKind = entryKind[parley.Action]{
	part:     "action",
	key:      func(a *parley.Action) string { return a.Key },
	position: func(a *parley.Action) int { return a.Position },
	encode:   showAction,
}

// planActions finds out what becomes of the agent's actions.
func (w *applyRun) planActions(ctx context.Context, t *target) error {
	var there []parley.Action
	var err error
	if !t.isNew {
		if there, err = w.tx.Actions(ctx, w.Account.ID, t.agent.ID); err != nil {
			return err
		}
	}
	list := actionKind.matchEntries(w.faults, t.path+".actions", t.Actions.Value, there)
	t.actions.paths = map[string]string{}
	for _, e := range list {
		t.actions.paths[e.key] = e.path
		if err := w.planAction(t, e); err != nil {
			return err
		}
	}
	gone := actionKind.removed(t.Actions, list, there, w.Prune)
	for _, a := range gone {
		t.addChange("delete", "action", a.Key, showAction(&a), nil)
		t.actions.keysToDrop = append(t.actions.keysToDrop, a.Key)
	}
	t.actions.addUnmentioned(actionKind, list, there, gone)
	return nil
}

func (w *applyRun) planAction(t *target, e entry[parley.Action]) error {
	var s ManifestAction
	if err := httpapi.Decode(e.merged, &s); err != nil {
		return w.faults.addError(e.path, err)
	}
	a := parley.Action{ID: parley.ActionID(t.ids[e.index]), AccountID: w.Account.ID, AgentID: t.agent.ID, Key: e.key, CreatedAt: t.now}
	if e.current != nil {
		a = *e.current
	}
	a.Kind, a.Name, a.Description, a.Triggers, a.Inputs = parley.ActionKind(s.Kind), s.Name, s.Description, s.Triggers, s.Inputs
	a.Config, a.Enabled, a.Position, a.UpdatedAt = compactConfig(s.Config), s.Enabled, e.position, t.now
	if err := w.faults.addError(e.path, w.CheckAction(&a)); err != nil {
		return err
	}
	if w.UnavailableReason != nil {
		if text := w.UnavailableReason(&a); text != "" {
			t.applied.Notes = append(t.applied.Notes, Note{e.path, text})
		}
	}
	others, err := w.sealSecrets(e, &a)
	if err != nil {
		return err
	}
	t.actions.final = append(t.actions.final, a)
	if actionKind.recordChange(t, e, showAction(&a), others) {
		t.actions.toWrite = append(t.actions.toWrite, a)
	}
	if e.current != nil && e.current.Name != a.Name {
		t.actions.keysToDrop = append(t.actions.keysToDrop, a.Key)
	}
	return nil
}

// compactConfig returns the config without white space; nothing is an empty object.
func compactConfig(config json.RawMessage) json.RawMessage {
	if config == nil {
		return json.RawMessage("{}")
	}
	return mustJSON(config)
}
