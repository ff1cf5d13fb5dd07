package quote

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/redact"
	"parley/internal/text/words"
)

// toolInput is one input of a tool as the built-in model fills it.
type toolInput struct {
	name             string
	shortDescription string // its description where that is short; empty for its name
	kind             toolInputKind
	required         bool
	choices          []json.RawMessage
	namePart         namePart
}

type toolInputKind int

const (
	inputText      toolInputKind = iota // a few words
	inputFreeText                       // whatever the user says
	inputReference                      // something with a digit in it
	inputNumber
	inputInteger
	inputBoolean
	inputChoice
	inputEmail
	inputPhone
	inputPersonName // somebody's name
)

type namePart int

const (
	namePartWhole namePart = iota
	namePartFirst
	namePartLast
)

// isPersonal reports whether the input is data that redaction masks.
func (t toolInput) isPersonal() bool { return t.kind == inputEmail || t.kind == inputPhone }

type parameterSchema struct {
	Properties map[string]parameterProperty `json:"properties"`
	Required   []string                     `json:"required"`
}

type parameterProperty struct {
	Type   json.RawMessage   `json:"type"`
	Format string            `json:"format"`
	Enum   []json.RawMessage `json:"enum"`

	Description json.RawMessage `json:"description"`
}

// parseInputs reads a JSON schema: the required inputs in its order, then the others by name.
func parseInputs(parameters json.RawMessage) (all []toolInput) {
	var s parameterSchema
	if len(parameters) == 0 || json.Unmarshal(parameters, &s) != nil {
		return nil
	}
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(all, func(in toolInput) bool { return in.name == name }) {
			continue
		}
		all = append(all, s.Properties[name].toInput(name, slices.Contains(s.Required, name)))
	}
	return dropAmbiguousDescriptions(all)
}

// dropAmbiguousDescriptions leaves out descriptions that do not tell an input from the others.
func dropAmbiguousDescriptions(all []toolInput) []toolInput {
	inputs := slices.Clone(all)
	for i := range inputs {
		if isAmbiguous(all, i) {
			inputs[i].shortDescription = ""
		}
	}
	return inputs
}

// isAmbiguous reports whether an input is described as another one is called or described.
func isAmbiguous(all []toolInput, i int) bool {
	text := all[i].shortDescription
	return text != "" && slices.ContainsFunc(slices.Concat(all[:i], all[i+1:]), func(in toolInput) bool {
		return in.shortDescription == text || in.plainName() == text
	})
}

const maxLabelRunes = 60 // characters

// shortDescription returns the description as the input can be asked for by it: short, in one line, and nothing that
// redaction would mask.
func (p parameterProperty) shortDescription() string {
	var text string
	if len(p.Description) == 0 || json.Unmarshal(p.Description, &text) != nil {
		return ""
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".。 ")
	if utf8.RuneCountInString(text) > maxLabelRunes || strings.ContainsAny(text, "\r\n") || redact.Text(text) != text {
		return ""
	}
	return text
}

func (p parameterProperty) toInput(name string, required bool) toolInput {
	in := toolInput{name: name, shortDescription: p.shortDescription(), required: required, choices: p.Enum}
	switch {
	case len(in.choices) > 0:
		in.kind = inputChoice
	case p.hasType("boolean"):
		in.kind = inputBoolean
	case p.hasType("integer"):
		in.kind = inputInteger
	case p.hasType("number"):
		in.kind = inputNumber
	default:
		in.kind, in.namePart = kindByName(splitNameWords(name), p.Format)
	}
	return in
}

func (p parameterProperty) hasType(kind string) bool {
	return bytes.Contains(p.Type, []byte(`"`+kind+`"`))
}

// splitNameWords cuts an input's name ("orderNumber", "order_number") into folded words.
func splitNameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if r == '_' || r == '-' || r == '.' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.Fields(words.Fold(b.String()))
}

// kindByName goes by what the input is called.
func kindByName(name []string, format string) (toolInputKind, namePart) {
	hasWordOf := func(set map[string]bool) bool {
		return slices.ContainsFunc(name, func(w string) bool { return set[w] })
	}
	hasOtherWord := slices.ContainsFunc(name, func(w string) bool {
		return !personNameWords()[w] && !personNameModifiers()[w]
	})
	switch {
	case format == "email", hasWordOf(emailNames()) && !slices.Contains(name, "subject") && !slices.Contains(name, "body"):
		return inputEmail, 0
	case format == "phone", format == "tel", hasWordOf(phoneNames()):
		return inputPhone, 0
	case hasWordOf(personNameWords()) && !hasOtherWord:
		return inputPersonName, namePartOf(name)
	case hasWordOf(freeTextNames()):
		return inputFreeText, 0
	case hasWordOf(referenceNames()):
		return inputReference, 0
	}
	return inputText, 0
}

func namePartOf(name []string) namePart {
	switch {
	case slices.ContainsFunc(name, func(w string) bool { return listContains("first given vorname firstname", w) }):
		return namePartFirst
	case slices.ContainsFunc(name, func(w string) bool {
		return listContains("last family nachname lastname surname", w)
	}):
		return namePartLast
	}
	return namePartWhole
}

// encodeInputs writes the values as a JSON object, in the order of the inputs.
func encodeInputs(inputs []toolInput, values map[string]json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	for _, in := range inputs {
		v := values[in.name]
		if v == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		name, err := json.Marshal(in.name)
		if err != nil {
			continue
		}
		b = append(append(append(b, name...), ':'), v...)
	}
	return append(b, '}')
}
