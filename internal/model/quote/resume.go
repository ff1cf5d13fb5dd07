package quote

import (
	"encoding/json"
	"parley/internal/model"
	"slices"
)

// resumeProcedure takes the last message as what a tool said it needs: a procedure that lacks inputs waits with {"needs": […]} in its
// result, and goes on when it is called again with them.
func resumeProcedure(req model.Request) (callDraft, bool) {
	n := len(req.Messages)
	if n < 4 || req.Messages[n-2].Role != "assistant" || req.Messages[n-3].Role != "tool" {
		return callDraft{}, false
	}
	result, called := req.Messages[n-3], req.Messages[n-4]
	var out struct{ Data struct{ Needs []string } }
	if json.Unmarshal([]byte(result.Text), &out) != nil || len(out.Data.Needs) == 0 {
		return callDraft{}, false
	}
	call := slices.IndexFunc(called.ToolCalls, func(c model.ToolCall) bool { return c.ID == result.ToolCallID })
	if call < 0 {
		return callDraft{}, false
	}
	tool := slices.IndexFunc(req.Tools, func(t model.Tool) bool { return t.Name == called.ToolCalls[call].Name })
	if tool < 0 {
		return callDraft{}, false
	}
	w := callDraft{tool: req.Tools[tool], inputs: parseInputs(req.Tools[tool].Parameters), values: map[string]json.RawMessage{}}
	asked := slices.DeleteFunc(slices.Clone(w.inputs), func(in toolInput) bool { return !slices.Contains(out.Data.Needs, in.name) })
	userText := req.Messages[n-1].Text
	if w.isAbandonedBy(userText, asked, req.Tools) || !w.isAnsweredBy(userText, asked) {
		return callDraft{}, false
	}
	w.fillFromAnswer(userText, asked)
	return w, true
}
