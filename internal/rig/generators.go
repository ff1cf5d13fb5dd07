package rig

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// GeneratorFaults finds in an OpenAPI document what generators of clients cannot turn into types: names that are no
// names in Go or TypeScript, names that would be given twice, enums without a name of their own in several places,
// choices without a name or that cannot be told apart.
func GeneratorFaults(doc []byte) ([]string, error) {
	var d struct {
		Paths      map[string]map[string]map[string]any
		Components struct{ Schemas, Responses map[string]any }
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	g := &generatorCheck{schemas: d.Components.Schemas,
		types: map[string]string{}, operations: map[string]string{}, enums: map[string]string{}}
	for _, components := range []map[string]any{d.Components.Schemas, d.Components.Responses} {
		for _, name := range slices.Sorted(maps.Keys(components)) {
			g.take(g.types, name, "the component "+name)
			if !typeName.MatchString(name) {
				g.fault("the component %s is no name of a type", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		g.schema(d.Components.Schemas[name].(map[string]any), name, true)
	}
	for path, item := range d.Paths {
		for method, op := range item {
			g.operation(op, method+" "+path)
		}
	}
	slices.Sort(g.faults)
	return g.faults, nil
}

var (
	typeName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	verbName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	reserved = strings.Fields(`any async await boolean break case catch chan class const constructor continue debugger default defer delete do
		else enum error export extends fallthrough false finally for func function get go goto if implements import in instanceof int interface
		let map new nil null number object of package private protected public range return select set static string struct super switch
		symbol this throw true try type typeof undefined var void while with yield`)
)

type generatorCheck struct {
	schemas    map[string]any
	types      map[string]string // what has a name, by the name in lower case
	operations map[string]string
	enums      map[string]string // where an enum stands in its place, by its values
	faults     []string
}

func (g *generatorCheck) fault(format string, args ...any) {
	g.faults = append(g.faults, fmt.Sprintf(format, args...))
}

// take gives a name away; files and constants are often told apart without regard to case.
func (g *generatorCheck) take(names map[string]string, name, who string) {
	name = strings.ToLower(name)
	if other, ok := names[name]; ok && other != who {
		g.fault("%s and %s have one name", other, who)
	}
	names[name] = who
}

func (g *generatorCheck) operation(op map[string]any, where string) {
	id, _ := op["operationId"].(string)
	if !verbName.MatchString(id) || slices.Contains(reserved, id) {
		g.fault("%s: %q is no name of a function", where, id)
	}
	g.take(g.operations, id, "the operation "+id)
	parameters, _ := op["parameters"].([]any)
	for _, each := range parameters {
		p := each.(map[string]any)
		g.schema(p["schema"].(map[string]any), id+"Params"+member(p["name"].(string)), false)
	}
	body, _ := op["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	for kind, media := range content {
		schema := media.(map[string]any)["schema"].(map[string]any)
		if schema["oneOf"] != nil {
			g.fault("%s: the body is a choice without a name", where)
		}
		g.schema(schema, id+member(kind)+"Body", false)
	}
}

// schema looks at a schema; at is what most generators call it where it has no name of its own.
func (g *generatorCheck) schema(s map[string]any, at string, named bool) {
	values, _ := s["enum"].([]any)
	properties, _ := s["properties"].(map[string]any)
	if !named && (len(values) > 0 || len(properties) > 0) {
		g.take(g.types, at, "the member "+at)
	}
	if !named && len(values) > 1 {
		text := strings.ReplaceAll(fmt.Sprint(values...), "<nil>", "")
		if other, ok := g.enums[text]; ok {
			g.fault("%s and %s are one enum and have no name for it", other, at)
		}
		g.enums[text] = at
	}
	if _, ok := s["default"].(map[string]any); ok {
		g.fault("%s: an object as a default", at)
	}
	g.choice(s, at)
	g.members(properties, at)
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := s[name].(map[string]any); ok {
			g.schema(inner, at+"Item", false)
		}
	}
}

func (g *generatorCheck) members(properties map[string]any, at string) {
	taken := map[string]string{}
	for name, p := range properties {
		g.take(taken, member(name), "the member "+at+"."+name)
		g.schema(p.(map[string]any), at+member(name), false)
	}
}

// choice wants schemas of which at most one holds, and of several objects a field that tells which.
func (g *generatorCheck) choice(s map[string]any, at string) {
	for _, name := range []string{"anyOf", "allOf", "not", "if"} {
		if s[name] != nil {
			g.fault("%s: %s is read in different ways", at, name)
		}
	}
	all, _ := s["oneOf"].([]any)
	objects := 0
	for _, each := range all {
		ref, _ := each.(map[string]any)["$ref"].(string)
		known, _ := g.schemas[ref[strings.LastIndexByte(ref, '/')+1:]].(map[string]any)
		if known["type"] == "object" {
			objects++
		}
	}
	if objects > 1 && s["discriminator"] == nil {
		g.fault("%s: nothing tells the objects apart", at)
	}
}

// member turns the name of a member into a part of a type's name.
func member(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("_-/. ", r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
