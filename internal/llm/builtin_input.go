package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/prose"
	"parley/internal/words"
)

// input is one input of a tool as the built-in model fills it.
type input struct {
	name     string
	called   string // its description where that is short; empty for its name
	kind     inputKind
	required bool
	choices  []json.RawMessage
	part     namePart
}

type inputKind int

const (
	text      inputKind = iota // a few words
	freeText                   // whatever the user says
	reference                  // something with a digit in it
	number
	integer
	boolean
	choice
	email
	phone
	person // somebody's name
)

type namePart int

const (
	wholeName namePart = iota
	firstName
	lastName
)

// personal reports that the input is data that redaction masks.
func (in input) personal() bool { return in.kind == email || in.kind == phone }

type schema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type   json.RawMessage   `json:"type"`
	Format string            `json:"format"`
	Enum   []json.RawMessage `json:"enum"`

	Description json.RawMessage `json:"description"`
}

// inputsOf reads a JSON schema: the required inputs in its order, then the others by name.
func inputsOf(parameters json.RawMessage) (all []input) {
	var s schema
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
		if slices.ContainsFunc(all, func(in input) bool { return in.name == name }) {
			continue
		}
		all = append(all, s.Properties[name].input(name, slices.Contains(s.Required, name)))
	}
	return distinct(all)
}

// distinct leaves out descriptions that do not tell an input from the others.
func distinct(all []input) []input {
	inputs := slices.Clone(all)
	for i := range inputs {
		if ambiguous(all, i) {
			inputs[i].called = ""
		}
	}
	return inputs
}

// ambiguous reports that an input is described as another one is called or described.
func ambiguous(all []input, i int) bool {
	for j, in := range all {
		if j != i && all[i].called != "" && (in.called == all[i].called || in.plainName() == all[i].called) {
			return true
		}
	}
	return false
}

const longestLabel = 60 // characters

// called gives the description as the input can be asked for by it: short, in one line, and nothing that redaction would mask.
func (p property) called() string {
	var text string
	if len(p.Description) == 0 || json.Unmarshal(p.Description, &text) != nil {
		return ""
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".。 ")
	if utf8.RuneCountInString(text) > longestLabel || strings.ContainsAny(text, "\r\n") || prose.Redact(text) != text {
		return ""
	}
	return text
}

func (p property) input(name string, required bool) input {
	in := input{name: name, called: p.called(), required: required, choices: p.Enum}
	switch {
	case len(in.choices) > 0:
		in.kind = choice
	case p.is("boolean"):
		in.kind = boolean
	case p.is("integer"):
		in.kind = integer
	case p.is("number"):
		in.kind = number
	default:
		in.kind, in.part = kindByName(nameWords(name), p.Format)
	}
	return in
}

func (p property) is(kind string) bool { return bytes.Contains(p.Type, []byte(`"`+kind+`"`)) }

// plainValue is a JSON value as one says it.
func plainValue(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// nameWords cuts an input's name ("orderNumber", "order_number") into folded words.
func nameWords(name string) []string {
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

var (
	emailNames  = wordSet("email mail emails correo courriel")
	phoneNames  = wordSet("phone tel telephone telefon mobile handy telefono movil portable telefonnummer")
	nameNames   = wordSet("name nombre nom vorname nachname fullname firstname lastname surname")
	nameAround  = wordSet("full your customer contact first last given family user my the")
	freeNames   = wordSet("text message reason subject comment comments question query note notes description details body feedback nachricht grund betreff frage kommentar mensaje motivo asunto pregunta raison sujet commentaire problem issue summary topic")
	numberNames = wordSet("number nummer numero no nr id reference ref sku order invoice ticket tracking bestellung bestellnummer rechnung pedido factura commande facture zip postcode plz iban")
)

// kindByName goes by what the input is called.
func kindByName(name []string, format string) (inputKind, namePart) {
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(name, func(w string) bool { return set[w] })
	}
	alien := slices.ContainsFunc(name, func(w string) bool { return !nameNames[w] && !nameAround[w] })
	switch {
	case format == "email", has(emailNames) && !slices.Contains(name, "subject") && !slices.Contains(name, "body"):
		return email, 0
	case format == "phone", format == "tel", has(phoneNames):
		return phone, 0
	case has(nameNames) && !alien:
		return person, partOf(name)
	case has(freeNames):
		return freeText, 0
	case has(numberNames):
		return reference, 0
	}
	return text, 0
}

func partOf(name []string) namePart {
	switch {
	case slices.ContainsFunc(name, func(w string) bool { return within("first given vorname firstname", w) }):
		return firstName
	case slices.ContainsFunc(name, func(w string) bool { return within("last family nachname lastname surname", w) }):
		return lastName
	}
	return wholeName
}

// object writes the values as a JSON object, in the order of the inputs.
func object(inputs []input, values map[string]json.RawMessage) json.RawMessage {
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
