package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley"
)

// maxInputBytes is the longest value of an input, in bytes of JSON.
const maxInputBytes = 16 << 10

// property is an input in the JSON schema that models are given.
type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
}

// Parameters returns the JSON schema of the inputs: an object.
func Parameters(inputs []parley.ActionInput) json.RawMessage {
	properties, required := map[string]property{}, []string{}
	for _, in := range inputs {
		properties[in.Name] = property{in.Type, in.Description, in.Enum}
		if in.Required {
			required = append(required, in.Name)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false})
	if err != nil {
		panic(err) // strings and lists of strings always encode
	}
	return schema
}

// readInputs reads the inputs of a call. Values in another type, such as "42" for a number, are converted; null and
// unknown ones are left out. The error names the input.
func readInputs(inputs []parley.ActionInput, call json.RawMessage) (map[string]json.RawMessage, error) {
	object := map[string]json.RawMessage{}
	if len(call) > 0 {
		if err := json.Unmarshal(call, &object); err != nil {
			return nil, errors.New("the input is not a JSON object")
		}
	}
	known := map[string]json.RawMessage{}
	for _, in := range inputs {
		raw := bytes.TrimSpace(object[in.Name])
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if len(raw) > maxInputBytes {
			return nil, fmt.Errorf("%s is too long", in.Name)
		}
		value, err := parseInput(in, raw)
		if err != nil {
			return nil, err
		}
		if value != nil {
			known[in.Name] = value
		}
	}
	return known, nil
}

func missingInputs(inputs []parley.ActionInput, known map[string]json.RawMessage) (list []parley.ActionInput) {
	for _, in := range inputs {
		if in.Required && known[in.Name] == nil {
			list = append(list, in)
		}
	}
	return list
}

// readAllInputs is readInputs for a call that must have all required inputs.
func readAllInputs(inputs []parley.ActionInput, call json.RawMessage) (map[string]json.RawMessage, error) {
	known, err := readInputs(inputs, call)
	if err != nil {
		return nil, err
	}
	if missing := missingInputs(inputs, known); len(missing) > 0 {
		return nil, fmt.Errorf("%s is required", missing[0].Name)
	}
	return known, nil
}

var typeNames = map[string]string{"string": "a text", "number": "a number", "integer": "an integer",
	"boolean": "true or false"}

// parseInput checks one value; an empty text counts as none.
func parseInput(in parley.ActionInput, raw json.RawMessage) (json.RawMessage, error) {
	wrongType := fmt.Errorf("%s must be %s", in.Name, typeNames[in.Type])
	if raw[0] == '{' || raw[0] == '[' {
		return nil, wrongType
	}
	text := strings.TrimSpace(parley.StorableText(parley.JSONText(raw)))
	if text == "" {
		return nil, nil
	}
	switch in.Type {
	case "integer", "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !json.Valid([]byte(text)) || in.Type == "integer" && n != math.Trunc(n) {
			return nil, wrongType
		}
		return json.RawMessage(text), nil
	case "boolean":
		if text != "true" && text != "false" {
			return nil, wrongType
		}
		return json.RawMessage(text), nil
	}
	if len(in.Enum) > 0 && !slices.Contains(in.Enum, text) {
		return nil, fmt.Errorf("%s must be one of: %s", in.Name, strings.Join(in.Enum, ", "))
	}
	return json.Marshal(text)
}
