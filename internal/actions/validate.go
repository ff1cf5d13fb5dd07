// Package actions holds what an agent can do besides answering: it checks the actions and procedures that an operator
// has defined, and offers them to turns as tools. Definitions are data; actions reach other servers through package
// outbound only, and their secrets are decrypted for one call.
package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"parley"
)

// The bounds of a definition.
const (
	maxInputs      = 32
	maxEnum        = 500 // values of one input
	maxTriggers    = 20
	maxDescription = 1000 // characters
	maxSteps       = 30
	maxConfigBytes = 64 << 10 // bytes
)

var (
	toolNamePattern  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	inputNamePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// faults collects what is wrong with a definition, by dotted path.
type faults map[string]string

// add records a fault; the first one at a path stays.
func (f faults) add(path, format string, args ...any) {
	if f[path] == "" {
		f[path] = fmt.Sprintf(format, args...)
	}
}

func joinPath(path string, more any) string { return path + "." + fmt.Sprint(more) }

// ValidateAction checks one action. Fails with VALIDATION_INVALID_BODY.
func ValidateAction(a *parley.Action) error {
	f := faults{}
	f.checkAction(a)
	return parley.InvalidFields(f)
}

// ValidateProcedure checks one procedure, together with the agent's actions. Fails with VALIDATION_INVALID_BODY.
func ValidateProcedure(p *parley.Procedure, actions []parley.Action) error {
	f := faults{}
	f.checkProcedure(p, actions)
	return parley.InvalidFields(f)
}

func (f faults) checkAction(a *parley.Action) {
	f.checkHead(a.Key, a.Name, a.Description, a.Triggers, actionInputs(a))
	check, known := configCheckers[a.Kind]
	if !known {
		f.add("kind", "must be one of: %s", kindList)
		return
	}
	if len(a.Config) > maxConfigBytes {
		f.add("config", "must have at most %d bytes", maxConfigBytes)
		return
	}
	if a.Kind != parley.ActionHTTP {
		for _, name := range SecretNames(a.Config) {
			f.add("config", "names ${%s}: only http actions hold secrets", name)
		}
	}
	check(f, a)
}

// checkHead checks what actions and procedures have in common.
func (f faults) checkHead(key, name, description string, triggers []string, inputs []parley.ActionInput) {
	if !parley.IsKey(key) {
		f.add("key", parley.KeyRule)
	}
	if !toolNamePattern.MatchString(name) {
		f.add("name", "must be 1 to 64 of a-z A-Z 0-9 _ -")
	}
	f.checkText("description", description, maxDescription)
	if len(triggers) > maxTriggers {
		f.add("triggers", "must have at most %d items", maxTriggers)
	}
	for i, t := range triggers {
		at := joinPath("triggers", i)
		f.checkText(at, t, 200)
		f.checkTemplate(at, t, inputs)
	}
	f.checkInputs(inputs)
}

func (f faults) checkInputs(inputs []parley.ActionInput) {
	if len(inputs) > maxInputs {
		f.add("inputs", "must have at most %d items", maxInputs)
	}
	seen := map[string]bool{}
	for i, in := range inputs {
		at := joinPath("inputs", i)
		switch {
		case !inputNamePattern.MatchString(in.Name):
			f.add(joinPath(at, "name"), "must begin with a letter or _ and have 1 to 64 of a-z A-Z 0-9 _")
		case seen[in.Name]:
			f.add(joinPath(at, "name"), "stands twice")
		}
		seen[in.Name] = true
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, in.Type) {
			f.add(joinPath(at, "type"), "must be one of: string, number, integer, boolean")
		}
		if len(in.Enum) > 0 && in.Type != "string" {
			f.add(joinPath(at, "enum"), "is for inputs of type string")
		}
		if len(in.Enum) > maxEnum {
			f.add(joinPath(at, "enum"), "must have at most %d items", maxEnum)
		}
		if len([]rune(in.Description)) > maxDescription {
			f.add(joinPath(at, "description"), "must have at most %d characters", maxDescription)
		}
	}
}

func (f faults) checkText(path, text string, limit int) {
	switch {
	case text == "":
		f.add(path, "is required")
	case len([]rune(text)) > limit:
		f.add(path, "must have at most %d characters", limit)
	}
}

// checkTemplate checks that a template names inputs that exist, and no secrets.
func (f faults) checkTemplate(path, template string, inputs []parley.ActionInput) {
	f.checkInputsExist(path, template, inputs)
	_, secrets := findMarks(template)
	for _, name := range secrets {
		f.add(path, "must not hold the secret ${%s}", name)
	}
}

func findInput(inputs []parley.ActionInput, name string) *parley.ActionInput {
	for i := range inputs {
		if inputs[i].Name == name {
			return &inputs[i]
		}
	}
	return nil
}

// decodeStrict decodes a config and refuses fields that its kind does not know.
func decodeStrict(config json.RawMessage, into any) error {
	if len(config) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
			return &fieldError{e.Field, "must not be a " + e.Value}
		}
		if m := unknownFieldPattern.FindStringSubmatch(err.Error()); m != nil {
			return &fieldError{m[1], "is not known to this kind of action"}
		}
		return &fieldError{"", "must be an object"}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &fieldError{"", "must be one object"}
	}
	return nil
}

var unknownFieldPattern = regexp.MustCompile(`unknown field "(.*)"`)

type fieldError struct{ field, problem string }

func (e *fieldError) Error() string { return e.field + " " + e.problem }

// decodeConfig decodes a config and records what is wrong with its form.
func (f faults) decodeConfig(config json.RawMessage, into any) bool {
	err := decodeStrict(config, into)
	if at, ok := errors.AsType[*fieldError](err); ok {
		path := "config"
		if at.field != "" {
			path = joinPath(path, at.field)
		}
		f.add(path, "%s", at.problem)
	}
	return err == nil
}
