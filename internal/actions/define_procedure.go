package actions

import (
	"maps"
	"slices"

	"parley"
)

// inServer tells which kinds can be steps: those that need nobody at the other end.
func inServer(kind parley.ActionKind) bool { return kind != parley.ActionClient }

func (f faults) procedure(path string, p *parley.Procedure, actions []parley.Action) {
	f.head(path, p.Key, p.Name, p.Description, p.Triggers, p.Inputs)
	switch {
	case len(p.Steps) == 0:
		f.add(join(path, "steps"), "must have at least 1 item")
	case len(p.Steps) > maxSteps:
		f.add(join(path, "steps"), "must have at most %d items", maxSteps)
	}
	for i := range p.Steps {
		f.step(join(path, join("steps", i)), &p.Steps[i], p.Inputs, actions)
	}
}

func (f faults) step(path string, s *parley.ProcedureStep, inputs []parley.ActionInput, actions []parley.Action) {
	switch {
	case (s.Say == "") == (s.Action == ""):
		f.add(path, "must have either say or action")
	case s.Say != "":
		f.text(join(path, "say"), s.Say, 2000)
		f.inputsOnly(join(path, "say"), s.Say, inputs)
		if len(s.With) > 0 {
			f.add(join(path, "with"), "goes with action")
		}
	default:
		f.errand(path, s, inputs, actions)
	}
}

// errand checks a step that runs an action: the action exists and gets what it needs.
func (f faults) errand(path string, s *parley.ProcedureStep, inputs []parley.ActionInput, actions []parley.Action) {
	a := byKey(actions, s.Action)
	switch {
	case a == nil:
		f.add(join(path, "action"), "is not the key of an action of this agent")
		return
	case !inServer(a.Kind):
		f.add(join(path, "action"), "runs at the client, and a procedure runs in the server")
		return
	case !a.Enabled:
		f.add(join(path, "action"), "is switched off")
	}
	wanted := inputsOf(a)
	for _, in := range wanted {
		if _, given := s.With[in.Name]; in.Required && !given {
			f.add(join(path, "with."+in.Name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.With)) {
		if find(wanted, name) == nil {
			f.add(join(path, "with."+name), "is not an input of the action")
		}
		f.inputsOnly(join(path, "with."+name), s.With[name], inputs)
	}
}

func byKey(actions []parley.Action, key string) *parley.Action {
	for i := range actions {
		if actions[i].Key == key {
			return &actions[i]
		}
	}
	return nil
}
