package agents

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/wire"
)

// ManifestProcedure is a procedure as manifests write it.
type ManifestProcedure struct {
	Key         string                 `json:"key"`
	Name        string                 `json:"name"`
	Description string                 `json:"description,omitempty"`
	Triggers    []string               `json:"triggers,omitempty"`
	Inputs      []parley.ActionInput   `json:"inputs,omitempty"`
	Steps       []parley.ProcedureStep `json:"steps"`
	Enabled     bool                   `json:"enabled" default:"true"`
}

func showProcedure(p *parley.Procedure) json.RawMessage {
	return encoded(ManifestProcedure{Key: p.Key, Name: p.Name, Description: p.Description, Triggers: p.Triggers, Inputs: p.Inputs,
		Steps: append([]parley.ProcedureStep{}, p.Steps...), Enabled: p.Enabled})
}

var procedureKind = kind[parley.Procedure]{
	part:  "procedure",
	key:   func(p *parley.Procedure) string { return p.Key },
	place: func(p *parley.Procedure) int { return p.Position },
	show:  showProcedure,
}

// planProcedures finds out what becomes of the agent's procedures, beside the actions as they will be. Where actions go, a
// procedure that the manifest leaves alone is checked too: it may call one of them.
func (w *work) planProcedures(ctx context.Context, t *target) error {
	var there []parley.Procedure
	var err error
	if !t.isNew {
		if there, err = w.tx.Procedures(ctx, w.Account.ID, t.agent.ID); err != nil {
			return err
		}
	}
	list := procedureKind.pair(w.faults, t.path+".procedures", t.Procedures.Value, there)
	t.procedures.paths = map[string]string{}
	for _, e := range list {
		t.procedures.paths[e.key] = e.path
		if err := w.planProcedure(t, e); err != nil {
			return err
		}
	}
	gone := procedureKind.gone(t.Procedures, list, there, w.Prune)
	for _, p := range gone {
		t.changed("delete", "procedure", p.Key, showProcedure(&p), nil)
		t.procedures.drop = append(t.procedures.drop, p.Key)
	}
	managed := len(t.procedures.all)
	t.procedures.stay(procedureKind, list, there, gone)
	for _, p := range t.procedures.all[managed:] {
		if len(t.actions.drop) == 0 {
			break
		}
		if err := w.CheckProcedure(&p, t.actions.all); err != nil {
			w.faults.say(t.path+".actions", "the procedure "+p.Key+" of the agent would not work any more: "+reasons(err))
		}
	}
	return nil
}

func (w *work) planProcedure(t *target, e entry[parley.Procedure]) error {
	var s ManifestProcedure
	if err := wire.Decode(e.given, &s); err != nil {
		return w.faults.take(e.path, err)
	}
	p := parley.Procedure{ID: parley.ProcedureID(t.ids[len(t.Actions.Value)+e.index]), AccountID: w.Account.ID, AgentID: t.agent.ID, Key: e.key, CreatedAt: t.now}
	if e.there != nil {
		p = *e.there
	}
	p.Name, p.Description, p.Triggers, p.Inputs, p.Steps = s.Name, s.Description, s.Triggers, s.Inputs, s.Steps
	p.Enabled, p.Position, p.UpdatedAt = s.Enabled, e.place, t.now
	if err := w.faults.take(e.path, w.CheckProcedure(&p, t.actions.all)); err != nil {
		return err
	}
	t.procedures.all = append(t.procedures.all, p)
	if procedureKind.compare(t, e, showProcedure(&p), nil) {
		t.procedures.put = append(t.procedures.put, p)
	}
	if e.there != nil && e.there.Name != p.Name {
		t.procedures.drop = append(t.procedures.drop, p.Key)
	}
	return nil
}
