package agents

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
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
	return mustJSON(ManifestProcedure{Key: p.Key, Name: p.Name, Description: p.Description, Triggers: p.Triggers, Inputs: p.Inputs,
		Steps: append([]parley.ProcedureStep{}, p.Steps...), Enabled: p.Enabled})
}

var procedureKind = entryKind[parley.Procedure]{
	part:     "procedure",
	key:      func(p *parley.Procedure) string { return p.Key },
	position: func(p *parley.Procedure) int { return p.Position },
	encode:   showProcedure,
}

// planProcedures finds out what becomes of the agent's procedures, beside the actions as they will be. Where actions go, a
// procedure that the manifest leaves alone is checked too: it may call one of them.
func (w *applyRun) planProcedures(ctx context.Context, t *target) error {
	var there []parley.Procedure
	var err error
	if !t.isNew {
		if there, err = w.tx.Procedures(ctx, w.Account.ID, t.agent.ID); err != nil {
			return err
		}
	}
	list := procedureKind.matchEntries(w.faults, t.path+".procedures", t.Procedures.Value, there)
	t.procedures.paths = map[string]string{}
	for _, e := range list {
		t.procedures.paths[e.key] = e.path
		if err := w.planProcedure(t, e); err != nil {
			return err
		}
	}
	gone := procedureKind.removed(t.Procedures, list, there, w.Prune)
	for _, p := range gone {
		t.addChange("delete", "procedure", p.Key, showProcedure(&p), nil)
		t.procedures.keysToDrop = append(t.procedures.keysToDrop, p.Key)
	}
	managed := len(t.procedures.final)
	t.procedures.addUnmentioned(procedureKind, list, there, gone)
	for _, p := range t.procedures.final[managed:] {
		if len(t.actions.keysToDrop) == 0 {
			break
		}
		if err := w.CheckProcedure(&p, t.actions.final); err != nil {
			w.faults.add(t.path+".actions", "the procedure "+p.Key+" of the agent would not work any more: "+errorDetails(err))
		}
	}
	return nil
}

func (w *applyRun) planProcedure(t *target, e entry[parley.Procedure]) error {
	var s ManifestProcedure
	if err := httpapi.Decode(e.merged, &s); err != nil {
		return w.faults.addError(e.path, err)
	}
	p := parley.Procedure{ID: parley.ProcedureID(t.ids[len(t.Actions.Value)+e.index]), AccountID: w.Account.ID, AgentID: t.agent.ID, Key: e.key, CreatedAt: t.now}
	if e.current != nil {
		p = *e.current
	}
	p.Name, p.Description, p.Triggers, p.Inputs, p.Steps = s.Name, s.Description, s.Triggers, s.Inputs, s.Steps
	p.Enabled, p.Position, p.UpdatedAt = s.Enabled, e.position, t.now
	if err := w.faults.addError(e.path, w.CheckProcedure(&p, t.actions.final)); err != nil {
		return err
	}
	t.procedures.final = append(t.procedures.final, p)
	if procedureKind.recordChange(t, e, showProcedure(&p), nil) {
		t.procedures.toWrite = append(t.procedures.toWrite, p)
	}
	if e.current != nil && e.current.Name != p.Name {
		t.procedures.keysToDrop = append(t.procedures.keysToDrop, p.Key)
	}
	return nil
}
