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
