package parley

import (
	"slices"
	"time"
)

// Shown gives the message's parts as they are shown: behind each tool call without a result stands one that says how the call
// stands (interface 2.4), pending until it is older than ToolPatience and ignored from then on.
func (m *Message) Shown(now time.Time) []Part {
	waiting := ToolOutput{Status: ToolPending}
	if now.Sub(m.CreatedAt) >= ToolPatience {
		waiting.Status = ToolIgnored
	}
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		parts = append(parts, p)
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.EndedBy) {
			parts = append(parts, Part{Type: "tool-result", ToolCallID: p.ToolCallID, ToolName: p.ToolName, Output: waiting.JSON()})
		}
	}
	return parts
}
