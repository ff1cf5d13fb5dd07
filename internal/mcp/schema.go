package mcp

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// describe makes the schemas of the tool from those of its operation.
func (t *tool) describe() {
	t.input, t.output = t.parameters(), t.operation.reply
	if t.most > 0 {
		t.page()
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

// parameters gives one object of all that the operation takes, wherever it takes it.
func (t *tool) parameters() object {
	members, required := object{}, slices.Clone(t.needs)
	for _, p := range t.operation.params {
		if p.In == "header" || !t.takes(p.Name) {
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
	body, needed := merged(t.operation.bodies)
	for name, schema := range body {
		if t.takes(name) {
			members[name] = schema
		}
	}
	for _, name := range t.needs {
		members[name] = object{"type": "string", "minLength": 1}
	}
	return closed(members, append(required, needed...))
}

func closed(members object, required []string) object {
	slices.Sort(required)
	schema := object{"type": "object", "properties": members, "additionalProperties": false}
	if required = slices.Compact(required); len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// merged makes one object of bodies between which a caller chooses by their type: many clients know no choice at the top of a
// schema. What only some of them have says so; REST refuses what does not belong together.
func merged(bodies []object) (members object, required []string) {
	members = object{}
	kinds := map[string][]string{}
	for i, body := range bodies {
		kind := onlyKind(body)
		needed := texts(body["required"])
		if i == 0 {
			required = needed
		}
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(needed, name) })
		for name, schema := range body["properties"].(object) {
			kinds[name] = append(kinds[name], kind)
			members[name] = both(members[name], schema.(object))
		}
	}
	for name, of := range kinds {
		if len(of) < len(bodies) {
			schema := members[name].(object)
			said, _ := schema["description"].(string)
			schema["description"] = strings.TrimSpace(fmt.Sprintf("Of type %s. %s", strings.Join(of, " or "), said))
		}
	}
	return members, required
}

func onlyKind(body object) string {
	kind, _ := body["properties"].(object)["type"].(object)
	if values, ok := kind["enum"].([]any); ok && len(values) == 1 {
		return values[0].(string)
	}
	return ""
}

// both keeps what two schemas of one name have in common; of enums it takes all values.
func both(known any, more object) object {
	if known == nil {
		return maps.Clone(more)
	}
	schema := known.(object)
	maps.DeleteFunc(schema, func(rule string, value any) bool {
		return rule != "enum" && !reflect.DeepEqual(value, more[rule])
	})
	if values, ok := schema["enum"].([]any); ok {
		others, _ := more["enum"].([]any)
		schema["enum"] = append(slices.Clone(values), others...)
	}
	return schema
}

func texts(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		all = append(all, v.(string))
	}
	return all
}

// page describes a list that the tool may cut.
func (t *tool) page() {
	limit := t.input["properties"].(object)["limit"].(object)
	limit["description"] = fmt.Sprintf("Most items on the page. More than %d are not given in one call.", t.most)
	properties := t.output["properties"].(object)
	properties["truncated"] = object{"type": "boolean", "description": "True when this tool's limits have made the page smaller than was asked for."}
	if t.fields == nil {
		return
	}
	items := properties["data"].(object)["items"].(object)
	maps.DeleteFunc(items["properties"].(object), func(name string, _ any) bool { return !slices.Contains(t.fields, name) })
	items["required"] = slices.DeleteFunc(texts(items["required"]), func(name string) bool { return !slices.Contains(t.fields, name) })
}

// searchesMost is how many searches one call may hold (interface 4.6, rule 7).
const searchesMost = 5

// describeSearches wraps the operation: its query becomes an item of searches, its reply an item of results.
func (t *tool) describeSearches() {
	each := t.input
	delete(each, "required")
	agent := object{"type": "string", "description": "The agent of the searches that name none."}
	each["properties"].(object)["agentId"] = object{"type": "string", "description": "The agent to search; without it, the agentId beside searches."}
	t.input = closed(object{"agentId": agent, "searches": object{"type": "array", "minItems": 1, "maxItems": searchesMost, "items": each,
		"description": "1 to 5 searches. Each counts for itself towards ten searches a second."}}, []string{"searches"})
	properties := maps.Clone(t.output["properties"].(object))
	properties["error"] = object{"type": "object", "description": "In place of data and pagination: why this search was refused.", "required": []string{"code", "message"},
		"properties": object{"code": object{"type": "string"}, "message": object{"type": "string"}, "details": object{"type": "object", "additionalProperties": object{"type": "string"}},
			"retryAfter": object{"type": "integer", "description": "Seconds to wait before trying again."}, "requestId": object{"type": "string"}}}
	t.output = object{"type": "object", "required": []string{"results"}, "properties": object{"results": object{"type": "array", "description": "In the order of searches.",
		"items": object{"type": "object", "properties": properties}}}}
}

// describeExport tells what the tool does otherwise: it gives summaries where nothing is said, and may cut a conversation.
func (t *tool) describeExport() {
	t.input["properties"].(object)["include"].(object)["default"] = summary
	item := t.output["properties"].(object)["data"].(object)["items"].(object)
	item["properties"].(object)["truncated"] = object{"type": "boolean", "description": "True when only the oldest messages of the conversation are given."}
}
