package agents

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"parley"
	"parley/internal/manifest"
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
		w.faults.add(e.path, err)
		return nil
	}
	a := parley.Action{ID: parley.ActionID(t.ids[e.index]), AccountID: w.Account.ID, AgentID: t.agent.ID, Key: e.key, CreatedAt: t.now}
	if e.there != nil {
		a = *e.there
	}
	a.Kind, a.Name, a.Description, a.Triggers, a.Inputs = parley.ActionKind(s.Kind), s.Name, s.Description, s.Triggers, s.Inputs
	a.Config, a.Enabled, a.Position, a.UpdatedAt = compact(s.Config), s.Enabled, e.place, t.now
	if err := w.CheckAction(&a); !w.faults.add(e.path, err) {
		return err
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

// secrets gives the action the secrets that its config names: those that came with the documents, else those it has. It tells
// which have another value than before.
func (w *work) secrets(e entry[parley.Action], a *parley.Action) (others map[string]any, err error) {
	wanted := secretsIn(a.Config)
	kept := map[string]string{}
	if e.there != nil && e.there.Secrets != "" {
		kept, err = w.Unseal(w.Account.ID, e.there.Secrets)
		if err != nil && w.lacks(wanted) {
			return nil, err
		}
	}
	values, news := map[string]string{}, map[string]any{}
	for name, path := range wanted {
		v, ok := w.Secrets[name]
		if !ok {
			if v, ok = kept[name]; !ok {
				w.faults.say(e.path+".config"+path, "names ${"+name+"}, and the environment of this command has no "+name)
				continue
			}
		}
		if values[name] = v; kept[name] != v {
			news["${"+name+"}"] = "another value"
		}
	}
	switch {
	case len(values) == 0:
		a.Secrets = ""
	case !maps.Equal(values, kept):
		if a.Secrets, err = w.Seal(w.Account.ID, values); err != nil {
			w.faults.say(e.path+".config", "holds secrets that cannot be kept: "+reason(err))
		}
	}
	if e.there == nil || len(news) == 0 {
		return nil, nil
	}
	return map[string]any{"secrets": news}, nil
}

// lacks reports whether a secret did not come with the documents.
func (w *work) lacks(wanted map[string]string) bool {
	for name := range wanted {
		if _, ok := w.Secrets[name]; !ok {
			return true
		}
	}
	return false
}

// secretsIn gives the names of the secrets in a config, each with the path of the first text that names it.
func secretsIn(config json.RawMessage) map[string]string {
	var v any
	found := map[string]string{}
	if json.Unmarshal(config, &v) == nil {
		walk(v, "", func(text, path string) {
			for _, m := range manifest.Reference.FindAllStringSubmatch(text, -1) {
				if _, ok := found[m[1]]; !ok {
					found[m[1]] = path
				}
			}
		})
	}
	return found
}

// walk calls each with every text of a value, names included.
func walk(v any, path string, each func(text, path string)) {
	switch v := v.(type) {
	case string:
		each(v, path)
	case []any:
		for i, item := range v {
			walk(item, path+"."+strconv.Itoa(i), each)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			each(name, path)
			walk(v[name], path+"."+name, each)
		}
	}
}
