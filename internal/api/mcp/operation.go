package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type (
	object   = map[string]any
	jsonText = json.RawMessage
)

// document is the part of the OpenAPI document that is used here.
type document struct {
	Paths      map[string]map[string]documentedOperation
	Components struct{ Schemas map[string]any }
}

type documentedOperation struct {
	OperationID string
	Parameters  []parameter
	RequestBody struct{ Content map[string]content }
	Responses   map[string]struct{ Content map[string]content }
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                object
}

type content struct{ Schema object }

// operation is an operation of REST v2 with the schemas of its input and output, in which references are resolved.
type operation struct {
	method, path string
	params       []parameter // of the path and the query
	bodies       []object    // the schemas that a body may have; none if there is no body
	reply        object      // of a success
}

// parseOperations returns the operations of the document by operationId.
func parseOperations(text []byte) (map[string]*operation, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	all := map[string]*operation{}
	for path, methods := range doc.Paths {
		for method, d := range methods {
			all[d.OperationID] = doc.newOperation(strings.ToUpper(method), path, d)
		}
	}
	return all, nil
}

func (doc *document) newOperation(method, path string, d documentedOperation) *operation {
	op := &operation{method: method, path: path}
	for _, p := range d.Parameters {
		p.Schema = doc.resolveReferences(p.Schema).(object)
		op.params = append(op.params, p)
	}
	if body, ok := d.RequestBody.Content[mediaType]; ok {
		op.bodies = schemaChoices(doc.resolveReferences(body.Schema).(object))
	}
	for status, r := range d.Responses {
		if success, ok := r.Content[mediaType]; ok && strings.HasPrefix(status, "2") {
			op.reply = doc.resolveReferences(success.Schema).(object)
		}
	}
	return op
}

const mediaType = "application/json"

// schemaChoices returns the schemas of a choice, or the only schema.
func schemaChoices(schema object) []object {
	all, ok := schema["anyOf"].([]any)
	if !ok {
		return []object{schema}
	}
	var list []object
	for _, each := range all {
		list = append(list, each.(object))
	}
	return list
}

// resolveReferences replaces references by the components that they refer to, because many clients do not follow
// references. No schema of REST is recursive.
func (doc *document) resolveReferences(v any) any {
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			all := doc.resolveReferences(doc.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]).(object)
			maps.Copy(all, v)
			delete(all, "$ref")
			return all
		}
		all := make(object, len(v))
		for name, value := range v {
			all[name] = doc.resolveReferences(value)
		}
		return nullableSchema(choiceSchema(all))
	case []any:
		all := make([]any, len(v))
		for i, value := range v {
			all[i] = doc.resolveReferences(value)
		}
		return all
	}
	return v
}

// choiceSchema writes a choice as anyOf, which models understand best, and without the discriminator for generators
// of clients.
func choiceSchema(schema object) object {
	if all, ok := schema["oneOf"].([]any); ok {
		schema["anyOf"] = all
		delete(schema, "oneOf")
		delete(schema, "discriminator")
	}
	return schema
}

// nullableSchema writes a nullable type as a choice, which more clients understand than a list of types.
func nullableSchema(schema object) object {
	types, ok := schema["type"].([]any)
	if !ok || len(types) != 2 || types[1] != "null" {
		return schema
	}
	outer := object{}
	for _, name := range []string{"description", "default"} {
		if value, ok := schema[name]; ok {
			outer[name] = value
			delete(schema, name)
		}
	}
	schema["type"] = types[0]
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = slices.DeleteFunc(values, func(v any) bool { return v == nil })
	}
	outer["anyOf"] = []any{schema, object{"type": "null"}}
	return outer
}
