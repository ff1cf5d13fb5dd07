package mcp

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// buildSchemas derives the schemas of the tool from those of its operation.
func (t *tool) buildSchemas() {
	t.input, t.output = t.inputSchema(), t.operation.reply
	if t.maxItems > 0 {
		t.describePage()
	}
	switch t.name {
	case "search_conversations":
		t.describeSearches()
	case "export_conversations":
		t.describeExport()
	case "list_tickets":
		t.describeTickets()
	case "list_ticket_statuses", "list_helpdesk_teams":
		t.describeArray()
	}
}

// inputSchema returns one object with all parameters and body members of the operation.
func (t *tool) inputSchema() object {
	members, required := object{}, slices.Clone(t.requiredTexts)
	for _, p := range t.operation.params {
		if p.In == "header" || !t.takesParameter(p.Name) {
			continue
		}
		members[p.Name] = maps.Clone(p.Schema)
		if p.Description != "" {
			members[p.Name].(object)["description"] = p.Description
		}
		if p.Required {
			required = append(required, p.Name)
		}
	}
	body, needed := mergeBodies(t.operation.bodies)
	for name, schema := range body {
		if t.takesParameter(name) {
			members[name] = schema
		}
	}
	for _, name := range t.requiredTexts {
		members[name] = object{"type": "string", "minLength": 1}
	}
	return closedObject(members, append(required, needed...))
}

func closedObject(members object, required []string) object {
	slices.Sort(required)
	schema := object{"type": "object", "properties": members, "additionalProperties": false}
	if required = slices.Compact(required); len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// mergeBodies merges alternative bodies, which differ by their type member, into one object: many clients do not
// support a choice at the top of a schema. The description of a member that only some of them have names their
// types. REST refuses invalid combinations.
func mergeBodies(bodies []object) (members object, required []string) {
	members = object{}
	kinds := map[string][]string{}
	for i, body := range bodies {
		kind := kindNote(body)
		needed := stringList(body["required"])
		if i == 0 {
			required = needed
		}
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(needed, name) })
		for name, schema := range body["properties"].(object) {
			kinds[name] = append(kinds[name], kind)
			members[name] = mergeSchemas(members[name], schema.(object))
		}
	}
	for name, of := range kinds {
		if len(of) < len(bodies) {
			schema := members[name].(object)
			description, _ := schema["description"].(string)
			schema["description"] = strings.TrimSpace(fmt.Sprintf("Of type %s. %s", strings.Join(of, " or "), description))
		}
	}
	return members, required
}

func kindNote(body object) string {
	kind, _ := body["properties"].(object)["type"].(object)
	if values, ok := kind["enum"].([]any); ok && len(values) == 1 {
		return values[0].(string)
	}
	return ""
}

// mergeSchemas returns what two schemas have in common, with the values of both enums.
func mergeSchemas(first any, more object) object {
	if first == nil {
		return maps.Clone(more)
	}
	schema := first.(object)
	maps.DeleteFunc(schema, func(rule string, value any) bool {
		return rule != "enum" && !reflect.DeepEqual(value, more[rule])
	})
	if values, ok := schema["enum"].([]any); ok {
		others, _ := more["enum"].([]any)
		schema["enum"] = append(slices.Clone(values), others...)
	}
	return schema
}

func stringList(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		all = append(all, v.(string))
	}
	return all
}

// describePage describes a list that the tool may truncate.
func (t *tool) describePage() {
	limit := t.input["properties"].(object)["limit"].(object)
	limit["description"] = fmt.Sprintf("Most items on the page. More than %d are not given in one call.", t.maxItems)
	properties := t.output["properties"].(object)
	properties["truncated"] = object{"type": "boolean",
		"description": "True when this tool's limits have made the page smaller than was asked for."}
	if t.fields == nil {
		return
	}
	items := properties["data"].(object)["items"].(object)
	maps.DeleteFunc(items["properties"].(object), func(name string, _ any) bool {
		return !slices.Contains(t.fields, name)
	})
	items["required"] = slices.DeleteFunc(stringList(items["required"]), func(name string) bool {
		return !slices.Contains(t.fields, name)
	})
}

// maxSearches is the maximum number of searches in one call.
const maxSearches = 5

// describeSearches wraps the schemas of the operation: its input becomes an item of searches, and its reply an item
// of results.
func (t *tool) describeSearches() {
	each := t.input
	delete(each, "required")
	agent := object{"type": "string", "description": "The agent of the searches that name none."}
	each["properties"].(object)["agentId"] = object{"type": "string",
		"description": "The agent to search; without it, the agentId beside searches."}
	t.input = closedObject(object{"agentId": agent,
		"searches": object{"type": "array", "minItems": 1, "maxItems": maxSearches, "items": each,
			"description": "1 to 5 searches. Each counts for itself towards ten searches a second."}}, []string{"searches"})
	properties := maps.Clone(t.output["properties"].(object))
	properties["error"] = object{"type": "object",
		"description": "In place of data and pagination: why this search was refused.",
		"required":    []string{"code", "message"},
		"properties": object{"code": object{"type": "string"}, "message": object{"type": "string"},
			"details":    object{"type": "object", "additionalProperties": object{"type": "string"}},
			"retryAfter": object{"type": "integer", "description": "Seconds to wait before trying again."},
			"requestId":  object{"type": "string"}}}
	t.output = object{"type": "object", "required": []string{"results"},
		"properties": object{"results": object{"type": "array", "description": "In the order of searches.",
			"items": object{"type": "object", "properties": properties}}}}
}

// describeExport describes how the tool differs from the operation: it returns summaries by default, and may
// truncate a conversation.
func (t *tool) describeExport() {
	t.input["properties"].(object)["include"].(object)["default"] = summaryDetail
	item := t.output["properties"].(object)["data"].(object)["items"].(object)
	item["properties"].(object)["truncated"] = object{"type": "boolean",
		"description": "True when only the oldest messages of the conversation are given."}
}
