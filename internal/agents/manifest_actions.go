package agents

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/wire"
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
	return encoded(s)
}

var actionKind = kind[parley.Action]{
	part:  "action",
	key:   func(a *parley.Action) string { return a.Key },
	place: func(a *parley.Action) int { return a.Position },
	show:  showAction,
}

// planActions finds out what becomes of the agent's actions.
func (w *work) planActions(ctx context.Context, t *target) error {
	var there []parley.Action
	var err error
	if !t.isNew {
		if there, err = w.tx.Actions(ctx, w.Account.ID, t.agent.ID); err != nil {
			return err
		}
	}
	list := actionKind.pair(w.faults, t.path+".actions", t.Actions.Value, there)
	t.actions.paths = map[string]string{}
	for _, e := range list {
		t.actions.paths[e.key] = e.path
		if err := w.planAction(t, e); err != nil {
			return err
		}
	}
	gone := actionKind.gone(t.Actions, list, there, w.Prune)
	for _, a := range gone {
		t.changed("delete", "action", a.Key, showAction(&a), nil)
		t.actions.drop = append(t.actions.drop, a.Key)
	}
	t.actions.stay(actionKind, list, there, gone)
	return nil
}

func (w *work) planAction(t *target, e entry[parley.Action]) error {
	var s ManifestAction
	if err := wire.Decode(e.given, &s); err != nil {
		return w.faults.take(e.path, err)
	}
	a := parley.Action{ID: parley.ActionID(t.ids[e.index]), AccountID: w.Account.ID, AgentID: t.agent.ID, Key: e.key, CreatedAt: t.now}
	if e.there != nil {
		a = *e.there
	}
	a.Kind, a.Name, a.Description, a.Triggers, a.Inputs = parley.ActionKind(s.Kind), s.Name, s.Description, s.Triggers, s.Inputs
	a.Config, a.Enabled, a.Position, a.UpdatedAt = compact(s.Config), s.Enabled, e.place, t.now
	if err := w.faults.take(e.path, w.CheckAction(&a)); err != nil {
		return err
	}
	if w.Idle != nil {
		if text := w.Idle(&a); text != "" {
			t.applied.Notes = append(t.applied.Notes, Note{e.path, text})
		}
	}
	others, err := w.secrets(e, &a)
	if err != nil {
		return err
	}
	t.actions.all = append(t.actions.all, a)
	if actionKind.compare(t, e, showAction(&a), others) {
		t.actions.put = append(t.actions.put, a)
	}
	if e.there != nil && e.there.Name != a.Name {
		t.actions.drop = append(t.actions.drop, a.Key)
	}
	return nil
}

// compact gives the config without white space; nothing is an empty object.
func compact(config json.RawMessage) json.RawMessage {
	if config == nil {
		return json.RawMessage("{}")
	}
	return encoded(config)
}
