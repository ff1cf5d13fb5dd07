package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"parley"
)

// schemas renders shapes as JSON Schema 2020-12, the schema language of OpenAPI 3.1. Named structs become
// components, which are referred to wherever they are used.
type schemas struct {
	components     object
	types          map[string]reflect.Type // of the components; nil for those named by a tag
	errorResponses object                  // responses that operations share
	info           Info
	keyless        bool // the API has neither keys nor rate limits

	renderError func(e *parley.Error) (status int, body any)
	failure     object // a reference to the schema of failures
}

type object = map[string]any

// schemaFor returns the schema of a shape: that of its type, with the rules of the field.
func (sc *schemas) schemaFor(s *shape) object {
	schema := sc.bareSchema(s)
	if s.rules.componentName != "" {
		schema = sc.component(s.rules.componentName, schema)
	}
	if s.nullable {
		schema = nullableSchema(schema)
	}
	if s.rules.doc != "" {
		schema["description"] = s.rules.doc
	}
	if s.rules.defaultText != "" {
		s.describeDefault(schema)
	}
	return schema
}

// component makes the schema a component and returns a reference to it.
func (sc *schemas) component(name string, schema object) object {
	sc.claimName(name, nil)
	if known, ok := sc.components[name]; ok && !reflect.DeepEqual(known, schema) {
		panic("httpapi: two schemas are named " + name)
	}
	sc.components[name] = schema
	return object{"$ref": "#/components/schemas/" + name}
}

// claimName panics if two types claim the same name: one of them would be described as the other.
func (sc *schemas) claimName(name string, t reflect.Type) {
	if known, ok := sc.types[name]; ok && known != t {
		panic("httpapi: two types are named " + name)
	}
	sc.types[name] = t
}

// describeDefault adds the default value. That of an object goes into the description, since generators of clients
// do not accept it as a value.
func (s *shape) describeDefault(schema object) {
	if s.kind != kindObject {
		schema["default"] = s.defaultValue()
		return
	}
	text, _ := schema["description"].(string)
	schema["description"] = strings.TrimSpace(text + " By default " + s.rules.defaultText + ".")
}

func (s *shape) defaultValue() any {
	if s.kind == kindText {
		return s.rules.defaultText
	}
	return json.RawMessage(s.rules.defaultText)
}

func nullableSchema(schema object) object {
	name, ok := schema["type"].(string)
	if !ok {
		return object{"oneOf": []any{schema, object{"type": "null"}}}
	}
	schema["type"] = []string{name, "null"}
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(values, nil)
	}
	return schema
}

func (sc *schemas) bareSchema(s *shape) object {
	switch s.kind {
	case kindText:
		return sc.textSchema(s)
	case kindInteger:
		return withBounds(object{"type": "integer"}, &s.rules, "minimum", "maximum")
	case kindNumber:
		return withBounds(object{"type": "number"}, &s.rules, "minimum", "maximum")
	case kindBool:
		return object{"type": "boolean"}
	case kindList:
		return withBounds(object{"type": "array", "items": sc.schemaFor(s.elem)}, &s.rules, "minItems", "maxItems")
	case kindMap:
		return sc.mapSchema(s)
	case kindEither:
		return sc.eitherSchema(s)
	case kindObject:
		return sc.objectSchema(s)
	case kindTime:
		return object{"type": "string", "format": "date-time"}
	case kindBytes:
		return object{"type": "string", "contentEncoding": "base64"}
	case kindAny:
	}
	return object{}
}

// eitherSchema returns the schema of a choice. If all are components, the field with a constant value discriminates
// between them.
func (sc *schemas) eitherSchema(s *shape) object {
	all := s.choices()
	mapping, schema := object{}, object{}
	var schemas []any
	for _, each := range all {
		one := sc.schemaFor(each)
		schemas = append(schemas, one)
		name, value := each.constantField()
		if ref, ok := one["$ref"]; ok && name != "" {
			mapping[value] = ref
			schema["discriminator"] = object{"propertyName": name, "mapping": mapping}
		}
	}
	if len(mapping) < len(all) {
		delete(schema, "discriminator")
	}
	schema["oneOf"] = schemas
	return schema
}

// choices lists the shapes of a choice, including those of nested choices.
func (s *shape) choices() (all []*shape) {
	for _, each := range s.either {
		if each.kind == kindEither {
			all = append(all, each.choices()...)
		} else {
			all = append(all, each)
		}
	}
	return all
}

// constantField returns the field of an object that may have one value only, and that value.
func (s *shape) constantField() (name, value string) {
	for i := range s.fields {
		if value, ok := s.fields[i].shape.constant(); ok {
			return s.fields[i].name, value
		}
	}
	return "", ""
}

func withBounds(schema object, r *rules, minimum, maximum string) object {
	if r.min != nil {
		schema[minimum] = *r.min
	}
	if r.max != nil {
		schema[maximum] = *r.max
	}
	return schema
}

func (sc *schemas) textSchema(s *shape) object {
	schema := withBounds(object{"type": "string"}, &s.rules, "minLength", "maxLength")
	if s.rules.enum != nil {
		var values []any
		for _, v := range s.rules.enum {
			values = append(values, v)
		}
		schema["enum"] = values
	}
	if s.rules.pattern != nil {
		schema["pattern"] = s.rules.pattern.String()
	}
	switch s.rules.format {
	case "", "name":
	case "url":
		schema["format"] = "uri"
	case "mail":
		schema["format"] = "email"
	case "color":
		schema["pattern"] = colorForm.String()
	case "paint":
		schema["pattern"] = strings.TrimSuffix(colorForm.String(), "$") + "$|^transparent$"
	default:
		schema["format"] = s.rules.format
	}
	return schema
}

func (sc *schemas) mapSchema(s *shape) object {
	schema := object{"type": "object"}
	if s.keys == nil {
		schema["additionalProperties"] = sc.schemaFor(s.elem)
		return schema
	}
	members := object{}
	for _, name := range s.keys {
		members[name] = sc.schemaFor(s.elem)
	}
	schema["properties"], schema["additionalProperties"] = members, false
	return schema
}

func (sc *schemas) objectSchema(s *shape) object {
	name := componentName(s.typ)
	if name == "" {
		return sc.membersSchema(s)
	}
	sc.claimName(name, s.typ)
	if known, ok := sc.components[name].(object); ok && (known["additionalProperties"] == false) != s.strict {
		panic("httpapi: " + name + " is a strict body here and not there")
	}
	if _, ok := sc.components[name]; !ok {
		sc.components[name] = nil // reserved while the members are rendered
		sc.components[name] = sc.membersSchema(s)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (sc *schemas) membersSchema(s *shape) object {
	properties, required := object{}, []string{}
	for i := range s.fields {
		f := &s.fields[i]
		properties[f.name] = sc.schemaFor(f.shape)
		if f.required && f.shape.rules.defaultText == "" {
			required = append(required, f.name)
		}
	}
	schema := object{"type": "object", "properties": properties}
	if s.strict {
		schema["additionalProperties"] = false
	}
	if len(required) > 0 {
		slices.Sort(required)
		schema["required"] = required
	}
	return schema
}

// componentName returns the name of a type's component: Page[parley/internal/api/v2.Agent] becomes AgentPage.
func componentName(t reflect.Type) string {
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return capitalize(name)
	}
	of = strings.TrimSuffix(of, "]")
	return capitalize(of[strings.LastIndexByte(of, '.')+1:] + name)
}

func capitalize(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
