// Package actions is what an agent can do besides talk: it checks what an operator has defined, and offers it to a turn as
// tools. Definitions are data; an action reaches the outside through outbound only, and its secrets are opened for one call.
package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"parley"
)

// The bounds of a definition.
const (
	maxInputs      = 32
	maxTriggers    = 20
	maxDescription = 1000 // characters
	maxSteps       = 30
	maxConfig      = 64 << 10 // bytes
)

var (
	keyForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	toolName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	inputName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// faults collects what is wrong with a definition, by dotted path.
type faults map[string]string

// add notes a fault; the first one at a path stays.
func (f faults) add(path, format string, args ...any) {
	if f[path] == "" {
		f[path] = fmt.Sprintf(format, args...)
	}
}

func (f faults) error() error {
	if len(f) == 0 {
		return nil
	}
	fail := parley.Fail(parley.CodeInvalidBody)
	fail.Details = f
	return fail
}

func join(path string, more any) string {
	if path == "" {
		return fmt.Sprint(more)
	}
	return path + "." + fmt.Sprint(more)
}

// ValidateAction checks one action. Fails with VALIDATION_INVALID_BODY.
func ValidateAction(a *parley.Action) error {
	f := faults{}
	f.action("", a)
	return f.error()
}

// ValidateProcedure checks one procedure beside the agent's actions. Fails with VALIDATION_INVALID_BODY.
func ValidateProcedure(p *parley.Procedure, actions []parley.Action) error {
	f := faults{}
	f.procedure("", p, actions)
	return f.error()
}

func (f faults) action(path string, a *parley.Action) {
	f.head(path, a.Key, a.Name, a.Description, a.Triggers, inputsOf(a))
	check, known := kinds[a.Kind]
	if !known {
		f.add(join(path, "kind"), "must be one of: %s", kindList)
		return
	}
	if len(a.Config) > maxConfig {
		f.add(join(path, "config"), "must have at most %d bytes", maxConfig)
		return
	}
	if a.Kind != parley.ActionHTTP {
		for _, name := range SecretNames(a.Config) {
			f.add(join(path, "config"), "names ${%s}: only http actions hold secrets", name)
		}
	}
	check(f, join(path, "config"), a)
}

// head checks what actions and procedures have in common.
func (f faults) head(path, key, name, description string, triggers []string, inputs []parley.ActionInput) {
	if !keyForm.MatchString(key) {
		f.add(join(path, "key"), "must begin with a letter or a digit and have 1 to 100 of a-z A-Z 0-9 . _ -")
	}
	if !toolName.MatchString(name) {
		f.add(join(path, "name"), "must be 1 to 64 of a-z A-Z 0-9 _ -")
	}
	f.text(join(path, "description"), description, maxDescription)
	if len(triggers) > maxTriggers {
		f.add(join(path, "triggers"), "must have at most %d items", maxTriggers)
	}
	for i, t := range triggers {
		at := join(path, "triggers."+strconv.Itoa(i))
		f.text(at, t, 200)
		f.inputsOnly(at, t, inputs)
	}
	f.inputs(join(path, "inputs"), inputs)
}

func (f faults) inputs(path string, inputs []parley.ActionInput) {
	if len(inputs) > maxInputs {
		f.add(path, "must have at most %d items", maxInputs)
	}
	seen := map[string]bool{}
	for i, in := range inputs {
		at := join(path, i)
		switch {
		case !inputName.MatchString(in.Name):
			f.add(join(at, "name"), "must begin with a letter or _ and have 1 to 64 of a-z A-Z 0-9 _")
		case seen[in.Name]:
			f.add(join(at, "name"), "stands twice")
		}
		seen[in.Name] = true
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, in.Type) {
			f.add(join(at, "type"), "must be one of: string, number, integer, boolean")
		}
		if len(in.Enum) > 0 && in.Type != "string" {
			f.add(join(at, "enum"), "is for inputs of type string")
		}
		if len([]rune(in.Description)) > maxDescription {
			f.add(join(at, "description"), "must have at most %d characters", maxDescription)
		}
	}
}

// text checks a text that must be there.
func (f faults) text(path, text string, limit int) {
	switch {
	case text == "":
		f.add(path, "is required")
	case len([]rune(text)) > limit:
		f.add(path, "must have at most %d characters", limit)
	}
}

// inputsOnly checks that a template names inputs that exist, and no secrets.
func (f faults) inputsOnly(path, template string, inputs []parley.ActionInput) {
	names, secrets := marksOf(template)
	for _, name := range names {
		if find(inputs, name) == nil {
			f.add(path, "names {%s}, and there is no input of this name", name)
		}
	}
	for _, name := range secrets {
		f.add(path, "must not hold the secret ${%s}", name)
	}
}

func find(inputs []parley.ActionInput, name string) *parley.ActionInput {
	for i := range inputs {
		if inputs[i].Name == name {
			return &inputs[i]
		}
	}
	return nil
}

// strictly decodes a config and refuses fields that its kind does not know.
func strictly(config json.RawMessage, into any) error {
	if len(config) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return &atField{wrong.Field, "must not be a " + wrong.Value}
		}
		if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
			return &atField{m[1], "is not known to this kind of action"}
		}
		return &atField{"", "must be an object"}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &atField{"", "must be one object"}
	}
	return nil
}

var unknownField = regexp.MustCompile(`unknown field "(.*)"`)

type atField struct{ field, what string }

func (e *atField) Error() string { return e.field + " " + e.what }

// config decodes a config and notes what is wrong with its form.
func (f faults) config(path string, config json.RawMessage, into any) bool {
	err := strictly(config, into)
	var at *atField
	if errors.As(err, &at) {
		if at.field != "" {
			path = join(path, at.field)
		}
		f.add(path, "%s", at.what)
	}
	return err == nil
}
