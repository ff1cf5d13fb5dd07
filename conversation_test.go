package parley_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestVisibleCallsHaveResults(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	part := parley.Part{Type: "text", Text: "Let me look."}
	call := func(id string) parley.Part {
		return parley.Part{Type: "tool-call", ToolCallID: id, ToolName: "look", Input: json.RawMessage(`{"n":1}`)}
	}
	result := func(id, output string) parley.Part {
		return parley.Part{Type: "tool-result", ToolCallID: id, ToolName: "look", Output: json.RawMessage(output)}
	}
	for name, c := range map[string]struct {
		parts, want []parley.Part
		age         time.Duration
	}{
		"text":    {[]parley.Part{part}, []parley.Part{part}, 0},
		"nothing": {nil, []parley.Part{}, 0},
		"a fresh call": {[]parley.Part{part, call("a")},
			[]parley.Part{part, call("a"), result("a", `{"status":"pending"}`)}, 0},
		"almost a day": {[]parley.Part{call("a")}, []parley.Part{call("a"), result("a", `{"status":"pending"}`)},
			parley.ToolResultTimeout - 1},
		"a day": {[]parley.Part{call("a")}, []parley.Part{call("a"), result("a", `{"status":"ignored"}`)},
			parley.ToolResultTimeout},
		"an answered one": {[]parley.Part{call("a"), result("a", `{"status":"success"}`), part},
			[]parley.Part{call("a"), result("a", `{"status":"success"}`), part}, parley.ToolResultTimeout},
		"one of two": {[]parley.Part{call("a"), call("b"), result("b", `{"status":"error","error":"no"}`)},
			[]parley.Part{call("a"), result("a", `{"status":"pending"}`), call("b"),
				result("b", `{"status":"error","error":"no"}`)}, 0},
	} {
		m := parley.Message{Parts: c.parts, CreatedAt: noon}
		if diff := cmp.Diff(c.want, m.VisibleParts(noon.Add(c.age))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(m.Parts) != len(c.parts) {
			t.Errorf("%s: the message itself was changed", name)
		}
	}
}
