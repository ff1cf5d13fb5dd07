package actions

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley"
)

// markPattern matches what a template names: {input}, or ${SECRET}.
var markPattern = regexp.MustCompile(`\$?\{[A-Za-z_][A-Za-z0-9_]*\}`)

// parseMark splits a mark into what it names and whether that is a secret.
func parseMark(m string) (name string, secret bool) {
	secret = m[0] == '$'
	return strings.Trim(m, "${}"), secret
}

// findMarks lists the inputs and the secrets that a text names, each once.
func findMarks(text string) (inputs, secrets []string) {
	seen := map[string]bool{}
	for _, m := range markPattern.FindAllString(text, -1) {
		if seen[m] {
			continue
		}
		seen[m] = true
		if name, secret := parseMark(m); secret {
			secrets = append(secrets, name)
		} else {
			inputs = append(inputs, name)
		}
	}
	return inputs, secrets
}

// SecretNames lists the secrets that the config of an action names as ${NAME}, each once, in order of appearance.
func SecretNames(config json.RawMessage) []string {
	_, secrets := findMarks(string(config))
	return secrets
}

// values holds what templates are filled with: checked inputs and decrypted secrets.
type values struct {
	inputs  map[string]json.RawMessage // strings, numbers, booleans; what is missing is not there
	secrets map[string]string
	steps   []parley.ProcedureStep // whose results are among the inputs, as step.place; nil outside of procedures
}

// markText returns the value of a mark as text; a missing input is empty.
func (v values) markText(m string) string {
	name, secret := parseMark(m)
	if secret {
		return v.secrets[name]
	}
	return parley.JSONText(v.inputs[name])
}

// fillTemplate replaces the marks of a template in one pass, so that nothing in a value is taken for a mark. escape may
// be nil.
func (v values) fillTemplate(template string, escape func(string) string) string {
	return v.pattern().ReplaceAllStringFunc(template, func(m string) string {
		if !v.isMark(m) {
			return m
		}
		text := v.markText(m)
		if escape != nil {
			text = escape(text)
		}
		return text
	})
}

// soleInput returns the input of a template that consists of nothing else.
func (v values) soleInput(template string) (input string, ok bool) {
	if v.pattern().FindString(template) != template || template == "" || template[0] == '$' || !v.isMark(template) {
		return "", false
	}
	return strings.Trim(template, "{}"), true
}

// isMissing reports whether a template consists of one input that is missing.
func (v values) isMissing(template string) bool {
	name, ok := v.soleInput(template)
	return ok && v.inputs[name] == nil
}

// fillJSON fills a decoded JSON template. A string that is nothing but an input becomes the input's value with its
// type; where that input is missing, a member is left out and an item is null.
func (v values) fillJSON(template any) any {
	switch t := template.(type) {
	case string:
		if name, ok := v.soleInput(t); ok {
			if raw := v.inputs[name]; raw != nil {
				return raw
			}
			return nil
		}
		return v.fillTemplate(t, nil)
	case []any:
		list := make([]any, len(t))
		for i, item := range t {
			list[i] = v.fillJSON(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(t))
		for key, item := range t {
			if s, ok := item.(string); !ok || !v.isMissing(s) {
				object[key] = v.fillJSON(item)
			}
		}
		return object
	}
	return template
}
