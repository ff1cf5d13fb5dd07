package actions

import (
	"maps"
	"slices"

	"parley"
)

func (f faults) checkProcedure(p *parley.Procedure, actions []parley.Action) {
	f.checkHead(p.Key, p.Name, p.Description, p.Triggers, p.Inputs)
	switch {
	case len(p.Steps) == 0:
		f.add("steps", "must have at least 1 item")
	case len(p.Steps) > maxSteps:
		f.add("steps", "must have at most %d items", maxSteps)
	}
	for i := range p.Steps {
		f.checkStep(joinPath("steps", i), &p.Steps[i], p.Inputs, actions)
	}
}

func (f faults) checkStep(path string, s *parley.ProcedureStep, inputs []parley.ActionInput, actions []parley.Action) {
	switch {
	case (s.Text == "") == (s.Action == ""):
		f.add(path, "must have either say or action")
	case s.Text != "":
		f.checkText(joinPath(path, "say"), s.Text, 2000)
		f.checkTemplate(joinPath(path, "say"), s.Text, inputs)
		if len(s.Input) > 0 {
			f.add(joinPath(path, "with"), "goes with action")
		}
	default:
		f.checkActionStep(path, s, inputs, actions)
	}
}

// checkActionStep checks a step that runs an action: the action exists and gets its required inputs.
func (f faults) checkActionStep(path string, s *parley.ProcedureStep, inputs []parley.ActionInput,
	actions []parley.Action) {
	a := findAction(actions, s.Action)
	switch {
	case a == nil:
		f.add(joinPath(path, "action"), "is not the key of an action of this agent")
		return
	case a.Kind == parley.ActionClient:
		f.add(joinPath(path, "action"), "runs at the client, and a procedure runs in the server")
		return
	case !a.Enabled:
		f.add(joinPath(path, "action"), "is switched off")
	}
	wanted := actionInputs(a)
	for _, in := range wanted {
		if _, hasInput := s.Input[in.Name]; in.Required && !hasInput {
			f.add(joinPath(path, "with."+in.Name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Input)) {
		if findInput(wanted, name) == nil {
			f.add(joinPath(path, "with."+name), "is not an input of the action")
		}
		f.checkTemplate(joinPath(path, "with."+name), s.Input[name], inputs)
	}
}

func findAction(actions []parley.Action, key string) *parley.Action {
	for i := range actions {
		if actions[i].Key == key {
			return &actions[i]
		}
	}
	return nil
}
