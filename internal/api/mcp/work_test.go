//go:build unix

package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to read the arguments of a call is linear in their size.
func TestWork(t *testing.T) {
	op := &operation{method: http.MethodPut, path: "/agents/{agentId}", bodies: []object{{}},
		params: []parameter{{Name: "agentId", In: "path"}, {Name: "type", In: "query"}}}
	schema := object{"properties": object{"agentId": object{}, "type": object{}}, "required": []string{"agentId"}}
	call := func(text string) {
		if args, err := parseArguments(jsonText(text), schema); err == nil {
			if req, err := op.newRequest(args); err == nil {
				req.httpRequest()
			}
		}
	}
	hostile.Readers(t, map[string]func(text string){
		"arguments": call,
		"id":        func(text string) { call(`{"agentId":` + asJSON(text) + `}`) },
		"text":      func(text string) { call(`{"agentId":"a","type":` + asJSON(text) + `}`) },
		"list":      func(text string) { call(`{"agentId":"a","type":["` + strings.ReplaceAll(text, `"`, `","`) + `"]}`) },
	})
}

func asJSON(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // encoding a text cannot fail
	}
	return string(b)
}
