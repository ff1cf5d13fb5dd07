package wire

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"parley"
)

// schemas renders shapes as JSON Schema 2020-12, the schema language of OpenAPI 3.1. Structs with a name of their own
// become components, referred to wherever they stand.
type schemas struct {
	components object
	refusals   object // responses that several operations give
	about      About

	render  func(e *parley.Error) (status int, body any) // how the face words a failure
	failure object                                       // refers to the schema of what it says then
}

type object = map[string]any

// of gives the schema of a shape in its place: the type's, with the rules of the place.
func (c *schemas) of(s *shape) object {
	schema := c.bare(s)
	if s.nullable {
		schema = orNull(schema)
	}
	if s.rules.doc != "" {
		schema["description"] = s.rules.doc
	}
	if s.rules.fallback != "" {
		schema["default"] = s.fallback()
	}
	return schema
}

func (s *shape) fallback() any {
	if s.kind == kindText {
		return s.rules.fallback
	}
	return json.RawMessage(s.rules.fallback)
}

func orNull(schema object) object {
	name, ok := schema["type"].(string)
	if !ok {
		return object{"anyOf": []any{schema, object{"type": "null"}}}
	}
	schema["type"] = []string{name, "null"}
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(values, nil)
	}
	return schema
}

func (c *schemas) bare(s *shape) object {
	switch s.kind {
	case kindText:
		return c.text(s)
	case kindInteger:
		return sized(object{"type": "integer"}, &s.rules, "minimum", "maximum")
	case kindNumber:
		return sized(object{"type": "number"}, &s.rules, "minimum", "maximum")
	case kindBool:
		return object{"type": "boolean"}
	case kindList:
		return sized(object{"type": "array", "items": c.of(s.elem)}, &s.rules, "minItems", "maxItems")
	case kindMap:
		return c.dict(s)
	case kindEither:
		return object{"anyOf": c.choices(s)}
	case kindObject:
		return c.object(s)
	case kindAny:
	}
	return object{}
}

// choices gives the schemas of the shapes that a value may have, those of a choice within the choice too.
func (c *schemas) choices(s *shape) (all []any) {
	for _, each := range s.either {
		if each.kind == kindEither {
			all = append(all, c.choices(each)...)
		} else {
			all = append(all, c.of(each))
		}
	}
	return all
}

func sized(schema object, r *rules, least, most string) object {
	if r.min != nil {
		schema[least] = *r.min
	}
	if r.max != nil {
		schema[most] = *r.max
	}
	return schema
}

func (c *schemas) text(s *shape) object {
	schema := sized(object{"type": "string"}, &s.rules, "minLength", "maxLength")
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
	case "":
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

func (c *schemas) dict(s *shape) object {
	schema := object{"type": "object"}
	if s.keys == nil {
		schema["additionalProperties"] = c.of(s.elem)
		return schema
	}
	members := object{}
	for _, name := range s.keys {
		members[name] = c.of(s.elem)
	}
	schema["properties"], schema["additionalProperties"] = members, false
	return schema
}

func (c *schemas) object(s *shape) object {
	name := componentName(s.typ)
	if name == "" {
		return c.members(s)
	}
	if known, ok := c.components[name].(object); ok && (known["additionalProperties"] == false) != s.strict {
		panic("wire: " + name + " is a strict body here and not there")
	}
	if _, ok := c.components[name]; !ok {
		c.components[name] = nil // holds the place while the members are rendered
		c.components[name] = c.members(s)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (c *schemas) members(s *shape) object {
	properties, required := object{}, []string{}
	for i := range s.fields {
		f := &s.fields[i]
		properties[f.name] = c.of(f.shape)
		if f.required && f.shape.rules.fallback == "" {
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

// componentName turns a type's name into a component's: Page[parley/internal/api.Agent] becomes AgentPage.
func componentName(t reflect.Type) string {
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	of = strings.TrimSuffix(of, "]")
	return of[strings.LastIndexByte(of, '.')+1:] + name
}
