package manifest

import (
	"context"
	"encoding/json"

	"parley"
)

type procedureSpec struct {
	Key         string                 `json:"key"`
	Name        string                 `json:"name"`
	Description string                 `json:"description,omitempty"`
	Triggers    []string               `json:"triggers,omitempty"`
	Inputs      []parley.ActionInput   `json:"inputs,omitempty"`
	Steps       []parley.ProcedureStep `json:"steps"`
	Enabled     bool                   `json:"enabled" default:"true"`
}

func encodeProcedure(p *parley.Procedure) json.RawMessage {
	return mustJSON(procedureSpec{Key: p.Key, Name: p.Name, Description: p.Description, Triggers: p.Triggers,
		Inputs: p.Inputs, Steps: append([]parley.ProcedureStep{}, p.Steps...), Enabled: p.Enabled})
}

var procedureKind = toolKind[parley.Procedure]{
	kind: kind[parley.Procedure]{
		noun:     "procedure",
		key:      func(p *parley.Procedure) string { return p.Key },
		encode:   encodeProcedure,
		position: func(p *parley.Procedure) int { return p.Position },
	},
	toolName: func(p *parley.Procedure) string { return p.Name },
}

// planProcedures plans the agent's procedures, together with the actions as they will be. Where actions are removed, a
// procedure that the manifest does not list is checked too: it may call one of them.
func (r *applyRun) planProcedures(ctx context.Context, t *target) error {
	existing, err := r.tx.Procedures(ctx, t.agent.Ref())
	if err != nil {
		return err
	}
	t.procedures, err = planTools(r, t, procedureKind, t.Procedures, existing, r.buildProcedure)
	if err != nil {
		return err
	}
	if err := r.checkLinks(t); err != nil || len(t.actions.keysToDrop) == 0 {
		return err
	}
	for i := range t.procedures.unlisted {
		p := &t.procedures.unlisted[i]
		r.addBroken(t.path+".actions", p, r.CheckProcedure(p, t.actions.final))
	}
	return nil
}

// addBroken records that a procedure that the manifest does not list would not work any more.
func (r *applyRun) addBroken(path string, p *parley.Procedure, err error) {
	if err != nil {
		r.faults.add(path, "the procedure "+p.Key+" of the agent would not work any more: "+errorDetails(err))
	}
}

// checkLinks checks where procedures lead to others. One that the manifest does not list is checked too: another one
// may be removed, or have other inputs.
func (r *applyRun) checkLinks(t *target) error {
	for i := range t.procedures.final {
		p := &t.procedures.final[i]
		err := r.CheckLinks(p, t.procedures.final)
		path, isListed := t.procedures.paths[p.Key]
		if !isListed {
			r.addBroken(t.path+".procedures", p, err)
		} else if err := r.faults.addError(path, err); err != nil {
			return err
		}
	}
	return nil
}

func (r *applyRun) buildProcedure(t *target, e *entry[parley.Procedure]) (*parley.Procedure, map[string]any, error) {
	var s procedureSpec
	if !r.faults.decode(e.path, e.merged, &s) {
		return nil, nil, nil
	}
	p := parley.Procedure{ID: parley.ProcedureID(t.nextID()), AccountID: r.Account.ID, AgentID: t.agent.ID, Key: e.key,
		CreatedAt: t.now}
	if e.existing != nil {
		p = *e.existing
	}
	p.Name, p.Description, p.Triggers, p.Inputs, p.Steps = s.Name, s.Description, s.Triggers, s.Inputs, s.Steps
	p.Enabled, p.Position, p.UpdatedAt = s.Enabled, e.position, t.now
	return &p, nil, r.faults.addError(e.path, r.CheckProcedure(&p, t.actions.final))
}
