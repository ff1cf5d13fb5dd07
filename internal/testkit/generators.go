package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// CheckForGenerators finds in an OpenAPI document what client generators cannot turn into types: names that are invalid
// in Go or TypeScript, names that would be used twice, enums without a name in several places, and choices without a
// name or without a field that selects the type.
func CheckForGenerators(doc []byte) ([]string, error) {
	var d struct {
		Paths      map[string]map[string]map[string]any
		Components struct{ Schemas, Responses map[string]any }
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	g := &generatorCheck{schemas: d.Components.Schemas,
		types: map[string]string{}, operations: map[string]string{}, schemaByEnum: map[string]string{}}
	for _, components := range []map[string]any{d.Components.Schemas, d.Components.Responses} {
		for _, name := range slices.Sorted(maps.Keys(components)) {
			g.takeName(g.types, name, "the component "+name)
			if !typeNamePattern.MatchString(name) {
				g.addFault("the component %s is no name of a type", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		g.checkSchema(d.Components.Schemas[name].(map[string]any), name, true)
	}
	for path, item := range d.Paths {
		for method, op := range item {
			g.checkOperation(op, method+" "+path)
		}
	}
	slices.Sort(g.faults)
	return g.faults, nil
}

var (
	typeNamePattern   = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	methodNamePattern = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	reservedWords     = strings.Fields(`any async await boolean break case catch chan class const constructor continue
		debugger default defer delete do
		else enum error export extends fallthrough false finally for func function get go goto if implements import in
		instanceof int interface
		let map new nil null number object of package private protected public range return select set static string
		struct super switch
		symbol this throw true try type typeof undefined var void while with yield`)
)

type generatorCheck struct {
	schemas      map[string]any
	types        map[string]string // named schemas, by the name in lower case
	operations   map[string]string
	schemaByEnum map[string]string // places of inline enums, by their values
	faults       []string
}

func (g *generatorCheck) addFault(format string, args ...any) {
	g.faults = append(g.faults, fmt.Sprintf(format, args...))
}

// takeName reserves a name, ignoring case, as generated files and constants may differ only in case.
func (g *generatorCheck) takeName(names map[string]string, name, owner string) {
	name = strings.ToLower(name)
	if other, ok := names[name]; ok && other != owner {
		g.addFault("%s and %s have one name", other, owner)
	}
	names[name] = owner
}

func (g *generatorCheck) checkOperation(op map[string]any, where string) {
	id, _ := op["operationId"].(string)
	if !methodNamePattern.MatchString(id) || slices.Contains(reservedWords, id) {
		g.addFault("%s: %q is no name of a function", where, id)
	}
	g.takeName(g.operations, id, "the operation "+id)
	parameters, _ := op["parameters"].([]any)
	for _, each := range parameters {
		p := each.(map[string]any)
		g.checkSchema(p["schema"].(map[string]any), id+"Params"+memberName(p["name"].(string)), false)
	}
	body, _ := op["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	for kind, media := range content {
		schema := media.(map[string]any)["schema"].(map[string]any)
		if schema["oneOf"] != nil {
			g.addFault("%s: the body is a choice without a name", where)
		}
		g.checkSchema(schema, id+memberName(kind)+"Body", false)
	}
}

// checkSchema checks a schema; at is the name that most generators use for it if it has none.
func (g *generatorCheck) checkSchema(s map[string]any, at string, named bool) {
	values, _ := s["enum"].([]any)
	properties, _ := s["properties"].(map[string]any)
	if !named && (len(values) > 0 || len(properties) > 0) {
		g.takeName(g.types, at, "the member "+at)
	}
	if !named && len(values) > 1 {
		text := strings.ReplaceAll(fmt.Sprint(values...), "<nil>", "")
		if other, ok := g.schemaByEnum[text]; ok {
			g.addFault("%s and %s are one enum and have no name for it", other, at)
		}
		g.schemaByEnum[text] = at
	}
	if _, ok := s["default"].(map[string]any); ok {
		g.addFault("%s: an object as a default", at)
	}
	g.checkChoice(s, at)
	g.checkMembers(properties, at)
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := s[name].(map[string]any); ok {
			g.checkSchema(inner, at+"Item", false)
		}
	}
}

func (g *generatorCheck) checkMembers(properties map[string]any, at string) {
	taken := map[string]string{}
	for name, p := range properties {
		g.takeName(taken, memberName(name), "the member "+at+"."+name)
		g.checkSchema(p.(map[string]any), at+memberName(name), false)
	}
}

// checkChoice checks that at most one schema of a choice can match, and that a field selects one of several objects.
func (g *generatorCheck) checkChoice(s map[string]any, at string) {
	for _, name := range []string{"anyOf", "allOf", "not", "if"} {
		if s[name] != nil {
			g.addFault("%s: %s is read in different ways", at, name)
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
		g.addFault("%s: nothing tells the objects apart", at)
	}
}

// memberName turns the name of a member into a part of a type's name.
func memberName(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("_-/. ", r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
