package actions

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley"
)

// stepMarkPattern is markPattern with {step.place} as well.
var stepMarkPattern = regexp.MustCompile(`\$?\{[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*\}`)

// stepFieldPattern matches the field of a condition: an input, or a step with a place in its result.
var stepFieldPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*$`)

func (v values) pattern() *regexp.Regexp {
	if v.steps == nil {
		return markPattern
	}
	return stepMarkPattern
}

// isMark reports whether what has the form of a mark is one. With a place it is so only behind the key of a step;
// otherwise it is text, as it is outside of procedures.
func (v values) isMark(m string) bool {
	key, _, hasPlace := strings.Cut(strings.Trim(m, "{}"), ".")
	return !hasPlace || findStep(v.steps, key) >= 0
}

// findStep returns the index of the step with the key; -1 if there is none.
func findStep(steps []parley.ProcedureStep, key string) int {
	return slices.IndexFunc(steps, func(s parley.ProcedureStep) bool { return key != "" && s.Key == key })
}

// stepTarget returns the step to which step i leads by a key; the next one without a key. No step leads back, so that
// each runs once.
func stepTarget(steps []parley.ProcedureStep, i int, key string) int {
	switch {
	case key == "":
		return i + 1
	case key == parley.StepEnd:
		return len(steps)
	}
	return max(findStep(steps, key), i+1)
}

// nextStep returns the step behind step i, which has been made: where a condition leads depends on whether it holds.
func (v values) nextStep(i int) int {
	s := &v.steps[i]
	if s.If == nil || v.holds(s.If) {
		return stepTarget(v.steps, i, s.Goto)
	}
	return stepTarget(v.steps, i, s.Else)
}

// holds reports whether a condition holds. Texts are compared without regard to case, and numbers as such.
func (v values) holds(c *parley.StepCondition) bool {
	left := strings.TrimSpace(parley.JSONText(v.inputs[c.Field]))
	right := strings.TrimSpace(v.fillTemplate(c.Value, nil))
	a, aErr := strconv.ParseFloat(left, 64)
	b, bErr := strconv.ParseFloat(right, 64)
	areNumbers := aErr == nil && bErr == nil
	isSame := strings.EqualFold(left, right) || areNumbers && a == b
	switch c.Operator {
	case parley.StepIs:
		return isSame
	case parley.StepIsNot:
		return !isSame
	case parley.StepContains:
		return strings.Contains(strings.ToLower(left), strings.ToLower(right))
	case parley.StepAbove:
		return areNumbers && a > b
	case parley.StepBelow:
		return areNumbers && a < b
	}
	return false
}

// resultNames lists the results of steps that texts and conditions of a procedure name, as step.place, each once.
func resultNames(steps []parley.ProcedureStep) (names []string) {
	add := func(name string) {
		key, _, hasPlace := strings.Cut(name, ".")
		if hasPlace && findStep(steps, key) >= 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range steps {
		for _, text := range stepTexts(&steps[i]) {
			for _, m := range stepMarkPattern.FindAllString(text, -1) {
				add(strings.Trim(m, "{}"))
			}
		}
		if c := steps[i].If; c != nil {
			add(c.Field)
		}
	}
	return names
}

func stepTexts(s *parley.ProcedureStep) []string {
	list := append(slices.Collect(maps.Values(s.Input)), s.Text)
	if s.If != nil {
		list = append(list, s.If.Value)
	}
	return list
}

// keepResults adds to the inputs of a run what later steps name of the result of a step.
func keepResults(inputs map[string]json.RawMessage, names []string, step *parley.ProcedureStep, data json.RawMessage) {
	for _, name := range names {
		key, place, _ := strings.Cut(name, ".")
		if key != step.Key {
			continue
		}
		if value := valueAt(data, strings.Split(place, ".")); value != nil && len(value) <= maxInputBytes {
			inputs[name] = value
		}
	}
}

// valueAt returns what is at a place in JSON: members by name, items by number from 0. It is nil for nothing and null.
func valueAt(data json.RawMessage, place []string) json.RawMessage {
	if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "null" {
		return nil
	}
	if len(place) == 0 {
		return data
	}
	switch data[0] {
	case '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil {
			return valueAt(object[place[0]], place[1:])
		}
	case '[':
		var list []json.RawMessage
		i, err := strconv.Atoi(place[0])
		if err == nil && json.Unmarshal(data, &list) == nil && i >= 0 && i < len(list) {
			return valueAt(list[i], place[1:])
		}
	}
	return nil
}

// checkJumps checks the key of a step and where it leads.
func (f faults) checkJumps(path string, i int, steps []parley.ProcedureStep) {
	s := &steps[i]
	switch {
	case s.Key == "":
	case !inputNamePattern.MatchString(s.Key):
		f.add(joinPath(path, "key"), "must begin with a letter or _ and have 1 to 64 of a-z A-Z 0-9 _")
	case s.Key == parley.StepEnd || findStep(steps, s.Key) < i:
		f.add(joinPath(path, "key"), "stands twice")
	}
	switch {
	case s.If != nil && s.Goto == "":
		f.add(joinPath(path, "goto"), "is required")
	case s.Procedure != "" && s.Goto != "":
		f.add(joinPath(path, "goto"), "is not for a step that goes on with another procedure")
	}
	if s.If == nil && s.Else != "" {
		f.add(joinPath(path, "else"), "goes with if")
	}
	f.checkTarget(joinPath(path, "goto"), i, s.Goto, steps)
	f.checkTarget(joinPath(path, "else"), i, s.Else, steps)
}

func (f faults) checkTarget(path string, i int, key string, steps []parley.ProcedureStep) {
	if key != "" && key != parley.StepEnd && findStep(steps, key) <= i {
		f.add(path, "is not the key of a later step")
	}
}

func (f faults) checkCondition(path string, i int, p *parley.Procedure) {
	c := p.Steps[i].If
	if !slices.Contains(parley.StepOperators(), c.Operator) {
		f.add(joinPath(path, "operator"), "must be one of: %s", strings.Join(parley.StepOperators(), ", "))
	}
	switch isNumber := c.Operator == parley.StepAbove || c.Operator == parley.StepBelow; {
	case c.Value == "" && (isNumber || c.Operator == parley.StepContains):
		f.add(joinPath(path, "value"), "is required")
	case c.Value != "":
		f.checkText(joinPath(path, "value"), c.Value, maxDescription)
		f.checkStepTemplate(joinPath(path, "value"), c.Value, i, p)
	}
	if c.Field == "" {
		f.add(joinPath(path, "field"), "is required")
		return
	}
	key, _, hasPlace := strings.Cut(c.Field, ".")
	isInput := !hasPlace && findInput(p.Inputs, c.Field) != nil
	if !stepFieldPattern.MatchString(c.Field) || !isInput && (!hasPlace || !isEarlierAction(p.Steps, i, key)) {
		f.add(joinPath(path, "field"), "is neither an input nor in the result of an earlier action")
	}
}

// isEarlierAction reports whether the step with the key runs an action and is before step i.
func isEarlierAction(steps []parley.ProcedureStep, i int, key string) bool {
	at := findStep(steps, key)
	return at >= 0 && at < i && steps[at].Action != ""
}

// checkStepTemplate checks a text of step i: it names inputs that exist, results of earlier actions, and no secrets.
func (f faults) checkStepTemplate(path, template string, i int, p *parley.Procedure) {
	f.checkTemplate(path, template, p.Inputs)
	for _, m := range stepMarkPattern.FindAllString(template, -1) {
		key, _, hasPlace := strings.Cut(strings.Trim(m, "{}"), ".")
		if hasPlace && findStep(p.Steps, key) >= 0 && !isEarlierAction(p.Steps, i, key) {
			f.add(path, "names %s, and no earlier action has this key", m)
		}
	}
}

// ValidateLinks checks the steps of a procedure that lead to others, among all procedures of the agent as they will be.
// Fails with VALIDATION_INVALID_BODY.
func ValidateLinks(p *parley.Procedure, all []parley.Procedure) error {
	f := faults{}
	for i := range p.Steps {
		if p.Steps[i].Procedure != "" {
			f.checkLink(joinPath("steps", i), &p.Steps[i], p, all)
		}
	}
	return parley.InvalidFields(f)
}

func (f faults) checkLink(path string, s *parley.ProcedureStep, p *parley.Procedure, all []parley.Procedure) {
	at := joinPath(path, "procedure")
	other := findProcedure(all, s.Procedure)
	switch {
	case s.Procedure == p.Key || leadsTo(other, p.Key, all, map[string]bool{}):
		f.add(at, "leads back to this procedure")
		return
	case other == nil:
		f.add(at, "is not the key of a procedure of this agent")
		return
	case !other.Enabled:
		f.add(at, "is a procedure that is switched off")
	}
	for name := range s.Input {
		if findInput(other.Inputs, name) == nil {
			f.add(joinPath(path, "with."+name), "is not an input of the procedure")
		}
	}
}

// leadsTo reports whether steps of a procedure lead to the one with the key, also by way of others.
func leadsTo(p *parley.Procedure, key string, all []parley.Procedure, seen map[string]bool) bool {
	if p == nil || seen[p.Key] {
		return false
	}
	seen[p.Key] = true
	return slices.ContainsFunc(p.Steps, func(s parley.ProcedureStep) bool {
		return s.Procedure != "" && (s.Procedure == key || leadsTo(findProcedure(all, s.Procedure), key, all, seen))
	})
}

func findProcedure(all []parley.Procedure, key string) *parley.Procedure {
	for i := range all {
		if all[i].Key == key {
			return &all[i]
		}
	}
	return nil
}
