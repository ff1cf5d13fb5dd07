package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// FuzzArguments checks that any text in place of an id stays in its segment of the path.
func FuzzArguments(f *testing.F) {
	for _, id := range []string{"x", "", ".", "..", "a/b", "%2e", "\x00", "?a=1#b", "{b}", "\xff", "é"} {
		f.Add(id, `{"limit": 5, "type": ["text"], "name": null}`)
	}
	op := &operation{method: http.MethodPut, path: "/agents/{agentId}/sources/{sourceId}", bodies: []object{{}},
		params: []parameter{{Name: "agentId", In: "path"}, {Name: "sourceId", In: "path"}, {Name: "limit", In: "query"},
			{Name: "type", In: "query"}}}
	schema := object{"properties": object{"agentId": object{}, "sourceId": object{}, "limit": object{},
		"type": object{}, "name": object{}}, "required": []string{"agentId"}}
	f.Fuzz(func(t *testing.T, id, rest string) {
		args, err := parseArguments(jsonText(rest), schema)
		if err != nil {
			args = arguments{}
		}
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		args["agentId"], args["sourceId"] = text, text
		req, err := op.newRequest(args)
		if err != nil {
			t.Fatal(err)
		}
		u := req.httpRequest().URL
		parts := strings.Split(u.EscapedPath(), "/")
		if len(parts) != 7 || parts[4] != parts[6] || parts[4] == "" || parts[4] == "." || parts[4] == ".." ||
			parts[5] != "sources" {
			t.Errorf("%q leads to %s", id, u.EscapedPath())
		}
		var want string
		if json.Unmarshal(text, &want) == nil && want != "" && !strings.HasSuffix(u.Path, "/"+want) {
			t.Errorf("%q arrives as %s", want, u.Path)
		}
		if !json.Valid(req.body) {
			t.Errorf("the body is %s", req.body)
		}
	})
}

// What assistants write in other ways than the schema has it is read where there is but one way to.
func TestArgumentsAreReadAsTheirTypes(t *testing.T) {
	properties := object{}
	for _, name := range []string{"integer", "number", "boolean", "array", "object", "string"} {
		properties[name] = object{"type": name}
	}
	properties["nullable"] = object{"anyOf": []any{object{"type": "integer"}, object{"type": "null"}}}
	for _, row := range []struct{ name, value, want string }{
		{"integer", `12.0`, `12`}, {"integer", `"12.0"`, `12`}, {"integer", `1.2e1`, `12`}, {"integer", `"5"`, `5`},
		{"integer", `12.5`, `12.5`}, {"integer", `"twelve"`, `"twelve"`}, {"integer", `""`, `""`},
		{"number", `"0.5"`, `0.5`}, {"boolean", `"true"`, `true`}, {"boolean", `"false"`, `false`},
		{"boolean", `"yes"`, `"yes"`}, {"boolean", `"1"`, `"1"`}, {"array", `"[\"a\", \"b\"]"`, `["a", "b"]`},
		{"array", `"a,b"`, `"a,b"`}, {"array", `"{}"`, `"{}"`}, {"object", `"{\"a\": 1}"`, `{"a": 1}`},
		{"string", `"5"`, `"5"`}, {"string", `"[1]"`, `"[1]"`}, {"nullable", `"12"`, `12`}, {"nullable", `null`, `null`},
	} {
		args, err := parseArguments(jsonText(`{"`+row.name+`": `+row.value+`}`), object{"properties": properties})
		if err != nil || string(args[row.name]) != row.want {
			t.Errorf("%s %s: %s, want %s (%v)", row.name, row.value, args[row.name], row.want, err)
		}
	}
}
